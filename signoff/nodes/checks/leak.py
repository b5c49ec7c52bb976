"""No secrets, no numbers of people's cards, no pieces of the instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from signoff.knowledge import cite
from signoff.models.facts import BLOCKS
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
_ECHO = re.compile(rf"<\s{{0,9}}/?\s{{0,9}}(?:{'|'.join(BLOCKS)})\b[^>\n]{{0,200}}>?", re.IGNORECASE)
REQUEST = "a request for a secret"
"""What the finding of an answer that asks for somebody's password says."""
_SECRETS = (
    r"(?:passwords?|passcodes?|passphrases?|pins?|(?:one[- ]time|verification|security|recovery|sms|login|access) codes?"
    r"|otps?|cvv|(?:secret|private|api) keys?|(?:access )?tokens?|credentials|login details|card numbers?)(?![\w-])"
    r"(?! (?:polic|rule|reset|requirement|manager|length|form|expir|has|was|change))"
)
_SECRETS_ZH = (
    r"(?:密码|口令|验证码|动态码|校验码|密钥|私钥|令牌|安全码|卡号|助记词)(?!规则|政策|要求|管理|策略|重置|长度)"
)
_ASKED = re.compile(
    r"(?<!\bwe )(?<!\bthey )(?<!\bwill )(?<!['’]ll )\b(?:tell|give|send|share|provide|e-?mail|mail|text|forward|reply|post|paste"
    r"|disclose|reveal|message|write|dictate|type in|enter here|hand(?: over)?|let \w+ know)\b"
    r"[\s:*•-]+(?:(?:to )?(?:me|us|him|her|them|it|everyone|(?:the |our |your |an? )(?:[\w-]+ ){0,2}[\w-]+|[\w.@-]+)[\s:*•-]+)??"
    r"(?:(?:with|in|back|here|now|again|over)\s+)*(?:your|the|his|her|their)\s+(?:[\w-]+ (?:and |or )?(?:your )?){0,3}?"
    + _SECRETS
    + r"|\b(?:enter|type|put|write)\s+your (?:\w+ ){0,2}?"
    + _SECRETS
    + r"\s+(?:here|below|in (?:this|the) (?:chat|message|reply))"
    r"|\b(?:i|we) (?:also |just |now |will |do )*(?:need|require|want|must have) your (?:[\w-]+ (?:and |or )?(?:your )?){0,3}?"
    + _SECRETS
    + r"(?! to be)"
    r"|\bmay (?:i|we) have your (?:\w+ ){0,2}?"
    + _SECRETS
    + r"|\bwhat(?:['’]s| is| are) your (?:\w+ ){0,2}?"
    + _SECRETS
    + r"|(?:告诉|告知|提供|发送?|发来|回复|说出|报一?下|分享|透露|给)(?:给?我们?|给?客服|一下|给?他们?|[您你]的?|自己的|登录|账[号户]|当前|旧|新|银行|的){1,5}"
    + _SECRETS_ZH
    + r"|请(?:先|您|你)*(?:告诉|告知|提供|发送?|回复|说出|分享)"
    + _SECRETS_ZH
    + r"|(?:请|麻烦|把|将|需要)[^,，。；;!！?？]{0,14}?"
    + _SECRETS_ZH
    + r"[^,，。；;!！?？]{0,6}?(?:发(?!放|现|生)|寄|告诉|告知|提供|交给|报给|转发|透露|分享|给我)(?!(?:送?[到至给])?[您你用员])"
    r"|"
    + _SECRETS_ZH
    + r"[^,，。；;!！?？]{0,3}(?:发|告诉|告知|报|交|提供)?给?(?:我们?|客服)(?![^,，。]{0,3}[会将不])|[您你]的(?:登录|账[号户]|银行)?"
    + _SECRETS_ZH
    + r"是(?:什么|多少)",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,，.。;；:：!！?？\n]")
# "Never share", "do not give, send or share": what a policy says.
_DENIED = re.compile(
    r"\b(?:not|never|cannot|nobody|no one|none|neither|nor)\b|n['’]t\b|不[要得能可会应许准需用必允]|[请切]勿|勿|严禁|禁止|无需|无须|从不|绝不|别(?!人)",
    re.IGNORECASE,
)
_DENIED_LIST = re.compile(
    r"(?:\bnever|\b(?:do|must|may|should|shall)(?: not|n['’]t)|不要|不得|请勿|切勿|严禁|禁止)"
    r"(?![\s,]*(?:mind|worry|hesitate|forget|be |担心|着急|忘))[^.。;；:：!！?？\n]*$",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(r"\b(?:forbidden|prohibited|not (?:allowed|permitted))\b|禁止|不允许|违规|违反", re.IGNORECASE)
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
    for a, b in requests(answer):
        message = "The answer asks for a secret or has one sent somewhere: nobody's secret is ever asked for."
        for start, end in cite.spans(answer):
            if start < b and a < end:
                yield Located(Finding("leak", REQUEST, message), start, end)


def requests(answer: str) -> Iterator[tuple[int, int]]:
    """Where an answer asks a person for a password or another secret, or tells them to send one somewhere."""
    for match in _ASKED.finditer(answer):
        clause = 0
        for end in _CLAUSE_END.finditer(answer, 0, match.start()):
            clause = end.end()
        stop = _CLAUSE_END.search(answer, match.end())
        rest = answer[match.start() : stop.start() if stop else len(answer)]
        before = answer[clause : match.start()]
        if not (
            _DENIED.search(before)
            or _DENIED.match(match[0])
            or (not match[0].isascii() and _DENIED.search(match[0]))
            or _DENIED_LIST.search(answer[max(0, match.start() - 200) : match.start()])
            or _FORBIDDEN.search(rest)
        ):
            yield match.start(), match.end()


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
