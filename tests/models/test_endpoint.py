from __future__ import annotations

from typing import Any

import pytest
from endpoints import ask, endpoint
from openai_server import OpenAIServer, Response, Status, Stream, answer, piece, says

from signoff.errors import ConfigError, ProviderError, ProviderRejected, ProviderUnavailable
from signoff.models import breaker, provider


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


OUT: dict[str, tuple[Response, str]] = {
    "down": (Status(503), "trouble"),
    "over its rate limit": (Status(429, headers={"retry-after": "3600"}), "busy"),
    "a bad key": (Status(401, {"error": {"message": "no", "code": "invalid_api_key"}}), "key"),
    "a bad key as Gemini says it": (Status(400, {"error": {"message": "API key not valid."}}), "key"),
    "an unknown model": (Status(404, {"error": {"message": "no", "code": "model_not_found"}}), "model"),
    "an unknown model as DeepSeek says it": (Status(400, {"error": {"message": "Model Not Exist"}}), "model"),
    "no money": (Status(402, {"error": {"message": "Insufficient Balance"}}), "quota"),
    "cut": (Stream(says("half"), then="cut"), "broken"),
}


@pytest.mark.parametrize(("first", "kind"), OUT.values(), ids=OUT.keys())
def test_a_fallback_answers_when_the_first_cannot_and_the_message_says_so(first: Response, kind: str) -> None:
    with OpenAIServer(first) as one, OpenAIServer(answer("fine")) as other:
        message = ask(endpoint(one.base_url), endpoint(other.base_url, "big"))
    told = message.response_metadata
    assert (message.content, told["profile"], told["tries"]) == ("fine", "big", 2)
    (warning,) = told["warnings"]
    assert "fast" in warning and "big" in warning
    assert kind in warning or kind == "broken"


FILTERED = [
    {"error": {"message": "no", "code": "content_filter"}},
    {"error": {"message": "Content Exists Risk", "type": "invalid_request_error"}},
    {"error": {"message": "Input data may contain inappropriate content.", "code": "data_inspection_failed"}},
]


@pytest.mark.parametrize("body", FILTERED)
def test_refused_content_is_not_taken_elsewhere(body: dict[str, Any]) -> None:
    with OpenAIServer(Status(400, body)) as one, OpenAIServer(answer("fine")) as other:
        with pytest.raises(ProviderRejected, match="other words"):
            ask(endpoint(one.base_url), endpoint(other.base_url, "big"))
        assert other.bodies == []


def test_when_all_fail_the_error_names_the_last_and_the_tries() -> None:
    refused = pytest.raises(ProviderRejected, match=r"BIG_KEY.*2 tries")
    with OpenAIServer(Status(503)) as one, OpenAIServer(Status(401)) as other, refused:
        ask(endpoint(one.base_url), endpoint(other.base_url, "big", key_env="BIG_KEY"))


def test_what_a_broken_try_showed_is_not_shown_again_by_the_fallback() -> None:
    pieces: list[str] = []
    broken, whole = Stream(says("One ", "two"), then="cut"), answer("One ", "two ", "three")
    with OpenAIServer(broken) as one, OpenAIServer(whole) as other:
        message = ask(endpoint(one.base_url), endpoint(other.base_url, "big"), on_text=pieces.append)
    assert "".join(pieces) == message.content == "One two three"
    assert message.response_metadata["wasted_tokens"] > 10


def test_a_silent_endpoint_leaves_its_fallback_time() -> None:
    silent = Stream([], then="hang")
    with OpenAIServer(silent) as one, OpenAIServer(answer("fine")) as other:
        assert ask(endpoint(one.base_url), endpoint(other.base_url, "big"), deadline_s=3.0).content == "fine"


def test_an_endpoint_that_fails_in_a_row_is_left_alone_and_then_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(breaker, "_breakers", {})
    with OpenAIServer(*[Status(503)] * 4, answer("back")) as server:
        first = endpoint(server.base_url)
        first.breaker._clock = lambda: now[0]
        again = endpoint(server.base_url)
        assert again.breaker is first.breaker and endpoint(server.base_url, "other").breaker is not first.breaker
        for one in (first, again, first):
            with pytest.raises(ProviderUnavailable, match="503"):
                ask(one)
        with pytest.raises(ProviderUnavailable, match="left alone for 30 s"):
            ask(again)
        assert len(server.bodies) == 3
        now[0] = 31.0
        with pytest.raises(ProviderUnavailable, match="503"):
            ask(first)
        with pytest.raises(ProviderUnavailable, match="left alone"):
            ask(first)
        now[0] = 62.0
        assert ask(first).content == ask(again).content == "back"


@pytest.mark.parametrize("written", ["/", "//", " "])
def test_an_address_has_one_breaker_however_it_is_written(written: str) -> None:
    one = endpoint("http://Localhost:9/v1")
    assert endpoint("http://localhost:9/v1" + written).breaker is one.breaker
    assert endpoint("http://localhost:9/v2").breaker is not one.breaker


def test_each_key_has_a_breaker_of_its_own_and_none_is_kept_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"FAST_KEY": "first-key", "SAME_KEY": "first-key", "OTHER_KEY": "second-key"}
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    fast, same, other = (endpoint("http://localhost:9/v1", key_env=name).breaker for name in keys)
    assert same is fast and other is not fast
    assert endpoint("http://localhost:9/v1").breaker not in (fast, other)
    assert not any(key in repr(breaker._breakers.keys()) for key in keys.values())


def test_one_probe_at_a_time_finds_out_whether_an_endpoint_is_back() -> None:
    now = [0.0]
    it = breaker.Breaker(clock=lambda: now[0])
    for _ in range(breaker.FAILURES):
        assert it.admit() == "closed"
        it.failed()
    now[0] = breaker.REST_S
    assert [it.admit(), it.admit()] == ["probe", "open"]
    it.released()
    assert it.admit() == "probe"
    it.succeeded()
    assert [it.admit(), it.admit()] == ["closed", "closed"]


REFUSED = [
    Status(401),
    Status(404),
    Status(400, {"error": {"code": "content_filter", "message": ""}}),
    Status(422),
    Stream([*says("I"), piece(finish="content_filter")]),
]


@pytest.mark.parametrize("refusal", REFUSED)
def test_a_refused_request_is_no_trouble_of_the_endpoint(refusal: Response) -> None:
    with OpenAIServer(refusal) as server:
        one = endpoint(server.base_url)
        for _ in range(breaker.FAILURES + 1):
            with pytest.raises(ProviderRejected):
                ask(one)
        assert len(server.bodies) == breaker.FAILURES + 1


def test_an_error_of_the_watcher_leaves_the_breaker_as_it_was() -> None:
    def watch(_: str) -> None:
        raise KeyError("mine")

    with OpenAIServer(answer("hi")) as server:
        one = endpoint(server.base_url)
        for _ in range(breaker.FAILURES + 1):
            with pytest.raises(KeyError):
                ask(one, on_text=watch)
        assert ask(one).content == "hi"


def test_keys_come_from_the_named_variable_and_openais_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-own")
    monkeypatch.setenv("FAST_KEY", "sk-fast-own")
    with OpenAIServer(answer("hi")) as server:
        ask(endpoint(server.base_url, key_env="FAST_KEY"))
        ask(endpoint(server.base_url, "other"))
        assert [h["authorization"] for h in server.headers] == ["Bearer sk-fast-own", "Bearer not-needed"]
        with pytest.raises(ProviderError, match="OPENAI_API_KEY to another address"):
            ask(endpoint(server.base_url, "third", key_env="OPENAI_API_KEY"))


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"model": "anthropic:claude", "base_url": None}, "ANTHROPIC_API_KEY"),
        ({"model": "google:gemini", "base_url": None}, "GOOGLE_API_KEY"),
        ({"model": "openai:x", "base_url": None}, "OPENAI_API_KEY"),
        ({"model": "openai:x", "base_url": None, "key_env": "MINE"}, "MINE"),
        ({"model": "azure:x"}, "anthropic:<name>"),
        ({"model": "openai:"}, "openai:<name>"),
        ({"model": "openai:x", "base_url": "localhost:1"}, r"base_url of \[models\.fast\]"),
    ],
)
def test_a_profile_that_cannot_be_used_is_refused_by_name(fields: dict[str, Any], names: str) -> None:
    with pytest.raises(ConfigError, match=names):
        endpoint(fields.pop("base_url", "http://127.0.0.1:9/v1"), **fields).check()


def test_a_provider_whose_package_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'signoff\[anthropic\]'"):
        endpoint("http://127.0.0.1:9", model="anthropic:claude").check()
