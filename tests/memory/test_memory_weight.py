"""Contradictions: a light one supersedes, one of weight is asked about, and only the person's word decides it."""

from __future__ import annotations

import pytest
from memories import ME, Called, Person, one_person

from signoff.errors import ToolError
from signoff.memory.subject import same_subject

person = pytest.fixture(one_person)

WEIGHTY = [
    ("I live in Berlin", "I live in Hamburg", "where you live"),
    ("我住在北京", "我住在上海", "where you live"),
    ("my home address is 5 Elm Street", "my home address is 7 Oak Road", "where you live"),
    ("my shipping address is 5 Elm Street", "my shipping address is 7 Oak Road", "where things are sent"),
    ("my shipping address is 5 Elm Street", "ship my orders to 7 Oak Road", "where things are sent"),
    ("deliver to the office", "deliver to my flat", "where things are sent"),
    ("我的收货地址是北京路5号", "收货地址是上海路7号", "where things are sent"),
    ("快递都寄到公司", "快递寄到家里", "where things are sent"),
    ("my payment method is Alipay", "I pay with WeChat", "how you pay"),
    ("refund me to Alipay", "refunds should go to WeChat", "how you pay"),
    ("我用支付宝付款", "我用微信支付", "how you pay"),
    ("退款退到支付宝", "退款都退到微信", "how you pay"),
    ("我的发票抬头是甲公司", "我的发票抬头是乙公司", "how you pay"),
    ("my approver is Li", "my approver is Wang", "who signs things off"),
    ("Li approves my requests", "my approver is Wang", "who signs things off"),
    ("审批人是李四", "我的审批人是王五", "who signs things off"),
    ("我的报销由李四审批", "审批人是王五", "who signs things off"),
    ("always answer in English", "always answer in Chinese", "a standing rule"),
    ("always answer in English", "以后都用中文回答我", "a standing rule"),
    ("以后都用中文回答我", "always answer in English", "a standing rule"),
    ("always call me before delivery", "never call me before delivery", "a standing rule"),
    ("永远不要打电话给我", "打电话给我", "a standing rule"),
    ("送货前务必给我打电话", "送货前不要给我打电话", "a standing rule"),
]
LIGHT = [
    ("I prefer email", "I prefer phone"),
    ("I like calls", "I do not like calls"),
    ("answer me in English", "以后用中文回答我"),
    ("my favourite colour is blue", "my favourite colour is green"),
    ("call me Bob", "call me Rob"),
    ("我的工位在五楼", "我的工位在六楼"),
]
TOLD = [
    ("I live in Berlin", "I moved to Hamburg"),
    ("I live in Berlin", "I live in Hamburg now, not in Berlin"),
    ("my approver is Li", "my approver is now Wang"),
    ("审批人是李四", "审批人换成王五了"),
    ("我住在北京", "我搬到上海了"),
    ("收货地址是北京路5号", "收货地址改成上海路7号"),
    ("always answer in English", "from now on answer in Chinese"),
]
APART = [
    ("I live in Berlin", "I work in Berlin"),
    ("send invoices to my boss", "send reports to my boss"),
    ("I like tea", "I do not like coffee"),
    ("always call me before delivery", "never ship on Sundays"),
    ("my shipping address is 5 Elm Street", "I live in Hamburg"),
    ("my approver is Li", "my manager is Wang"),
]


def remember(person: Person, text: str, *said: str, replaces: str | None = None, id: str = "new") -> str:
    call = Called(id=id)
    return person.memory.remember(ME, text, source=said or (text,), call=call, replaces=replaces).id


@pytest.mark.parametrize(("old", "new", "why"), WEIGHTY)
def test_a_contradiction_of_weight_is_asked_about_and_replaces_after_a_yes(
    old: str, new: str, why: str, person: Person
) -> None:
    first = person.says(old)
    with pytest.raises(ToolError) as asked:
        remember(person, new)
    error = asked.value
    assert (error.code, error.retryable) == ("CONFLICT", True)
    assert why in error.message and old in error.message and old in error.message_zh
    assert f"replaces='{first.id}'" in error.hint
    assert person.texts() == [old]
    with pytest.raises(ToolError) as early:
        # A model that replaces without asking is not followed.
        remember(person, new, new, replaces=first.id)
    assert early.value.code == "CONFLICT" and person.texts() == [old]
    second = remember(
        person, new, "yes, replace it" if new.isascii() else "对,替换", new, replaces=f" {first.id.upper()} "
    )
    assert person.states() == [(new, "current"), (old, "superseded")]
    assert person.memory.history(ME)[0].supersedes == first.id and second != first.id


@pytest.mark.parametrize(("old", "new"), [*LIGHT, *TOLD])
def test_a_light_one_and_one_that_the_words_call_a_change_simply_supersede(old: str, new: str, person: Person) -> None:
    person.says(old)
    remember(person, new)
    assert person.states() == [(new, "current"), (old, "superseded")]


@pytest.mark.parametrize(("old", "new"), APART)
def test_what_may_both_hold_is_no_contradiction(old: str, new: str, person: Person) -> None:
    person.says(old)
    remember(person, new)
    assert person.texts() == [new, old]


def test_a_change_told_in_the_sentence_counts_and_one_in_another_does_not(person: Person) -> None:
    person.says("I live in Berlin")
    with pytest.raises(ToolError):
        remember(person, "I live in Hamburg", "Change the address of A1002 to Rome. Remember that I live in Hamburg.")
    remember(person, "I live in Hamburg", "I have moved, so remember that I live in Hamburg.")
    assert person.texts() == ["I live in Hamburg"]


def test_the_same_said_again_is_never_asked_about(person: Person) -> None:
    first = person.says("I live in Berlin")
    assert remember(person, "I live in Berlin") == first.id
    assert remember(person, "I live in Berlin", replaces=first.id, id="more") == first.id
    assert person.texts() == ["I live in Berlin"]


def test_replaces_must_name_a_current_fact_of_ones_own_and_the_one_that_is_contradicted(person: Person) -> None:
    home, tea = person.says("I live in Berlin"), person.says("I like tea")
    for unknown in ("mem-00000000", "nonsense", ""):
        with pytest.raises(ToolError) as missing:
            remember(person, "I live in Hamburg", "yes", "I live in Hamburg", replaces=unknown)
        assert missing.value.code == "NOT_FOUND"
    with pytest.raises(ToolError) as other:
        remember(person, "I live in Hamburg", "yes", "I live in Hamburg", replaces=tea.id)
    assert other.value.code == "CONFLICT" and home.id in other.value.message
    assert person.texts() == ["I like tea", "I live in Berlin"]
    # What code cannot see to be the same thing gives way when the person says so.
    remember(person, "I only drink cocoa", "yes, replace it", "I only drink cocoa", replaces=tea.id)
    assert person.texts() == ["I only drink cocoa", "I live in Berlin"]


def test_superseded_says_beforehand_what_remember_would_do(person: Person) -> None:
    old = person.says("I prefer email")
    before = person.states()
    assert person.memory.superseded(ME, "I prefer phone", source=["I prefer phone"]) == old
    assert person.memory.superseded(ME, "I like tea", source=["I like tea"]) is None
    assert person.states() == before
    person.says("I live in Berlin")
    with pytest.raises(ToolError):
        person.memory.superseded(ME, "I live in Rome", source=["I live in Rome"])


def test_a_correction_supersedes_what_it_names_and_is_made_once(person: Person) -> None:
    first = person.says("I live in Berlin")
    call = Called("cli", "one")
    fact = person.memory.correct(ME, first.id, "I live in Hamburg", call=call)
    assert person.memory.correct(ME, first.id, "I live in Hamburg", call=call) == fact
    assert (fact.supersedes, fact.confidence, fact.source.words) == (first.id, 1.0, "I live in Hamburg")
    assert person.states() == [("I live in Hamburg", "current"), ("I live in Berlin", "superseded")]
    for wrong in (first.id, "mem-00000000"):
        with pytest.raises(ToolError) as refused:
            person.memory.correct(ME, wrong, "I live in Rome", call=Called("cli", "two"))
        assert refused.value.code == "NOT_FOUND"
    with pytest.raises(ToolError) as secret:
        person.memory.correct(ME, fact.id, "my password is hunter22", call=Called("cli", "three"))
    assert secret.value.code == "FORBIDDEN"


@pytest.mark.parametrize(("old", "new"), [(a, b) for a, b, _ in WEIGHTY] + LIGHT)
def test_two_facts_are_of_one_subject_whichever_is_the_newer(old: str, new: str) -> None:
    assert same_subject(old, new) and same_subject(new, old)
