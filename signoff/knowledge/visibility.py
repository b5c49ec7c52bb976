"""Who may read what of `knowledge.db`, as SQL: decided before anything is matched, counted or ranked."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from signoff.knowledge.passages import Filter
from signoff.knowledge.rows import PASSAGE_COLUMNS
from signoff.knowledge.store import Access

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _readable(document: str) -> str:
    return f"""
      {document}.tenant IN ('*', :tenant) AND {document}.owner IN ('', :user)
      AND (NOT EXISTS (SELECT 1 FROM reader r WHERE r.document = {document}.number)
           OR EXISTS (SELECT 1 FROM reader r JOIN json_each(:roles) j ON j.value = r.role
                      WHERE r.document = {document}.number))
    """


def _in_force(document: str) -> str:
    return f"""
      ({document}.valid_from IS NULL OR {document}.valid_from <= :today)
      AND ({document}.valid_to IS NULL OR {document}.valid_to >= :today)
    """


def _newer(readable: str) -> str:
    # Only a version that the caller may read: one for others would take theirs away and show that it is there.
    return f"""
      EXISTS (SELECT 1 FROM document n WHERE n.tenant = d.tenant AND n.key = d.key AND n.rank > d.rank
              AND {_in_force("n")} AND ({readable}))
    """


# Parameters: tenant, user, roles (a JSON list), today (ISO).
READABLE = _readable("d")
ALLOWED = f"{READABLE} AND {_in_force('d')} AND NOT {_newer(_readable('n'))}"
PASSAGES = f"SELECT {PASSAGE_COLUMNS} FROM passage p JOIN document d ON d.number = p.document WHERE {ALLOWED}"
ALLOWED_CHUNKS = f"""
  FROM chunk c JOIN passage p ON p.row = c.passage JOIN document d ON d.number = c.document
  WHERE c.row IN (SELECT value FROM json_each(:rows)) AND {ALLOWED}
"""
DOCUMENTS = f"""
  SELECT d.*, {_newer(f":operator OR ({_readable('n')})")} AS superseded,
    (SELECT count(*) FROM passage p WHERE p.document = d.number) AS passages,
    (SELECT json_group_array(role) FROM reader r WHERE r.document = d.number) AS readers,
    CASE WHEN d.model = (SELECT value FROM meta WHERE name = 'model') THEN d.chunks - d.embedded ELSE d.chunks END
      AS bare
  FROM document d
"""

_NARROWED = {
    "documents": "EXISTS (SELECT 1 FROM json_each(:documents) j WHERE j.value IN (d.id, d.key))",
    "source": "substr(d.file, 1, length(:source)) = :source",
    "language": "d.language = :language",
    "tags": "EXISTS (SELECT 1 FROM json_each(d.tags) t JOIN json_each(:tags) j ON j.value = t.value)",
    "trusted_only": "d.trusted",
    "model": "d.model = :model",
}


def parameters(access: Access, **more: Any) -> dict[str, Any]:
    """Of the conditions here, and more."""
    given = {
        "tenant": access.tenant,
        "user": access.user,
        "roles": json.dumps(access.roles),
        "today": access.today,
        **more,
    }
    return {name: storable(value) if isinstance(value, str) else value for name, value in given.items()}


def allowed(tx: sqlite3.Connection, access: Access, narrowed: Filter, model: str | None = None) -> NDArray[np.int64]:
    """Numbers of the documents in force that the caller may read and that the filter leaves; of a model, if named."""
    import numpy as np

    asked = {
        "documents": json.dumps(narrowed.documents) if narrowed.documents else "",
        "source": narrowed.source,
        "language": narrowed.language,
        "tags": json.dumps(narrowed.tags) if narrowed.tags else "",
        "trusted_only": narrowed.trusted_only,
        "model": model,
    }
    asked = {name: value for name, value in asked.items() if value}
    conditions = [ALLOWED, *(_NARROWED[name] for name in asked)]
    query = f"SELECT json_group_array(d.number) FROM document d WHERE {' AND '.join(conditions)}"
    return np.array(json.loads(tx.execute(query, parameters(access, **asked)).fetchone()[0]), np.int64)


def storable(text: str) -> str:
    """Text that a database takes: half of a surrogate pair, which is no character, becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
