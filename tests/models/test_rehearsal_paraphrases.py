from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from paraphrases import CASES, Call, Has
from toolsets import TOOLSETS, WRITES

from signoff.models.rehearsal import RehearsalModel
from signoff.tools.catalog import service_tools

SYSTEM = SystemMessage("You are a desk.\n\nToday: 2026-10-31 (Saturday), Asia/Shanghai.")


def tools(name: str) -> list[dict[str, Any]]:
    if name != "service":
        return TOOLSETS[name]
    return [t.schema() for t in service_tools()]


def ask(toolset: str, words: str) -> AIMessage:
    message = RehearsalModel().bind_tools(tools(toolset)).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(message, AIMessage)
    return message


def plain(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text).casefold())


def same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Has):
        return isinstance(found, str) and plain(wanted.words) in plain(found)
    if isinstance(wanted, str) and isinstance(found, str):
        return plain(found) == plain(wanted)
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def right(found: list[Call], wanted: list[Call]) -> bool:
    """The same calls in the same order; an optional reason beyond what is wanted is no fault."""
    if [n for n, _ in found] != [n for n, _ in wanted]:
        return False
    return all(
        all(same(args.get(k), v) for k, v in want.items()) and set(args) - set(want) <= {"reason", "details", "force"}
        for (_, args), (_, want) in zip(found, wanted, strict=True)
    )


RESULTS = [(case, [(c["name"], c["args"]) for c in ask(case[0], case[1]).tool_calls]) for case in CASES]


def test_there_are_enough_paraphrases_in_both_languages() -> None:
    chinese = [words for _, words, _ in CASES if re.search(r"[\u4e00-\u9fff]", words)]
    assert len(CASES) >= 120 and len(chinese) >= 60 and len(CASES) - len(chinese) >= 60


@pytest.mark.parametrize("chinese", [True, False], ids=["zh", "en"])
def test_nine_of_ten_paraphrases_lead_to_the_right_calls_with_the_right_arguments(chinese: bool) -> None:
    cases = [(c, found) for c, found in RESULTS if bool(re.search(r"[\u4e00-\u9fff]", c[1])) is chinese]
    wrong = [f"{words!r} -> {found}" for (_, words, wanted), found in cases if not right(found, wanted)]
    assert len(wrong) <= len(cases) // 10, "\n".join(wrong)


def test_no_write_is_proposed_that_was_not_asked_for() -> None:
    wrong = [
        f"{words!r} -> {name} {args}"
        for (_, words, wanted), found in RESULTS
        for name, args in found
        if name in WRITES and not any(right([(name, args)], [call]) for call in wanted)
    ]
    assert wrong == []
