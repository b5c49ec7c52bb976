"""Vectors of another model than the stored one: said, never mixed, and made anew on request."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from langchain_core.embeddings import Embeddings
from shelf import ACME, assert_whole, folder_of, opened, with_meaning, write

from signoff.embedding import Encoder
from signoff.errors import ConfigError, ProviderUnavailable


class Lettered(Embeddings):
    """Counts letters: another model, and one that can be taken away."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers = 10**9

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += 1
        if self.asked > self.answers:
            raise ConnectionError("gone")
        return [[1.0 + t.count(c) for c in "abcdefgh"] for t in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def lettered() -> tuple[Lettered, Encoder]:
    model = Lettered()
    return model, Encoder(lambda: model, "letters")


def test_another_model_is_refused_until_the_documents_are_embedded_anew(tmp_path: Path) -> None:
    path, docs = tmp_path / "knowledge.db", folder_of(tmp_path / "docs", 4)
    knowledge = with_meaning(path)
    knowledge.add(docs)
    knowledge.close()
    other = opened(path, encoder=lettered()[1])
    assert other.add(docs).unchanged, "what is unchanged needs no vectors"
    write(docs, "0000.md", "# Document 0\n\nIt changed.\n")
    with pytest.raises(ConfigError, match=r"model use\S*/512,.*letters/8.*signoff knowledge reindex"):
        other.add(docs)
    found = other.find(ACME, ["topic1x1"])
    assert "Document 1 " in found.passages[0].text and "words alone" in found.warnings[0]
    assert "reindex" in found.warnings[0]
    assert other.reindex() == 4
    assert other.add(docs).updated == ["0000.md"]
    assert not other.find(ACME, ["topic1x1"]).warnings
    assert other.stats(ACME).model == "letters/8" and other.stats(ACME).counts.without_vectors == 0
    other.close()
    assert_whole(path)


def test_documents_added_without_a_model_get_vectors_later(tmp_path: Path) -> None:
    path, docs = tmp_path / "knowledge.db", folder_of(tmp_path / "docs", 3)
    bare = opened(path)
    bare.add(docs)
    with pytest.raises(ConfigError, match="SIGNOFF_EMBEDDINGS is none"):
        bare.reindex()
    bare.close()
    knowledge = with_meaning(path)
    assert "reindex" in knowledge.find(ACME, ["topic1x1"]).warnings[0]
    assert knowledge.reindex() == 3 and knowledge.reindex() == 0
    assert not knowledge.find(ACME, ["topic1x1"]).warnings
    knowledge.close()


def test_a_model_that_does_not_answer_costs_nothing_that_is_there(tmp_path: Path) -> None:
    path, docs = tmp_path / "knowledge.db", folder_of(tmp_path / "docs", 3)
    knowledge = with_meaning(path)
    knowledge.add(docs)
    knowledge.close()
    model, encoder = lettered()
    model.answers = 0
    other = opened(path, encoder=encoder)
    with pytest.raises(ProviderUnavailable):
        other.reindex()
    other.close()
    knowledge = with_meaning(path)
    assert knowledge.stats(ACME).counts.without_vectors == 0
    assert not knowledge.find(ACME, ["topic1x1"]).warnings
    knowledge.close()


def test_an_endpoint_that_fails_ends_the_run_with_what_is_in_and_the_next_goes_on(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", 6)
    model, encoder = lettered()
    knowledge = opened(tmp_path / "knowledge.db", encoder=encoder)
    model.answers = 4
    with pytest.raises(ProviderUnavailable, match="letters"):
        knowledge.add(docs)
    there = len(knowledge.documents(ACME))
    assert 0 < there < 6
    assert_whole(tmp_path / "knowledge.db")
    model.answers = 10**9
    report = knowledge.add(docs)
    assert (len(report.unchanged), len(report.added)) == (there, 6 - there)
    model.answers = model.asked + 2
    knowledge.close()


def test_a_large_document_is_embedded_in_batches_and_can_be_stopped_between_them(tmp_path: Path) -> None:
    words = "\n\n".join(
        f"Paragraph {i} about {hashlib.sha256(bytes([i % 256, i // 256])).hexdigest()}. " * 5 for i in range(400)
    )
    write(tmp_path / "docs", "long.md", f"# Long\n\n{words}\n")
    model, encoder = lettered()
    knowledge = opened(tmp_path / "knowledge.db", encoder=encoder)
    report = knowledge.add(tmp_path / "docs", stop=lambda: model.asked > 3)
    assert report.notes == ["Stopped: 0 of 1 files are in. Add it again to go on."] and model.asked < 8
    assert knowledge.documents(ACME) == []
    assert knowledge.add(tmp_path / "docs").added == ["long.md"]
    knowledge.close()
