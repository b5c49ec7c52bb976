from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.telemetry import redact, redact_value

PHONES = [
    "13812345678",
    "138 1234 5678",
    "138-1234-5678",
    "1381 234 5678",
    "13812 345678",
    "+8613812345678",
    "+86 138-1234-5678",
    "86 13812345678",
    "0086 13812345678",
    "(+86) 13812345678",
    "１３８１２３４５６７８",
    "138—1234—5678",
    "138\u200b1234\u200b5678",
    "19900001111",
    "010-65551234",
    "(010) 6555 1234",
    "0755-26681234",
    "075526681234",
    "021 5555 1234",
    "0571-8888 1234转8001",
    "010-65551234-802",
    "+86 10 6555 1234",
    "+1 415 555 2671",
    "+1 (415) 555-2671",
    "+14155552671",
    "(415) 555-2671",
    "415-555-2671",
    "+44 20 7946 0958",
    "+442079460958",
    "+81-3-1234-5678",
    "+49 (0)30 901820",
    "+65 6123 4567",
    "+852 2123 4567",
    "0044 20 7946 0958",
]
EMAILS = [
    "a@b.co",
    "zhang.san@example.com",
    "first.last+tag@sub.example.co.uk",
    "UPPER_case-1%x@EXAMPLE.ORG",
    "o'brien@example.ie",
    "josé@exemple.fr",
    "иван@пример.рф",
    "user@xn--fsqu00a.xn--fiqs8s",
    "zhang@例子.中国",
    "ｕｓｅｒ＠ｅｘａｍｐｌｅ.com",
    '"quoted local"@example.com'.replace(" ", "."),
    "x@1.2.example.io",
]
ID_CARDS = [
    "11010519491231002X",
    "11010519491231002x",
    "440524188001010014",
    "110105 19491231 002X",
    "110105-19491231-002X",
    "11010519491231002Ｘ",
]
BANK_CARDS = [
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "3782 822463 10005",
    "6011111111111117",
    "3530111333300000",
    "6222021234567890128",
    "6222 0212 3456 7890 128",
    "6212261234567890128",
]
API_KEYS = [
    "sk-abcdefghijklmnop",
    "sk-proj-AbCdEf1234567890_-xyz",
    "sk-ant-api03-AAAA1111bbbb2222",
    "sk-1234abcd",
    "sk_live_abcdef123456",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "LTAI5tAbCdEfGhIjKlMnOpQr",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
    "glpat-abcdefghij1234567890",
    "xoxb-123456789012-abcdefghij",
    "hf_abcdefghijklmnopqrst",
    "lsv2_pt_abcdef0123456789abcdef0123456789_0123456789",
]
TOKENS = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
]

FOUND = [
    *((x, "[phone]") for x in PHONES),
    *((x, "[email]") for x in EMAILS),
    *((x, "[id-card]") for x in ID_CARDS),
    *((x, "[bank-card]") for x in BANK_CARDS),
    *((x, "[api-key]") for x in API_KEYS),
    *((x, "[token]") for x in TOKENS),
]
AROUND = [
    "{}",
    "我的是{}谢谢",
    "请联系：{}，谢谢。",
    "call me at {}, thanks",
    "“{}”",
    '{{"value": "{}"}}',
    "（{}）",
    "a\n{}\nb",
    "{}; {}",
]


@pytest.mark.parametrize(("private", "mark"), FOUND, ids=[repr(x) for x, _ in FOUND])
def test_what_is_private_is_replaced_and_what_is_around_it_stays(private: str, mark: str) -> None:
    assert [redact(a.replace("{}", private)) for a in AROUND] == [a.replace("{}", mark) for a in AROUND]


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----"

NAMED = [
    ("password=hunter2", "password=[secret]"),
    ("PASSWORD = hunter2", "PASSWORD = [secret]"),
    ("pwd:hunter2 ok", "pwd:[secret] ok"),
    ("password: hunter", "password: [secret]"),
    ("password: p@ss,w0rd! next", "password: [secret] next"),
    ("DB_PASSWORD=abc;OTHER=1", "DB_PASSWORD=[secret];OTHER=1"),
    ("user=u&password=abc&x=1", "user=u&password=[secret]&x=1"),
    ("OPENAI_API_KEY=abcdef", "OPENAI_API_KEY=[secret]"),
    ("api-key: 0123456789abcdef", "api-key: [secret]"),
    ("x-api-key: abc123def", "x-api-key: [secret]"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=[secret]"),
    ("client_secret='a b c'", "client_secret='[secret]'"),
    ('{"password": "correct horse"}', '{"password": "[secret]"}'),
    ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[secret]\\"}'),
    ("access_token=abc.def-ghi", "access_token=[secret]"),
    ("password=2026-10-31", "password=[secret]"),
    ("password=123e4567-e89b-12d3-a456-426614174000", "password=[secret]"),
    ("password=13812345678", "password=[secret]"),
    ("the password is hunter2.", "the password is [secret]"),
    ("密码是abc123，请记住", "密码是[secret]，请记住"),
    ("密码：Abc@2026。", "密码：[secret]。"),
    ("口令为 x9y8z7", "口令为 [secret]"),
    ("验证码：482913", "验证码：[secret]"),
    ("登录密码123456", "登录密码[secret]"),
    ("验证码 482913,5分钟内有效", "验证码 [secret],5分钟内有效"),
    ('{"pwd": "a\\"b", "x": 1}', '{"pwd": "[secret]", "x": 1}'),
    ('password="it\'s"', 'password="[secret]"'),
    ("deploy --password hunter2 --force", "deploy --password [secret] --force"),
    ("run --api-key abc", "run --api-key [secret]"),
    ("Set-Cookie: sessionid=38afes7a8; Path=/\nHost: x", "Set-Cookie: [secret]\nHost: x"),
    ("https://example.com/reset?token=abcdef&x=1", "https://example.com/reset?token=[secret]&x=1"),
    ("身份证号：110105194912310021", "身份证号：[id-card]"),
    ("银行卡号6217000010001234567。", "银行卡号[bank-card]。"),
    ("card number: 4111 1111 1111 1112", "card number: [bank-card]"),
    ("A1001,13812345678,299.00", "A1001,[phone],299.00"),
    ("299.00,13812345678,18", "299.00,[phone],18"),
    ("postgres://user:p4ss@db.example.com/x", "postgres://[secret]@db.example.com/x"),
    ("redis://:p4ss@host:6379", "redis://[secret]@host:6379"),
    ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer [token]"),
    ('"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic [token]"'),
    ("send Bearer 0123456789abcdef now", "send Bearer [token] now"),
    (KEY, "[private-key]"),
    (f"key:\n{KEY}\nend", "key:\n[private-key]\nend"),
    (KEY[:50], "[private-key]"),
    (KEY.replace("RSA ", "").replace("\n", "\\n"), "[private-key]"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "[private-key]"),
    ("4111111111111111 12/27", "[bank-card] 12/27"),
    ("4111 1111 1111 1111 12 27", "[bank-card] 12 27"),
    ("13812345678微信同号", "[phone]微信同号"),
    ("tel13812345678", "tel[phone]"),
    ("13812345678wechat", "[phone]wechat"),
    ("13812345678/13912345678", "[phone]/[phone]"),
    ("手机13812345678邮箱a@b.com身份证11010519491231002X", "手机[phone]邮箱[email]身份证[id-card]"),
    ("<a@b.com>", "<[email]>"),
    ("mailto:a@b.com?subject=x", "mailto:[email]?subject=x"),
    ("email=a@b.com", "email=[email]"),
    ("订单A1001的电话是13812345678", "订单A1001的电话是[phone]"),
    ("order A1001 13812345678 2026-10-31", "order A1001 [phone] 2026-10-31"),
    ("call 13812345678.", "call [phone]."),
]


@pytest.mark.parametrize(("text", "clean"), NAMED, ids=[x[:40] for x, _ in NAMED])
def test_secrets_are_known_by_their_name_or_place(text: str, clean: str) -> None:
    assert redact(text) == clean


KEPT = [
    "A1001",
    "order A1001, A2001 and G1001",
    "订单A1001能退吗",
    "订单号13812345678",
    "order id 13812345678",
    "order no. 4111111111111111",
    "流水号 6222021234567890128",
    "A13812345678",
    "SO-13812345678",
    "ORD_13812345678",
    "R-20261031-0001",
    "TCK-2026-000123",
    "299.00 yuan",
    "¥13812345678",
    "￥ 13812345678.00",
    "13812345678元",
    "13812345678.50",
    "1,381,234,567,890",
    "0.13812345678",
    "18420.50 of 25000.00, 73.7 %",
    "+100.00",
    "+12345678",
    "+31.415926535",
    "-13.812345678",
    "2026-10-31",
    "2026-10-31T10:00+08:00",
    "2026-10-31T10:00:00.123456+08:00",
    "2026-10-31 10:00:00Z",
    "20261031",
    "20261031100000",
    "2026年10月31日",
    "31/10/2026 10:00",
    "10:00-18:00",
    "2026-W42",
    "1793440800",
    "1793440800000",
    "1793440800000000",
    "1793440800123456789",
    "123e4567-e89b-12d3-a456-426614174000",
    "13812345-6789-4381-8123-138123456789",
    "13812345678901234567890123456789",
    "d41d8cd98f00b204e9800998ecf8427e",
    "13812345678abcdef0123456789abcde",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "18ecc1a9cd5cd6dc653f26c3",
    "call_4111111111111111abcdef",
    "192.168.1.100:8080",
    "v1.2.24 and 4.3.2",
    "langgraph@1.2.24",
    "@someone said",
    "logo@2x.png",
    "a @ b",
    "110105194912310021",
    "999999194912310029",
    "11010519491331002X",
    "4111111111111112",
    "1234567890123456",
    "6901234567892",
    "4006381333931",
    "123456",
    "95588",
    "400-820-8820",
    "max_tokens=60000",
    "prompt_tokens: 812",
    "token: 12",
    "Tokens used: 812",
    "the token is valid for 8 hours",
    "Password: must be at least 8 characters",
    "The password is required",
    "password: string",
    '{"password": null, "token": ""}',
    '"api_key": "..."',
    "密码是什么",
    "重置密码：请联系管理员",
    "忘记密码怎么办",
    "密码8位以上",
    "密码有效期2026-10-31",
    "deploy --password --force",
    "--token-limit 100",
    "cookie: a small biscuit",
    "secret santa",
    "API key: see the wiki",
    "the bearer of this letter",
    "Bearer authentication is used",
    "task-management-system-of-ours",
    "risk-assessment-2026-final-v2",
    "sk-SK",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    "https://example.com:8080/path",
    "https://docs.example.com/a@b",
    "退货政策:签收后7天内,无需理由",
    "hello / 你是谁",
    "rows 1-2000, 3000-4000",
    "1 2 3 4 5 6 7 8 9 10 11 12 13",
    "10.5 20.5 30.5 40.5 50.5",
    "[phone] [email] [secret]",
    "",
]


@pytest.mark.parametrize("text", KEPT, ids=[repr(x)[:50] for x in KEPT])
def test_what_only_looks_private_stays(text: str) -> None:
    assert redact(text) == text


def test_a_value_is_redacted_in_depth_with_its_shape_kept() -> None:
    value = {
        "order": "A1001",
        "amount": 299,
        "phone": 13812345678,
        "card": 4111111111111111,
        "when": 1793440800000,
        "list": ["a@b.com", ("13812345678",), None, True, 1.5],
        "a@b.com": 1,
        "c@d.com": 2,
        "nested": {"api_key": "abc", "Authorization": "x", "password": "", "token": 12, "tokens": 812, "pwd": 1234},
        "passwords": None,
        "secret": ["a", "b"],
        "credentials": {},
        "clientSecret": "s",
        "db-password": "s",
        "monkey": "banana",
        "key": "primary",
    }
    assert redact_value(value) == {
        "order": "A1001",
        "amount": 299,
        "phone": "[phone]",
        "card": "[bank-card]",
        "when": 1793440800000,
        "list": ["[email]", ["[phone]"], None, True, 1.5],
        "[email]": 1,
        "[email]#2": 2,
        "nested": {
            "api_key": "[secret]",
            "Authorization": "[secret]",
            "password": "",
            "token": 12,
            "tokens": 812,
            "pwd": "[secret]",
        },
        "passwords": None,
        "secret": "[secret]",
        "credentials": {},
        "clientSecret": "[secret]",
        "db-password": "[secret]",
        "monkey": "banana",
        "key": "primary",
    }
    assert value["phone"] == 13812345678


def test_a_value_nested_without_end_is_cut_and_not_an_error() -> None:
    value: Any = "13812345678"
    for _ in range(5_000):
        value = [value]
    assert "13812345678" not in repr(redact_value(value))


PIECES = st.one_of(
    st.sampled_from([x for x, _ in FOUND]),
    st.sampled_from([x for x, _ in NAMED]),
    st.sampled_from(KEPT),
    st.sampled_from(
        ["password=", "token: ", "Bearer ", "[phone]", "[", "]", "\u200b", "-", ".", "@", "+", "://", '"', "是"]
    ),
    st.text(max_size=8),
    st.from_regex(re.compile(r"[0-9 +().-]{1,20}"), fullmatch=True),
)
TEXTS = st.lists(PIECES, max_size=8).flatmap(lambda p: st.sampled_from(["", " ", "\n", "，"]).map(lambda s: s.join(p)))


@given(TEXTS | st.text())
@example("password=password=x")
@example("\ud800 13812345678")
@example("[phone]13812345678[phone]")
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(TEXTS, TEXTS, st.sampled_from([x for x, _ in FOUND]))
def test_no_neighbour_on_other_lines_saves_a_private_word(before: str, after: str, private: str) -> None:
    assert f"联系 {private} 。" not in redact(f"{before}\n\n。联系 {private} 。\n\n{after}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("password"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@example({"password": 13000000000})
@example({"token": 13000000000})
def test_any_json_is_redacted_once_and_for_all(value: Any) -> None:
    once = redact_value(value)
    assert repr(redact_value(once)) == repr(once)


@pytest.mark.parametrize(
    "text",
    [
        *("a", "1", "a.", "a@", "a@b.", "password=", "password='", "token:,", "eyJ", "sk-"),
        "-----BEGIN PRIVATE KEY-----",
        "+1 ",
        "bearer ",
        "(",
        '"',
        "x://a:",
        "1 ",
        "a-",
        "1-",
        "4111 ",
        "密码",
        "authorization: basic ",
        "[phone]",
        "\\",
    ],
)
def test_time_grows_with_length_and_not_with_its_square(text: str) -> None:
    # Fifty thousand characters at the pace of the square would not end within the test run.
    long = text * (50_000 // len(text))
    assert isinstance(redact(long), str)
