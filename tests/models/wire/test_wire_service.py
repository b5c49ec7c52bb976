"""The service desk's whole table of scenarios, once through each provider's wire format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import test_service_scenarios as table
from test_service_scenarios import ask  # noqa: F401

from signoff import Desk

pytestmark = pytest.mark.slow


# The table's own tests, on the fixtures of this module.
globals().update({name: test for name, test in vars(table).items() if name.startswith("test_")})


@pytest.fixture(params=["openai", "responses", "anthropic", "gemini"])
def open_desk(request: pytest.FixtureRequest, desk_on: Callable[..., Any]) -> Callable[..., Desk]:
    """Opens desks on a wire format; a scripted model becomes the brain behind it."""

    def one(model: Any = None, **options: Any) -> Desk:
        return desk_on(request.param, model, **options)[0]  # type: ignore[no-any-return]

    return one
