"""The probe against endpoints that really have, lack, refuse or ignore each capability."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from capability_server import CapabilityServer, Traits
from openai_server import Hang, OpenAIServer, Status, answer

from signoff.errors import ConfigError, ProviderRejected, ProviderUnavailable
from signoff.models.known import known
from signoff.models.probe import Probe, plan
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.report import VERSION, Report, path_of
from signoff.settings import Settings

ALL = Capabilities(strict=True, json_schema=True, json_mode=True)
NO_TOOLS = {"tools": False, "parallel_calls": False, "required": False, "none": False, "strict": False}


def profile_at(base_url: str, **fields: Any) -> ModelProfile:
    values = {"name": "here", "model": "openai:served", "base_url": base_url, "timeout_s": 10, **fields}
    return ModelProfile.model_validate(values)


def probed(traits: Traits, **fields: Any) -> Report:
    with CapabilityServer(traits) as server:
        return Probe(profile_at(server.base_url, **fields), Settings()).run()


LACKS: dict[str, tuple[Traits, dict[str, bool], str]] = {
    "nothing": (Traits(), {}, ""),
    "tools, which it takes and ignores": (Traits(tools="ignores"), NO_TOOLS, "accepts `tools` and ignores them"),
    "tools, which it refuses": (Traits(tools="refuses"), NO_TOOLS, "refuses `tools`"),
    "tools, at which it fails": (Traits(tools="fails"), NO_TOOLS, "refuses `tools`"),
    "tools, whose calls it writes as text": (Traits(tools="writes"), NO_TOOLS, "writes its calls as text"),
    "tool results": (Traits(results="refuses"), NO_TOOLS, "refuses the result of a call"),
    "calls in streams": (Traits(tools="whole"), {"streaming": False}, "calls come in whole answers only"),
    "parallel calls": (Traits(parallel=False), {"parallel_calls": False}, ""),
    "parallel calls and their field": (Traits(parallel=False, parallel_field="refuses"), {}, "`parallel_tool_calls`"),
    "required, which it ignores": (Traits(required="ignores"), {"required": False}, "accepts `tool_choice: required`"),
    "required, which it refuses": (Traits(required="refuses"), {"required": False}, "refuses `tool_choice: required`"),
    "none, which it ignores": (Traits(none="ignores"), {"none": False}, "accepts `tool_choice: none`"),
    "none, which it refuses": (Traits(none="refuses"), {"none": False}, "refuses `tool_choice: none`"),
    "strict, which it ignores": (Traits(strict="ignores"), {"strict": False}, "accepts `strict`"),
    "strict, which it refuses": (Traits(strict="refuses"), {"strict": False}, "refuses `strict`"),
    "a schema, which it ignores": (Traits(json_schema="ignores"), {"json_schema": False}, "json_schema` and ignores"),
    "a schema, which it refuses": (Traits(json_schema="refuses"), {"json_schema": False}, "refuses `response_format"),
    "JSON mode, which it ignores": (Traits(json_mode="ignores"), {"json_mode": False}, "json_object` and ignores"),
    "a system message, which it ignores": (Traits(system="ignores"), {"system": False}, "ignores it"),
    "a system message, which it refuses": (Traits(system="refuses"), {"system": False}, "refuses it"),
    "streams, asked for which it answers whole": (
        Traits(streaming="ignores"), {"streaming": False, "usage_in_streams": False}, "answers come whole",
    ),
    "streams, which come in one piece": (
        Traits(streaming="one piece"), {"streaming": False, "usage_in_streams": False}, "answers come whole",
    ),
    "streams, which it refuses": (
        Traits(streaming="refuses"), {"streaming": False, "usage_in_streams": False}, "answers come whole",
    ),
    "usage in streams": (Traits(usage="ignores"), {"usage_in_streams": False}, ""),
    "the field that asks for usage": (Traits(usage="refuses"), {"usage_in_streams": False}, ""),
    "nothing, but thinks before it answers": (Traits(thinks=True), {}, ""),
    "all that llama.cpp lacks for a model without tools": (
        Traits(tools="ignores", required="ignores", none="ignores", strict="ignores", context_in="props"), NO_TOOLS, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("lacks", LACKS)
def test_an_endpoint_is_known_for_what_it_does_and_not_for_what_it_accepts(lacks: str) -> None:
    traits, differs, note = LACKS[lacks]
    report = probed(traits)
    assert report.can.model_dump() == {**ALL.model_dump(), **differs}
    assert not note or any(note in f.note for f in report.findings), report.findings
    assert report.reported_model in ("served-model", "served-by-name")


WAYS = {
    "native": Traits(),
    "schema": Traits(tools="ignores"),
    "json": Traits(tools="refuses", json_schema="refuses"),
    "text": Traits(tools="refuses", json_schema="ignores", json_mode="refuses"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_way_follows_from_what_was_found(way: str) -> None:
    assert probed(WAYS[way]).can.way == way


@pytest.mark.parametrize("where", ["models", "props", "error"])
def test_the_context_is_read_wherever_an_endpoint_tells_it(where: Any) -> None:
    assert probed(Traits(context_in=where, context_tokens=4_096)).context_tokens == 4_096


def test_an_endpoint_that_tells_no_context_is_not_guessed_at() -> None:
    report = probed(Traits())
    assert report.context_tokens is None
    assert [f.verdict for f in report.findings if f.question == "tells its context length"] == ["no"]


REFUSALS: dict[str, tuple[Any, type[Exception], str]] = {
    "a bad key": (Status(401), ProviderRejected, "refused the key"),
    "an unknown model": (Status(404, {"error": {"code": "model_not_found"}}), ProviderRejected, "no such model"),
    "an empty account": (Status(402), ProviderRejected, "quota"),
    "down": (Status(503), ProviderUnavailable, "trouble of its own"),
    "no model at all": (Status(200, "<html>hello</html>", {"content-type": "text/html"}), Exception, "model"),
}


@pytest.mark.parametrize("how", REFUSALS)
def test_an_endpoint_that_cannot_be_used_is_said_to_be_and_nothing_is_kept(how: str, tmp_path: Path) -> None:
    response, kind, word = REFUSALS[how]
    with OpenAIServer(response) as server, pytest.raises(kind, match=word):
        Probe(profile_at(server.base_url), Settings(home=tmp_path)).run()
    assert not list(tmp_path.iterdir())


def test_an_endpoint_that_is_silent_is_given_up_after_one_question() -> None:
    with OpenAIServer(Hang()) as server:
        with pytest.raises(ProviderUnavailable, match="sent nothing"):
            Probe(profile_at(server.base_url, timeout_s=0.3), Settings()).run()
        assert len(server.bodies) == 1


def test_an_endpoint_that_goes_down_midway_is_not_taken_for_a_weak_one() -> None:
    with OpenAIServer(answer("one, ", "two, ", "three"), Status(503)) as server, pytest.raises(ProviderUnavailable):
        Probe(profile_at(server.base_url), Settings()).run()


def test_what_a_busy_endpoint_does_not_show_stays_as_it_was_held_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.inquiry._BUSY_WAIT_S", 0.01)
    base = Capabilities(required=False, json_mode=True)
    with OpenAIServer(answer("one, ", "two, ", "three"), Status(429)) as server:
        report = Probe(profile_at(server.base_url), Settings()).run(base)
    assert report.can == base
    assert {f.verdict for f in report.findings} == {"yes", "unknown", "no"}


def test_a_report_counts_for_its_own_model_endpoint_and_questions_only(tmp_path: Path) -> None:
    with CapabilityServer(Traits(tools="ignores")) as server:
        mine = profile_at(server.base_url)
        report = Probe(mine, Settings()).run()
    path = report.write(tmp_path, mine)
    assert path == path_of(tmp_path, mine) and known(mine, tmp_path).can_from == "probe"
    assert known(mine, tmp_path).can.way == "schema"
    for other in ({"model": "openai:other"}, {"base_url": "http://127.0.0.1:9/v1"}, {"name": "elsewhere"}):
        assert known(mine.model_copy(update=other), tmp_path).can_from == "default"
    path.write_text(path.read_text().replace(f'"version": {VERSION}', f'"version": {VERSION - 1}'))
    assert known(mine, tmp_path).report is None
    path.write_text("{ no json")
    assert known(mine, tmp_path).can_from == "default"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_report_holds_no_password_of_the_address(tmp_path: Path) -> None:
    with CapabilityServer(Traits()) as server:
        mine = profile_at(server.base_url.replace("://", "://me:hunter2@"))
        path = Probe(mine, Settings()).run().write(tmp_path, mine)
    assert "hunter2" not in path.read_text() and known(mine, tmp_path).can_from == "probe"


def test_the_plan_says_how_many_questions_and_at_most_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = {"price_prompt_yuan": Decimal(2), "price_completion_yuan": Decimal(8)}
    with CapabilityServer(Traits()) as server:
        mine = profile_at(server.base_url, **prices)
        will = plan(mine)
        Probe(mine, Settings()).run()
        assert len(server.bodies) == will.calls
    most = (will.prompt_tokens * 2 + will.completion_tokens * 8) / Decimal(1_000_000)
    assert will.price_yuan == most > 0


def test_a_profile_without_its_key_is_not_asked() -> None:
    mine = ModelProfile(name="own", model="openai:gpt-4o")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        Probe(mine, Settings()).run()


def test_an_endpoint_that_never_ends_its_json_is_known_to_have_none() -> None:
    with CapabilityServer(Traits(json_mode="rambles")) as server:
        report = Probe(profile_at(server.base_url, timeout_s=1.5), Settings()).run()
    assert report.can.model_dump() == {**ALL.model_dump(), "json_mode": False}
    assert any("does not end what it begins" in f.note for f in report.findings)
