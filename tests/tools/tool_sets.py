"""Sets of tools for tests of selection: of any size, with and without roles, in both languages."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff import Caller, Example, tool
from signoff.tools.contract import Tool
from signoff.tools.registry import Registry

CALLER = Caller("acme", "u-17")
SUPERVISOR = Caller("acme", "s-02", frozenset({"supervisor"}))

Text = Annotated[str, Field(max_length=100)]


@tool
def convert_currency(amount: float, into: Text) -> dict[str, Any]:
    """Converts an amount of money at today's exchange rate. Not for lengths or weights.

    Args:
        amount: How much.
        into: The currency wanted.
    """
    return {}


@tool(examples=[Example("订一间会议室", {"room": "A1"}), Example("Book a meeting room", {"room": "A1"})])
def book_room(room: Text) -> dict[str, Any]:
    """预订公司会议室。不用于酒店。

    Args:
        room: 会议室名称
    """
    return {}


@tool(roles=["supervisor"])
def approve_leave(employee: Text) -> dict[str, Any]:
    """Approves a request for leave of a team member. Not for asking for leave.

    Args:
        employee: Whose request.
    """
    return {}


@tool(always=True)
def read_on(ref: Text) -> dict[str, Any]:
    """Reads on in a long result. Not for documents.

    Args:
        ref: Which result.
    """
    return {}


def numbered(number: int) -> Tool:
    """A tool that has nothing to do with the others."""

    @tool(name=f"measure_gauge_{number}")
    def measure(scale: Text) -> dict[str, Any]:
        """Measures the pressure of a boiler gauge. Not for steam.

        Args:
            scale: The scale.
        """
        return {}

    return measure


def many(count: int = 30) -> Registry:
    """More tools than words alone decide among; the telling ones are in the middle."""
    half = count // 2
    fill = [numbered(i) for i in range(count - 4)]
    return Registry([*fill[:half], convert_currency, book_room, approve_leave, read_on, *fill[half:]])


def few() -> Registry:
    """The telling ones."""
    return Registry([convert_currency, book_room, approve_leave, read_on])
