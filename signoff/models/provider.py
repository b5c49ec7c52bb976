"""The LangChain model of a profile, and a request put in its words."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from signoff.errors import ConfigError
from signoff.models import continuation
from signoff.models.options import budget_of, check_options, thinking
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.ways.request import Request
from signoff.models.wording import DEFAULT, Names, own_key
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel, LanguageModelInput
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable

OPENAI = "https://api.openai.com/v1"
_OWN = {"anthropic": "https://api.anthropic.com", "google": "https://generativelanguage.googleapis.com"}
_EXTRAS = {"anthropic": "langchain_anthropic", "google": "langchain_google_genai"}
_WANT_REASONING = ("deepseek.com", "moonshot.cn", "moonshot.ai", "kimi.com")
"""Addresses that refuse calls of any turn without the reasoning that led to them."""
_NO_KEY = "not-needed"
_CONNECT_S = 10.0


def default_profile(settings: Settings) -> ModelProfile:
    """The profile that the settings `SIGNOFF_MODEL…` make."""
    return ModelProfile.model_validate(
        {
            "name": DEFAULT,
            "model": settings.model,
            "base_url": settings.model_base_url,
            "price_prompt_yuan": settings.price_prompt_yuan,
            "price_completion_yuan": settings.price_completion_yuan,
        }
    )


def chat_model(settings: Settings) -> BaseChatModel:
    """The chat model that the settings name. Raises `ConfigError` when its address or key cannot be used."""
    return make(default_profile(settings), settings)


def make(profile: ModelProfile, settings: Settings, can: Capabilities | None = None) -> BaseChatModel:
    """The chat model of a profile: the rehearsal model, or a LangChain model of its provider.

    The SDKs' own retries are off: `ModelGateway` is the only retry layer. Raises `ConfigError` when the address or
    the key cannot be used, or the provider's package is not installed.
    """
    check(profile, settings)
    can = can or profile.can or Capabilities()
    key = key_of(profile, settings)
    timeout_s = profile.timeout_s or settings.model_timeout_s
    # All are imported when they are needed: langchain-openai alone takes longer than all of the CLI's help.
    match profile.provider:
        case "rehearsal":
            from signoff.models.rehearsal import RehearsalModel

            return RehearsalModel()
        case "anthropic":
            return _anthropic(profile, key, timeout_s)
        case "google":
            return _google(profile, key, timeout_s)
    from signoff.models.compatible import compatible_model

    return compatible_model(
        profile.model_id,
        base_url=(profile.base_url or OPENAI).strip(),
        key=key or _NO_KEY,
        timeout_s=timeout_s,
        connect_s=min(_CONNECT_S, timeout_s),
        usage_in_streams=can.usage_in_streams,
        responses=bool(profile.options.get("use_responses_api")),
        always_reasoning=bool(profile.options.get(continuation.OPTION, _wants_reasoning(profile))),
    )


def check(profile: ModelProfile, settings: Settings) -> None:
    """Raises `ConfigError` when a profile cannot be used: provider, address, key, package, or options that exclude
    each other. Imports nothing heavy."""
    names = Names.of(profile)
    if profile.provider == "rehearsal":
        return
    if profile.provider not in ("openai", *_EXTRAS) or not profile.model.partition(":")[2].strip():
        raise ConfigError(
            f"{profile.model!r} is not a model: write rehearsal, openai:<name>, anthropic:<name> or google:<name> as "
            f"{names.model}."
        )
    package = _EXTRAS.get(profile.provider)
    if package and importlib.util.find_spec(package) is None:
        raise ConfigError(f"{profile.model} needs a package: run pip install 'signoff[{profile.provider}]'.")
    if profile.base_url:
        _check_address(profile.base_url, names)
    check_options(profile)
    key = key_of(profile, settings)
    if not key and not (profile.base_url and profile.provider == "openai"):
        more = f", or {names.base_url} for another endpoint" if profile.provider == "openai" else ""
        raise ConfigError(f"{profile.model} needs a key: set {names.key}{more}.")
    if key and not all("!" <= c <= "~" for c in key):
        raise ConfigError(f"{names.key} holds a space, a line break or a character no key has: set it anew.")


def key_of(profile: ModelProfile, settings: Settings) -> str | None:
    """The profile's key: its `key_env`, the settings' for the default profile, or the provider's own variable.

    A key that was given for a provider's own endpoint is never sent to another address. Raises `ConfigError` when
    `key_env` names such a key beside another address.
    """
    if profile.key_env:
        if profile.key_env == "OPENAI_API_KEY" and profile.base_url and not is_openai(profile.base_url):
            raise ConfigError(
                f"[models.{profile.name}] in models.toml would send OPENAI_API_KEY to another address: name the "
                "variable with that endpoint's own key as key_env."
            )
        return os.environ.get(profile.key_env) or None
    if profile.name == DEFAULT and (profile.provider == "openai" or settings.model_api_key):
        return settings.api_key()
    own = own_key(profile)
    found = os.environ.get(own) if own else None
    if not found and own == "GOOGLE_API_KEY":
        found = os.environ.get("GEMINI_API_KEY")
    return found or None


def is_openai(base_url: str | None) -> bool:
    """Whether an address is OpenAI's own, or Azure's, which takes the same requests."""
    host = urlsplit(base_url or OPENAI).hostname or ""
    return host == "api.openai.com" or host.endswith((".openai.com", ".openai.azure.com"))


def narrowed(profile: ModelProfile, can: Capabilities) -> Capabilities:
    """The capabilities less those that a profile's options exclude: Anthropic's models cannot be made to call a tool
    while they think (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility).
    """
    if profile.provider == "anthropic" and thinking(profile.options) in ("enabled", "adaptive"):
        return can.model_copy(update={"required": False})
    return can


def bound(
    model: BaseChatModel, request: Request, profile: ModelProfile
) -> tuple[Runnable[LanguageModelInput, AIMessage], list[BaseMessage]]:
    """The model with all that a request asks for, and the messages as it is to be given them: with what it thought
    itself earlier in the turn, and with nothing that another thought."""
    kind = profile.provider if model._llm_type != "rehearsal" else "rehearsal"
    fields: dict[str, Any] = {}
    if request.tools:
        if request.choice != "auto":
            fields["tool_choice"] = _choice(request.choice, kind)
        if not request.parallel and kind in ("openai", "anthropic"):
            fields["parallel_tool_calls"] = False
    runnable: Runnable[LanguageModelInput, AIMessage] = model
    if request.tools and kind == "google":
        from signoff.models.gemini import declared

        runnable = model.bind(tools=[declared(request.tools)], **fields)
    elif request.tools:
        runnable = model.bind_tools(request.tools, **fields)
    more = _more(request, profile, kind)
    messages = continuation.restored(request.messages, continuation.Source.of(profile) if kind != "rehearsal" else None)
    if kind == "anthropic" and thinking(more) == "disabled":
        messages = continuation.restored(request.messages, None)
    elif kind == "anthropic" and thinking(more) == "enabled" and not continuation.begins_with_thought(messages):
        # Another model began these calls, or it did before it was made to think: it goes on without.
        del more["thinking"]
        messages = continuation.restored(request.messages, None)
    return (runnable.bind(**more) if more else runnable), messages


def _choice(choice: str, kind: str) -> Any:
    if choice == "required":
        return "any" if kind in ("anthropic", "google") else "required"
    return {"type": "none"} if kind == "anthropic" else "none"


def _more(request: Request, profile: ModelProfile, kind: str) -> dict[str, Any]:
    """Further fields of a request."""
    most = request.output_tokens or profile.output_tokens
    options = {k: v for k, v in profile.options.items() if k != continuation.OPTION}
    match kind:
        case "openai":
            form: dict[str, Any] | None = None
            if request.schema is not None:
                schema = {"name": "reply", "strict": True, "schema": request.schema}
                form = {"type": "json_schema", "json_schema": schema}
            elif request.json:
                form = {"type": "json_object"}
            if options.get("use_responses_api"):
                from signoff.models.responses import responses_fields

                return {"extra_body": responses_fields(profile.model_id, options, most, form)}
            if most:
                # OpenAI's reasoning models know only the new name, most other servers only the old one.
                options["max_completion_tokens" if is_openai(profile.base_url) else "max_tokens"] = most
            if form is not None:
                options["response_format"] = form
            if request.stop:
                options["stop"] = list(request.stop)
            return {"extra_body": options} if options else {}
        case "anthropic":
            if most and isinstance(budget := budget_of(options), int) and most <= budget:
                # What is asked for is the answer, and thinking is counted with it.
                most += budget
            return {**options, **({"max_tokens": most} if most else {}), **_stop(request)}
        case "google":
            return {**options, **({"max_output_tokens": most} if most else {}), **_stop(request)}
    return {}


def _wants_reasoning(profile: ModelProfile) -> bool:
    host = (urlsplit((profile.base_url or OPENAI).strip()).hostname or "").lower()
    known = any(host == domain or host.endswith(f".{domain}") for domain in _WANT_REASONING)
    return known and thinking(profile.options) != "disabled"


def _stop(request: Request) -> dict[str, Any]:
    return {"stop": list(request.stop)} if request.stop else {}


def _anthropic(profile: ModelProfile, key: str | None, timeout_s: float) -> BaseChatModel:
    from langchain_anthropic import ChatAnthropic
    from pydantic import SecretStr

    from signoff.models.connection import followed

    made = ChatAnthropic(
        model_name=profile.model_id,
        base_url=(profile.base_url or _OWN["anthropic"]).strip(),
        api_key=SecretStr(key or _NO_KEY),
        timeout=timeout_s,
        max_retries=0,
        stop=None,
    )
    followed(made._client._client)
    return made


def _google(profile: ModelProfile, key: str | None, timeout_s: float) -> BaseChatModel:
    from signoff.models.gemini import gemini_model

    address = (profile.base_url or _OWN["google"]).strip()
    return gemini_model(profile.model_id, base_url=address, key=key or _NO_KEY, timeout_s=timeout_s)


def _check_address(base_url: str, names: Names) -> None:
    try:
        url = urlsplit(base_url.strip())
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise ConfigError(
            f"{names.base_url} is not an address: write it like http://localhost:8000/v1, with the scheme."
        )
