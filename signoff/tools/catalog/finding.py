"""The tool that finds more tools, for desks that have more than a turn can see."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.text import shorten
from signoff.tools.catalog.wording import chosen, paragraphs
from signoff.tools.contract import Example, Tool
from signoff.tools.decorator import tool
from signoff.tools.likeness import purpose
from signoff.tools.registry import Registry
from signoff.tools.selection import Selector

MOST = 8
"""Tools that one search finds at most."""

_LIKELY = 0.1
"""Likeness below which a tool is no answer to a search."""
_DOES_CHARS, _PARAMETERS_CHARS = 120, 160


def _entry(found: Tool) -> dict[str, Any]:
    """Short, so that a list of eight is not trimmed; the full schema is offered with the tool itself."""
    schema = found.parameters
    required = set(schema.get("required", ()))
    takes = [n if n in required else f"{n}?" for n in schema["properties"]]
    return {
        "name": found.name,
        "does": shorten(purpose(found.description), _DOES_CHARS),
        "parameters": shorten(", ".join(takes), _PARAMETERS_CHARS),
        "risk": found.risk.value,
    }


def _render(data: Any, lang: str) -> str:
    if not data["found"]:
        return chosen(
            lang,
            f"None of the {data['searched']} tools of this desk does that.",
            f"本服务台的 {data['searched']} 个工具都做不到这件事。",
        )
    lines = [f"- {t['name']}({t['parameters']}): {t['does']}" for t in data["found"]]
    return paragraphs(
        [
            chosen(lang, "Tools that can be called from the next step on:", "下一步起可以调用的工具:"),
            *lines,
        ]
    )


@tool(
    injects=("caller", "selector", "registry"),
    render=_render,
    # The first search of a process may have to load the embedder.
    timeout_s=30.0,
    always=True,
    examples=(
        Example("有没有能导出报表的工具?", {"query": "导出报表"}),
        Example("Is there a tool that converts currencies?", {"query": "convert currencies"}),
        Example("找找看你还能用什么来订会议室", {"query": "预订会议室"}),
        Example("Look for something that can restart a server", {"query": "restart a server"}),
    ),
)
def find_tools(
    query: Annotated[str, Field(min_length=1, max_length=200)], caller: Caller, selector: Selector, registry: Registry
) -> dict[str, Any]:
    """Searches all tools of this desk for one that can do a step which none of the offered tools can; what is found
    can be called from the next step on. Not for finding documents or records, and not when an offered tool will do.

    Args:
        query: What the tool must be able to do, in a few words and without names or numbers.
    """
    # Words have chosen what the turn was offered, and it was not enough: meaning may find what they have not.
    more = [m for m in selector.rank(query, caller, deep=True) if not m.tool.always]
    found = [m.tool for m in more if m.score >= _LIKELY][:MOST]
    return {
        "tools": [t.name for t in found],
        "found": [_entry(t) for t in found],
        "searched": len(more),
        "source": "tool registry",
    }
