"""The gateways of the roles, over real endpoints."""

from __future__ import annotations

from pathlib import Path

import pytest
from capability_server import CapabilityServer, Traits
from langchain_core.messages import HumanMessage
from openai_server import OpenAIServer, Status, answer

from signoff.errors import ConfigError
from signoff.models import breaker
from signoff.models.models import Models
from signoff.models.probe import Probe
from signoff.models.rehearsal import RehearsalModel
from signoff.settings import Settings


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})


def models(home: Path, text: str, **settings: object) -> Models:
    (home / "models.toml").write_text(text, encoding="utf-8")
    return Models(Settings.load(home=home, **settings))


def table(name: str, base_url: str, more: str = "") -> str:
    return f'[models.{name}]\nmodel = "openai:{name}-model"\nbase_url = "{base_url}"\nretries = 0\n{more}\n'


def say(models: Models, role: str) -> str:
    said = models.gateway(role).call([HumanMessage("Hello")], [], deadline_s=20.0)  # type: ignore[arg-type]
    return str(said.text)


def test_each_role_is_asked_at_its_own_model_and_the_others_at_the_agents(tmp_path: Path) -> None:
    with OpenAIServer(answer("big")) as big, OpenAIServer(answer("small")) as small:
        text = table("big", big.base_url) + table("small", small.base_url)
        made = models(tmp_path, f'{text}[roles]\nagent = "big"\nrouter = "small"\njudge = "small"\n')
        said = {role: say(made, role) for role in ("agent", "writer", "summary", "router", "judge")}
        assert said == {"agent": "big", "writer": "big", "summary": "big", "router": "small", "judge": "small"}
        assert [b["model"] for b in small.bodies] == ["small-model"] * 2
    assert made.gateway("router") is made.gateway("judge") and made.gateway("writer") is made.gateway("agent")


def test_a_fallback_answers_when_its_profile_cannot(tmp_path: Path) -> None:
    with OpenAIServer(Status(503)) as down, OpenAIServer(answer("spare")) as spare:
        text = table("main", down.base_url, 'fallback = ["spare"]') + table("spare", spare.base_url)
        made = models(tmp_path, text, model="main")
        assert say(made, "agent") == "spare" and len(down.bodies) == 1
    assert [e.profile.name for e in made.gateway("agent").endpoints] == ["main", "spare"]


def test_what_a_probe_found_is_what_the_endpoint_is_used_for(tmp_path: Path) -> None:
    with CapabilityServer(Traits(tools="ignores", context_in="models", context_tokens=4_096)) as server:
        text = table("weak", server.base_url).replace("weak-model", "served")
        before = models(tmp_path, text, model="weak")
        profile = before.profiles.named("weak")
        assert [e.can.way for e in before.gateway("agent").endpoints] == ["native"]
        Probe(profile, Settings()).run().write(tmp_path, profile)
        [probed] = models(tmp_path, text, model="weak").gateway("agent").endpoints
    assert probed.can.way == "schema" and probed.profile.context_tokens == 4_096


def test_a_profile_that_is_not_used_needs_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARE_KEY", raising=False)
    text = table("spare", "http://127.0.0.1:9/v1", 'key_env = "SPARE_KEY"')
    made = models(tmp_path, f'{text}[roles]\njudge = "spare"\n')
    assert made.gateway("agent").label.startswith("rehearsal")
    with pytest.raises(ConfigError, match="SPARE_KEY, which is not set"):
        made.gateway("judge")


def test_the_key_that_a_profile_names_is_sent_to_its_endpoint_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIN_KEY", "k-main")
    monkeypatch.setenv("SIGNOFF_MODEL_API_KEY", "k-settings")
    with OpenAIServer(Status(503)) as main, OpenAIServer(answer("x")) as spare:
        text = table("main", main.base_url, 'key_env = "MAIN_KEY"\nfallback = ["spare"]')
        say(models(tmp_path, text + table("spare", spare.base_url), model="main"), "agent")
        assert main.headers[0]["authorization"] == "Bearer k-main"
        assert "k-" not in spare.headers[0]["authorization"]


def test_a_model_that_is_handed_in_speaks_for_every_role_without_another(tmp_path: Path) -> None:
    with OpenAIServer(answer("judged")) as server:
        (tmp_path / "models.toml").write_text(table("other", server.base_url) + '[roles]\njudge = "other"\n')
        made = Models(Settings.load(home=tmp_path), model=RehearsalModel())
        assert made.gateway("agent") is made.gateway("summary")
        assert made.gateway("agent").label.startswith("rehearsal") and say(made, "judge") == "judged"


def test_a_wrong_file_is_said_when_the_models_are_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean agent"):
        models(tmp_path, '[roles]\nagnet = "default"\n')
