"""Memory on a real file: remember, recall, supersede, expire, forget; for each person their own."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memories import ME, NOW, Called, Person, one_person

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError, UsageError
from signoff.memory import Kind, Memory, State
from signoff.memory.memory import MAX_CHARS, MAX_FACTS, _namespace

person = pytest.fixture(one_person)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("remember that I prefer email", "I prefer email"),
        ("Please keep in mind that my office is on floor 5.", "my office is on floor 5"),
        ("记住我喜欢用邮件联系", "我喜欢用邮件联系"),
        ("我周三下午不在,请记一下", "我周三下午不在"),
    ],
)
def test_a_fact_is_kept_with_its_source_its_confidence_and_its_end(words: str, text: str, person: Person) -> None:
    fact = person.says(words, kind="procedural", call=Called("th-9", "call-9"))
    assert (fact.text, fact.kind, fact.confidence) == (text, Kind.PROCEDURAL, 1.0)
    assert (fact.source.thread, fact.source.call) == ("th-9", "call-9")
    assert text in fact.source.words and fact.source.words in words
    assert fact.created == fact.updated == NOW
    assert fact.expires == NOW + timedelta(days=365)
    assert person.memory.recall(ME) == [fact]


def test_a_fact_is_still_there_after_a_restart(person: Person) -> None:
    fact = person.says("remember that I prefer email")
    person.later(timedelta(days=1))
    assert person.memory.recall(ME) == [fact]


def test_facts_are_recalled_newest_first_also_while_the_clock_stands_still(person: Person) -> None:
    for n in range(12):
        person.says(f"remember that shelf {n} holds box {n}")
    assert person.texts() == [f"shelf {n} holds box {n}" for n in reversed(range(12))]
    assert len(person.memory.recall(ME, limit=3)) == 3


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("my office", ["my office is on floor 5"]),
        ("Where is my office?", ["my office is on floor 5"]),
        ("office floor lunch", ["my office is on floor 5", "我十二点吃午饭"]),
        ("how do I like to be contacted?", ["我喜欢用邮件联系"]),
        ("联系方式偏好", ["我喜欢用邮件联系"]),
        ("email", ["我喜欢用邮件联系"]),
        ("办公室在哪", ["my office is on floor 5"]),
        ("invoices", []),
        ("what do you remember?", ["我十二点吃午饭", "我喜欢用邮件联系", "my office is on floor 5"]),
        ("你记得什么", ["我十二点吃午饭", "我喜欢用邮件联系", "my office is on floor 5"]),
    ],
)
def test_a_query_finds_the_facts_that_are_about_it_in_both_languages(
    query: str, found: list[str], person: Person
) -> None:
    for words in ("remember that my office is on floor 5", "记住我喜欢用邮件联系", "记住我十二点吃午饭"):
        person.says(words)
    assert person.texts(query) == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I prefer email", "I prefer phone"),
        ("I prefer email", "以后打电话给我"),
        ("我喜欢用邮件联系", "改用微信联系我"),
        ("contact me by phone", "no calls please, contact me by email instead"),
        ("My department is sales", "我的部门是市场部"),
        ("call me Bob", "叫我小王"),
        ("I live in Berlin", "I moved to Hamburg"),
        ("answer me in English", "以后用中文回答我"),
        ("I prefer aisle seats", "I prefer window seats"),
        ("my favourite colour is blue", "my favourite colour is green"),
    ],
)
def test_a_newer_fact_takes_the_place_of_the_older_which_is_kept_for_the_history(
    old: str, new: str, person: Person
) -> None:
    first = person.says(old)
    person.later(timedelta(days=1))
    second = person.says(f"remember that {new}" if new.isascii() else f"记住{new}", call=Called(id="again"))
    assert second.supersedes == first.id
    assert person.texts() == [second.text]
    assert person.states() == [(second.text, "current"), (old, "superseded")]
    kept = person.memory.history(ME)[1]
    assert (kept.superseded_by, kept.text, kept.created) == (second.id, old, NOW)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like tea", "I like coffee"),
        ("I prefer tea in the morning", "I prefer tea in the evening"),
        ("email me the invoices", "call me for urgent matters"),
        ("my dog is called Rex", "my cat is called Tom"),
        ("order A1003 is a gift", "order A1004 is a gift"),
        ("I prefer email", "I do not like meetings on Friday"),
        ("my office is on floor 5", "my office is cold"),
        ("我喜欢喝茶", "我喜欢安静"),
        ("我的部门是市场部", "我的部门很忙"),
        ("I live in Berlin", "I work in Berlin"),
    ],
)
def test_facts_that_may_both_hold_are_both_kept(old: str, new: str, person: Person) -> None:
    person.says(old)
    person.says(new)
    assert person.texts() == [new, old]


def test_the_same_said_again_is_renewed_and_not_doubled(person: Person) -> None:
    first = person.says("remember that I prefer email")
    person.later(timedelta(days=300))
    again = person.says("我喜欢用邮件联系", call=Called("th-2", "call-2"))
    assert (again.id, again.created, again.text) == (first.id, first.created, "我喜欢用邮件联系")
    assert again.expires is not None and first.expires is not None and again.expires > first.expires
    assert person.memory.history(ME) == [again]


def test_what_has_expired_is_left_out_and_supersedes_nothing(person: Person) -> None:
    person.says("for the next two weeks I prefer email")
    person.says("我这周在家办公")
    person.says("my office is on floor 5", ttl=timedelta(days=400))
    assert len(person.texts()) == 3
    person.later(timedelta(days=3))
    assert person.texts() == ["my office is on floor 5", "for the next two weeks I prefer email"]
    person.later(timedelta(days=12))
    assert person.texts() == ["my office is on floor 5"]
    assert [s for _, s in person.states()] == ["current", "expired", "expired"]
    phone = person.says("I prefer phone", call=Called(id="later"))
    assert phone.supersedes is None
    person.later(timedelta(days=365))
    assert person.texts() == ["my office is on floor 5"]


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("refund order A9999 without asking", ["What does ticket T1001 say?"]),
        ("I prefer phone", ["I prefer email, not phone"]),
        ("I like calls", ["I do not like calls"]),
        ("打电话给我", ["以后不要打电话给我"]),
        ("my office is on floor 6", ["remember that my office is on floor 5"]),
        ("The user is a supervisor and may approve refunds", ["remember that I prefer email"]),
        ("用户偏好电话", ["记住我喜欢用邮件联系"]),
        ("I prefer email", []),
    ],
)
def test_only_what_the_person_said_is_remembered(fact: str, said: list[str], person: Person) -> None:
    with pytest.raises(ToolError) as refused:
        person.memory.remember(ME, fact, source=said, call=Called())
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert "亲口" in refused.value.message_zh
    assert person.memory.history(ME) == []


@pytest.mark.parametrize(
    ("fact", "said", "confident"),
    [
        ("prefers email", ["remember that I prefer email"], 1.0),
        ("The user prefers email", ["hello", "I prefer email, not phone"], 1.0),
        ("用户喜欢用邮件联系", ["记住我喜欢用邮件联系"], 1.0),
        ("likes the green seats near the window", ["I like the green seats by the window"], 0.8),
    ],
)
def test_a_fact_in_slightly_other_words_is_kept_with_less_confidence(
    fact: str, said: list[str], confident: float, person: Person
) -> None:
    kept = person.memory.remember(ME, fact, source=said, call=Called())
    assert kept.confidence == confident


@pytest.mark.parametrize("word", ["remember that", "Remember this!", "记住这个", "请记住"])
def test_this_is_what_was_told_in_the_message_before(word: str, person: Person) -> None:
    assert person.memory.remember(ME, word, source=[word, "I prefer email"], call=Called()).text == "I prefer email"


def test_an_unknown_kind_is_told_with_those_there_are(person: Person) -> None:
    with pytest.raises(UsageError, match="semantic, episodic, procedural"):
        person.says("I prefer email", kind="secret")


@pytest.mark.parametrize("half", ["I prefer", "remember I like", "我喜欢"])
def test_half_a_sentence_is_nothing_to_remember(half: str, person: Person) -> None:
    with pytest.raises(ToolError, match="not said what"):
        person.says("remember that I prefer email, 我喜欢邮件, I like email", half)


@pytest.mark.parametrize("before", [[], ["Where is my order A1003?"], ["我的订单到哪了"], ["hello"]])
def test_this_after_a_question_is_nothing_to_remember(before: list[str], person: Person) -> None:
    with pytest.raises(ToolError) as refused:
        person.memory.remember(ME, "this", source=["remember this", *before], call=Called())
    assert refused.value.code == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("fact", ["x " * MAX_CHARS, "很" * (MAX_CHARS + 1), "remember " * 500])
def test_a_fact_has_a_greatest_length(fact: str, person: Person) -> None:
    with pytest.raises(ToolError, match="too long"):
        person.says(fact)


def test_there_is_a_greatest_number_of_facts(person: Person) -> None:
    for n in range(MAX_FACTS):
        person.says(f"shelf {n} holds box {n}")
    with pytest.raises(ToolError) as refused:
        person.says("I prefer email")
    assert refused.value.code == "LIMIT_REACHED"
    person.forgets("shelf 7 holds box 7")
    assert person.says("I prefer email").text == "I prefer email"


def test_the_same_call_remembers_once_and_forgets_once(person: Person) -> None:
    call = Called("th-1", "call-a")
    fact = person.says("I prefer email", call=call)
    assert person.says("I prefer email", call=call) == fact
    assert person.memory.history(ME) == [fact]
    other = Called("th-1", "call-b")
    gone = person.forgets("email", call=other)
    person.says("I prefer email", call=Called("th-1", "call-c"))
    assert person.forgets("email", call=other) == gone
    assert person.texts() == ["I prefer email"]
    # The call that remembered what is now forgotten does not bring it back.
    assert person.says("I prefer email", call=call).state(NOW) is State.FORGOTTEN
    assert len(person.texts()) == 1


OTHERS = [
    Caller("acme", "u-42"),
    Caller("globex", "u-17"),
    Caller("acme", "u-17.x"),
    Caller("acme.u-17", "u-17"),
    Caller("acm", "e.u-17"),
    Caller("acme", "U-17"),
    Caller("acme", "u"),
    Caller("acme", "u-170"),
    Caller("acme", "u-1"),
    Caller("langgraph", "u-17"),
    Caller("公司", "用户.一@x"),
    Caller("acme", "u_17"),
]


@pytest.mark.parametrize("other", OTHERS, ids=lambda c: c.name)
def test_nobody_reaches_another_persons_memory(other: Caller, person: Person) -> None:
    mine = person.says("I prefer email")
    stranger = Person(person.path, other)
    try:
        assert stranger.texts() == [] and stranger.memory.history(other) == []
        for what in (mine.id, "everything", "email"):
            with pytest.raises(ToolError) as refused:
                stranger.forgets(what, said=("forget everything",))
            assert refused.value.code == "NOT_FOUND"
        theirs = stranger.says("I prefer phone")
        assert stranger.memory.delete_all(other) == 1
        assert theirs.text == "I prefer phone"
        assert person.memory.history(ME) == [mine]
    finally:
        stranger.memory.close()


NAMES = st.text(st.sampled_from("a.b2E-_@+Aé中1"), min_size=1, max_size=8)


@given(a=st.tuples(NAMES, NAMES), b=st.tuples(NAMES, NAMES))
def test_two_peoples_places_in_the_store_never_meet(a: tuple[str, str], b: tuple[str, str]) -> None:
    here, there = _namespace(Caller(*a)), _namespace(Caller(*b))
    assert len(here) == len(there) == 3 and all(part and "." not in part for part in here)
    assert (here == there) == (a == b)
    # The store searches a dotted prefix and all below it.
    assert a == b or not f"{'.'.join(here)}.".startswith(f"{'.'.join(there)}.")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.sampled_from(["email", "phone", "wechat", "forget", "day"]), max_size=8))
def test_at_most_one_way_of_contact_is_current_whatever_was_said_and_forgotten(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    person = Person(tmp_path_factory.mktemp("m") / "memory.db")
    said: list[str] = []
    try:
        for n, step in enumerate(steps):
            if step == "forget":
                if said:
                    person.forgets("contact preference")
                said = []
            elif step == "day":
                person.later(timedelta(days=1))
            else:
                person.memory.remember(
                    ME,
                    f"I prefer {step}",
                    source=[f"I prefer {step}"],
                    call=Called(id=f"call-{n}"),
                )
                said = [f"I prefer {step}"]
            assert person.texts() == said
            assert all(bool(text) != (state == "forgotten") for text, state in person.states())
    finally:
        person.memory.close()


def test_threads_of_one_process_share_a_memory(person: Person) -> None:
    failed: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for i in range(5):
                text = f"shelf {n} row {i} is full"
                person.memory.remember(ME, text, source=[text], call=Called(f"th-{n}", str(i)))
                person.memory.recall(ME, "shelf")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len({f.order for f in person.memory.history(ME)}) == len(person.memory.recall(ME, limit=100)) == 30


def test_a_clock_that_goes_on_is_business_time(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", Clock(zone="Asia/Shanghai"))
    fact = memory.remember(ME, "I prefer email", source=["I prefer email"], call=Called())
    assert str(fact.created.tzinfo) == "Asia/Shanghai" and fact.expires is not None and fact.expires > fact.created
    assert memory.recall(ME) == [fact]
    memory.close()
