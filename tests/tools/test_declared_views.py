"""What a tool declares of its long results: what a model is shown, and how the rest is read, and by whom."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes
from people import OTHER, REQUESTER, STRANGER, SUPERVISOR
from scripted import ScriptedModel, call, calls

from signoff import Desk, Tool, View, tool
from signoff.state import Status

Open = Callable[..., Desk]
PARTS = [
    {
        "id": f"P{n:03}",
        "name": f"part {n}",
        "weight": n * 7,
        "notes": f"kept on shelf {n}",
        "maker": "needle" * (n == 77),
    }
    for n in range(100)
]


def part_tools() -> list[Tool]:
    """The same parts under several views."""

    def listed(name: str, view: View | None, *, untrusted: bool = False) -> Tool:
        @tool(name=name, view=view, untrusted=untrusted)
        def parts(n: int = 100) -> dict[str, Any]:
            """Lists parts."""
            return {"parts": PARTS[:n], "source": "stock"}

        return parts

    @tool(view=View(rows=3))
    def plain_list(n: int = 100) -> list[int]:
        """Lists numbers."""
        return list(range(n))

    return [
        listed("keyed", View(fields=("id", "weight"), rows=5)),
        listed("rowed", View(rows=2)),
        listed("short", View(chars=600)),
        listed("whole", None),
        listed("foreign", View(fields=("id",), rows=1), untrusted=True),
        plain_list,
    ]


@pytest.fixture
def open_parts(open_desk: Open, tmp_path: Path) -> Callable[..., Desk]:
    def one(*lines: Any, **options: Any) -> Desk:
        model = options.pop("model", None) or ScriptedModel(lines=[*lines, "So it stands."])
        return partial(open_desk, desk=bare(tmp_path))(model=model, tools=part_tools(), **options)

    return one


def test_key_fields_and_first_rows_are_shown_and_how_many_there_are(open_parts: Any) -> None:
    desk = open_parts(call("keyed"))
    [result] = envelopes(desk, desk.ask("list the parts", caller=REQUESTER))
    assert result.data["parts"] == [{"id": p["id"], "weight": p["weight"]} for p in PARTS[:5]]
    assert (result.data["total"], result.data["shown"], result.data["source"]) == (100, 5, "stock")
    assert result.data["ref"] in result.data["note"]
    whole = len(json.dumps({"parts": PARTS, "source": "stock"}, indent=1))
    assert 0 < result.metadata["view"]["ratio"] < 0.1
    assert abs(result.metadata["view"]["ratio"] - len(json.dumps(result.data, indent=1)) / whole) < 0.05
    # Nothing else of it is in the thread, and so in no prompt.
    assert "shelf 1" not in str(desk.messages(desk.threads(REQUESTER)[0].id))


def test_a_result_that_its_view_shows_whole_has_no_ref(open_parts: Any) -> None:
    desk = open_parts(call("rowed", n=2), call("whole", n=2), call("plain_list", n=3))
    for result in envelopes(desk, desk.ask("list two parts", caller=REQUESTER)):
        assert "ref" not in str(result.data) and "view" not in result.metadata


def test_a_list_at_the_top_is_shown_as_its_first_items(open_parts: Any) -> None:
    desk = open_parts(call("plain_list"))
    [result] = envelopes(desk, desk.ask("list the numbers", caller=REQUESTER))
    assert (result.data["items"], result.data["total"], result.data["shown"]) == ([0, 1, 2], 100, 3)


def test_a_tools_own_limit_of_characters_counts_before_the_desks(open_parts: Any) -> None:
    desk = open_parts(call("short"), call("whole"))
    short, whole = envelopes(desk, desk.ask("list the parts", caller=REQUESTER))
    assert len(json.dumps(short.data)) < 1_000 < len(json.dumps(whole.data)) < 5_500
    assert short.data["total"] == whole.data["total"] > 10_000
    # The same whole has the same ref, whoever shows how much of it.
    assert short.data["ref"] == whole.data["ref"]


def test_the_note_is_in_the_language_of_the_question(open_parts: Any) -> None:
    desk = open_parts(call("keyed"))
    [result] = envelopes(desk, desk.ask("列出零件", caller=REQUESTER))
    assert result.data["note"].startswith("列表只显示前 5 条、记录只显示主要字段。")


def reading(*wanted: dict[str, Any]) -> Callable[[Any], Any]:
    """A model that reads on in the last result it was given a ref for."""

    def say(messages: Any) -> Any:
        refs = re.findall(r"res_[0-9a-f]{8,64}", "".join(str(m.content) for m in messages if m.type == "tool"))
        return calls(*[("read_result", {"ref": refs[-1], **w}, f"r{i}") for i, w in enumerate(wanted)])

    return say


@pytest.mark.parametrize("name", ["keyed", "rowed", "short", "whole", "foreign", "plain_list"])
def test_the_whole_can_be_read_page_by_page(name: str, open_parts: Any) -> None:
    text = json.dumps(
        list(range(100)) if name == "plain_list" else {"parts": PARTS, "source": "stock"}, indent=1, ensure_ascii=False
    )
    pages: list[str] = []

    def say(messages: Any) -> Any:
        results = [json.loads(str(m.content))["data"] for m in messages if m.type == "tool"]
        if len(results) > 1:
            pages.append(results[-1]["text"])
            if results[-1]["next_offset"] is None:
                return "That is all of it."
        ref = results[0].get("ref") or results[0]["view_ref"]
        return call("read_result", ref=ref, offset=sum(map(len, pages)))

    desk = open_parts(call(name), model=ScriptedModel(lines=[call(name), *[say] * 60]), max_rounds=60)
    turn = desk.ask("list all of the parts", caller=REQUESTER)
    assert turn.status is Status.DONE
    assert "".join(pages) == text


def test_what_the_view_left_out_can_be_found(open_parts: Any) -> None:
    desk = open_parts(call("keyed"), reading({"query": "NEEDLE"}, {"query": "shelf 99"}, {"query": "no such words"}))
    _, found, last, missing = envelopes(desk, desk.ask("list the parts", caller=REQUESTER))
    assert "part 77" in found.data["text"] and "P099" in last.data["text"]
    assert missing.error is not None and missing.error.code == "NOT_FOUND"


def test_pages_of_foreign_text_are_foreign_again(open_parts: Any) -> None:
    model = ScriptedModel(lines=[call("foreign"), "Listed.", reading({"offset": 100}), "Read."])
    desk = open_parts(model=model)
    first = desk.ask("list the parts", caller=REQUESTER)
    assert envelopes(desk, first)[0].metadata["untrusted"] is True
    desk.ask("go on", caller=REQUESTER, thread=first.thread)
    page = envelopes(desk, first)[-1]
    assert page.ok and page.metadata["untrusted"] is True
    turn = desk.graph.get_state({"configurable": {"thread_id": first.thread}}).values["turn"]
    assert turn["tainted"] == ["read_result"]


@pytest.mark.parametrize("caller", [OTHER, STRANGER, SUPERVISOR])
def test_nobody_else_reads_it_whatever_they_say(caller: Any, open_parts: Any) -> None:
    desk = open_parts(call("keyed"))
    [mine] = envelopes(desk, desk.ask("list the parts", caller=REQUESTER))
    ref = mine.data["ref"]
    other = open_parts(call("read_result", ref=ref))
    [theirs] = envelopes(other, other.ask(f"go on with {ref}", caller=caller))
    assert theirs.error is not None and theirs.error.code == "NOT_FOUND"
    assert "part 1" not in str(theirs)


def test_another_thread_of_the_same_person_does_not_have_it(open_parts: Any) -> None:
    desk = open_parts(call("keyed"))
    [mine] = envelopes(desk, desk.ask("list the parts", caller=REQUESTER))
    other = open_parts(call("read_result", ref=mine.data["ref"]))
    [there] = envelopes(other, other.ask(f"go on with {mine.data['ref']}", caller=REQUESTER))
    assert there.error is not None and there.error.code == "NOT_FOUND"


def test_a_ref_that_nobody_gave_is_refused(open_parts: Any) -> None:
    desk = open_parts(call("read_result", ref="res_" + "0" * 20))
    [result] = envelopes(desk, desk.ask("go on", caller=REQUESTER))
    assert result.error is not None and result.error.code == "UNSOURCED_IDENTIFIER"


def test_after_its_time_it_is_gone_and_says_so(open_parts: Any) -> None:
    desk = open_parts(call("keyed"), result_ttl_h=1e-6)
    first = desk.ask("list the parts", caller=REQUESTER)
    ref = envelopes(desk, first)[0].data["ref"]
    later = open_parts(call("read_result", ref=ref), clock="2026-10-31T12:00:00+08:00")
    later.ask("go on with it", caller=REQUESTER, thread=first.thread)
    gone = envelopes(later, first)[-1]
    assert gone.error is not None and gone.error.code == "EXPIRED"


def test_deleting_the_thread_deletes_what_was_kept(open_parts: Any) -> None:
    desk = open_parts(call("keyed"))
    turn = desk.ask("list the parts", caller=REQUESTER)
    desk.delete(turn.thread)
    with desk.services.database.read() as tx:
        assert tx.exec_driver_sql("SELECT count(*) FROM results").scalar() == 0
