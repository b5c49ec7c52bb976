"""How results and cards put money, days and sources into words; and the parameter types that tools share."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from signoff.caller import Caller
from signoff.text import Language
from signoff.tools.contract import CallInfo


def _spelled(value: Any) -> Any:
    """`a1003`, `#A1003` and full-width letters are ways of writing A1003."""
    return unicodedata.normalize("NFKC", value).strip().lstrip("#").upper() if isinstance(value, str) else value


OrderId = Annotated[str, Field(pattern=r"^[A-Z][0-9]{4,}$", max_length=20), BeforeValidator(_spelled)]
"""An order number: a capital letter and at least four digits."""

TicketId = Annotated[str, Field(pattern=r"^T[0-9]{4,}$", max_length=20), BeforeValidator(_spelled)]
"""A ticket number: T and at least four digits."""


def chosen(lang: str, en: str, zh: str) -> str:
    """The wording of a language."""
    return zh if lang == "zh" else en


def card_language(caller: Caller, call: CallInfo) -> Language:
    """The language of a card: the requester's setting, or that of the question."""
    return "zh" if (caller.locale or call.language) == "zh" else "en"


def yuan(amount: Decimal | str, lang: str) -> str:
    """`299.00 yuan` or `299.00 元`."""
    return f"{amount} {chosen(lang, 'yuan', '元')}"


def day(iso: str) -> str:
    """The date of an ISO time, `2026-10-22`."""
    return iso[:10]


def minute(iso: str) -> str:
    """The date and time of an ISO time, `2026-10-22 11:05`."""
    return f"{iso[:10]} {iso[11:16]}"


def iso(moment: datetime | None) -> str | None:
    """An absolute time with its offset."""
    return None if moment is None else moment.isoformat(timespec="seconds")


def known(**fields: Any) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def source(lang: str, en: str, zh: str) -> str:
    """Where it comes from, at the end of every result."""
    return chosen(lang, f"Source: {en}.", f"来源:{zh}。")


def paragraphs(lines: Sequence[str]) -> str:
    """Lines one below the other, without empty ones."""
    return "\n".join(line for line in lines if line)
