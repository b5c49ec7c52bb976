"""The assistant desk's general tools, through the real graph with the rehearsal model, in both languages."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from people import OTHER, REQUESTER, SUPERVISOR

from signoff import Desk, Turn
from signoff.state import Status

PAGE = "<html><head><title>Prices</title></head><body><p>The team plan costs 49 dollars a month.</p></body></html>"


@pytest.fixture
def assistant(open_desk: Callable[..., Desk]) -> Callable[..., Desk]:
    """Opens the assistant desk on the test's home."""

    def open_one(**options: Any) -> Desk:
        return open_desk(desk="assistant", **options)

    return open_one


@pytest.fixture
def page() -> Iterator[str]:
    """The address of a page that a server on this machine serves."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Postbox:
    """What an SMTP server took in."""

    def __init__(self) -> None:
        self.letters: list[tuple[list[str], bytes]] = []

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:  # noqa: N802
        self.letters.append((list(envelope.rcpt_tos), envelope.content))
        return "250 taken"


@pytest.fixture
def post() -> Iterator[tuple[str, Postbox]]:
    """A real SMTP server on a free port, and what it took in."""
    box = Postbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port, ready_timeout=20)
    controller.start()
    yield f"smtp://127.0.0.1:{port}", box
    controller.stop()


def calls(turn: Turn) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a turn, without arguments that were left out."""
    return [(s.tool, {k: v for k, v in s.args.items() if v not in (None, "")}) for s in turn.steps]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("What is 17.5 % of 2,480?", ["434"]),
        ("12*(3+4)等于多少", ["84"]),
        ("how much is 1,299 plus 8% tax", ["1402.92"]),
        ("3的平方根加2", ["3.73205"]),
        ("北京现在几点，东京呢？", ["Asia/Shanghai", "10:00", "Asia/Tokyo", "11:00"]),
        ("What time is it in London and in Sydney?", ["Europe/London", "02:00", "Australia/Sydney", "13:00"]),
        ("convert 3pm New York to Shanghai", ["15:00", "America/New_York", "03:00", "Asia/Shanghai"]),
        ("伦敦早上9点是北京几点", ["09:00", "17:00"]),
        ("Run this Python code: print(sum(range(10)))", ["45"]),
        ("```python\nprint('ab' * 3)\n```\n运行这段代码", ["ababab"]),
        ("25*4是多少,然后东京现在几点", ["100", "Asia/Tokyo"]),
    ],
)
def test_a_question_is_answered_by_its_tool(words: str, says: list[str], assistant: Callable[..., Desk]) -> None:
    turn = assistant().ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and turn.usage["rounds"] == 1
    assert all(s in turn.answer for s in says), turn.answer


@pytest.mark.parametrize(
    ("first", "reply", "call"),
    [
        ("calculate", "12*8", ("calculate", {"expression": "12*8"})),
        ("帮我算一下", "12 乘以 8", ("calculate", {"expression": "12 * 8"})),
        ("convert 3pm", "New York to London",
         ("convert_time", {"time": "3pm", "from_zone": "New York", "to_zone": "London"})),
    ],
)  # fmt: skip
def test_what_is_missing_is_asked_for_and_the_reply_completes_it(
    first: str, reply: str, call: tuple[str, Any], assistant: Callable[..., Desk]
) -> None:
    desk = assistant()
    turn = desk.ask(first, caller=REQUESTER)
    assert calls(turn) == [] and turn.answer
    turn = desk.ask(reply, caller=REQUESTER, thread=turn.thread)
    assert calls(turn) == [call]


@pytest.mark.parametrize(
    ("first", "then", "call"),
    [
        ("北京现在几点", "那东京呢", ("now", {"zone": "东京"})),
        ("How much is 20% of 350?", "and of 900?", ("calculate", {"expression": "20% * 900"})),
    ],
)
def test_a_question_goes_on_with_what_is_new_in_it(
    first: str, then: str, call: tuple[str, Any], assistant: Callable[..., Desk]
) -> None:
    desk = assistant()
    turn = desk.ask(first, caller=REQUESTER)
    assert calls(desk.ask(then, caller=REQUESTER, thread=turn.thread)) == [call]


@pytest.mark.parametrize(
    ("words", "subject", "body"),
    [
        (
            "send an email to ann@example.com saying the meeting moved to 3pm, subject Meeting",
            "Meeting",
            "the meeting moved to 3pm",
        ),
        ("给 ann@example.com 发邮件,主题是会议改期,内容是会议改到下午三点", "会议改期", "会议改到下午三点"),
        (
            'Email ann@example.com with the subject "Ignore it, please" and the text "Cancel the order. Then call me."',
            "Ignore it, please",
            "Cancel the order. Then call me.",
        ),
    ],
)
def test_a_mail_is_sent_when_somebody_else_has_signed_it_off(
    words: str, subject: str, body: str, assistant: Callable[..., Desk], post: tuple[str, Postbox]
) -> None:
    url, box = post
    desk = assistant(smtp_url=url, mail_from="desk@example.com")
    turn = desk.ask(words, caller=REQUESTER)
    assert turn.status is Status.WAITING and [a.tool for a in turn.approvals] == ["send_email"]
    sent = turn.approvals[0].args
    assert (sent["to"], sent["subject"], sent["body"]) == (["ann@example.com"], subject, body)
    assert box.letters == []
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert turn.status is Status.DONE
    assert [to for to, _ in box.letters] == [["ann@example.com"]]


@pytest.mark.parametrize("words", ["Send an email to ann@example.com", "给 ann@example.com 发封邮件"])
def test_a_mail_without_words_is_asked_about(words: str, assistant: Callable[..., Desk]) -> None:
    turn = assistant(smtp_url="smtp://127.0.0.1:9", mail_from="desk@example.com").ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and not turn.steps and turn.answer


@pytest.mark.parametrize("words", ["What does the page http://{} say?", "读一下 http://{} 讲了什么"])
def test_a_page_is_read_and_told_as_coming_from_outside(words: str, assistant: Callable[..., Desk], page: str) -> None:
    turn = assistant(fetch_hosts=(page,)).ask(words.format(page), caller=REQUESTER)
    assert calls(turn)[0] == ("fetch_url", {"url": f"http://{page}"})
    assert "49 dollars" in turn.answer
    assert "outside" in turn.answer or "外部" in turn.answer


@pytest.mark.parametrize("words", ["run `echo hello`", "执行命令 echo hello"])
def test_a_command_is_called_letter_by_letter(words: str, assistant: Callable[..., Desk]) -> None:
    turn = assistant().ask(words, caller=REQUESTER)
    assert [s.args["command"] for s in turn.steps if s.tool == "run_command"] == ["echo hello"]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("remember that I sit on floor 5", "I sit on floor 5"),
        ("keep in mind that I am out on Fridays", "I am out on Fridays"),
        ("记一下,我每周五下午不在", "我每周五下午不在"),
        ("记一下,我周三下午不在", "我周三下午不在"),
        ("please don't forget that my manager is Li Lei", "my manager is Li Lei"),
        ("别忘了我的经理是李雷", "我的经理是李雷"),
        ("记住我喜欢喝茶,另外算一下 3*7", "我喜欢喝茶"),
    ],
)
def test_a_wish_to_have_something_remembered_is_met_in_its_words(
    words: str, kept: str, assistant: Callable[..., Desk]
) -> None:
    desk = assistant()
    turn = desk.ask(words, caller=REQUESTER)
    assert [s.args["text"] for s in turn.steps if s.tool == "remember"] == [kept]
    assert kept in desk.ask("what did I ask you to remember?", caller=REQUESTER).answer
    assert kept not in desk.ask("what did I ask you to remember?", caller=OTHER).answer


@pytest.mark.parametrize("words", ["What is 6*7?", "6*7 等于几", "今天星期几"])
def test_a_standing_wish_for_english_holds_in_later_threads(words: str, assistant: Callable[..., Desk]) -> None:
    desk = assistant()
    desk.ask("remember that I always want answers in English", caller=REQUESTER)
    answer = desk.ask(words, caller=REQUESTER).answer
    assert answer and not any("\u4e00" <= c <= "\u9fff" for c in answer)


@pytest.mark.parametrize(
    "words",
    [
        "book a flight to Paris",
        "translate hello into French",
        "order a pizza for me",
        "帮我订一张去巴黎的机票",
        "把这句话翻译成法语:你好",
    ],
)
def test_what_no_tool_does_is_said_not_to_be_done(words: str, assistant: Callable[..., Desk]) -> None:
    turn = assistant().ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and not turn.approvals
    assert [s.tool for s in turn.steps] == ["find_tools"]
    assert turn.answer.startswith(("None of my tools can do this", "我没有可以完成这件事的工具"))


@pytest.mark.parametrize("words", ["hello", "谢谢", "What is 6*7?", "北京现在几点", "remember that I like tea"])
def test_nothing_is_searched_for_where_an_offered_tool_or_none_is_needed(
    words: str, assistant: Callable[..., Desk]
) -> None:
    assert "find_tools" not in [s.tool for s in assistant().ask(words, caller=REQUESTER).steps]


OLD_AND_NEW = {
    "en": ("remember that my shipping address is 1 Main St", "remember that my shipping address is 2 Oak Ave"),
    "zh": ("记住我的收货地址是人民路8号", "记住我的收货地址是长安街1号"),
}


@pytest.mark.parametrize(
    ("lang", "reply", "kept"),
    [
        ("en", "yes, replace it", "2 Oak Ave"),
        ("en", "yes", "2 Oak Ave"),
        ("en", "sure, use the new one", "2 Oak Ave"),
        ("en", "no, keep the old one", "1 Main St"),
        ("zh", "是的，换成新的", "长安街1号"),
        ("zh", "好的，更新吧", "长安街1号"),
        ("zh", "不用，保留旧的", "人民路8号"),
    ],
)
def test_the_reply_decides_whether_the_newer_fact_takes_the_older_ones_place(
    lang: str, reply: str, kept: str, assistant: Callable[..., Desk]
) -> None:
    desk = assistant()
    old, new = OLD_AND_NEW[lang]
    desk.ask(old, caller=REQUESTER)
    asked = desk.ask(new, caller=REQUESTER)
    assert asked.steps[-1].tool == "remember" and "mem-" in asked.answer
    turn = desk.ask(reply, caller=REQUESTER, thread=asked.thread)
    replaced = [s.args for s in turn.steps if s.tool == "remember"]
    assert [a["replaces"] in asked.answer for a in replaced] == ([True] if kept in new else [])
    listed = desk.ask("what did I ask you to remember?", caller=REQUESTER)
    facts = next(s.data["facts"] for s in listed.steps if s.tool == "recall_memory")
    assert len(facts) == 1 and kept in facts[0]["text"]
