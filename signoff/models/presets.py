"""What is known of providers before anybody has asked an endpoint: a default, and no more than that.

Taken from the providers' own API references (OpenAI, Anthropic, Gemini, DeepSeek, DashScope, Zhipu, Moonshot) and from
how vLLM, llama.cpp and Ollama answer. `signoff models probe` finds out what is true of one endpoint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from signoff.models.profile import Capabilities, ModelProfile

_NO_TOOLS = {"tools": False, "parallel_calls": False, "required": False, "none": False}


@dataclass(frozen=True)
class Preset:
    """What is known of a provider or a server."""

    title: str
    can: Capabilities


_OPENAI = Preset("OpenAI", Capabilities(strict=True, json_schema=True, json_mode=True))
_ANTHROPIC = Preset("Anthropic", Capabilities())
_GOOGLE = Preset("Google", Capabilities())
_DEEPSEEK = Preset("DeepSeek", Capabilities(json_mode=True))
# `tool_choice` of these takes `auto`, and `none` or one named function; `required` is refused or ignored.
_QWEN = Preset("DashScope", Capabilities(required=False, json_mode=True))
_MOONSHOT = Preset("Moonshot", Capabilities(required=False, json_mode=True))
_GLM = Preset("Zhipu", Capabilities(required=False, none=False, json_mode=True))
_VLLM = Preset("vLLM", Capabilities(json_schema=True, json_mode=True))
_LLAMA_CPP = Preset("llama.cpp", Capabilities(parallel_calls=False, required=False, json_schema=True, json_mode=True))
_OLLAMA = Preset("Ollama", Capabilities(required=False, none=False, json_schema=True, json_mode=True))

_DOMAINS = {
    "api.openai.com": _OPENAI,
    "openai.azure.com": _OPENAI,
    "api.anthropic.com": _ANTHROPIC,
    "generativelanguage.googleapis.com": _GOOGLE,
    "deepseek.com": _DEEPSEEK,
    "dashscope.aliyuncs.com": _QWEN,
    "dashscope-intl.aliyuncs.com": _QWEN,
    "dashscope-us.aliyuncs.com": _QWEN,
    "bigmodel.cn": _GLM,
    "z.ai": _GLM,
    "moonshot.cn": _MOONSHOT,
    "moonshot.ai": _MOONSHOT,
}
_OLLAMA_PORT = 11434
_SERVERS = (("vllm", _VLLM), ("llama-cpp", _LLAMA_CPP), ("llamacpp", _LLAMA_CPP), ("ollama", _OLLAMA))
"""Names that self-hosted servers are given in container networks, such as http://vllm:8000/v1."""

_MODELS: tuple[tuple[re.Pattern[str], dict[str, bool]], ...] = (
    (re.compile(r"smollm|tinyllama", re.IGNORECASE), _NO_TOOLS),
    (re.compile(r"gemma-?[12]\b", re.IGNORECASE), {**_NO_TOOLS, "system": False}),
    (re.compile(r"deepseek-?r1", re.IGNORECASE), _NO_TOOLS),
)
"""What a model's weights were not trained for, wherever they are served."""

_CONTEXTS: tuple[tuple[re.Pattern[str], int], ...] = tuple(
    (re.compile(rf"(?:^|[/:]){pattern}", re.IGNORECASE), tokens)
    for pattern, tokens in (
        (r"gpt-4o", 128_000),
        (r"gpt-4\.1", 1_000_000),
        (r"gpt-5", 272_000),
        (r"o[34](?:-|$)", 200_000),
        (r"claude-(?:3|opus|sonnet|haiku)", 200_000),
        (r"gemini-(?:2|3)", 1_000_000),
        (r"deepseek-(?:chat|reasoner)", 64_000),
        (r"glm-4", 128_000),
        (r"moonshot-v1-8k", 8_000),
        (r"kimi-k2|moonshot-v1-128k", 128_000),
        (r"qwen-(?:plus|turbo)|qwen3-max", 128_000),
    )
)


def preset(profile: ModelProfile) -> Preset | None:
    """What is known of the provider at a profile's address, less what its model cannot; None when nothing is.

    An address that is nobody's known one is judged by the model's name alone.
    """
    known = _of_address(profile)
    for pattern, lacks in _MODELS:
        if profile.provider == "openai" and pattern.search(profile.model_id):
            base = known or Preset(profile.model_id, Capabilities())
            return Preset(base.title, base.can.model_copy(update=lacks))
    return known


def context_of(profile: ModelProfile) -> int | None:
    """The context that a model of this name has at its own provider; None at any other address, where whoever serves
    it may have chosen a shorter one."""
    known = _of_address(profile)
    if known is None or known in (_VLLM, _LLAMA_CPP, _OLLAMA):
        return None
    return next((tokens for pattern, tokens in _CONTEXTS if pattern.search(profile.model_id)), None)


def _of_address(profile: ModelProfile) -> Preset | None:
    own = {"openai": _OPENAI, "anthropic": _ANTHROPIC, "google": _GOOGLE}
    if not profile.base_url or profile.provider != "openai":
        return own.get(profile.provider)
    try:
        url = urlsplit(profile.base_url.strip())
        host, port = (url.hostname or "").lower(), url.port
    except ValueError:
        return None
    for domain, known in _DOMAINS.items():
        if host == domain or host.endswith(f".{domain}"):
            return known
    if port == _OLLAMA_PORT:
        return _OLLAMA
    label = host.partition(".")[0]
    return next((known for name, known in _SERVERS if name in label), None)
