"""A provider's error codes, and what of its words may be a key: shown is only what is made of words as codes are."""

from __future__ import annotations

import re

_LONGEST = 40
_NUMBER = re.compile(r"[0-9]{1,5}")
_SEPARATED = re.compile(r"[_.-]")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_WORD = range(2, 17)
"""Letters that a word of a code has: `UNAUTHENTICATED` is among the longest."""
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
_SAID_OF_KEYS = frozenset(
    {"sk", "pk", "rk", "gsk", "xai", "hf", "csk", "pplx", "nvapi", "glpat", "ghp", "gho", "ghu", "ghs", "pat", "bearer"}
)
"""Words that keys begin with."""
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"[prs]k[-_](?:[A-Za-z0-9_-]{16,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{8,})"
    r"|(?:gsk|xai|hf|csk|pplx|nvapi|glpat|gh[opsu]|github_pat|tgp_v1|r8|fw)[-_][A-Za-z0-9]{8,}"
    r"|AIza[A-Za-z0-9_-]{8,}|(?:AKIA|ASIA|LTAI|AKID)[A-Za-z0-9]{10,}|ya29\.[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{8,}"
    r"|(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{20,}"
    r")"
)
"""Known beginnings, or a long run of letters and digits without any separator."""


def may_be_key(text: str) -> bool:
    """Whether a text holds what has the shape of a key."""
    return _KEY.search(text) is not None


def shown_code(code: object, key: str | None = None) -> str:
    """An error code as it may be shown; empty when it might be anything else, such as a key or a part of the prompt.

    Codes are numbers of up to five digits, or words in snake_case, CamelCase or capitals (`invalid_api_key`,
    `DataInspectionFailed`, `RESOURCE_EXHAUSTED`), 40 characters at most. `key` is the caller's own: neither it nor a
    part of it is a code.
    """
    if not isinstance(code, str) or not 0 < len(code) <= _LONGEST or not code.isascii():
        return ""
    if key and (key.lower() in code.lower() or (len(code) >= 4 and code.lower() in key.lower())):
        return ""
    if _NUMBER.fullmatch(code):
        return code
    parts: list[str] = []
    for word in _SEPARATED.split(code):
        found = _PARTS.findall(word)
        if not found or "".join(found) != word:
            return ""
        parts += found
    words = [p for p in parts if p.isalpha()]
    if sum(len(p) for p in parts if p.isdigit()) > 4 or not words or words[0].lower() in _SAID_OF_KEYS:
        return ""
    if may_be_key(code) or any(len(w) not in _WORD or _CONSONANTS.search(w) for w in words):
        return ""
    # Letters by chance change their case more often than words do.
    return code if sum(map(len, words)) >= 3 * len(words) else ""
