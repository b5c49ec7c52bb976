"""No secrets, no numbers of people's cards, no pieces of the instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from signoff.knowledge import cite
from signoff.nodes.checks.grounds import Finding, Grounds, Located

_SECRET = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_](?:[A-Za-z]{2,8}[-_])*[A-Za-z0-9_-]{16,}"
    r"|(?:AKIA|ASIA|AGPA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|lsv2_[A-Za-z0-9_]{20,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"
    r")"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(r"\bbearer\s+(?=[A-Za-z0-9._~+/-]{0,200}\d)[A-Za-z0-9._~+/-]{16,}=*", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"(?<![A-Za-z])(?:api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|token|password|passwd|口令|密码|密钥)"
    r"[\"']?\s*(?:is|是|为|[=:：])\s*[\"'`]?(?P<value>(?=[^\s\"'`]{0,200}\d)(?=[^\s\"'`]{0,200}[A-Za-z])[A-Za-z0-9!@#$%^&*_+/=.~-]{8,})",
    re.IGNORECASE,
)
_IDENTITY = re.compile(
    r"(?<![A-Za-z0-9])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![A-Za-z0-9])"
)
_CARD = re.compile(
    r"(?<![A-Za-z0-9.-])(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|3[47]\d{2}|35\d{2}|6[02]\d{2}|6[45]\d{2})"
    r"(?:[ -]?\d){9,15}(?![A-Za-z0-9]|[-.]\d)"
)
_ECHO = re.compile(r"<\s{0,9}/?\s{0,9}(?:evidence|findings|requests|close)\b[^>\n]{0,200}>?", re.IGNORECASE)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


@dataclass(frozen=True)
class Leak:
    """Something that must not stand in an answer."""

    what: str
    start: int
    end: int


def leaks(text: str) -> list[Leak]:
    """Secrets, identity and bank card numbers, and tags of the instructions, in order."""
    found = [Leak("a secret", m.start(), m.end()) for p in (_SECRET, _BEARER) for m in p.finditer(text)]
    found += [Leak("a secret", m.start("value"), m.end("value")) for m in _ASSIGNED.finditer(text)]
    found += [
        Leak("an identity card number", m.start(), m.end()) for m in _IDENTITY.finditer(text) if _is_identity(m[0])
    ]
    found += [Leak("a bank card number", m.start(), m.end()) for m in _CARD.finditer(text) if _is_card(m[0])]
    found += [Leak("a tag of the instructions", m.start(), m.end()) for m in _ECHO.finditer(text)]
    found.sort(key=lambda leak: (leak.start, -leak.end))
    kept: list[Leak] = []
    for leak in found:
        if not kept or leak.start >= kept[-1].end:
            kept.append(leak)
    return kept


def check_leaks(answer: str, grounds: Grounds) -> Iterator[Located]:
    """What must not leave the desk. The finding names the kind, never the value."""
    for leak in leaks(answer):
        start, end = next(((a, b) for a, b in cite.spans(answer) if a <= leak.start < b), (leak.start, leak.end))
        message = f"The answer holds {leak.what}: leave it out."
        yield Located(Finding("leak", leak.what, message), start, end)


def masked(answer: str, language: str) -> str:
    """The answer with every leak blacked out, and tags of the instructions gone."""
    pieces: list[str] = []
    end = 0
    for leak in leaks(answer):
        hidden = "" if leak.what.startswith("a tag") else ("(已隐去)" if language == "zh" else "(removed)")
        pieces += [answer[end : leak.start], hidden]
        end = leak.end
    return "".join((*pieces, answer[end:]))


def _is_identity(number: str) -> bool:
    total = sum(w * int(d) for w, d in zip(_WEIGHTS, number[:17], strict=True))
    return "10X98765432"[total % 11] == number[17].upper()


def _is_card(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()]
    if len(digits) not in (15, 16, 17, 18, 19):
        return False
    doubled = (d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0
