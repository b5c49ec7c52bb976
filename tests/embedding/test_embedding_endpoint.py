"""An embedding endpoint: what it is sent, what is made of its answers, and one sentence for everything it may do."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from embedding_server import KEY, Changed, Drop, EmbeddingServer, Hang, Raw, Status, Trickle, vector_of

from signoff import Settings
from signoff.embedding import Encoder, encoder_of
from signoff.embedding.address import OPENAI, Address
from signoff.embedding.endpoint import EndpointEmbeddings
from signoff.errors import ConfigError, ProviderError, ProviderRejected, ProviderUnavailable


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "SIGNOFF_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr("signoff.embedding.endpoint.sleep", lambda s: None)


def encoder(server: EmbeddingServer, **more: Any) -> Encoder:
    options = {"embeddings_api_key": KEY, "embeddings_timeout_s": 5, **more}
    found = encoder_of(Settings.load(embeddings="openai:served", embeddings_base_url=server.base_url, **options))
    assert found is not None
    return found


def unit(text: str) -> Any:
    vector = np.array(vector_of(text))
    return vector / np.linalg.norm(vector)


def test_documents_go_in_batches_and_come_back_in_order() -> None:
    texts = [f"passage {i}" for i in range(150)]
    with EmbeddingServer() as server:
        vectors = encoder(server).documents(texts)
    assert [len(i) for i in server.inputs] == [64, 64, 22] and not server.faults
    assert np.allclose(vectors, [unit(t) for t in texts], atol=1e-6)
    assert vectors.dtype == np.float32


def test_nothing_is_asked_before_the_first_text_and_the_dimension_is_learnt_once() -> None:
    with EmbeddingServer() as server:
        made = encoder(server)
        assert server.inputs == []
        assert made.model == "openai:served/8" and made.dimension == 8
        assert len(server.inputs) == 1 and (made.relevant, made.supports) == (None, None)


def test_a_question_is_asked_once() -> None:
    with EmbeddingServer() as server:
        made = encoder(server)
        first, again = made.query("退款要几天"), made.query(" 退款要几天\0")
    assert np.array_equal(first, again) and np.allclose(first, unit("退款要几天"), atol=1e-6)
    assert server.inputs == [["退款要几天"]] and not server.faults


def test_blank_and_odd_texts_never_reach_the_endpoint_as_such() -> None:
    with EmbeddingServer() as server:
        vectors = encoder(server).documents(["", " \n\0", "a\0b", "lone \ud800", "x" * 90_000])
    assert not server.faults
    assert [len(t) for t in server.inputs[0]] == [3, 6, 2_000]
    assert not vectors[:2].any() and np.allclose(np.linalg.norm(vectors[2:], axis=1), 1, atol=1e-6)


def test_texts_that_are_too_long_for_the_model_are_asked_for_apart_and_then_cut() -> None:
    texts = ["short", "long " * 300, "other"]
    with EmbeddingServer(longest=400) as server:
        vectors = encoder(server).documents(texts)
    assert np.allclose(vectors, [unit("short"), unit(texts[1].strip()[:374]), unit("other")], atol=1e-6)
    with EmbeddingServer(most=2_000) as server:
        assert encoder(server).documents(["x" * 900] * 5).shape == (5, 8)
    with EmbeddingServer(longest=5) as server, pytest.raises(ProviderRejected, match="longer context"):
        encoder(server).documents(["much too long a text"])


def test_entries_that_come_in_another_order_are_put_in_order() -> None:
    texts = [f"passage {i}" for i in range(9)]
    with EmbeddingServer(Changed(lambda e: e[::-1])) as server:
        assert np.allclose(encoder(server).documents(texts), [unit(t) for t in texts], atol=1e-6)


def test_entries_without_an_index_are_taken_as_they_come() -> None:
    with EmbeddingServer(Changed(lambda e: [{"embedding": x["embedding"]} for x in e])) as server:
        assert np.allclose(encoder(server).documents(["a", "b"]), [unit("a"), unit("b")], atol=1e-6)


def altered(**fields: Any) -> Changed:
    return Changed(lambda entries: [*entries[:-1], {**entries[-1], **fields}])


WRONG: dict[str, tuple[Any, str]] = {
    "one too few": (Changed(lambda e: e[:-1]), "1 vectors for 2 texts"),
    "one too many": (Changed(lambda e: [*e, e[0]]), "3 vectors for 2 texts"),
    "none": (Changed(lambda e: []), "cannot be read|0 vectors"),
    "twice the same index": (altered(index=0), "index is not that of the texts"),
    "zero": (altered(embedding=[0.0] * 8), "zero or holds something other than numbers"),
    "not a number": (altered(embedding=[float("nan")] * 8), "zero or holds something other than numbers"),
    "infinite": (altered(embedding=[float("inf")] * 8), "zero or holds something other than numbers"),
    "null": (altered(embedding=None), "one vector for each text|cannot be read"),
    "empty": (altered(embedding=[]), "one vector for each text"),
    "of another length": (altered(embedding=[1.0] * 9), "one vector for each text"),
    "words": (altered(embedding=["a"] * 8), "one vector for each text|cannot be read"),
    "a page": (Raw("<html>hello</html>", "text/html"), "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "no JSON": (Raw("{{{"), "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "other JSON": (Raw('{"ok": true}'), "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "a list": (Raw("[1, 2]"), "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "nothing": (Raw(""), "SIGNOFF_EMBEDDINGS_BASE_URL"),
}


@pytest.mark.parametrize(("answer", "said"), WRONG.values(), ids=WRONG)
def test_an_answer_that_is_not_one_vector_a_text_is_refused_in_a_sentence(answer: Any, said: str) -> None:
    with EmbeddingServer(answer) as server, pytest.raises(ProviderRejected, match=said) as caught:
        encoder(server).documents(["a", "b"])
    assert_a_sentence(caught.value)
    assert len(server.inputs) == 1


def test_vectors_of_another_dimension_than_before_are_refused() -> None:
    with EmbeddingServer() as server:
        made = encoder(server)
        made.documents(["a"])
        server.script.append(altered(embedding=[1.0] * 9))
        with pytest.raises(ProviderRejected, match="9 numbers, and of 8 before"):
            made.documents(["b"])


REFUSED = {
    401: (Status(401, {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}), "_API_KEY"),
    403: (Status(403), "SIGNOFF_EMBEDDINGS_API_KEY"),
    404: (Status(404, {"message": "no such model", "code": "model_not_found"}), "SIGNOFF_EMBEDDINGS and"),
    400: (Status(400, {"message": "unknown field"}), "the model in SIGNOFF_EMBEDDINGS"),
    429: (Status(429, {"message": "pay", "code": "insufficient_quota"}), "no quota left"),
}


@pytest.mark.parametrize(("answer", "said"), REFUSED.values(), ids=map(str, REFUSED))
def test_a_refusal_is_told_at_once_with_the_setting_to_look_at(answer: Status, said: str) -> None:
    with EmbeddingServer(answer, answer) as server, pytest.raises(ProviderRejected, match=said) as caught:
        encoder(server).documents(["a"])
    assert_a_sentence(caught.value)
    assert len(server.inputs) == 1


@pytest.mark.parametrize(
    "key", ["gsk_abcdefABCDEF0123456789abcdefghij", "xai-abcdefghijklmnop1234567890", "in_words_only"]
)
@pytest.mark.parametrize("field", ["code", "type"])
def test_a_key_that_the_endpoint_repeats_as_a_code_is_not_passed_on(key: str, field: str) -> None:
    told = pytest.raises(ProviderRejected, match=r"\(401\)")
    with EmbeddingServer(Status(401, {"message": "bad key", field: key})) as server, told as caught:
        encoder(server, embeddings_api_key=key).documents(["a"])
    assert key not in str(caught.value)


TROUBLES = {"429": Status(429), "500": Status(500), "503": Status(503), "dropped": Drop()}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_trouble_that_passes_is_not_seen(trouble: Any) -> None:
    with EmbeddingServer(trouble) as server:
        made = encoder(server, embeddings_timeout_s=30)
        assert np.allclose(made.query("a"), unit("a"), atol=1e-6)
        server.script += [trouble] * 4
        assert np.allclose(made.documents(["b"]), [unit("b")], atol=1e-6)
    assert len(server.inputs) == 7


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_trouble_that_lasts_is_told_and_a_question_waits_less_for_it_than_documents(trouble: Any) -> None:
    with EmbeddingServer(*[trouble] * 7) as server:
        made = encoder(server, embeddings_timeout_s=30)
        with pytest.raises(ProviderUnavailable) as caught:
            made.query("a")
        assert_a_sentence(caught.value)
        assert len(server.inputs) == 2
        with pytest.raises(ProviderUnavailable):
            made.documents(["a"])
        assert len(server.inputs) == 7


@pytest.mark.parametrize("answer", [Hang(), Trickle()], ids=["hangs", "trickles"])
def test_an_endpoint_that_does_not_answer_in_time_is_given_up(answer: Any) -> None:
    with EmbeddingServer(answer, answer) as server:
        made = encoder(server, embeddings_timeout_s=0.3)
        with pytest.raises(ProviderUnavailable, match="SIGNOFF_EMBEDDINGS_TIMEOUT_S"):
            made.query("a")
        assert len(server.inputs) == 1


def test_an_endpoint_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = Address("m", f"http://someone:secret@127.0.0.1:{taken.getsockname()[1]}/v1?token=secret", 2.0)
        with pytest.raises(ProviderUnavailable, match="cannot be reached") as caught:
            EndpointEmbeddings(address).embed_query("a")
    assert "secret" not in str(caught.value) + repr(address)


@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        (lambda: {"retry-after": "1"}, 1.0),
        (lambda: {"retry-after-ms": "1500"}, 1.5),
        (lambda: {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=1.9), usegmt=True)}, None),
        (lambda: {"retry-after": "soon"}, 0.5),
        (dict, 0.5),
    ],
    ids=["seconds", "milliseconds", "a date", "nonsense", "none"],
)
def test_it_waits_as_long_as_the_provider_asks(
    headers: Callable[[], dict[str, str]], waits: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("signoff.embedding.endpoint.sleep", slept.append)
    with EmbeddingServer(Status(429, headers=headers())) as server:
        encoder(server).query("a")
    assert len(slept) == 1 and 0 <= slept[0] <= 2
    assert waits is None or slept == [waits]


def test_a_wait_that_is_too_long_for_a_question_is_not_begun() -> None:
    with EmbeddingServer(Status(429, headers={"retry-after": "30"})) as server:
        with pytest.raises(ProviderUnavailable, match="rate limit"):
            encoder(server).query("a")
        assert len(server.inputs) == 1


def test_a_query_and_a_document_get_the_words_that_a_models_card_asks_for() -> None:
    with EmbeddingServer(key=None) as server:
        model = EndpointEmbeddings(Address("intfloat/multilingual-e5-large", server.base_url, 5.0))
        model.embed_query("a")
        model.embed_documents(["b"])
        EndpointEmbeddings(Address("e5-mistral-7b-instruct", server.base_url, 5.0)).embed_query("c")
    assert server.inputs == [["query: a"], ["passage: b"], ["c"]]


def key_of(**settings: Any) -> str | None:
    return Address.of(Settings.load(embeddings="openai:m", **settings)).key


HERE, THERE = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
KEYS = {
    "its own": ({"embeddings_base_url": HERE, "embeddings_api_key": "own"}, "own"),
    "the model's at the model's address": ({"model_base_url": HERE, "model_api_key": "model"}, "model"),
    "the model's at the same address": (
        {"model_base_url": HERE, "embeddings_base_url": HERE, "model_api_key": "model"},
        "model",
    ),
    "not the model's elsewhere": ({"embeddings_base_url": THERE, "model_base_url": HERE, "model_api_key": "m"}, None),
    "not OpenAI's elsewhere": ({"embeddings_base_url": THERE}, None),
    "not OpenAI's at the model's address": ({"model_base_url": HERE}, None),
    "OpenAI's at OpenAI": ({}, "sk-openai"),
    "OpenAI's at OpenAI, named": ({"embeddings_base_url": OPENAI, "model_base_url": HERE}, "sk-openai"),
}


@pytest.mark.parametrize(("settings", "key"), KEYS.values(), ids=KEYS)
def test_a_key_is_sent_only_where_it_was_given_for(
    settings: dict[str, Any], key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert key_of(**settings) == key


def test_what_the_environment_holds_for_openai_is_not_sent_to_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "for-openai")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with EmbeddingServer(key=None) as server:
        encoder(server, embeddings_api_key=None).query("a")
    assert not server.faults and "for-openai" not in str(server.headers)


WRONG_SETTINGS = {
    "no key for OpenAI": ({}, "SIGNOFF_EMBEDDINGS_API_KEY"),
    "no scheme": ({"embeddings_base_url": "localhost:8000"}, "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "no host": ({"embeddings_base_url": "http://"}, "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "no port": ({"embeddings_base_url": "http://localhost:port/v1"}, "SIGNOFF_EMBEDDINGS_BASE_URL"),
    "a key with a line break": ({"embeddings_base_url": HERE, "embeddings_api_key": "a\nb"}, "_API_KEY"),
}


@pytest.mark.parametrize(("settings", "said"), WRONG_SETTINGS.values(), ids=WRONG_SETTINGS)
def test_a_setting_that_cannot_be_used_is_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        encoder_of(Settings.load(embeddings="openai:m", **settings))
    assert_a_sentence(caught.value)


def assert_a_sentence(error: ProviderError | ConfigError) -> None:
    text = str(error)
    assert text.endswith(".") and "SIGNOFF_EMBEDDINGS" in text and KEY not in text
    assert not re.search(r"\n|Traceback|[.!] [A-Z]", text)
