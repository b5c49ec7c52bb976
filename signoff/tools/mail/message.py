"""The message itself, built by the standard library's own header rules, and the same for the card and the sending."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.text import language
from signoff.tools.envelope import Code

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_GREETING = re.compile(
    r"\s*(?:(?:dear|hello|hi|hey|good (?:morning|afternoon|evening)|greetings|to whom)\b"
    r"|尊敬的|亲爱的|您好|你好|各位|大家好|\S{1,12}(?:您好|你好))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Letter:
    """A message ready to be handed in."""

    sender: str
    to: tuple[str, ...]
    reply_to: str | None
    subject: str
    text: str
    """The body as it is sent: greeting, what is said, signature."""
    message: EmailMessage
    content: bytes
    """The whole message in ASCII, or UTF-8 when an address needs it."""

    @property
    def international(self) -> bool:
        """Whether an address has letters that only servers with SMTPUTF8 (RFC 6531) take."""
        return not "".join((self.sender, *self.to, self.reply_to or "")).isascii()


def compose(
    *,
    sender: str,
    to: Sequence[str],
    subject: str,
    body: str,
    reply_to: str | None,
    desk: str,
    caller: Caller,
    key: str,
    at: datetime,
) -> Letter:
    """Build the message from addresses that were checked. The same `key` gives the same Message-ID.

    Raises `ToolError` for a subject of more than one line and for control characters.
    """
    title, said = " ".join(subject.split()), body.replace("\r\n", "\n").strip("\n")
    if re.search(r"[\r\n]", subject) or _CONTROL.search(subject):
        raise _refused(
            "The subject must be one line without control characters.", "邮件主题只能是一行,不能有控制字符。"
        )
    if not title or not said.strip():
        raise _refused("A message needs a subject and a body.", "邮件必须有主题和正文。")
    if _CONTROL.search(said):
        raise _refused("The body has control characters.", "邮件正文里有控制字符。")
    text = _template(said, language(title + said), desk, caller)
    message = EmailMessage(policy=policy.SMTP)
    message["From"] = sender
    message["To"] = ", ".join(to)
    if reply_to:
        message["Reply-To"] = reply_to
    message["Subject"] = title
    message["Date"] = format_datetime(at)
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{digest}@{sender.rpartition('@')[2]}>"
    # RFC 3834: no out-of-office notes in answer.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, charset="utf-8", cte="base64" if not text.isascii() else "quoted-printable")
    letter = Letter(sender, tuple(to), reply_to, title, text, message, b"")
    rules = policy.SMTPUTF8 if letter.international else policy.SMTP
    return Letter(sender, tuple(to), reply_to, title, text, message, message.as_bytes(policy=rules))


def _template(said: str, lang: str, desk: str, caller: Caller) -> str:
    greeting = "" if _GREETING.match(said) else ("您好:\n\n" if lang == "zh" else "Hello,\n\n")
    signature = (
        f"本邮件由 Signoff 的 {desk} 服务台代 {caller.name} 发送。"
        if lang == "zh"
        else f"Sent by the {desk} desk of Signoff on behalf of {caller.name}."
    )
    return f"{greeting}{said}\n\n-- \n{signature}\n"


def _refused(message: str, zh: str) -> ToolError:
    return ToolError(Code.INVALID_ARGUMENTS, message, zh=zh, hint="Correct the message and call it again.")
