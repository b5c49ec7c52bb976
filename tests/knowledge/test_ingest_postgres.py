"""Adding to PostgreSQL: what it does to `knowledge.db`, it does there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import database, postgres
from shelf import ACME, HR, NOW, folder_of, write

from signoff import Settings
from signoff.clock import Clock
from signoff.embedding import packaged
from signoff.knowledge import Grant, Knowledge
from signoff.knowledge.postgres import PostgresStore

__all__ = ["database", "postgres"]


@pytest.fixture
def knowledge(database: str) -> Iterator[Knowledge]:
    found = Knowledge(PostgresStore(database), Clock(fixed=NOW), encoder=packaged())
    yield found
    found.close()


def test_documents_are_added_changed_moved_and_removed(knowledge: Knowledge, tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", 3)
    write(docs, 'it\'s "odd"\n.md', "# Odd\n\nAn odd one about quaggas.\n")
    assert len(knowledge.add(docs, tenant="acme", roles=["hr"]).added) == 4
    assert len(knowledge.add(docs).unchanged) == 4
    write(docs, "0001.md", "# Document 1\n\nZebra bays on level 3.\n")
    (docs / "0002.md").unlink()
    write(docs, "new.md", "# New\n\nThe quokka is new.\n")
    docs.rename(tmp_path / "moved")
    report = knowledge.add(tmp_path / "moved", otherwise=Grant(tenant="acme"))
    assert (report.updated, report.added, report.removed) == (["0001.md"], ["new.md"], ["0002.md"])
    assert "Zebra bays" in knowledge.search(HR, "zebra bays")[0].text
    assert knowledge.search(ACME, "zebra bays") == [] and knowledge.documents(ACME) == []
    assert knowledge.stats(ACME, operator=True).counts.without_vectors == 0
    (tmp_path / "moved" / "0000.md").unlink()
    (gone,) = knowledge.stats(ACME, operator=True).gone
    assert gone.endswith("0000.md") and knowledge.stats(ACME).gone == []
    ident = knowledge.search(HR, "zebra bays")[0].id
    assert knowledge.show(HR, ident).document.roles == ("hr",)
    assert not knowledge.remove(ACME, ident.rpartition(".")[0])
    assert knowledge.remove(HR, ident.rpartition(".")[0])
    assert knowledge.search(HR, "zebra bays") == []


def test_whom_a_folder_is_for_is_known_when_no_document_of_it_is_left(knowledge: Knowledge, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    knowledge.add(docs, tenant="acme")
    knowledge.add(docs, roles=["hr"])
    write(docs, "a.md", "# A\n\nZebra bays.\n")
    assert knowledge.add(docs).added == ["a.md"]
    assert knowledge.search(HR, "zebra bays") and knowledge.documents(ACME) == []


ADD = """
import sys
from pathlib import Path
from signoff.knowledge import Knowledge
from signoff.settings import Settings
settings = Settings(_env_file=None, home=Path(sys.argv[3]), postgres_url=sys.argv[1], embeddings="none")
knowledge = Knowledge.open(settings)
knowledge.add(Path(sys.argv[2]), progress=lambda p: print(p.done, flush=True))
"""


def test_a_killed_process_leaves_whole_documents_and_the_next_goes_on(database: str, tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", 60, parts=5)
    command = [sys.executable, "-c", ADD, database, str(docs), str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) == 7:
            break
    process.kill()
    process.communicate()
    settings = Settings(_env_file=None, home=tmp_path, postgres_url=database, embeddings="none")
    knowledge = Knowledge.open(settings)
    held = knowledge.documents(ACME)
    assert 7 <= len(held) < 60 and {d.passages for d in held} == {5}
    report = knowledge.add(docs)
    assert (len(report.unchanged), len(report.added)) == (len(held), 60 - len(held))
    assert "Document 59 " in knowledge.search(ACME, "topic59x3")[0].text
    assert not (tmp_path / "knowledge.db").exists()
    knowledge.close()
