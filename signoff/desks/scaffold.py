"""A new desk of one's own: a TOML, a Python file with two tools, and a folder of documents, all of which work."""

from __future__ import annotations

from pathlib import Path

from signoff.desks.profile import read
from signoff.errors import ConfigError, UsageError

PROFILE = '''\
title = "{title}"
description = "What this desk is for, in a sentence."
instructions = """
You answer questions about meeting rooms."""

# Tools of the catalogue, by name; `signoff tools list --all` shows those there are.
tools = ["search_knowledge", "read_result"]
# Python files with @tool functions; all of them belong to the desk.
python = ["{name}_tools.py"]
# A folder of documents of its own; true is the home's documents, false is none.
knowledge = "{name}_docs"
examples = ["Is room Maple free?", "Book room Maple for the design review"]

[limits]
max_rounds = 6
'''

TOOLS = '''\
"""The tools of the desk {name}."""

from signoff import Change, Example, Preview, ToolError, tool

BOOKED: dict[str, str] = {{"Oak": "the planning meeting"}}
ROOMS = ("Maple", "Oak", "Cedar")


@tool(
    examples=[Example("Is room Maple free?", {{"room": "Maple"}}), Example("Oak 会议室有空吗", {{"room": "Oak"}})],
    render=lambda data, lang: (
        (f"{{data['room']}} 会议室" + ("有空。" if data["free"] else f"已被占用：{{data['booked_for']}}。"))
        if lang == "zh"
        else f"Room {{data['room']}} is " + ("free." if data["free"] else f"taken by {{data['booked_for']}}.")
    ),
)
def look_up_room(room: str) -> dict[str, object]:
    """Say whether a meeting room is free. Not for booking one.

    Args:
        room: The room's name, such as Maple.
    """
    name = _known(room)
    return {{"room": name, "free": name not in BOOKED, "booked_for": BOOKED.get(name), "source": "room plan"}}


def _card(room: str, purpose: str) -> Preview:
    name = _known(room)
    change = Change("booked for", BOOKED.get(name), purpose)
    return Preview(title=f"Book room {{name}}", changes=[change], reversible=True)


@tool(
    risk="write",
    preview=_card,
    examples=[
        Example("Book room Maple for the design review", {{"room": "Maple", "purpose": "the design review"}}),
        Example("预订 Cedar 会议室，用于设计评审", {{"room": "Cedar", "purpose": "设计评审"}}),
    ],
    render=lambda data, lang: (
        f"{{data['room']}} 会议室已预订，用于{{data['purpose']}}。"
        if lang == "zh"
        else f"Room {{data['room']}} is booked for {{data['purpose']}}."
    ),
)
def book_room(room: str, purpose: str) -> dict[str, object]:
    """Book a meeting room. Waits for a signature. Not for asking whether one is free.

    Args:
        room: The room's name, such as Maple.
        purpose: What it is booked for.
    """
    name = _known(room)
    if name in BOOKED:
        raise ToolError("CONFLICT", f"{{name}} is taken by {{BOOKED[name]}}.", hint="Offer another room.")
    BOOKED[name] = purpose
    return {{"room": name, "purpose": purpose}}


def _known(room: str) -> str:
    for name in ROOMS:
        if name.casefold() == room.strip().casefold():
            return name
    raise ToolError("NOT_FOUND", f"There is no room {{room}}.", hint=f"The rooms are {{', '.join(ROOMS)}}.")
'''

DOCUMENT = """\
# Meeting rooms

## Rules

A meeting room can be booked for at most two hours. Whoever does not come within fifteen minutes loses it.

## Rooms

Maple seats eight and has a screen. Oak seats four. Cedar seats twelve and has video conferencing.
"""


def scaffold(name: str, folder: Path) -> Path:
    """Write a new desk's files into a folder; returns its TOML. Raises `UsageError` when one is there already."""
    path = folder / f"{name}.toml"
    tools, document = folder / f"{name}_tools.py", folder / f"{name}_docs" / "rooms.md"
    for taken in (path, tools, document.parent):
        if taken.exists():
            raise UsageError(f"{taken} is there already: give the desk another name, or remove it.")
    try:
        document.parent.mkdir(parents=True)
        document.write_text(DOCUMENT, encoding="utf-8")
        tools.write_text(TOOLS.format(name=name), encoding="utf-8")
        path.write_text(PROFILE.format(name=name, title=name.replace("_", " ").capitalize()), encoding="utf-8")
        read(path)
    except OSError as error:
        raise ConfigError(f"The desk cannot be written to {folder}: {error.strerror}.") from None
    except ConfigError:
        for made in (path, tools, document):
            made.unlink(missing_ok=True)
        document.parent.rmdir()
        raise
    return path
