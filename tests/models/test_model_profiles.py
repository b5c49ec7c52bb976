"""`models.toml`: what it may say, one sentence for each mistake, and what is held to be true of an endpoint."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from signoff.errors import ConfigError
from signoff.models.known import known
from signoff.models.presets import preset
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.profiles import Profiles, check_key
from signoff.models.provider import check
from signoff.settings import Settings

GOOD = """
[models.fast]
model = "openai:qwen-turbo"
base_url = "https://dashscope.aliyuncs.com/compatible-mode/v1"
key_env = "DASHSCOPE_API_KEY"
price_prompt_yuan = 0.3
fallback = ["local", "big"]

[models.big]
model = "anthropic:claude-sonnet-4-5"
context_tokens = 100_000
fallback = ["local"]

[models.local]
model = "openai:served"
base_url = "http://localhost:8000/v1"
options = {temperature = 0, chat_template_kwargs = {enable_thinking = false}}
can = {tools = false, json_schema = true}

[models."qwen2.5"]
model = "openai:qwen2.5"
base_url = "http://localhost:8001/v1"

[roles]
agent = "big"
summary = "fast"
"""


def load(home: Path, text: str | None = None, **settings: Any) -> Profiles:
    if text is not None:
        (home / "models.toml").write_text(text, encoding="utf-8")
    return Profiles.load(Settings.load(home=home, **settings))


def test_without_a_file_there_is_the_model_of_the_settings(tmp_path: Path) -> None:
    profiles = load(tmp_path, model="openai:gpt-4o", price_prompt_yuan=Decimal(3))
    assert list(profiles.all) == ["default"]
    assert profiles.role("judge") == profiles.named("default") == profiles.role("agent")
    assert profiles.named("default").price_prompt_yuan == 3


def test_the_file_gives_profiles_and_roles_and_other_roles_use_the_agents(tmp_path: Path) -> None:
    profiles = load(tmp_path, GOOD)
    assert list(profiles.all) == ["default", "fast", "big", "local", "qwen2.5"]
    roles = {r: profiles.role(r).name for r in ("router", "agent", "writer", "judge", "summary")}
    assert roles == {"router": "big", "agent": "big", "writer": "big", "judge": "big", "summary": "fast"}
    assert profiles.named("fast").price_prompt_yuan == Decimal("0.3")
    assert profiles.named("local").options == {"temperature": 0, "chat_template_kwargs": {"enable_thinking": False}}


def test_a_profiles_own_fallbacks_come_before_theirs_and_each_once(tmp_path: Path) -> None:
    profiles = load(tmp_path, GOOD)
    assert [p.name for p in profiles.chain("fast")] == ["fast", "local", "big"]
    assert [p.name for p in profiles.chain("big")] == ["big", "local"]


@pytest.mark.parametrize(
    ("model", "agent"), [("fast", "fast"), ("qwen2.5", "qwen2.5"), ("rehearsal", "default"), ("openai:x", "default")]
)
def test_a_model_that_was_set_decides_the_agents(tmp_path: Path, model: str, agent: str) -> None:
    profiles = load(tmp_path, GOOD, model=model)
    assert profiles.role("agent").name == profiles.role("judge").name == agent
    assert profiles.role("summary").name == "fast"


def test_a_role_may_be_given_what_the_settings_name(tmp_path: Path) -> None:
    text = GOOD.replace('summary = "fast"', 'summary = "default"')
    assert load(tmp_path, text).role("summary").model == "rehearsal"
    assert load(tmp_path, text, model="local").role("summary").name == "local"


def with_field(line: str) -> str:
    return f'[models.fast]\nmodel = "openai:x"\n{line}\n'


WRONG: dict[str, tuple[str, tuple[str, ...]]] = {
    "no TOML": ("[models.fast]\nmodel = openai:x\n", ("is not TOML", "line 2")),
    "a table of another name": ("[model.fast]\nmodel = 'x'\n", ("model is unknown", "[models.NAME]")),
    "models without a name": ("models = 'openai:x'\n", ("models is no table",)),
    "fields without a name": ("[models]\nmodel = 'openai:x'\n", ("models.model is no table",)),
    "an unknown field": (with_field("contxt_tokens = 900"), ("contxt_tokens is unknown", "context_tokens?")),
    "a field like no other": (with_field("zzz = 1"), ("zzz is unknown", "there are model, base_url")),
    "an unknown capability": (with_field("can = {tool = true}"), ("can.tool is unknown", "did you mean tools?")),
    "a capability that is no yes or no": (with_field("can = {tools = 'maybe'}"), ("can.tools",)),
    "no model": ("[models.fast]\nbase_url = 'http://h/v1'\n", ("model is missing", "openai:")),
    "an unknown provider": ("[models.fast]\nmodel = 'opnai:gpt-4o'\n", ("no known provider", "openai:gpt-4o?")),
    "a bare model": ("[models.fast]\nmodel = 'gpt-4o'\n", ("no known provider", "openai:gpt-4o")),
    "a provider alone": ("[models.fast]\nmodel = 'google:'\n", ("lacks the model's name", "google:<name>")),
    "a name with capitals": ("[models.Fast]\nmodel = 'openai:x'\n", ("[models.Fast]", "small letters")),
    "a name with a bare dot": ("[models.qwen2.5]\nmodel = 'openai:x'\n", ("5 is unknown", '[models."qwen2.5"]')),
    "a name that is taken": ("[models.default]\nmodel = 'openai:x'\n", ("'default'", "another name")),
    "its name again": (with_field("name = 'fast'"), ("leave name out",)),
    "an unknown role": ("[roles]\nagnt = 'default'\n", ("agnt is unknown", "did you mean agent?")),
    "a role of no profile": (with_field("[roles]\njudge = 'fasst'"), ("judge is 'fasst'", "did you mean fast?")),
    "a role that names nothing": (with_field("[roles]\njudge = 3"), ("judge names a profile",)),
    "a fallback of no profile": (with_field("fallback = ['slow']"), ("'slow' is no profile", "default, fast")),
    "a fallback that is no list": (with_field("fallback = 'slow'"), ("fallback is a list", '["backup"]')),
    "a fallback to itself": (with_field("fallback = ['fast']"), ("lead back to itself", "fast → fast")),
    "fallbacks in a ring": (
        with_field("fallback = ['b']\n[models.b]\nmodel = 'openai:b'\nfallback = ['fast']"), ("fast → b → fast",),
    ),
    "no address": (with_field("base_url = 'localhost:8000/v1'"), ("base_url is no address", "with the scheme")),
    "a port that is none": (with_field("base_url = 'http://h:99999/v1'"), ("base_url is no address",)),
    "a context of nothing": (with_field("context_tokens = 0"), ("context_tokens", "greater than or equal to 512")),
    "a price below nothing": (with_field("price_prompt_yuan = -1"), ("price_prompt_yuan",)),
    "no room for a prompt": (
        with_field("context_tokens = 4_000\noutput_tokens = 4_000"), ("output_tokens is 4000", "context_tokens, 4000"),
    ),
    "no room in what is known": (
        "[models.fast]\nmodel = 'openai:gpt-4o'\noutput_tokens = 128_000\n", ("gives that model, 128000",),
    ),
    "no room in what is taken for granted": (with_field("output_tokens = 40_000"), ("which is not set, 32000",)),
    "time without end": (with_field("timeout_s = inf"), ("timeout_s",)),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_one_sentence_that_says_where_it_is(mistake: str, tmp_path: Path) -> None:
    text, words = WRONG[mistake]
    with pytest.raises(ConfigError) as error:
        load(tmp_path, text)
    said = str(error.value)
    assert "models.toml" in said and all(w in said for w in words), said
    assert said.endswith((".", "?")) and "\n" not in said


KEYS = {
    "as key": "key = 'sk-4f9hunter2'",
    "as api_key": "api_key = 'sk-4f9hunter2'",
    "in key_env": "key_env = 'sk-4f9hunter2'",
    "in the options": "options = {api_key = 'sk-4f9hunter2'}",
    "in a header": "options = {extra_headers = {Authorization = 'Bearer sk-4f9hunter2'}}",
    "in the address": "base_url = 'https://me:sk-4f9hunter2@host/v1'",
    "behind the address": "base_url = 'https://host/v1?key=hunter2'",
    "behind the address by another name": "base_url = 'https://host/v1?v=1&Subscription-Key=hunter2'",
    "behind the address without a name": "base_url = 'https://host/v1?x=sk-4f9hunter2'",
}


@pytest.mark.parametrize("where", KEYS)
def test_a_key_in_the_file_is_refused_and_not_repeated(where: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a key is never kept in this file") as error:
        load(tmp_path, with_field(KEYS[where]))
    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    "model", ["sk-4f9hunter2", "openai:sk-4f9hunter2", "gsk_4f9hunter2", "hunter2abcdef0123456789"]
)
def test_a_key_in_the_place_of_a_model_is_refused_and_not_repeated(model: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model looks like a key.*key_env") as error:
        load(tmp_path, f"[models.fast]\nmodel = '{model}'\n")
    assert "hunter2" not in str(error.value)
    with pytest.raises(ConfigError, match="SIGNOFF_MODEL") as error:
        load(tmp_path, GOOD, model="sk-4f9hunter2")
    assert "hunter2" not in str(error.value)


def test_a_query_that_holds_no_key_is_part_of_an_address(tmp_path: Path) -> None:
    at = "https://me.openai.azure.com/openai?api-version=2024-10-21"
    assert load(tmp_path, with_field(f"base_url = '{at}'")).named("fast").base_url == at


NO_OPTIONS: dict[str, tuple[str, str]] = {
    "model": ("'other'", "model of the profile"),
    "messages": ("[]", "take it out"),
    "input": ("'hi'", "take it out"),
    "system": ("'hi'", "take it out"),
    "tools": ("[]", "`can`"),
    "tool_choice": ("'none'", "`can`"),
    "parallel_tool_calls": ("false", "parallel_calls in `can`"),
    "stream": ("false", "streaming = false in `can`"),
    "stream_options": ("{include_usage = false}", "usage_in_streams"),
    "response_format": ("{type = 'json_object'}", "json_mode in `can`"),
    "max_tokens": ("9", "output_tokens of the profile"),
    "max_completion_tokens": ("9", "output_tokens of the profile"),
    "max_output_tokens": ("9", "output_tokens of the profile"),
    "Max_Tokens": ("9", "output_tokens of the profile"),
    "timeout": ("9", "timeout_s of the profile"),
    "n": ("2", "take it out"),
    "extra_body.model": ("'other'", "model of the profile"),
    "text.format": ("{type = 'json_object'}", "json_mode in `can`"),
}


@pytest.mark.parametrize("name", NO_OPTIONS)
def test_a_field_of_the_desks_own_is_no_option_and_the_sentence_names_the_right_one(name: str, tmp_path: Path) -> None:
    value, names = NO_OPTIONS[name]
    with pytest.raises(ConfigError, match=f"options.{name} is no option") as error:
        load(tmp_path, with_field(f"options.{name} = {value}"))
    said = str(error.value)
    assert names in said and "[models.fast]" in said and said.endswith(".") and "\n" not in said
    options = {"extra_body": {"model": "other"}} if name == "extra_body.model" else {name: "x"}
    if "text" not in name:
        with pytest.raises(ConfigError, match="is no option"):
            check(ModelProfile(name="x", model="openai:m", base_url="http://h/v1", options=options), Settings())


def test_fields_that_are_the_providers_affair_are_options(tmp_path: Path) -> None:
    line = "options = {temperature = 0, stop = ['x'], text = {verbosity = 'low'}, extra_body = {top_k = 3}}"
    assert set(load(tmp_path, with_field(line)).named("fast").options) == {"temperature", "stop", "text", "extra_body"}


def test_a_file_that_is_no_text_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_bytes(b"[models.\xff\xfe]")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path)
    (tmp_path / "models.toml").write_bytes(b'\xef\xbb\xbf[models.fast]\r\nmodel = "openai:x"\r\n')
    assert load(tmp_path).named("fast").model == "openai:x"


@pytest.mark.parametrize("home", ["with a file", "without"])
def test_a_model_that_is_no_profile_is_told_with_those_there_are(tmp_path: Path, home: str) -> None:
    text = GOOD if home == "with a file" else None
    with pytest.raises(ConfigError, match="SIGNOFF_MODEL is 'fsat'") as error:
        load(tmp_path, text, model="fsat")
    assert "openai:<name>" in str(error.value)
    assert ("did you mean fast?" in str(error.value)) == (text is not None)


@pytest.mark.parametrize("model", ["openai:", "GPT 4", "", "azure:gpt-4o", "Fast"])
def test_a_model_that_can_be_none_stops_the_settings(tmp_path: Path, model: str) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_MODEL"):
        Settings.load(home=tmp_path, model=model)


def test_a_key_that_is_not_set_matters_only_to_the_profile_that_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DASHSCOPE_API_KEY", raising=False)
    profiles = load(tmp_path, GOOD)
    check_key(profiles.named("local"))
    with pytest.raises(ConfigError, match=r"\[models.fast\].*DASHSCOPE_API_KEY, which is not set"):
        check_key(profiles.named("fast"))
    monkeypatch.setenv("DASHSCOPE_API_KEY", "k")
    check_key(profiles.named("fast"))


def at(base_url: str | None, model: str = "openai:some", **fields: Any) -> ModelProfile:
    return ModelProfile.model_validate({"name": "x", "model": model, "base_url": base_url, **fields})


PRESETS: list[tuple[str | None, str, str | None, dict[str, bool]]] = [
    (None, "openai:gpt-4o", "OpenAI", {"strict": True, "json_schema": True, "required": True}),
    (None, "anthropic:claude-x", "Anthropic", {"tools": True, "json_mode": False}),
    (None, "google:gemini-x", "Google", {"tools": True}),
    ("https://me.openai.azure.com/openai/v1", "openai:gpt", "OpenAI", {"strict": True}),
    ("https://api.deepseek.com/v1", "openai:deepseek-chat", "DeepSeek", {"json_mode": True, "json_schema": False}),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "openai:qwen-plus", "DashScope", {"required": False}),
    ("https://open.bigmodel.cn/api/paas/v4", "openai:glm-4", "Zhipu", {"required": False, "none": False}),
    ("https://API.moonshot.CN/v1", "openai:kimi", "Moonshot", {"required": False, "none": True}),
    ("http://127.0.0.1:11434/v1", "openai:llama", "Ollama", {"none": False, "json_schema": True}),
    ("http://vllm.internal:8000/v1", "openai:qwen", "vLLM", {"json_schema": True}),
    ("http://llama-cpp:8080/v1", "openai:qwen", "llama.cpp", {"required": False, "json_schema": True}),
    ("http://127.0.0.1:8017/v1", "openai:smollm2", "smollm2", {"tools": False, "required": False}),
    ("http://10.0.0.8:8000/v1", "openai:gpt-4o", None, {}),
    ("https://notdeepseek.com.evil.example/v1", "openai:x", None, {}),
]


@pytest.mark.parametrize(("base_url", "model", "title", "can"), PRESETS)
def test_a_known_provider_has_defaults(
    base_url: str | None, model: str, title: str | None, can: dict[str, bool]
) -> None:
    found = preset(at(base_url, model))
    assert (found.title if found else None) == title
    assert all(getattr(found.can if found else None, f) is on for f, on in can.items())


def test_what_the_operator_states_counts_field_by_field(tmp_path: Path) -> None:
    deepseek = "https://api.deepseek.com/v1"
    held = known(at(deepseek, "openai:deepseek-chat", can={"tools": False}, context_tokens=9_000), tmp_path)
    assert held.can == Capabilities(tools=False, json_mode=True) and held.can.way == "json"
    assert (held.stated, held.can_from) == (("tools",), "preset")
    assert (held.profile.context_tokens, held.context_from) == (9_000, "models.toml")
    unstated = known(at(deepseek, "openai:deepseek-chat"), tmp_path)
    assert (unstated.profile.context_tokens, unstated.context_from) == (64_000, "preset")
    nobody = known(at("http://10.0.0.8/v1", "openai:gpt-4o"), tmp_path)
    assert (nobody.profile.context_tokens, nobody.context_from, nobody.can) == (32_000, "default", Capabilities())


@pytest.mark.parametrize(
    "prices, tokens, cost",
    [
        (("2", None, "8"), (1_000, 500, 0), "0.006"),
        (("2", "0.5", "8"), (1_000, 500, 800), "0.0048"),
        (("2", "0", "8"), (1_000, 0, 5_000), "0"),
        (("0.1", None, "0"), (1, 0, 0), "0.0000001"),
        (("0", None, "0"), (10**6, 10**6, 0), "0"),
    ],
)
def test_money_is_exact_and_cached_tokens_have_their_own_price(
    prices: tuple[str, str | None, str], tokens: tuple[int, int, int], cost: str
) -> None:
    prompt, cached, completion = prices
    profile = ModelProfile(
        name="m",
        model="openai:m",
        price_prompt_yuan=Decimal(prompt),
        price_cached_yuan=None if cached is None else Decimal(cached),
        price_completion_yuan=Decimal(completion),
    )
    assert profile.cost_yuan(tokens[0], tokens[1], cached_tokens=tokens[2]) == Decimal(cost)
