"""Mail is handed to a real SMTP server: to everybody it was signed off for, or to nobody."""

from __future__ import annotations

import email
import email.policy
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from general_run import JSON, call, injected, preview, refusal, settings, survives
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.catalog.mail import send_email
from signoff.tools.contract import Risk
from signoff.tools.mail import Server
from signoff.tools.mail.addresses import address

SENDER = "desk@acme.example"
ORDINARY: dict[str, Any] = {"to": ["ann@example.com"], "subject": "Meeting moved", "body": "It is on Thursday now."}


class Postbox:
    """Keeps what was handed in, and refuses what it is told to."""

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.refuses: dict[str, str] = {}
        """An answer for `DATA`, a recipient's or the sender's address."""

    async def handle_MAIL(self, _: SMTP, __: Session, envelope: Envelope, sender: str, options: list[str]) -> str:  # noqa: N802
        if sender in self.refuses:
            return self.refuses[sender]
        envelope.mail_from = sender
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, _: SMTP, __: Session, envelope: Envelope, to: str, ___: list[str]) -> str:  # noqa: N802
        if to in self.refuses:
            return self.refuses[to]
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        if "DATA" in self.refuses:
            return self.refuses["DATA"]
        self.taken.append(envelope)
        return "250 Queued"

    def message(self) -> EmailMessage:
        """The one message that was handed in."""
        [envelope] = self.taken
        return email.message_from_bytes(cast(bytes, envelope.content), policy=email.policy.SMTPUTF8)


@contextmanager
def serving(box: Postbox, **options: Any) -> Iterator[Settings]:
    """The settings that send to a real server on loopback."""
    controller = Controller(box, hostname="127.0.0.1", port=_free_port(), ready_timeout=20, **options)
    controller.start()
    try:
        yield mailing(f"smtp://127.0.0.1:{controller.port}")
    finally:
        controller.stop()


def mailing(url: str, **values: Any) -> Settings:
    return settings(smtp_url=url, mail_from=SENDER, desk="assistant", **values)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@pytest.fixture
def box() -> Postbox:
    return Postbox()


@pytest.fixture
def server(box: Postbox) -> Iterator[Settings]:
    with serving(box) as running:
        yield running


def test_a_message_is_handed_in(server: Settings, box: Postbox) -> None:
    data = call(send_email, server, **ORDINARY, reply_to="boss@acme.example")
    assert data["sent"] and data["to"] == ["ann@example.com"]
    envelope, message = box.taken[0], box.message()
    assert (envelope.mail_from, envelope.rcpt_tos) == (SENDER, ["ann@example.com"])
    assert (message["From"], message["To"], message["Subject"]) == (SENDER, "ann@example.com", "Meeting moved")
    assert (message["Reply-To"], message["Message-ID"]) == ("boss@acme.example", data["message_id"])
    assert message["Auto-Submitted"] == "auto-generated" and message["Date"]
    assert message.get_content().replace("\r\n", "\n") == (
        "Hello,\n\nIt is on Thursday now.\n\n-- \nSent by the assistant desk of Signoff on behalf of acme/u-17.\n"
    )


def test_a_chinese_message_arrives_whole(server: Settings, box: Postbox) -> None:
    body = "周会改到周四下午三点。\n.\n请带上电脑 💻"
    call(send_email, server, to=["lilei@例子.中国"], subject="会议改期" * 20, body=body)
    assert box.message()["Subject"] == "会议改期" * 20
    assert box.message()["To"] == "lilei@xn--fsqu00a.xn--fiqs8s"
    text = box.message().get_content().replace("\r\n", "\n")
    assert text == f"您好:\n\n{body}\n\n-- \n本邮件由 Signoff 的 assistant 服务台代 acme/u-17 发送。\n"
    assert cast(bytes, box.taken[0].content).isascii()


@pytest.mark.parametrize(
    "body", ["Dear Ann,\nhello", "Hi!\nthere", "尊敬的客户:\n你好", "李经理您好:\n请查收", "Hello"]
)
def test_a_greeting_is_not_said_twice(server: Settings, box: Postbox, body: str) -> None:
    call(send_email, server, **ORDINARY | {"body": body})
    assert box.message().get_content().replace("\r\n", "\n").startswith(body + "\n\n-- \n")


def test_lines_that_look_like_the_end_are_no_end(server: Settings, box: Postbox) -> None:
    body = "one\n.\n..\nFrom here\n.\r\nMAIL FROM:<x@example.com>\n" + "long " * 500
    call(send_email, server, **ORDINARY | {"body": body})
    assert body.replace("\r\n", "\n").strip() in box.message().get_content().replace("\r\n", "\n")
    assert len(box.taken) == 1


def test_an_address_with_other_letters_is_sent_where_the_server_takes_it(box: Postbox) -> None:
    args = ORDINARY | {"to": ["用户@example.com"]}
    with serving(box, enable_SMTPUTF8=True) as server:
        call(send_email, server, **args)
    assert box.taken[0].rcpt_tos == ["用户@example.com"] and box.message()["To"] == "用户@example.com"
    with serving(box, enable_SMTPUTF8=False) as server:
        assert "ASCII" in refusal(send_email, server, **args).message
    assert len(box.taken) == 1


def test_twenty_recipients_and_no_more(server: Settings, box: Postbox) -> None:
    people = [f"p{i}@example.com" for i in range(20)]
    assert call(send_email, server, **ORDINARY | {"to": [*people[:19], people[0]]})["to"] == people[:19]
    assert box.taken[0].rcpt_tos == people[:19]
    from general_run import Invalid

    for wrong in ([*people, "one@example.com"], []):
        with pytest.raises(Invalid):
            call(send_email, server, **ORDINARY | {"to": wrong})


def test_the_card_shows_the_exact_message(server: Settings, box: Postbox) -> None:
    card = preview(send_email, server, **ORDINARY, reply_to="boss@acme.example")
    assert not box.taken, "a card sends nothing"
    shown = {c.field: c.after for c in card.changes}
    call(send_email, server, **ORDINARY, reply_to="boss@acme.example")
    sent = box.message()
    assert shown == {
        "from": sent["From"],
        "to": sent["To"],
        "replies go to": sent["Reply-To"],
        "subject": sent["Subject"],
        "message": sent.get_content().replace("\r\n", "\n"),
    }
    assert (card.reversible, card.risk) == (False, Risk.CRITICAL) and "cannot be called back" in card.why
    assert f"{len(cast(bytes, box.taken[0].original_content)):,} bytes" in card.evidence[0]


def test_the_card_is_in_the_requesters_language(server: Settings) -> None:
    card = preview(send_email, server, language="zh", **ORDINARY)
    assert card.title == "发送邮件给 ann@example.com:Meeting moved" and "不能撤回" in card.why
    assert [c.field for c in card.changes] == ["发件人", "收件人", "主题", "正文"]


def test_the_same_call_has_the_same_message_id() -> None:
    from signoff.tools.catalog.mail import _letter

    def message_id(call_id: str) -> str:
        given = injected(send_email, mailing("smtp://127.0.0.1:25"), call=call_id)
        return str(_letter(SENDER, ["a@example.com"], "s", "b", None, **given).message["Message-ID"])

    assert message_id("call-1") == message_id("call-1") != message_id("call-2")
    assert message_id("call-1").endswith("@acme.example>")


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": "Hi\nBcc: eve@example.com"},
        {"subject": "Hi\r\nBcc: eve@example.com"},
        {"subject": "Hi\rthere"},
        {"subject": "Hi\u2028there"},
        {"subject": "Hi\x00"},
        {"body": "bell\x07"},
        {"body": "bare\rreturn"},
        {"body": "a\u202eb"},
        {"to": ["ann@example.com\r\nRCPT TO:<eve@example.com>"]},
        {"to": ["ann@example.com, eve@example.com"]},
        {"to": ["ann@example.com>\r\nDATA"]},
        {"to": ["Ann <ann@example.com>"]},
        {"to": ["ann"]},
        {"to": ["ann@"]},
        {"to": ["@example.com"]},
        {"to": ["ann@localhost"]},
        {"to": ["a@b@example.com"]},
        {"to": ["ann@exa mple.com"]},
        {"to": ["ann@-example.com"]},
        {"to": ["ann@10.0.0.1"]},
        {"to": ["ann@[10.0.0.1]"]},
        {"to": ["a..b@example.com"]},
        {"to": ["x" * 65 + "@example.com"]},
        {"to": ["ann@example.com", "not an address"]},
        {"reply_to": "eve\n@example.com"},
    ],
)
def test_nothing_can_be_smuggled_in(server: Settings, box: Postbox, wrong: dict[str, Any]) -> None:
    assert refusal(send_email, server, **ORDINARY | wrong).code == "INVALID_ARGUMENTS"
    with pytest.raises(ToolError):
        preview(send_email, server, **ORDINARY | wrong)
    assert not box.taken


@pytest.mark.parametrize(
    ("entries", "to", "admitted"),
    [
        (("*",), "ann@example.com", True),
        (("*@example.com",), "ann@EXAMPLE.com", True),
        (("Ann@Example.com",), "ann@example.com", True),
        (("*@例子.中国",), "ann@例子.中国", True),
        (("*@example.com",), "ann@sub.example.com", False),
        (("*@example.com",), "ann@notexample.com", False),
        (("bob@example.com",), "ann@example.com", False),
        ((), "ann@example.com", False),
        (("example.com",), "ann@example.com", False),
    ],
)
def test_only_listed_recipients_are_written_to(
    server: Settings, box: Postbox, entries: tuple[str, ...], to: str, admitted: bool
) -> None:
    listed = server.model_copy(update={"mail_recipients": entries})
    if admitted:
        assert call(send_email, listed, **ORDINARY | {"to": [to]})["sent"]
        return
    assert "SIGNOFF_MAIL_RECIPIENTS" in refusal(send_email, listed, **ORDINARY | {"to": [to]}).hint
    with pytest.raises(ToolError):
        preview(send_email, listed, **ORDINARY | {"to": [to]})
    assert not box.taken


@pytest.mark.parametrize(
    ("config", "names"),
    [
        (settings(mail_from=SENDER), "SIGNOFF_SMTP_URL"),
        (settings(smtp_url="smtp://127.0.0.1"), "SIGNOFF_MAIL_FROM"),
        (settings(smtp_url="smtp://127.0.0.1", mail_from="nobody"), "SIGNOFF_MAIL_FROM"),
        (mailing("http://example.com"), "SIGNOFF_SMTP_URL"),
        (mailing("smtp://"), "SIGNOFF_SMTP_URL"),
        (mailing("smtp://host:port"), "SIGNOFF_SMTP_URL"),
        (mailing("smtp://host:99999"), "SIGNOFF_SMTP_URL"),
        (mailing("smtp://[::1"), "SIGNOFF_SMTP_URL"),
        (mailing("smtp://u:s3cret@mail.example.com"), "SIGNOFF_SMTP_URL"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(config: Settings, names: str) -> None:
    error = refusal(send_email, config, **ORDINARY)
    assert names in error.message and names in error.message_zh and "s3cret" not in error.message + error.hint
    with pytest.raises(ToolError, match=names):
        preview(send_email, config, **ORDINARY)


def test_the_servers_address_is_read() -> None:
    assert Server.parse("smtp://mail.example.com") == Server("smtp", "mail.example.com", 25)
    assert Server.parse("SMTP+STARTTLS://u%40x:p%3Aq@mail.example.com") == Server(
        "smtp+starttls", "mail.example.com", 587, "u@x", "p:q"
    )
    assert Server.parse("smtps://mail.example.com:2465/").port == 2465
    assert "p:q" not in repr(Server.parse("smtps://u:p%3Aq@mail.example.com"))


@pytest.mark.parametrize("what", ["DATA", "bob@example.com", SENDER])
@pytest.mark.parametrize("said", ["550 5.7.1 No such user here", "451 Try again later", "554-one\r\n554 two"])
def test_what_the_server_refuses_goes_to_nobody(server: Settings, box: Postbox, what: str, said: str) -> None:
    box.refuses[what] = said
    error = refusal(send_email, server, **ORDINARY | {"to": ["ann@example.com", "bob@example.com"]})
    assert error.code == "SERVICE_UNAVAILABLE" and said[:3] in error.message and "not sent to anybody" in error.message
    assert ("tried later" in error.hint) == said.startswith("4")
    assert not box.taken


def test_a_server_that_offers_no_encryption_is_given_nothing(server: Settings, box: Postbox) -> None:
    secure = server.model_copy(
        update={"smtp_url": mailing(server.smtp_url.get_secret_value().replace("smtp:", "smtp+starttls:")).smtp_url}  # type: ignore[union-attr]
    )
    assert "STARTTLS" in refusal(send_email, secure, **ORDINARY).message and not box.taken


def test_a_server_without_tls_is_given_nothing_over_smtps(server: Settings, box: Postbox) -> None:
    assert server.smtp_url
    url = server.smtp_url.get_secret_value().replace("smtp:", "smtps:")
    assert "encrypted" in refusal(send_email, mailing(url), **ORDINARY).message and not box.taken


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_logging_in(box: Postbox) -> None:
    def check(_: SMTP, __: Session, ___: Envelope, ____: str, data: LoginPassword) -> AuthResult:
        return AuthResult(success=data == LoginPassword(b"u", b"pass:word"))

    options = {"authenticator": check, "auth_require_tls": False, "auth_required": True}
    with serving(box, **options) as server:
        assert server.smtp_url
        url = server.smtp_url.get_secret_value()
        call(send_email, mailing(url.replace("//", "//u:pass%3Aword@")), **ORDINARY)
        assert len(box.taken) == 1
        for wrong in ("u:wr0ng", "u:pässwörd"):
            error = refusal(send_email, mailing(url.replace("//", f"//{wrong}@")), **ORDINARY)
            assert "not sent to anybody" in error.message and wrong[2:] not in error.message
        assert "not sent to anybody" in refusal(send_email, server, **ORDINARY).message
    assert len(box.taken) == 1


def test_a_server_that_cannot_log_in_is_given_nothing(server: Settings, box: Postbox) -> None:
    assert server.smtp_url
    url = server.smtp_url.get_secret_value().replace("//", "//u:p@")
    assert "login" in refusal(send_email, mailing(url), **ORDINARY).message and not box.taken


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    from test_fetch_url import _certificate

    return _certificate(tmp_path, "localhost")


def test_encrypted_mail(box: Postbox, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ssl

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with serving(box, tls_context=context, require_starttls=True) as server:
        assert server.smtp_url
        port = server.smtp_url.get_secret_value().rpartition(":")[2]
        untrusted = refusal(send_email, mailing(f"smtp+starttls://localhost:{port}"), **ORDINARY)
        assert "certificate" in untrusted.message
        assert "not sent" in refusal(send_email, server, **ORDINARY).message, "the server insists on encryption"
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        call(send_email, mailing(f"smtp+starttls://localhost:{port}"), **ORDINARY)
        assert "certificate" in refusal(send_email, mailing(f"smtp+starttls://127.0.0.1:{port}"), **ORDINARY).message
    assert len(box.taken) == 1


def test_a_dead_port_is_said_so() -> None:
    for scheme in ("smtp", "smtp+starttls", "smtps"):
        error = refusal(send_email, mailing(f"{scheme}://127.0.0.1:{_free_port()}"), **ORDINARY)
        assert error.code == "SERVICE_UNAVAILABLE" and "could not be reached" in error.message


@contextmanager
def scripted(*answers: bytes | None) -> Iterator[Settings]:
    """A server that gives these answers, one a command, then hangs (None: hangs up)."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_ones: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            open_ones.append(connection)
            for i, said in enumerate(answers):
                if i:
                    connection.recv(65_536)
                if said is None:
                    connection.close()
                    return
                connection.sendall(said)
            while connection.recv(65_536):
                pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield mailing(f"smtp://127.0.0.1:{listener.getsockname()[1]}")
    finally:
        for s in (listener, *open_ones):
            with suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()
        thread.join(5)


UP_TO_DATA = (b"220 hi\r\n", b"250 hi\r\n", b"250 ok\r\n", b"250 ok\r\n", b"354 go\r\n")


@pytest.mark.parametrize("answers", [(), UP_TO_DATA[:1], UP_TO_DATA[:2], UP_TO_DATA[:3]])
def test_a_server_that_hangs_before_the_message_was_sent_nothing(
    answers: tuple[bytes, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff.tools.mail.server.ANSWER_S", 0.3)
    with scripted(*answers) as server:
        error = refusal(send_email, server, **ORDINARY)
    assert error.code == "SERVICE_UNAVAILABLE" and "not sent to anybody" in error.message


@pytest.mark.parametrize(
    ("answers", "code"),
    [(UP_TO_DATA, "TIMEOUT"), ((*UP_TO_DATA, None), "INTERNAL"), ((*UP_TO_DATA, b"nonsense\r\n"), "INTERNAL")],
)
def test_a_message_that_was_under_way_may_have_been_sent(
    answers: tuple[bytes | None, ...], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These two codes make the gateway call the outcome unknown; it is never tried again."""
    monkeypatch.setattr("signoff.tools.mail.server.ANSWER_S", 0.5)
    with scripted(*answers) as server:
        error = refusal(send_email, server, **ORDINARY)
    assert error.code == code and "may have been sent" in error.message and not error.retryable


def test_a_server_that_drips_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.tools.mail.server.TOTAL_S", 0.5)
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"220 hi\r\n")
                while not stop.wait(0.05):
                    connection.sendall(b"250-and\r\n")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    try:
        error = refusal(send_email, mailing(f"smtp://127.0.0.1:{listener.getsockname()[1]}"), **ORDINARY)
        assert "not sent to anybody" in error.message
    finally:
        stop.set()
        listener.close()
        thread.join(5)


def test_what_it_says_of_itself() -> None:
    assert (send_email.risk, send_email.effect, send_email.egress) == (Risk.CRITICAL, "outside", True)
    assert send_email.reconcile is None, "an SMTP server cannot be asked what it has sent"
    assert not send_email.idempotent


def test_an_address_has_one_form() -> None:
    assert address(" Ann@EXAMPLE.com. ") == "Ann@example.com"
    assert address("o'hara+tag@例子.中国") == "o'hara+tag@xn--fsqu00a.xn--fiqs8s"


NOBODY = mailing("smtp://127.0.0.1:1")


@hypothesis_settings(deadline=None)
@given(to=JSON, subject=JSON, body=JSON, reply_to=JSON)
def test_any_json_is_answered(to: object, subject: object, body: object, reply_to: object) -> None:
    survives(send_email, NOBODY, to=to, subject=subject, body=body, reply_to=reply_to)


@hypothesis_settings(deadline=None)
@given(to=st.text(max_size=40), subject=st.text(min_size=1, max_size=80), body=st.text(min_size=1, max_size=200))
def test_any_text_is_previewed_or_refused(to: str, subject: str, body: str) -> None:
    from general_run import Invalid

    for recipient in (to, "ann@example.com"):
        with suppress(ToolError, Invalid):
            card = preview(send_email, NOBODY, to=[recipient], subject=subject, body=body)
            headers = [c.after or "" for c in card.changes[:3]]
            assert not any("\n" in h or "\r" in h for h in headers)
