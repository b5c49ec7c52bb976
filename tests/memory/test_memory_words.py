"""How memory reads a person's words: the fact in a request, who said it, what it is about, what must not be kept."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memories import NOW

from signoff.memory import expiry
from signoff.memory.lexicon import terms
from signoff.memory.sensitive import CARD, HEALTH, IDENTITY, SECRET, Sensitive, sensitive
from signoff.memory.spoken import bare, spoken
from signoff.memory.subject import Subject, same_subject, subject


@pytest.mark.parametrize(
    ("request_", "fact"),
    [
        ("remember that I prefer email", "I prefer email"),
        ("Please remember: my office is on floor 5.", "my office is on floor 5"),
        ("Can you remember I prefer email?", "I prefer email"),
        ("Don't forget that I hate calls", "I hate calls"),
        ("I prefer email, please remember that", "I prefer email"),
        ("keep in mind that my standup is at 9", "my standup is at 9"),
        ("记住我喜欢用邮件联系", "我喜欢用邮件联系"),
        ("请你帮我记住,我住在北京", "我住在北京"),
        ("别忘了我周三不在", "我周三不在"),
        ("我喜欢邮件,记住了", "我喜欢邮件"),
        ("请记一下:我喜欢靠窗的座位,谢谢", "我喜欢靠窗的座位"),
        ("I prefer email", "I prefer email"),
        ("remember this", ""),
        ("记住这个", ""),
        ("please remember", ""),
        ("", ""),
    ],
)
def test_the_fact_is_what_is_left_of_a_request_to_remember(request_: str, fact: str) -> None:
    assert bare(request_) == fact


@given(st.text(max_size=400))
def test_reading_any_text_never_fails_and_a_bare_fact_stays_bare(text: str) -> None:
    fact = bare(text)
    assert len(fact) <= len(text)
    for read in (sensitive, subject, terms):
        read(text)
    expiry.until(text, NOW)
    found = spoken(text, [text])
    assert found is None or found.share == 1.0


@given(st.lists(st.sampled_from("I prefer email not phone , but 我 喜欢 不 邮件 电话 。".split()), max_size=12))
def test_a_passage_that_says_a_fact_is_the_persons_own(words: list[str]) -> None:
    message = " ".join(words)
    found = spoken("I prefer email", [message])
    assert found is None or (found.words in message and "email" in found.words and "not" not in found.words.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("my password is swordfish", SECRET),
        ("The wifi password: guest", SECRET),
        ("我的密码是芝麻开门", SECRET),
        ("我的password是hunter2", SECRET),
        ("密 码 是 abc", SECRET),
        ("my p a s s w o r d is abc", SECRET),
        ("我的\u200b密\u200b码\u200b是 abc", SECRET),
        ("my PIN is 1234", SECRET),
        ("the door code is 4711", SECRET),
        ("验证码 884213", SECRET),
        ("my api key is abc", SECRET),
        ("sk-abcdefghijklmnop1234", SECRET),
        ("ghp_abcdefghijklmnopqrstuvwxyz123456", SECRET),
        ("use admin:hunter2 as https://admin:hunter2@host/", SECRET),
        ("my recovery phrase is apple pear plum", SECRET),
        ("身份证号是110101199001011234", IDENTITY),
        ("My ID number is 110101199001011234", IDENTITY),
        ("11010119900307771X", IDENTITY),
        ("my passport is E12345678", IDENTITY),
        ("我的护照号是E12345678", IDENTITY),
        ("123-45-6789", IDENTITY),
        ("身份证:一一零一零一一九九零零一零一一二三四", IDENTITY),
        ("my card is 4111 1111 1111 1111", CARD),
        ("银行卡 6222020200012345678", CARD),
        ("6222 0202 0001 2345", CARD),
        ("卡号尾号1234", CARD),
        ("my bank account number is 12345678", CARD),
        ("I am diabetic", HEALTH),
        ("I'm pregnant", HEALTH),
        ("我有糖尿病", HEALTH),
        ("我对花生过敏", HEALTH),
        ("I take my medication at noon", HEALTH),
        ("我下周做手术", HEALTH),
        ("MY BLOOD TYPE IS A", HEALTH),
    ],
)
def test_secrets_numbers_of_documents_and_cards_and_health_are_recognised(text: str, why: Sensitive) -> None:
    assert sensitive(text) == why
    assert sensitive(f"remember that {text}, thanks") == why


@pytest.mark.parametrize(
    "text",
    [
        "I prefer email",
        "我喜欢用邮件联系",
        "call me on 13800138000",
        "my email is a.b@example.com",
        "my key contact is Li",
        "my passport expires in 2027",
        "order A1003 is a gift",
        "track SF1234567890123 for me",
        "a token of thanks",
        "pin the message",
        "集中风险由我负责",
        "我周一三五在公司",
        "the network diagnostics run at night",
        "I'm the patient one here",
        "我负责系统移植",
    ],
)
def test_what_only_looks_like_it_may_be_remembered(text: str) -> None:
    assert sensitive(text) is None


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("I prefer email", Subject("contact", "email")),
        ("我喜欢用邮件联系", Subject("contact", "email")),
        ("I'd rather be reached by e-mail", Subject("contact", "email")),
        ("I prefer email over phone", Subject("contact", "email")),
        ("比起邮件我更喜欢电话", Subject("contact", "phone")),
        ("别打电话,发短信", Subject("contact", "sms")),
        ("contact me by email for invoices", Subject("contact invoice", "email")),
        ("Don't email me", None),
        ("I sent an email yesterday", None),
        ("call me Bob", Subject("name", "bob")),
        ("call me on the phone", Subject("contact", "phone")),
        ("我叫小王", Subject("name", "小王")),
        ("answer me in German", Subject("language", "german")),
        ("请用英文回答我", Subject("language", "english")),
        ("My department is sales", Subject("department", "sales")),
        ("我的部门是市场部", Subject("department", "市场部")),
        ("I live in Berlin", Subject("home", "berlin")),
        ("my office is noisy", None),
        ("my order is late", None),
        ("I like tea", None),
    ],
)
def test_a_subject_is_an_attribute_that_has_one_value(text: str, about: Subject | None) -> None:
    assert subject(text) == about


@given(st.text(max_size=60))
def test_a_fact_is_of_the_same_subject_as_itself(text: str) -> None:
    assert same_subject(text, text)


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        ("for the next two weeks I am in Berlin", "2026-11-14T10:00"),
        ("I am away for 3 days", "2026-11-03T10:00"),
        ("未来两周我在北京", "2026-11-14T10:00"),
        ("3天内不要打电话", "2026-11-03T10:00"),
        ("I'm away until Friday", "2026-11-07T00:00"),
        ("until next Monday", "2026-11-03T00:00"),
        ("until the end of the month", "2026-11-01T00:00"),
        ("until 5 November", "2026-11-06T00:00"),
        ("until January 3", "2027-01-04T00:00"),
        ("直到下周五", "2026-11-07T00:00"),
        ("到11月5日我不在", "2026-11-06T00:00"),
        ("到2026-12-01为止", "2026-12-02T00:00"),
        ("这周我在家办公", "2026-11-02T00:00"),
        ("today I work from home", "2026-11-01T00:00"),
        ("I have worked here for 3 years", None),
        ("I prefer email", None),
        ("我工作到很晚", None),
        ("until 2020-01-01", None),
        ("until February 31", None),
    ],
)
def test_how_long_a_fact_holds_is_read_from_the_words(words: str, ends: str | None) -> None:
    found = expiry.until(words, NOW)
    assert found == (datetime.fromisoformat(ends).replace(tzinfo=NOW.tzinfo) if ends else None)
