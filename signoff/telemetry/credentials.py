"""Passwords, keys and tokens: known by the name they are given under, or by the shape their maker gave them."""

from __future__ import annotations

import re

from signoff.telemetry.patterns import ALONE_LEFT, MARK, Rule

SECRET_KEY = re.compile(
    r"(?:^|[_\-. ]|(?<=[a-z])(?=[A-Z]))(?i:password|passwd|passphrase|pwd|secret|secret[_\- ]?key|client[_\- ]?secret"
    r"|api[_\- ]?key|access[_\- ]?key|private[_\- ]?key|(?:access|auth|refresh|id|session|bearer)?[_\- ]?token"
    r"|authorization|credentials?|密码|口令|密钥|令牌)[0-9]?$"
)
"""A field whose text is a secret by its name."""

# ---- secrets that are named --------------------------------------------------------------------------------------

_NAMES = (
    r"(?i:password|passwd|passphrase|pwd|secret(?:[_\- ]?(?:access[_\- ]?)?key)?|api[_\- ]?key"
    r"|access[_\- ]?key(?:[_\- ]?id)?|account[_\- ]?key|private[_\- ]?key"
    r"|(?:access|auth|refresh|session|bearer)?[_\- ]?token)[0-9]?"
    r"|密码|口令|密钥|令牌|验证码"
)
_SEPARATOR = (
    r"""(?P<sep>[ \t]{0,4}\\{0,3}["']?[ \t]{0,4}"""
    r"""(?:[:=]|=>|(?<=[密码口令钥牌证])[是为]|(?<=[ ])(?:is|was)(?=[ ]))[ \t]{0,4}"""
    r"""|(?<=密码|口令)[ ]?(?=[!-~]{4})|(?<=验证码)[ ]?(?=[0-9]{4}))"""
)
_OPEN = r"(?:(?i:bearer|basic)[ ]{1,3})?"
_NAMED_QUOTED = re.compile(
    rf"""(?:{_NAMES}){_SEPARATOR}(?P<quote>\\{{0,3}}["'])"""
    r"""(?P<find>(?:(?!(?P=quote))(?:\\.|[^\n])){1,400})(?=(?P=quote))"""
)
_NAMED = re.compile(
    rf"""(?:{_NAMES}){_SEPARATOR}{_OPEN}"""
    r"""(?P<find>(?:[!-~](?<!["'&,;<>\\])|[,;](?![\s"'\\]|[A-Za-z_]\w{0,40}["']?\s?[=:]|[!-~]{0,40}[\u3400-\u9fff]|$))++)"""
)
_FLAG = re.compile(
    r"(?<![\w-])--[a-z-]{0,30}(?:password|passwd|passphrase|token|secret|api-key|access-key|secret-key)[ ]{1,3}"
    r"(?P<find>(?!-)[^\s\"']{1,400})"
)
_COOKIE = re.compile(
    r"(?i:(?:set-)?cookie)\\{0,3}[\"']?[ ]?:[ ]?\\{0,3}[\"']?(?P<find>[^\s=;:\"']{1,100}=[^\r\n\"'\\]{1,4000})"
)
_NO_VALUE = frozenset(
    "true false null none nil undefined required optional string str int bool bytes any yes no ok unset set".split()
)


def _quoted_secret(found: re.Match[str]) -> int | None:
    value = found["find"].strip()
    empty = not value.strip(".*-<>") or value.lower() in _NO_VALUE
    return None if empty or re.fullmatch(MARK, value) else found.end("find")


def _named_secret(found: re.Match[str]) -> int | None:
    value = found["find"]
    end = found.end("find")
    core = value.strip(".!?()[]{}*`:=-")
    name = found[0][: found.start("sep") - found.start()].lower()
    separator = found["sep"]
    if not core or re.fullmatch(rf"(?:{MARK})[.!?)\]}}:-]*", value) or core.lower() in _NO_VALUE:
        return None
    if "token" in name and core.isdecimal() and len(core) < 7:
        return None
    told = separator.strip(" \t\\\"'") in ("", "is", "was", "是", "为")
    if told and (len(core) < 4 or core.isalpha() or re.match(r"[年月日位个天次]", found.string[end : end + 1])):
        return None
    # "Password: must be long" is a sentence; "password=must" is not.
    if core.isalpha() and separator[-1:] in " \t" and re.match(r"[.,!?]?\s+[A-Za-z]", found.string[end : end + 8]):
        return None
    return end


# ---- secrets known by their shape --------------------------------------------------------------------------------

API_KEY = re.compile(
    ALONE_LEFT + r"(?:"
    r"sk-(?:[A-Za-z0-9_-]{16,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{8,})"
    r"|[rsp]k_(?:live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9]{16,}"
    r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])|AKID[A-Za-z0-9]{13,40}"
    r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{10,}"
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"
    r"|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dop_v1_[a-f0-9]{32,}"
    r"|lsv2_(?:pt|sk)_[A-Za-z0-9_]{16,}|ls__[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r")"
)
_JWT = re.compile(ALONE_LEFT + r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?")
_BEARER = re.compile(
    ALONE_LEFT + r"(?i:bearer)\s{1,3}(?P<find>(?=[A-Za-z._~+/-]{0,200}[0-9]|[A-Za-z._~+/-]{24})[A-Za-z0-9._~+/-]{8,}=*)"
)
_AUTHORIZATION = re.compile(
    r"(?i:authorization)\\{0,3}[\"']?\s?[:=]\s?\\{0,3}[\"']?(?i:basic|bearer|token|digest|apikey)\s{1,3}"
    r"(?P<find>[A-Za-z0-9._~+/=:-]{4,})"
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_URL_LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://(?P<find>[^\s/:@\"'<>]{0,80}:[^\s/@\"'<>]{1,200})@")


def _filled(found: re.Match[str]) -> int | None:
    return None if re.fullmatch(rf"(?:{MARK})+", found["find"]) else found.end("find")


_NAME_PARTS = ("pass", "pwd", "secret", "key", "token", "密", "口令", "令牌", "验证码")

NAMED_RULES = (
    Rule("[private-key]", _PRIVATE_KEY, needs=("private key",)),
    Rule("[secret]", _URL_LOGIN, _filled, needs=("://",)),
    Rule("[token]", _AUTHORIZATION, needs=("authorization",)),
    Rule("[secret]", _COOKIE, _filled, needs=("cookie",)),
    Rule("[secret]", _FLAG, _filled, needs=("--",)),
    Rule("[secret]", _NAMED_QUOTED, _quoted_secret, needs=_NAME_PARTS),
    Rule("[secret]", _NAMED, _named_secret, needs=_NAME_PARTS),
)
"""Looked for first, and also where a date or a UUID stands: a password may be one."""

TOKEN_RULES = (
    Rule("[token]", _BEARER, needs=("bearer",)),
    Rule("[token]", _JWT, needs=("eyj",)),
    Rule("[api-key]", API_KEY),
)
