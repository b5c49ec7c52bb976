from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest
from rerank_server import KEY, Answer, results, serving
from shelf import ACME, opened, write

from signoff.errors import ConfigError
from signoff.knowledge.rerank import Reranker, reranker_of
from signoff.settings import Settings

DOCUMENTS = ["first", "second", "third"]


def asked(answer: Answer, documents: list[str] = DOCUMENTS, **options: Any) -> tuple[dict[int, float], list[str]]:
    warnings: list[str] = []
    with serving(answer) as server:
        reranker = Reranker(server.url, "judge-1", KEY, options.pop("timeout_s", 3.0))
        return reranker.scores("what is asked", documents, warnings, **options), warnings


@pytest.mark.parametrize(
    ("answer", "scores"),
    [
        (results((2, 0.9), (0, 0.5), (1, 0.1)), {2: 0.9, 0: 0.5, 1: 0.1}),
        (results((0, 3), (1, -7.5), (2, 0), score="score"), {0: 3.0, 1: -7.5, 2: 0.0}),
        (results((1, 0.7)), {1: 0.7}),
        (results((1, 0.7), (1, 0.2), (0, 0.1)), {1: 0.7, 0: 0.1}),
        (results((7, 0.9), (-1, 0.9), (0, 0.4)), {0: 0.4}),
        (results(("0", 0.9), (True, 0.9), (1.0, 0.9), (None, 0.9), (2, 0.4)), {2: 0.4}),
        (results((0, float("nan")), (1, float("inf")), (2, 0.4)), {2: 0.4}),
        (results((0, "0.9"), (1, None), (2, True), (1, 0.3)), {1: 0.3}),
    ],
)
def test_scores_are_read_whatever_their_order_and_what_is_no_score_is_left_out(
    answer: Answer, scores: dict[int, float]
) -> None:
    assert asked(answer) == (scores, [])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda _: (401, b"bad key " + KEY.encode()), "SIGNOFF_RERANK_API_KEY"),
        (lambda _: (403, b""), "SIGNOFF_RERANK_API_KEY"),
        (lambda _: (404, b"no such page"), "SIGNOFF_RERANK_URL"),
        (lambda _: (422, b"no such model"), "SIGNOFF_RERANK_MODEL"),
        (lambda _: (429, b"slow down"), "429"),
        (lambda _: (500, b"<html>"), "500"),
        (lambda _: (302, b""), "302"),
        (lambda _: (200, b"<html>"), "not JSON"),
        (lambda _: (200, b""), "not JSON"),
        (lambda _: (200, b"[" * 100_000), "not JSON"),
        (lambda _: (200, b"\xff\xfe"), "not JSON"),
        (lambda _: (200, b"[1, 2]"), "no list of results"),
        (lambda _: (200, b'{"results": {}}'), "no list of results"),
        (lambda _: (200, b'{"results": []}'), "none of the passages"),
        (lambda _: (200, b'{"results": [1, null, {}]}'), "none of the passages"),
        (lambda _: (200, b'{"results": "' + b"x" * 2_000_000 + b'"}'), "too long"),
    ],
)
def test_what_fails_is_one_sentence_without_the_key(answer: Answer, says: str) -> None:
    scores, warnings = asked(answer)
    assert scores == {} and len(warnings) == 1
    assert says in warnings[0] and warnings[0].endswith(".") and KEY not in warnings[0]


def test_an_endpoint_that_hangs_is_waited_for_only_so_long() -> None:
    def hang(_: Any) -> tuple[int, bytes]:
        time.sleep(0.5)
        return 200, b"{}"

    scores, warnings = asked(hang, timeout_s=0.1)
    assert scores == {} and "did not answer within 0.1 s" in warnings[0]


def test_no_endpoint_is_asked_when_no_time_is_left() -> None:
    scores, warnings = asked(results((0, 1.0)), left_s=-1.0)
    assert scores == {} and "no time" in warnings[0]


def test_an_address_where_nobody_listens_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    warnings: list[str] = []
    assert Reranker(f"http://127.0.0.1:{port}/rerank", "m", KEY, 1.0).scores("q", DOCUMENTS, warnings) == {}
    assert "cannot be reached" in warnings[0] and KEY not in warnings[0]


def test_texts_that_json_cannot_carry_are_sent_without_what_it_cannot() -> None:
    assert asked(results((0, 1.0)), documents=["\ud800 lone", "nul \0 byte", "x" * 50_000])[0] == {0: 1.0}


@pytest.mark.parametrize(
    "wrong", ["not a url", "ftp://host/rerank", "https://", "https://user:pass@host/rerank", "http://[::1/rerank"]
)
def test_an_address_that_cannot_be_asked_is_refused_at_once(wrong: str) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_RERANK_URL") as refused:
        reranker_of(Settings(rerank_url=wrong))
    assert "pass@" not in str(refused.value)


def test_the_settings_name_the_reranker_and_its_key_is_not_shown() -> None:
    assert reranker_of(Settings()) is None
    reranker = reranker_of(
        Settings(rerank_url="http://localhost:1/rerank", rerank_model="judge-1", rerank_api_key=KEY, rerank_timeout_s=2)
    )
    assert reranker is not None and (reranker.model, reranker.timeout_s) == ("judge-1", 2.0)
    assert KEY not in repr(reranker)
    with pytest.raises(ConfigError, match="SIGNOFF_RERANK_API_KEY") as refused:
        reranker_of(Settings(rerank_url="http://localhost:1/rerank", rerank_api_key="钥匙\n2"))
    assert "钥匙" not in str(refused.value)


def filled(tmp_path: Path) -> None:
    for name, rule in (("a", "A parking permit costs 5 yuan."), ("b", "A parking permit is blue and has a number.")):
        write(tmp_path / "docs", f"{name}.md", f"# Parking {name}\n\n{rule}\n")


def test_a_search_is_in_the_rerankers_order_and_says_so(tmp_path: Path) -> None:
    filled(tmp_path)

    def prefer_blue(body: dict[str, Any]) -> tuple[int, bytes]:
        blue = next(i for i, d in enumerate(body["documents"]) if "blue" in d)
        return results((1 - blue, 0.1), (blue, 0.97))(body)

    with serving(prefer_blue) as server:
        knowledge = opened(tmp_path / "k.db", reranker=Reranker(server.url, "judge-1", KEY, 3.0))
        knowledge.add(tmp_path / "docs")
        found = knowledge.find(ACME, ["parking permit"])
        knowledge.close()
    assert [p.source for p in found.passages] == ["b.md", "a.md"] and found.warnings == []
    assert "reranked 0.97" in found.passages[0].reason and found.passages[0].score == 0.97
    assert server.asked[0]["query"] == "parking permit"


def test_what_the_reranker_leaves_out_stays_behind_what_it_ranked(tmp_path: Path) -> None:
    filled(tmp_path)
    plain = opened(tmp_path / "plain.db")
    plain.add(tmp_path / "docs")
    order = [p.source for p in plain.search(ACME, "parking permit")]
    plain.close()
    with serving(results((1, 0.2))) as server:
        knowledge = opened(tmp_path / "k.db", reranker=Reranker(server.url, "judge-1", KEY, 3.0))
        knowledge.add(tmp_path / "docs")
        found = knowledge.search(ACME, "parking permit")
        knowledge.close()
    assert [p.source for p in found] == order[::-1]
    assert found[0].score >= found[1].score


def test_a_search_goes_on_without_a_reranker_that_fails(tmp_path: Path) -> None:
    filled(tmp_path)
    with serving(lambda _: (500, b"")) as server:
        knowledge = opened(tmp_path / "k.db", reranker=Reranker(server.url, "judge-1", KEY, 3.0))
        knowledge.add(tmp_path / "docs")
        found = knowledge.find(ACME, ["parking permit"])
        knowledge.close()
    assert len(found.passages) == 2 and len(found.warnings) == 1 and "HTTP 500" in found.warnings[0]
