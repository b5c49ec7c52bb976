r"""What counts as personal data or a secret in running text, Chinese or English.

Every pattern is matched on text in half-width characters. None uses `\b`: between a Chinese character and a digit
there is no word boundary, so neighbours are looked at one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

Check = Callable[[re.Match[str]], int | None]
"""Given a candidate: where the find ends, or None when it is something else."""

MARKS = ("phone", "email", "id-card", "bank-card", "api-key", "token", "private-key", "secret")


@dataclass(frozen=True)
class Rule:
    """One kind of find. The group `find` of the pattern, or all of it, is replaced by the mark."""

    mark: str
    pattern: re.Pattern[str]
    check: Check | None = None
    needs: tuple[str, ...] = ()
    """In small letters: without one of these in the text the pattern need not be tried."""

    def spans(self, text: str, folded: str) -> Iterator[tuple[int, int]]:
        """Start and end of each find, in order; `folded` is the text in small letters."""
        if self.needs and not any(word in folded for word in self.needs):
            return
        group: str | int = "find" if "find" in self.pattern.groupindex else 0
        at = 0
        while found := self.pattern.search(text, at):
            end = self.check(found) if self.check else found.end(group)
            if end is None:
                at = found.start() + 1
            else:
                yield found.start(group), end
                at = max(end, found.start() + 1)


_MARK = rf"\[(?:{'|'.join(MARKS)})\]"
_ALONE_LEFT = r"(?<![0-9A-Za-z_])"
_ALONE_RIGHT = r"(?![0-9A-Za-z_])"
_NUMBER_LEFT = r"(?<![0-9])(?<![0-9][.,])(?<![$¥￥€£])(?<![$¥￥€£] )"
_NUMBER_RIGHT = r"(?![0-9])(?!\.[0-9])(?!,[0-9]{3}(?![0-9]))(?! ?(?:元|块|yuan|CNY|RMB|USD|EUR|GBP|HKD|%))"

KEPT = re.compile(
    rf"{_MARK}"
    r"|(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
    r"|(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9])"
)
"""What no shape may be found in: marks, UUIDs, dates and timestamps."""

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
    r"""(?:[:=]|=>|(?<=[密码口令钥牌证])[是为]|(?<=[ ])(?:is|was)(?=[ ]))[ \t]{0,4})"""
)
_OPEN = r"(?:(?i:bearer|basic)[ ]{1,3})?"
_NAMED_QUOTED = re.compile(
    rf"""(?:{_NAMES}){_SEPARATOR}(?P<quote>\\{{0,3}}["'])(?P<find>[^"'\n]{{1,400}}?)(?=(?P=quote))"""
)
_NAMED = re.compile(
    rf"""(?:{_NAMES}){_SEPARATOR}{_OPEN}"""
    r"""(?P<find>(?:[!-~](?<!["'&,;<>\\])|[,;](?![\s"'\\]|[A-Za-z_]\w{0,40}["']?\s?[=:]|$))++)"""
)
_NO_VALUE = frozenset(
    "true false null none nil undefined required optional string str int bool bytes any yes no ok unset set".split()
)


def _quoted_secret(found: re.Match[str]) -> int | None:
    value = found["find"].strip()
    empty = not value.strip(".*-<>") or value.lower() in _NO_VALUE
    return None if empty or re.fullmatch(_MARK, value) else found.end("find")


def _named_secret(found: re.Match[str]) -> int | None:
    value = found["find"]
    end = found.end("find")
    core = value.strip(".!?()[]{}*`:=-")
    name = found[0][: found.start("sep") - found.start()].lower()
    separator = found["sep"]
    if not core or re.fullmatch(rf"(?:{_MARK})[.!?)\]}}:-]*", value) or core.lower() in _NO_VALUE:
        return None
    if "token" in name and core.isdecimal() and len(core) < 7:
        return None
    told = separator.strip(" \t\\\"'") in ("is", "was", "是", "为")
    if told and (len(core) < 4 or core.isalpha()):
        return None
    # "Password: must be long" is a sentence; "password=must" is not.
    if core.isalpha() and separator[-1:] in " \t" and re.match(r"[.,!?]?\s+[A-Za-z]", found.string[end : end + 8]):
        return None
    return end


# ---- secrets known by their shape --------------------------------------------------------------------------------

_API_KEY = re.compile(
    _ALONE_LEFT + r"(?:"
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
_JWT = re.compile(_ALONE_LEFT + r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?")
_BEARER = re.compile(
    _ALONE_LEFT
    + r"(?i:bearer)\s{1,3}(?P<find>(?=[A-Za-z._~+/-]{0,200}[0-9]|[A-Za-z._~+/-]{24})[A-Za-z0-9._~+/-]{8,}=*)"
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


def _login(found: re.Match[str]) -> int | None:
    return None if re.fullmatch(rf"(?:{_MARK})+", found["find"]) else found.end("find")


# ---- personal data -----------------------------------------------------------------------------------------------

# Letters of scripts that put spaces between words; Chinese, Japanese and Korean text touches an address.
_LETTERS = "A-Za-z\u00c0-\u10ff"
_LOCAL = rf"(?:[0-9{_LETTERS}_.%+~-]|(?<=[{_LETTERS}])'(?=[{_LETTERS}]))"
_LABEL = rf"[0-9{_LETTERS}-]"
_EMAIL = re.compile(
    rf"(?:(?<!{_LOCAL}){_LOCAL}++|\"[^\"\s@]{{1,64}}\")@(?![0-9]x\.)"
    rf"(?:(?:{_LABEL}+\.)+(?:xn--[a-z0-9-]+|[{_LETTERS}]{{2,24}})(?!{_LABEL})(?!\.{_LABEL})"
    rf"|[\w.-]{{1,63}}\.(?:中国|公司|网络|香港|台灣))"
)

_PHONE_WORD = re.compile(r"(?i:tel|telephone|phone|mobile|mob|cell|fax|call|contact|ph|vx|wx|wechat|whatsapp|sms|dial)")
_ORDER_WORD = re.compile(
    r"(?:订单(?:编号|号码?)|[运单]单号|单号|流水号|编号|(?i:order|ticket|tracking|invoice)[ _-]?(?i:id|no\.?|number|#))"
    r"[\s:#=是为\"']{0,4}\Z"
)
_EXTENSION = r"(?: ?(?:转|分机号?|ext\.?|x)[ :]?[0-9]{1,6}|-[0-9]{1,6}(?![0-9-]))?"
_MOBILE = re.compile(
    rf"{_NUMBER_LEFT}(?:(?:\((?:\+|00)?86\)|(?:\+|00)?86)[- ]?|(?<!\+))1[3-9](?:[0-9](?:[-. ]?[0-9]{{4}}){{2}}"
    rf"|[0-9]{{2}}[- ][0-9]{{3}}[- ][0-9]{{4}}|[0-9][- ][0-9]{{3}}[- ][0-9]{{5}}|[0-9]{{3}}[- ][0-9]{{6}})"
    rf"{_NUMBER_RIGHT}"
)
_AREA = r"0(?:10|2[0-9]|[3-9][0-9]{2})"
_LANDLINE = re.compile(
    rf"{_NUMBER_LEFT}(?<![0-9][-/:])(?:\({_AREA}\)|{_AREA})[- ]?[2-9][0-9]{{2,3}}[- ]?[0-9]{{4}}"
    rf"{_EXTENSION}{_NUMBER_RIGHT}"
)
_NORTH_AMERICAN = re.compile(
    rf"{_NUMBER_LEFT}(?<![0-9][-/:])(?:1[-. ])?(?:\([2-9](?!00|11)[0-9]{{2}}\)[-. ]?|[2-9](?!00|11)[0-9]{{2}}[-.])"
    rf"[2-9][0-9]{{2}}[-.][0-9]{{4}}{_EXTENSION}{_NUMBER_RIGHT}"
)
# Country codes as ITU-T E.164 assigns them.
_COUNTRY = (
    r"(?:1|7|2(?:0|7|[1-69][0-9])|3(?:[0-469]|[578][0-9])|4(?:[013-9]|2[0-9])|5(?:[1-8]|[09][0-9])"
    r"|6(?:[0-6]|[789][0-9])|8(?:[1246]|[035789][0-9])|9(?:[0-58]|[679][0-9]))"
)
_INTERNATIONAL = re.compile(
    rf"(?:(?<![0-9A-Za-z])\+ ?|(?<![0-9A-Za-z.,_])00 ?){_COUNTRY}(?:[-. ()/]{{0,2}}[0-9]){{6,14}}"
    rf"{_EXTENSION}{_NUMBER_RIGHT}"
)
_ID_CARD = re.compile(rf"{_ALONE_LEFT}[1-8][0-9]{{5}}[- ]?(?:18|19|20)[0-9]{{6}}[- ]?[0-9]{{3}}[0-9Xx]{_ALONE_RIGHT}")
_BANK_CARD = re.compile(
    rf"{_ALONE_LEFT}{_NUMBER_LEFT}(?:[0-9]{{14,19}}|[0-9]{{4}}(?P<gap>[- ])[0-9]{{6}}(?P=gap)[0-9]{{5}}"
    rf"|[0-9]{{4}}(?P<sep>[- ])[0-9]{{4}}(?P=sep)[0-9]{{4}}(?P=sep)[0-9]{{2,4}}(?:(?P=sep)[0-9]{{1,3}})?)"
    rf"{_ALONE_RIGHT}(?!\.[0-9])"
)
_PROVINCES = frozenset(
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83".split()
)
_ISSUERS: tuple[tuple[re.Pattern[str], frozenset[int]], ...] = (
    (re.compile(r"4"), frozenset({16, 19})),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|35"), frozenset({16})),
    (re.compile(r"3[47]"), frozenset({15})),
    (re.compile(r"36|38|30[0-5]"), frozenset({14})),
    (re.compile(r"6"), frozenset({16, 17, 18, 19})),
    (re.compile(r"9558|9559"), frozenset({16, 19})),
)


def _stands_alone(found: re.Match[str]) -> int | None:
    """Not a part of an identifier: letters touch it only as a word for a phone before, or as words after it."""
    before = found.string[max(0, found.start() - 40) : found.start()]
    if run := re.search(r"([0-9A-Za-z_]+)[-#]?\Z", before):
        if not _PHONE_WORD.fullmatch(run[1]):
            return None
    elif _ORDER_WORD.search(before):
        return None
    after = re.match(r"[0-9A-Za-z_]+", found.string[found.end() : found.end() + 40])
    if after and not (after[0].isalpha() and re.search(r"[g-zG-Z]", after[0])):
        return None
    return found.end()


def _international(found: re.Match[str]) -> int | None:
    number = found[0]
    digits = sum(c.isdigit() for c in number)
    bare = number.lstrip("+0 ").replace(" ", "")
    if re.fullmatch(r"[0-9]+\.[0-9]+", bare) or (bare.isdecimal() and number[1:].isdecimal() and digits < 9):
        return None
    if number.startswith("00") and number.isdecimal():
        return None
    return _stands_alone(found) if digits >= 8 else None


def _id_card(found: re.Match[str]) -> int | None:
    """GB 11643: a province, a date of birth, and a check digit (ISO 7064 MOD 11-2)."""
    digits = re.sub(r"[- ]", "", found[0]).upper()
    try:
        date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return None
    total = sum(int(d) * pow(2, 17 - i, 11) for i, d in enumerate(digits[:17]))
    right = digits[:2] in _PROVINCES and "10X98765432"[total % 11] == digits[17]
    return found.end() if right else None


def _bank_card(found: re.Match[str]) -> int | None:
    if _ORDER_WORD.search(found.string[max(0, found.start() - 40) : found.start()]):
        return None
    # A short group behind the number may be its end or something else, such as the month of expiry.
    ends = [found.end()]
    if found["sep"]:
        ends.append(found.start() + found[0].rindex(found["sep"]))
    for end in ends:
        digits = re.sub(r"[- ]", "", found.string[found.start() : end])
        if any(p.match(digits) and len(digits) in lengths for p, lengths in _ISSUERS) and _luhn(digits):
            return end
    return None


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    doubled = [int(d) * 2 for d in digits[-2::-2]]
    return (sum(int(d) for d in digits[-1::-2]) + sum(d - 9 if d > 9 else d for d in doubled)) % 10 == 0


_NAME_PARTS = ("pass", "pwd", "secret", "key", "token", "密", "口令", "令牌", "验证码")

NAMED_RULES = (
    Rule("[private-key]", _PRIVATE_KEY, needs=("private key",)),
    Rule("[secret]", _URL_LOGIN, _login, needs=("://",)),
    Rule("[token]", _AUTHORIZATION, needs=("authorization",)),
    Rule("[secret]", _NAMED_QUOTED, _quoted_secret, needs=_NAME_PARTS),
    Rule("[secret]", _NAMED, _named_secret, needs=_NAME_PARTS),
)
"""Looked for first, and also where a date or a UUID stands: a password may be one."""

SHAPE_RULES = (
    Rule("[token]", _BEARER, needs=("bearer",)),
    Rule("[token]", _JWT, needs=("eyj",)),
    Rule("[api-key]", _API_KEY),
    Rule("[email]", _EMAIL, needs=("@",)),
)

_DIGITS = r"[0-9](?:[-. ()/]{0,3}[0-9]){6}"
NUMBER = re.compile(_DIGITS)
"""Seven digits that may be one number: without them no number rule can find anything."""

SUSPECT = re.compile(rf"[@:=是为]|-----| (?:is|was) |(?i:bearer)|eyJ|{_API_KEY.pattern}|{_DIGITS}")
"""What any find holds: most short texts have none of it and are done."""

NUMBER_RULES = (
    Rule("[id-card]", _ID_CARD, _id_card),
    Rule("[phone]", _MOBILE, _stands_alone),
    Rule("[phone]", _INTERNATIONAL, _international, needs=("+", "00")),
    Rule("[bank-card]", _BANK_CARD, _bank_card),
    Rule("[phone]", _LANDLINE, _stands_alone, needs=("0",)),
    Rule("[phone]", _NORTH_AMERICAN, _stands_alone),
)
