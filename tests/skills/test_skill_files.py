"""Skills as folders: what is read out of a SKILL.md, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from signoff.errors import ConfigError
from signoff.skills import load, read
from signoff.skills.library import SHIPPED

HEAD = "---\nname: trip\ndescription: Plan a trip.\nallowed-tools: look book\n---\n"


def write(folder: Path, text: str, name: str = "trip") -> Path:
    """A skill's folder."""
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
    return folder / name


def test_steps_sections_and_tools_are_read_out_of_the_markdown(tmp_path: Path) -> None:
    body = (
        "Be short.\n\n## Steps\n1. `look`: what there is. Done when `look.total > 0`.\n2. `book`: the best one,\n"
        "   as it was found.\n3. Say what was booked.\n\n"
        "## Output\n- 行程 / Trip: `look`, `book`\n- 费用 / Cost: `book`\n"
    )
    skill = read(write(tmp_path, HEAD + body))
    assert [s.tools for s in skill.steps] == [("look",), ("book",), ()]
    assert skill.steps[0].text == "what there is" and str(skill.steps[0].condition) == "look.total > 0"
    assert skill.steps[1].text == "the best one, as it was found"
    assert [(s.titles, s.tools) for s in skill.sections] == [
        (("行程", "Trip"), ("look", "book")),
        (("费用", "Cost"), ("book",)),
    ]
    assert skill.tools == ("look", "book") and skill.instructions.startswith("Be short.")


def test_chinese_headings_and_windows_line_ends_are_the_same(tmp_path: Path) -> None:
    body = "## 步骤\n1. `look`：有什么。完成条件：`look.total > 0`。\n2、`book`：预订。\n\n## 输出\n- 行程：`look`\n"
    skill = read(write(tmp_path, (HEAD + body).replace("\n", "\r\n")))
    assert [s.tools for s in skill.steps] == [("look",), ("book",)]
    assert str(skill.steps[0].condition) == "look.total > 0"
    assert skill.sections[0].titles == ("行程",)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("no head", "does not begin with a head"),
        ("---\nname: [\n---\n", "is not YAML"),
        ("---\n- a\n---\n", "holds no fields"),
        ("---\nname: trip\n---\n", "has no description"),
        ("---\nname: Trip\ndescription: d\n---\n", "small letters"),
        ("---\nname: other\ndescription: d\n---\n", "its folder must have the same name"),
        ("---\nname: trip\ndescription: d\ncolour: red\n---\n", "has a field 'colour'"),
        ("---\nname: trip\ndescription: d\nmetadata: x\n---\n", "metadata must hold fields"),
        ("---\nname: trip\ndescription: d\nallowed-tools: {a: b}\n---\n", "allowed-tools are names"),
        (HEAD + "## Steps\n1. `fly`: away.\n", "a step with fly"),
        (HEAD + "## Steps\n1. `look`: x. Done when `look > 0`.\n", "is no condition"),
        (HEAD + "## Steps\n1. `look`: x. Done when `book.id exists`.\n", "which it does not call"),
        (f"---\nname: trip\ndescription: {'d' * 1100}\n---\n", "longer than 1,024"),
    ],
)
def test_what_is_wrong_with_a_skill_is_said_with_its_file(text: str, wrong: str, tmp_path: Path) -> None:
    folder = write(tmp_path, text)
    with pytest.raises(ConfigError, match=wrong) as error:
        read(folder)
    assert str(folder / "SKILL.md") in str(error.value)


def test_a_folder_that_is_looked_in_earlier_wins(tmp_path: Path) -> None:
    mine = HEAD.replace("Plan a trip.", "My own way.").replace("trip", "refund_check")
    write(tmp_path, mine, "refund_check")
    skills = load([tmp_path, SHIPPED])
    found = skills.get("refund_check")
    assert found is not None and found.description == "My own way."
    assert skills.get("weekly_report") is not None


def test_the_shipped_skills_can_be_read_and_name_what_they_are_made_of() -> None:
    skills = load([SHIPPED])
    assert {s.name for s in skills} >= {"weekly_report", "refund_check", "incident_ticket"}
    assert all(s.steps and s.triggers and s.instructions for s in skills)
    weekly = skills.get("weekly_report")
    assert weekly is not None and [s.tools for s in weekly.steps][-1] == ("write_report",)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("写 2026-W42 的周报,预算只算 apollo 项目", "weekly_report"),
        ("帮我出一下上周的周报", "weekly_report"),
        ("please write the weekly report for W42", "weekly_report"),
        ("Can you do last week's report?", "weekly_report"),
        ("订单 A1001 能退吗? 不能退说明原因", "refund_check"),
        ("Is order A1001 eligible for a refund?", "refund_check"),
        ("I want to report an incident: the VPN is down", "incident_ticket"),
        ("故障上报：支付接口超时", "incident_ticket"),
        ("Refund order A1003, it arrived broken", None),
        ("订单 A1001 什么状态?", None),
        ("hello", None),
        ("What does the reporter say about weekends?", None),
        ("", None),
    ],
)
def test_the_skill_is_chosen_by_what_was_asked(text: str, chosen: str | None) -> None:
    skills = load([SHIPPED])
    tools = {t for s in skills for t in s.tools}
    found = skills.choose(text, tools)
    assert (found.name if found else None) == chosen


def test_a_skill_none_of_whose_tools_is_at_hand_is_not_chosen() -> None:
    assert load([SHIPPED]).choose("write the weekly report", {"calculate"}) is None
