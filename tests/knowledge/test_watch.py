"""A folder that is watched: real changes on disk, seen in the documents a moment later."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shelf import ACME, HR, assert_whole, opened, write

from signoff.errors import ConfigError, NotFound, StoreError
from signoff.knowledge import Knowledge, Report


class Watched:
    """`Knowledge.watch` in a thread, and what it reported."""

    def __init__(self, knowledge: Knowledge, path: Path, **options: object) -> None:
        self.knowledge = knowledge
        self.reports: list[Report] = []
        self.error: BaseException | None = None
        self._ended = threading.Event()
        self._options = options
        self._thread = threading.Thread(target=self._run, args=(path,))
        self._thread.start()
        self.until(lambda: bool(self.reports))

    def _run(self, path: Path) -> None:
        try:
            for report in self.knowledge.watch(path, stop=self._ended.is_set, **self._options):  # type: ignore[arg-type]
                self.reports.append(report)
        except BaseException as error:
            self.error = error

    def until(self, happened: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not happened():
            assert self._thread.is_alive() or happened(), self.error
            assert time.monotonic() < deadline, self.reports
            time.sleep(0.02)

    def sources(self) -> set[str]:
        return {d.source for d in self.knowledge.documents(HR)}

    def finds(self, text: str) -> bool:
        return bool(self.knowledge.search(ACME, text))

    def end(self) -> None:
        self._ended.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    write(docs, "a.md", "# Parking\n\nParking costs 5 yuan.\n")
    return docs


@pytest.fixture
def watched(tmp_path: Path, docs: Path) -> Iterator[Watched]:
    knowledge = opened(tmp_path / "knowledge.db")
    watched = Watched(knowledge, docs, tenant="acme", roles=["hr"])
    yield watched
    watched.end()
    assert watched.error is None
    knowledge.close()
    assert_whole(tmp_path / "knowledge.db")


def test_what_is_written_changed_renamed_and_deleted_is_followed(watched: Watched, docs: Path) -> None:
    assert watched.reports[0].added == ["a.md"]
    write(docs, "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    watched.until(lambda: watched.sources() == {"a.md", "b.md"})
    write(docs, "b.md", "# Canteen\n\nThe canteen serves noodles.\n")
    watched.until(lambda: any("noodles" in p.text for p in watched.knowledge.search(HR, "canteen noodles")))
    (docs / "b.md").rename(docs / "c.md")
    watched.until(lambda: watched.sources() == {"a.md", "c.md"})
    (docs / "a.md").unlink()
    watched.until(lambda: watched.sources() == {"c.md"})
    # New files of the folder are for those whom the folder is for.
    assert not watched.finds("canteen noodles")


def test_whole_folders_come_and_go(watched: Watched, docs: Path, tmp_path: Path) -> None:
    write(tmp_path / "made" / "deep", "x.md", "# Bikes\n\nBikes are free.\n")
    write(tmp_path / "made", "y.md", "# Cars\n\nCars are not.\n")
    (tmp_path / "made").rename(docs / "sub")
    watched.until(lambda: watched.sources() == {"a.md", "sub/deep/x.md", "sub/y.md"})
    write(docs / "sub" / "deep", "z.md", "# Trains\n\nTrains are late.\n")
    watched.until(lambda: "sub/deep/z.md" in watched.sources())
    (docs / "sub").rename(docs / "moved")
    watched.until(lambda: watched.sources() == {"a.md", "moved/deep/x.md", "moved/deep/z.md", "moved/y.md"})
    (docs / "moved").rename(tmp_path / "away")
    watched.until(lambda: watched.sources() == {"a.md"})


def test_a_file_that_is_still_being_written_is_indexed_once_it_is_whole(watched: Watched, docs: Path) -> None:
    with (docs / "long.md").open("w", encoding="utf-8") as file:
        for i in range(30):
            file.write(f"## Part {i}\n\nSentence number {i} of the long one.\n\n")
            file.flush()
            time.sleep(0.05)
    watched.until(lambda: any("long.md" in r.added for r in watched.reports))
    assert [r.added for r in watched.reports if "long.md" in r.added] == [["long.md"]]
    assert next(d for d in watched.knowledge.documents(HR) if d.source == "long.md").passages == 30


def test_bad_files_hidden_files_and_sidecars_are_dealt_with(watched: Watched, docs: Path) -> None:
    (docs / ".hidden.md").write_text("# Hidden\n\nNot to be seen.\n", encoding="utf-8")
    (docs / "bad.md").write_bytes(b"\x7fELF\0\0")
    watched.until(lambda: any(r.skipped and r.skipped[0].startswith("bad.md") for r in watched.reports))
    (docs / "table.csv").write_text("place,price\ncanteen,7\n", encoding="utf-8")
    watched.until(lambda: watched.sources() == {"a.md", "table.csv"})
    (docs / "table.csv.meta.yaml").write_text("title: Prices\n", encoding="utf-8")
    watched.until(lambda: "Prices" in {d.title for d in watched.knowledge.documents(HR)})
    (docs / "table.csv.meta.yaml").unlink()
    watched.until(lambda: "Prices" not in {d.title for d in watched.knowledge.documents(HR)})
    assert watched.sources() == {"a.md", "table.csv"}


def test_what_cannot_be_stored_at_the_moment_is_tried_again(
    watched: Watched, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failed = watched.knowledge._store.replace, []

    def busy(*args: object) -> None:
        if not failed:
            failed.append(args)
            raise StoreError("knowledge.db is locked by another process: wait until it is done, then try again.")
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(watched.knowledge._store, "replace", busy)
    write(docs, "b.md", "# Canteen\n\nThe canteen serves dumplings.\n")
    watched.until(lambda: "b.md" in watched.sources())
    assert any(r.notes and "Trying again in 2 s." in r.notes[0] for r in watched.reports)


def test_one_file_is_watched_through_being_replaced(tmp_path: Path, docs: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    watched = Watched(knowledge, docs / "a.md")
    write(docs, "other.md", "# Other\n\nNot asked for.\n")
    write(docs, "a.md.new", "# Parking\n\nParking costs nine yuan.\n").replace(docs / "a.md")
    watched.until(lambda: any("nine" in p.text for p in knowledge.search(ACME, "parking")))
    assert watched.sources() == {"a.md"}
    watched.end()
    knowledge.close()


def test_a_path_that_is_not_there_and_a_missing_extra_are_said(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge = opened(tmp_path / "knowledge.db")
    with pytest.raises(NotFound, match="There is no file or folder"):
        next(knowledge.watch(tmp_path / "nothing"))
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(ConfigError, match=r"signoff\[documents\]"):
        next(knowledge.watch(docs))
    knowledge.close()


def test_what_comes_into_an_empty_watched_folder_is_for_those_it_was_watched_for(tmp_path: Path) -> None:
    (tmp_path / "hr").mkdir()
    knowledge = opened(tmp_path / "knowledge.db")
    watched = Watched(knowledge, tmp_path / "hr", tenant="acme", roles=["hr"])
    write(tmp_path / "hr", "a.md", "# Pay\n\nPay is 5 yuan.\n")
    watched.until(lambda: watched.sources() == {"a.md"})
    assert knowledge.documents(ACME) == []
    watched.end()
    knowledge.close()
