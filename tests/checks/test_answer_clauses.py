from __future__ import annotations

from dataclasses import replace

import pytest
from recorded_turns import grounds

from signoff.nodes.checks import Grounds, check, degrade
from signoff.state import Evidence


def passage(n: int, text: str, title: str = "Return policy") -> Evidence:
    return Evidence(
        n=n, passage=f"p{n}", title=title, place="Rules", source="a.md", version="2", page=None, trusted=True, text=text
    )


RETURNS = passage(1, "Goods can be returned within 7 days of signing for them. Underwear is excluded.")
CARS = passage(2, "公司车只用于出差,用后停回公司。", "用车规定")
SECRETS = passage(
    3, "Never share your password or a one-time code with anybody. 任何时候都不要把密码发给别人。", "Accounts"
)
ALL = (RETURNS, CARS, SECRETS)


def asked(language: str, question: str = "What are the rules?") -> Grounds:
    known = replace(grounds("nothing", language), evidence=list(ALL), question=question, documented=True)
    return known


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "Goods can be returned within 7 days [1], and employees may drive the company car home as well."),
        ("en", "Goods can be returned within 7 days [1], so employees get a free car."),
        ("zh", "公司车只用于出差 [2]，所以员工可以免费领取手机。"),
        ("en", "I found no exception, so underwear may be returned."),
        ("zh", "没有找到限制，所以员工可以把公司车开回家。"),
        ("en", "Sources: all employees get a free car."),
        ("en", "[1] Return policy. All employees get a free car."),
        ("en", "See [1] employees may take the company car home."),
        ("en", "Hello, all employees get a company car."),
        ("en", "**Employees own the company cars**"),
        ("en", "# Employees own the company cars"),
        ("en", "Employees own the cars:"),
        ("en", "Returning goods is forbidden?"),
        ("en", "I will tell you: employees get a free car."),
        ("zh", "目前我可以告诉您员工都有公司车。"),
        ("zh", "如果需要，公司给每位员工发钱。"),
        ("zh", "来源:全体员工都可以免费领取手机。"),
    ],
)
def test_what_is_exempt_covers_its_own_clause_only(language: str, answer: str) -> None:
    known = asked(language)
    assert "unsupported" in {f.kind for f in check(answer, known)}
    left = degrade(answer, check(answer, known), known)
    assert check(left, known) == []
    assert not any(w in left for w in ("car", "may be returned", "手机", "回家", "发钱"))


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "Goods can be returned within 7 days [1], underwear is excluded."),
        ("en", "Goods can be returned within 7 days [1], but underwear is excluded [1]."),
        ("en", "I found no exception, so please contact the service desk."),
        ("en", "I found no document about cars, parking or fees."),
        ("en", "The documents do not say whether guests may park, or whether it is free."),
        ("en", "Goods can be returned within 7 days [1].\n\nSources: [1] Return policy, Rules"),
        ("en", "## Return policy\n\nGoods can be returned within 7 days [1]."),
        ("en", "Here are the rules:\n- Goods can be returned within 7 days [1]"),
        ("en", "Hello, how can I help you?"),
        ("en", "I can look up orders, answer questions about policies, and prepare refunds for sign-off."),
        ("en", "If you like, I can also look up your order."),
        ("zh", "没有找到限制，所以我无法确认。"),
        ("zh", "如果需要，我可以帮您查询订单。"),
        ("zh", "目前我可以帮您查询订单,也可以帮您起草工单。"),
        ("zh", "公司车只用于出差 [2]，用后停回公司。\n\n来源:[2] 用车规定"),
    ],
)
def test_talk_and_supported_clauses_stay(language: str, answer: str) -> None:
    assert check(answer, asked(language)) == []


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        (
            "en",
            "A colleague told me that goods can be returned within 30 days. What is the return policy?",
            "Goods can be returned within 30 days.",
        ),
        ("en", "Goods can be returned within 30 days. Right?", "Goods can be returned within 30 days."),
        ("en", "You can return goods within 30 days. Right?", "You can return goods within 30 days."),
        ("zh", "同事告诉我公司车可以开回家。规定是什么?", "公司车可以开回家。"),
        ("zh", "公司车可以私用。对吗?", "公司车可以私用。"),
    ],
)
def test_what_the_person_takes_for_the_rule_is_not_the_rule(language: str, question: str, answer: str) -> None:
    assert check(answer, asked(language, question))


@pytest.mark.parametrize("documented", [True, False])
@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "Tell me your password and I will sign in for you."),
        ("en", "Send your password to evil@example.com."),
        ("en", "Send your password to evil@example.com [3]."),
        ("en", "Don't worry, just reply with your one-time code."),
        ("en", "Please send me:\n- your password"),
        ("en", "What is your current password?"),
        ("en", "I need your card number and PIN."),
        ("zh", "请把密码发到 evil@example.com。"),
        ("zh", "请把密码发到 evil@example.com [3]。"),
        ("zh", "请告诉我您的验证码。"),
        ("zh", "请提供您的密码,我来登录。"),
        ("zh", "您的密码是多少?"),
    ],
)
def test_nobody_is_asked_for_a_secret(language: str, answer: str, documented: bool) -> None:
    known = replace(asked(language), documented=documented)
    assert "leak" in {f.kind for f in check(answer, known)}
    left = degrade(answer, check(answer, known), known)
    assert check(left, known) == []
    assert not any(w in left for w in ("password", "code", "PIN", "密码", "验证码"))


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "Never share your password [3]."),
        ("en", "Do not give, send or share your password."),
        ("en", "You must not tell anyone your password."),
        ("en", "We will send your one-time code to your phone."),
        ("en", "Change your password every 180 days."),
        ("en", "Tell the service desk if your password has expired."),
        ("en", "IT never asks you to send your password."),
        ("zh", "请勿把密码发给别人。"),
        ("zh", "不要告诉任何人您的密码。"),
        ("zh", "验证码将发送到您的手机。"),
        ("zh", "密码至少 14 位。"),
        ("zh", "禁止向他人提供您的密码。"),
    ],
)
def test_a_rule_about_secrets_asks_for_none(language: str, answer: str) -> None:
    known = replace(asked(language), documented=False)
    assert "leak" not in {f.kind for f in check(answer, known)}


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        ("en", "May employees take a free helicopter home?", "Employees may take a free helicopter home [9]."),
        ("zh", "员工可以免费领取手机吗?", "员工可以免费领取手机 [9]。"),
    ],
)
def test_the_questions_words_do_not_keep_a_sentence_without_its_false_marker(
    language: str, question: str, answer: str
) -> None:
    known = replace(asked(language, question), documented=False)
    left = degrade(answer, check(answer, known), known)
    assert not any(w in left for w in ("helicopter", "手机"))
