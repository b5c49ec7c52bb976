"""Arguments filled out of words: sums, periods, places, times, names, messages, code, and tools of one's own."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from conversation import SYSTEM
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from toolsets import OWN

from signoff.models.rehearsal import RehearsalModel, clocks, periods, places, sums, verbatim
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.wishes import wished_language
from signoff.tools.calculation import evaluate

TODAY = date(2026, 10, 31)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("What is 17.5 % of 2,480?", "434"),
        ("how much is 1,299 plus 8% tax", "1402.92"),
        ("20% off 450", "360"),
        ("350元打85折", "297.5"),
        ("599 减 15% 是多少", "509.15"),
        ("三的平方加四的平方再开根号", "5"),
        ("Calculate the square root of 2 to the power of 10", "32"),
        ("subtract 15 from 100", "85"),
        ("divide 100 by 8, rounded to 1 decimal", "12.5"),
        ("18420.50 占 25000 的百分之几,保留一位小数", "73.7"),
        ("average of 85, 92 and 78", "85"),
        ("12、30 和 8 的总和", "50"),
        ("1.5万乘以3", "45000"),
        ("四分之三乘以一百", "75"),
        ("twelve times thirteen", "156"),
        ("(128+72)除以4再乘3得多少", "150"),
        ("sin(30°)", "0.5"),
        ("5的阶乘", "120"),
        ("what percent of 200 is 25", "12.5"),
    ],
)
def test_a_sum_in_words_becomes_an_expression_with_the_right_value(words: str, value: str) -> None:
    made = sums.expression(words)
    assert made is not None and evaluate(made).text == value


@pytest.mark.parametrize(
    "words",
    [
        "What is the weather on 2026-10-14?", "订单 A1001-2 到哪了", "call me at 138-0013-8000", "北京现在几点",
        "from 3pm to 5pm", "week 42 of 2026", "https://example.com/a+b", "I have 3 orders", "写 2026-W42 的周报", "",
    ],
)  # fmt: skip
def test_what_is_no_sum_gives_none(words: str) -> None:
    assert sums.expression(words) is None


@given(st.text(alphabet="0123456789+-*/%().,,平方根的加减乘除百分之折元 abcofplus=?", max_size=40))
def test_any_text_gives_an_expression_in_plain_signs_or_none(words: str) -> None:
    made = sums.expression(words)
    assert made is None or (made.isascii() or "°" in made)


WEEK = Parameter("week", {"type": "string"}, True)


@pytest.mark.parametrize(
    ("words", "week"),
    [
        ("写 2026-W42 的周报", "2026-W42"),
        ("帮我出上周的周报", "上周"),
        ("上上个星期的周报", "上上个星期"),
        ("本周周报", "本周"),
        ("周报 2026年第42周", "2026年第42周"),
        ("report for week forty-two", "week forty-two"),
        ("the week before last, please", "week before last"),
        ("last week's report", "last week"),
        ("what is planned for next week in the notes of week 42", "week 42"),
        ("week of October 12", "2026-10-12"),
        ("两周前的周报", "两周前"),
        ("写周报", None),
        ("Write the weekly report by Friday", None),
    ],
)
def test_a_week_is_passed_on_as_it_was_said(words: str, week: str | None) -> None:
    found = periods.find(WEEK, words, TODAY)
    assert (found.value if found else None) == week


@pytest.mark.parametrize(
    ("words", "given", "wanted"),
    [
        ("convert 3pm New York to Shanghai", "New York", "Shanghai"),
        ("What time is it in Tokyo when it is 3pm in Paris?", "Paris", "Tokyo"),
        ("伦敦早上9点是北京几点", "伦敦", "北京"),
        ("我这边晚上 20:00 开会,洛杉矶那边是几点", None, "洛杉矶"),
        ("3pm London time is what time here?", "London", None),
    ],
)
def test_of_two_places_the_one_beside_the_time_is_where_it_is_given(
    words: str, given: str | None, wanted: str | None
) -> None:
    clock = clocks.find(words, TODAY)
    assert clock is not None
    found = places.given_and_wanted(words, (clock.start, clock.end), places.find(words, zones=True))
    assert tuple(p.value if p else None for p in found) == (given, wanted)


@pytest.mark.parametrize(
    ("name", "words", "taken"),
    [
        ("command", "Run `ls -la` in the workspace", "ls -la"),
        ("command", "运行命令 wc -l *.md", "wc -l *.md"),
        ("command", "run the tests", None),
        ("code", "run this python: print(1 + 1)", "print(1 + 1)"),
        ("code", "```python\nx = 1\nprint(x)\n```", "x = 1\nprint(x)"),
        ("code", "run `ls -la`", None),
        ("command", "运行这段代码 `print(1)`", None),
    ],
)
def test_code_and_commands_are_taken_letter_by_letter(name: str, words: str, taken: str | None) -> None:
    found = verbatim.find(Parameter(name, {"type": "string"}, True), words)
    assert (found.value if found else None) == taken


@pytest.mark.parametrize(
    ("words", "wished"),
    [
        ("always answer in English", "en"), ("以后都用英文回答我", "en"), ("请说中文", "zh"),
        ("Please reply to me in Chinese", "zh"), ("translate this to English", None), ("don't answer in English", None),
        ("用英语写一封邮件", None), ("我的英文名是 Bob", None), ("I like short answers", None),
    ],
)  # fmt: skip
def test_a_wish_for_a_language_is_told_from_words_about_one(words: str, wished: str | None) -> None:
    assert wished_language([words]) == wished


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("Create an invoice for Initech over 300 dollars",
         ("create_invoice", {"customer": "Initech", "amount": 300, "currency": "USD"})),
        ("Invoice Hooli 2,500 euros, due December 1 2026",
         ("create_invoice", {"customer": "Hooli", "amount": 2500, "currency": "EUR", "due_date": "2026-12-01"})),
        ("给 Umbrella 开 800 元的发票", ("create_invoice", {"customer": "Umbrella", "amount": 800, "currency": "CNY"})),
        ("Show me the last 20 commits of payments", ("list_commits", {"repo": "payments", "limit": 20})),
        ("commits of api by Ann since 2026-10-01", ("list_commits", {"repo": "api", "since": "2026-10-01"})),
        ("web 仓库最近的提交", ("list_commits", {"repo": "web"})),
        ("Set the bedroom to 19.5 degrees", ("set_thermostat", {"room": "bedroom", "celsius": 19.5})),
        ("把书房调到 22 度", ("set_thermostat", {"room": "书房", "celsius": 22})),
        ("find products: wireless mouse under 200 yuan",
         ("find_products", {"query": "wireless mouse", "max_price": 200})),
        ("搜索 300 元以下的键盘", ("find_products", {"query": "键盘", "max_price": 300})),
        ("Post 'standup in 5 minutes' in #team",
         ("post_message", {"channel": "#team", "text": "standup in 5 minutes"})),
        ("在 #ops 发消息:部署完成", ("post_message", {"channel": "#ops", "text": "部署完成"})),
        ('Create a poll "Where do we eat?" with the options pizza, sushi and salad',
         ("create_poll", {"question": "Where do we eat?", "options": ["pizza", "sushi", "salad"]})),
        ("How many visits did /pricing have from 2026-10-01 to 2026-10-15?",
         ("count_visits", {"page": "/pricing", "start": "2026-10-01", "end": "2026-10-15"})),
        ("unique visits of /docs between 1 October and 7 October",
         ("count_visits", {"page": "/docs", "start": "2026-10-01", "end": "2026-10-07", "unique": True})),
        ("how many euros are 5,000 yen", ("convert_currency", {"amount": 5000, "source": "JPY", "target": "EUR"})),
        ("100美元换成人民币是多少", ("convert_currency", {"amount": 100, "source": "USD", "target": "CNY"})),
        ("Assign TASK-33 to Bob with high priority, 6 hours",
         ("assign_task", {"task_id": "TASK-33", "assignee": "Bob", "priority": "high", "estimate_hours": 6})),
        ("把 TASK-9 指派给李雷", ("assign_task", {"task_id": "TASK-9", "assignee": "李雷"})),
    ],
)  # fmt: skip
def test_a_tool_of_ones_own_gets_what_was_said_and_nothing_else(words: str, call: tuple[str, dict[str, Any]]) -> None:
    answer = RehearsalModel().bind_tools(OWN).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(answer, AIMessage)
    assert [(c["name"], c["args"]) for c in answer.tool_calls] == [call]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("create an invoice for Acme", "amount"),
        ("create a poll", "options"),
        ("count visits", "page"),
        ("assign TASK-5", "assignee"),
    ],
)
def test_what_was_not_said_is_asked_for(words: str, asked: str) -> None:
    answer = RehearsalModel().bind_tools(OWN).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(answer, AIMessage)
    assert not answer.tool_calls and asked in str(answer.content)


def test_a_parameter_that_takes_text_is_no_kind_of_its_own() -> None:
    card = Card("note", "Makes a note.", (), (Parameter("text", {"type": "string"}, True),))
    assert periods.unit(card.parameters[0]) == "" and not clocks.takes_one(card, card.parameters[0])
