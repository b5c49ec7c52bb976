"""Phone numbers, e-mail addresses, ID cards and bank cards in running text."""

from __future__ import annotations

import re
from datetime import date

from signoff.telemetry.patterns import ALONE_LEFT, ALONE_RIGHT, Rule

_NUMBER_LEFT = r"(?<![0-9])(?<![0-9][.])(?<![$¥￥€£])(?<![$¥￥€£] )"
_NUMBER_RIGHT = r"(?![0-9])(?!\.[0-9])(?! ?(?:元|块|yuan|CNY|RMB|USD|EUR|GBP|HKD|%))"

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
    rf"(?:(?<![0-9A-Za-z])\+ ?|(?<![0-9A-Za-z._])00 ?){_COUNTRY}(?:[-. ()/]{{0,2}}[0-9]){{6,14}}"
    rf"{_EXTENSION}{_NUMBER_RIGHT}"
)
_ID_CARD = re.compile(rf"{ALONE_LEFT}[1-8][0-9]{{5}}[- ]?(?:18|19|20)[0-9]{{6}}[- ]?[0-9]{{3}}[0-9Xx]{ALONE_RIGHT}")
_CARD_WORD = re.compile(r"(?:[行用蓄记]卡(?:卡号|号码?)?|卡号|(?i:card)(?: ?(?i:no\.?|number|#))?)[\s:=是为\"']{0,4}\Z")
_ID_WORD = re.compile(r"(?:身份证(?:件?号码?)?|(?i:id ?card)(?: ?(?i:no\.?|number|#))?)[\s:=是为\"']{0,4}\Z")
_BANK_CARD = re.compile(
    rf"{ALONE_LEFT}{_NUMBER_LEFT}(?:[0-9]{{14,19}}|[0-9]{{4}}(?P<gap>[- ])[0-9]{{6}}(?P=gap)[0-9]{{5}}"
    rf"|[0-9]{{4}}(?P<sep>[- ])[0-9]{{4}}(?P=sep)[0-9]{{4}}(?P=sep)[0-9]{{2,4}}(?:(?P=sep)[0-9]{{1,3}})?)"
    rf"{ALONE_RIGHT}(?!\.[0-9])"
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


def _before(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - 40) : found.start()]


def _stands_alone(found: re.Match[str]) -> int | None:
    """Not a part of an identifier: letters touch it only as a word for a phone before, or as words after it."""
    before = _before(found)
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
    """GB 11643: a province, a date of birth, and a check digit (ISO 7064 MOD 11-2); or it is said to be one."""
    if _ID_WORD.search(_before(found)):
        return found.end()
    digits = re.sub(r"[- ]", "", found[0]).upper()
    try:
        date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return None
    total = sum(int(d) * pow(2, 17 - i, 11) for i, d in enumerate(digits[:17]))
    right = digits[:2] in _PROVINCES and "10X98765432"[total % 11] == digits[17]
    return found.end() if right else None


def _bank_card(found: re.Match[str]) -> int | None:
    before = _before(found)
    if _ORDER_WORD.search(before):
        return None
    if _CARD_WORD.search(before):
        return found.end()
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


EMAIL_RULES = (Rule("[email]", _EMAIL, needs=("@",)),)

DIGITS = r"[0-9](?:[-. ()/]{0,3}[0-9]){6}"
NUMBER = re.compile(DIGITS)
"""Seven digits that may be one number: without them no number rule can find anything."""

NUMBER_RULES = (
    Rule("[id-card]", _ID_CARD, _id_card),
    Rule("[phone]", _MOBILE, _stands_alone),
    Rule("[phone]", _INTERNATIONAL, _international, needs=("+", "00")),
    Rule("[bank-card]", _BANK_CARD, _bank_card),
    Rule("[phone]", _LANDLINE, _stands_alone, needs=("0",)),
    Rule("[phone]", _NORTH_AMERICAN, _stands_alone),
)
