"""Writes docs/settings.md out of the docstrings in signoff/settings.py: `python docs/settings_page.py`."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from signoff import settings

PAGE = Path(__file__).with_name("settings.md")

SECTIONS = {
    "home": "The home and its people",
    "model": "The model",
    "max_rounds": "Limits of a turn",
    "approval_ttl_h": "Approvals",
    "desk": "Desks",
    "fetch_hosts": "General tools and MCP",
    "embeddings": "Documents",
    "taint": "Untrusted text",
    "tokens": "LangGraph's server and Studio",
    "turn_wait_s": "Threads and databases",
    "trace_content": "Traces",
}
"""Headings, by the first setting below them; a blank line in the class begins a new section."""

HEAD = """\
# Settings

Written by `python docs/settings_page.py` from [`signoff/settings.py`](../signoff/settings.py); a test compares the two.

A setting is read from the first of these that has it:

1. an argument, as in `Desk.open(max_rounds=4)` or `signoff ask --home PATH`;
2. the environment: the name in capitals with the prefix `SIGNOFF_`;
3. a file `.env` in the working folder ([`.env.example`](../.env.example) is a template);
4. `settings.toml` in the home, with the name in small letters: `max_rounds = 4`;
5. the default.

A wrong value stops the start with one sentence that names the variable. A variable that no setting has is ignored,
and `signoff doctor` says so. `signoff init` writes one setting into the `settings.toml` of a home with sample data:
`clock`, because the sample data is of those days.
"""

TAIL = """\
## Other variables

| variable | what for |
|---|---|
| `OPENAI_API_KEY` | The key for OpenAI's own endpoint, when `SIGNOFF_MODEL_API_KEY` is unset. |
| `LANGSMITH_TRACING`, `LANGSMITH_API_KEY` | LangSmith tracing, if you use it; what is sent is redacted first. |
| `SIGNOFF_DEBUG` | Any value makes the command line show tracebacks; not a setting, for developers. |
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for first, fields in sections():
        rows = [_row(name, settings.Settings.model_fields[name], text) for name, text in fields]
        parts.append(f"## {SECTIONS[first]}\n\n| setting | default | what it is |\n|---|---|---|\n" + "\n".join(rows))
    return "\n".join([p.rstrip("\n") + "\n" for p in [*parts, TAIL]])


def sections() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The class's fields with their docstrings, by section."""
    tree = ast.parse(Path(settings.__file__).read_text(encoding="utf-8"))
    made = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Settings")
    found: list[tuple[str, str]] = []
    end = 0
    for node, after in zip(made.body, made.body[1:], strict=False):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
        if found and node.lineno > end + 1:
            yield found[0][0], found
            found = []
        found.append((node.target.id, " ".join(str(said).split())))
        end = after.end_lineno or 0
    yield found[0][0], found


def _row(name: str, field: FieldInfo, text: str) -> str:
    about = " ".join(part for part in (text, _bounds(field)) if part).replace("|", "\\|")
    return f"| `SIGNOFF_{name.upper()}` | {_default(field)} | {about} |"


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True)
    match value:
        case None:
            return "unset"
        case bool():
            return f"`{str(value).lower()}`"
        case dict():
            return f"`{json.dumps(value)}`"
        case int():
            return f"`{value}`"
        case float():
            return f"`{value:g}`"
        case _:
            return f"`{value}`"


def _bounds(field: FieldInfo) -> str:
    words = []
    for bound in field.metadata:
        match bound:
            case Ge(ge=least):
                words.append(f"at least {_number(least)}")
            case Gt(gt=least):
                words.append(f"above {_number(least)}")
            case Le(le=most):
                words.append(f"at most {_number(most)}")
            case Lt(lt=most):
                words.append(f"below {_number(most)}")
            case _:
                pass
    kinds = get_args(field.annotation) if get_origin(field.annotation) in (Union, UnionType) else (field.annotation,)
    secret = ["secret: never shown"] if SecretStr in kinds else []
    return f"({', '.join([*words, *secret])})" if words or secret else ""


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int | Decimal) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
