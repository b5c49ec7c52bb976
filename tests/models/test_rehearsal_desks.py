"""The wordings of `desk_wordings`, with the tools, the skill and the plan that the desk would send along."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from desk_wordings import ASSISTANT, ASSISTANT_SEEN, WEEKLY, WEEKLY_SEEN, Wording
from langchain_core.messages import AIMessage, HumanMessage
from paraphrases import Call, Has

import signoff.desks
from signoff.caller import Caller
from signoff.desks.library import find
from signoff.desks.toolbox import tools_of
from signoff.models.rehearsal import RehearsalModel
from signoff.models.view import Brief, build
from signoff.nodes.route import new_turn
from signoff.settings import Settings
from signoff.skills import Skills, load
from signoff.skills.library import SHIPPED
from signoff.skills.plan import begin, render
from signoff.tools.registry import Registry
from signoff.tools.selection import Selector
from signoff.tools.workspace import Workspace

CALLER = Caller("acme", "u-17")
NOW = datetime(2026, 10, 31, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
FOLDER = Path(signoff.desks.__file__).parent / "sample" / "weekly"
TABLES = {"weekly": (WEEKLY, WEEKLY_SEEN), "assistant": (ASSISTANT, ASSISTANT_SEEN)}


@cache
def desk(name: str) -> tuple[Registry, Selector, Skills]:
    profile = find(name, Settings())
    workspace = Workspace(FOLDER, "write") if profile.workspace else None
    registry = Registry(tools_of(profile, workspace))
    return registry, Selector(registry), load([SHIPPED]).only(profile.skills)


def first_calls(name: str, words: str) -> list[Call]:
    registry, selector, skills = desk(name)
    skill = skills.choose(words, [t.name for t in registry])
    offered = selector.choose([words], CALLER, 8, pinned=skill.tools if skill else ())
    brief = Brief(
        skill=(skill.name, skill.instructions) if skill else None,
        plan=render(begin(skill, offered)) if skill else "",
    )
    view = build([HumanMessage(words)], new_turn(words), [], now=NOW, closing=None, brief=brief)
    answer = RehearsalModel().bind_tools(registry.schemas(offered)).invoke(view)
    assert isinstance(answer, AIMessage)
    return [(c["name"], c["args"]) for c in answer.tool_calls]


def plain(text: str) -> str:
    return re.sub(r"[\s_]", "", unicodedata.normalize("NFKC", text).casefold()).strip(".,。，")


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Has):
        return isinstance(found, str) and plain(wanted.words) in plain(found)
    if isinstance(wanted, str) and isinstance(found, str):
        return plain(found) == plain(wanted)
    return bool(found == wanted)


def right(found: list[Call], wanted: list[Call]) -> bool:
    """The same calls in any order, each with exactly these arguments, but for a note of why or of what sort."""

    def as_wanted(call: Call, want: Call) -> bool:
        (name, args), (wanted_name, wanted_args) = call, want
        extra = set(args) - set(wanted_args)
        return (
            name == wanted_name
            and extra <= {"reason", "kind"}
            and all(same(args.get(k), v) for k, v in wanted_args.items())
        )

    left = list(found)
    for want in wanted:
        hit = next((c for c in left if as_wanted(c, want)), None)
        if hit is None:
            return False
        left.remove(hit)
    return not left


@pytest.mark.parametrize("name", TABLES)
def test_there_are_wordings_enough_in_both_languages(name: str) -> None:
    table, seen = TABLES[name]
    chinese = [w for w, _ in table if re.search(r"[\u4e00-\u9fff]", w)]
    assert len(table) >= 40 and len(chinese) >= 20 and len(table) - len(chinese) >= 16
    assert seen < len(table) // 2


@pytest.mark.parametrize("name", TABLES)
def test_nine_of_ten_wordings_lead_to_the_right_calls(name: str) -> None:
    table, _ = TABLES[name]
    wrong = [f"{w!r} -> {found}" for w, wanted in table if not right(found := first_calls(name, w), wanted)]
    assert len(wrong) <= len(table) // 10, "\n".join(wrong)


def reaching_out(table: list[Wording]) -> list[Wording]:
    return [(w, c) for w, c in table if not any(n in ("send_email", "run_command") for n, _ in c)]


def test_nothing_goes_out_and_nothing_is_run_that_was_not_asked_for() -> None:
    wrong = [
        f"{w!r} -> {call}"
        for w, _ in reaching_out(ASSISTANT)
        for call in first_calls("assistant", w)
        if call[0] in ("send_email", "run_command")
    ]
    assert wrong == []
