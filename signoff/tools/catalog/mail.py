"""A tool that sends a message by mail."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.catalog.wording import card_language, chosen, known, paragraphs
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool
from signoff.tools.envelope import Code
from signoff.tools.mail import Letter, Server, compose, hand_in
from signoff.tools.mail.addresses import address, admitted

Recipients = Annotated[list[Annotated[str, Field(min_length=3, max_length=320)]], Field(min_length=1, max_length=20)]
Subject = Annotated[str, Field(min_length=1, max_length=200)]
Body = Annotated[str, Field(min_length=1, max_length=20_000)]
ReplyTo = Annotated[str, Field(min_length=3, max_length=320)]


def _server(settings: Settings) -> tuple[Server, str]:
    """The server and the sender. Raises `ToolError` naming the setting that is missing or wrong."""
    for name, value in (("SIGNOFF_SMTP_URL", settings.smtp_url), ("SIGNOFF_MAIL_FROM", settings.mail_from)):
        if not value:
            raise ToolError(
                Code.SERVICE_UNAVAILABLE,
                f"Mail cannot be sent here: the setting {name} is missing.",
                zh=f"这里还不能发送邮件:缺少设置 {name}。",
                hint=f"Say that the operator has to set {name} first. Do not try again.",
            )
    try:
        sender = address(settings.mail_from or "")
    except ToolError:
        raise ToolError(
            Code.SERVICE_UNAVAILABLE,
            "Mail cannot be sent here: SIGNOFF_MAIL_FROM is not a mail address.",
            zh="无法发送邮件:SIGNOFF_MAIL_FROM 不是有效的邮箱地址。",
            hint="Say that the operator has to correct SIGNOFF_MAIL_FROM first. Do not try again.",
        ) from None
    return Server.parse(settings.smtp_url.get_secret_value() if settings.smtp_url else ""), sender


def _letter(
    sender: str,
    to: list[str],
    subject: str,
    body: str,
    reply_to: str | None,
    caller: Caller,
    settings: Settings,
    clock: Clock,
    call: CallInfo,
) -> Letter:
    recipients = list(dict.fromkeys(address(a) for a in to))
    answers_to = address(reply_to) if reply_to else None
    admitted(recipients, settings.mail_recipients)
    return compose(
        sender=sender,
        to=recipients,
        subject=subject,
        body=body,
        reply_to=answers_to,
        desk=settings.desk,
        caller=caller,
        key=f"{caller.tenant}\0{call.thread}\0{call.id}",
        # The system's time: a business clock that stands still would date every message alike.
        at=clock.utc(),
    )


def _preview(
    to: list[str],
    subject: str,
    body: str,
    caller: Caller,
    settings: Settings,
    clock: Clock,
    call: CallInfo,
    reply_to: str | None = None,
) -> Preview:
    server, sender = _server(settings)
    letter = _letter(sender, to, subject, body, reply_to, caller, settings, clock, call)
    lang = card_language(caller, call)
    many = len(letter.to)
    to_whom = letter.to[0] if many == 1 else chosen(lang, f"{many} recipients", f"{many} 位收件人")
    changes = [
        Change(chosen(lang, "from", "发件人"), None, letter.sender),
        Change(chosen(lang, "to", "收件人"), None, ", ".join(letter.to)),
        Change(chosen(lang, "subject", "主题"), None, letter.subject),
        Change(chosen(lang, "message", "正文"), None, letter.text),
    ]
    if letter.reply_to:
        changes.insert(2, Change(chosen(lang, "replies go to", "回复地址"), None, letter.reply_to))
    size = len(letter.content)
    return Preview(
        title=chosen(lang, f"Send a mail to {to_whom}: {letter.subject}", f"发送邮件给 {to_whom}:{letter.subject}"),
        changes=changes,
        reversible=False,
        risk=Risk.CRITICAL,
        why=chosen(
            lang,
            "A mail that was sent cannot be called back.",
            "邮件发出后不能撤回。",
        ),
        evidence=(
            chosen(lang, f"Size: {size:,} bytes, {many} recipients.", f"大小:{size:,} 字节,收件人 {many} 位。"),
            chosen(lang, f"It is handed to the mail server {server.host}.", f"经邮件服务器 {server.host} 发出。"),
        ),
    )


def _render(data: Any, lang: str) -> str:
    to = ", ".join(data["to"])
    return paragraphs(
        [
            chosen(
                lang,
                f"The mail “{data['subject']}” to {to} was handed to the mail server, which took it.",
                f"发给 {to} 的邮件「{data['subject']}」已交给邮件服务器并被接收。",
            ),
            chosen(lang, f"Message-ID: {data['message_id']}", f"Message-ID:{data['message_id']}"),
        ]
    )


@tool(
    risk=Risk.CRITICAL,
    effect="outside",
    egress=True,
    injects=("caller", "settings", "clock", "call"),
    timeout_s=40.0,
    preview=_preview,
    render=_render,
    # An SMTP server cannot be asked whether it sent a message: what broke off after the message was under way stays
    # unknown, and a person looks.
    reconcile=None,
    examples=(
        Example(
            "给 ann@example.com 发邮件,主题「会议改期」,正文「周会改到周四下午三点」",
            {"to": ["ann@example.com"], "subject": "会议改期", "body": "周会改到周四下午三点"},
        ),
        Example(
            "Send an email to bob@example.com with the subject Invoice 42 saying that the invoice was paid today",
            {"to": ["bob@example.com"], "subject": "Invoice 42", "body": "The invoice was paid today."},
        ),
        Example(
            "Mail ann@example.com and bob@example.com: subject Lunch, text Lunch is at noon",
            {"to": ["ann@example.com", "bob@example.com"], "subject": "Lunch", "body": "Lunch is at noon"},
        ),
    ),
)
def send_email(
    to: Recipients,
    subject: Subject,
    body: Body,
    caller: Caller,
    settings: Settings,
    clock: Clock,
    call: CallInfo,
    reply_to: ReplyTo | None = None,
) -> dict[str, Any]:
    """Sends one plain-text mail to people whose addresses were given. It goes out only after somebody else has
    signed off the exact message, and cannot be called back. Not for tickets to the service team
    (create_ticket_draft), not for notes to remember (remember), never to an address that was guessed.

    Args:
        to: The addresses, at most 20, as name@example.com, exactly as they were given.
        subject: One line.
        body: What is said, in the words of the person asking; greeting and signature are added.
        reply_to: An address that answers go to, when the person gave one.
    """
    server, sender = _server(settings)
    letter = _letter(sender, to, subject, body, reply_to, caller, settings, clock, call)
    hand_in(letter, server)
    return known(
        sent=True,
        to=list(letter.to),
        subject=letter.subject,
        reply_to=letter.reply_to,
        message_id=str(letter.message["Message-ID"]),
        bytes=len(letter.content),
    )
