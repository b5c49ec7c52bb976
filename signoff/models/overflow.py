"""Whether an error says that a prompt is too long, in the words of each provider and server, and by how much.

The wordings are those of OpenAI, Azure, DeepSeek, vLLM, SGLang, TGI, llama.cpp, Ollama, LM Studio, Mistral, Moonshot,
DashScope, GLM, xAI, OpenRouter, Groq, Cohere, Anthropic and Gemini.
"""

from __future__ import annotations

import re

Sizes = tuple[int | None, int | None]
"""Tokens that the endpoint takes, and those that the prompt has, as far as the error says."""

_CODES = re.compile(
    r"context_length|exceed_context_size|context_window|prompt_too_long|max_tokens_exceeded|string_above_max|^1261$"
)
_WORDS = re.compile(
    r"maximum (?:context|prompt|model) length|context (?:length|window|size|limit)\b.{0,60}\bexceed"
    r"|exceed\w*.{0,60}(?:context|token limit|maximum number of tokens|max(?:imum)? (?:input|sequence|prompt))"
    r"|(?:prompt|input|request|conversation|messages?)\b.{0,40}\btoo (?:long|large)(?! to)"
    r"|longer than the (?:model'?s |maximum )?(?:context|model) length|context[ _]?overflow|overflows? the context"
    r"|range of input length should be|too many tokens|reduce the length of (?:the|your) (?:messages?|prompt|input)"
    r"|must be <= \d+.{0,20}given|larger than the (?:model'?s )?context|greater than the context length"
    r"|model is loaded with context length|tokens in the prompt cannot exceed"
    r"|(?:输入|prompt|上下文).{0,12}(?:超长|过长|超过|超出)",
    re.IGNORECASE | re.DOTALL,
)
_N = r"\[?\(?\s?(\d[\d,]{1,12})"
_LIMIT = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"\+ ?\d+ ?> ?{_N}",
        rf"maximum (?:context|prompt|model|input|sequence) length(?: is| of)? ?{_N}",
        rf"{_N} maximum(?: context length)?",
        rf"available context size {_N}",
        rf"context (?:length|window|size|limit)(?: of)?(?: only)?:? ?{_N}",
        rf"maximum number of tokens allowed {_N}",
        rf"token limit:? {_N}",
        rf"should be \[\d+, ?{_N}",
        rf"must be <= {_N}",
        rf"cannot exceed {_N}",
        rf"\d tokens? ?> ?{_N}",
        rf"\blimit:? {_N}",
    )
)
_ASKED = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"{_N} (?:in the messages|of text input|tokens from the input|input tokens|in the prompt|`inputs`)",
        rf"(?:resulted in|requested:?|contains|received|prompt is too long:|your request has|given:) (?:about )?{_N}",
        rf"(?:request|input|prompt|decoder prompt|input token count|input length) \(?(?:length )?{_N}",
        rf"exceed context limit: {_N}",
    )
)


def sizes_of(error: BaseException, code: str, text: str, kinds: set[str], status: int | None) -> Sizes | None:
    """The sizes that an error names when it is about length; None for any other error.

    `text` is only looked at. A rate limit in tokens a minute that the one request is over is such an error too:
    waiting does not help against it.
    """
    per_minute = status in (413, 429) and re.search(r"request too large", text, re.IGNORECASE) is not None
    if status is not None and status not in (400, 413, 422) and not (status == 500 and _WORDS.search(text)):
        if not per_minute:
            return None
    elif not (
        per_minute
        or status == 413
        or any("ContextOverflow" in k for k in kinds)
        or _CODES.search(code)
        or _WORDS.search(text)
    ):
        return None
    limit = _field(error, "n_ctx") or _first(_LIMIT, text)
    asked = _field(error, "n_prompt_tokens") or _first(_ASKED, text)
    return limit, asked


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        if found := pattern.search(text):
            number = int(found[1].replace(",", ""))
            if number >= 16:
                return number
    return None


def _field(error: BaseException, name: str) -> int | None:
    """A number beside the message, as llama.cpp gives them."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    value = inner.get(name) if isinstance(inner, dict) else None
    return value if isinstance(value, int) and value > 0 else None
