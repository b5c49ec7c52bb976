from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.records.money import to_cents, to_yuan


@given(st.integers(0, 10**12))
def test_cents_survive_the_way_to_yuan_and_back(cents: int) -> None:
    yuan = to_yuan(cents)
    assert to_cents(yuan) == cents
    assert str(yuan).split(".")[1].__len__() == 2


@pytest.mark.parametrize("amount", ["0.001", "299.005", "-1.234"])
def test_a_fraction_of_a_cent_is_refused_and_not_rounded(amount: str) -> None:
    with pytest.raises(ValueError, match="whole number of cents"):
        to_cents(Decimal(amount))
