"""Money: Decimal yuan wherever people and tools see it, whole cents where it is stored."""

from __future__ import annotations

from decimal import Decimal

_CENT = Decimal("0.01")


def to_yuan(cents: int) -> Decimal:
    """Stored cents as yuan, always with two decimals."""
    return (Decimal(cents) / 100).quantize(_CENT)


def to_cents(yuan: Decimal) -> int:
    """Yuan as whole cents. Raises `ValueError` for a fraction of a cent: nothing is rounded silently."""
    cents = yuan * 100
    if cents != cents.to_integral_value():
        raise ValueError(f"{yuan} yuan is not a whole number of cents.")
    return int(cents)
