"""Which older fact a new one takes the place of, and whether it may do so without being asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.memory import refusal
from signoff.memory.asking import agreed_to_replace, told_as_changed
from signoff.memory.contradiction import SAME, Weight, weight
from signoff.memory.fact import Fact
from signoff.memory.spoken import Spoken
from signoff.memory.subject import same_subject, same_value, subject
from signoff.text import normalise

_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。!?;；\n]+")


def superseded(
    text: str, found: Spoken, current: Sequence[Fact], *, said: Sequence[str], replaces: str | None
) -> Fact | None:
    """The current fact (of those given, newest first) that `text` takes the place of, or says again.

    `found` is where the person said it. Raises `ToolError` CONFLICT when they must be asked first, NOT_FOUND when
    `replaces` names none of the facts.
    """
    old = next((f for f in current if same_subject(text, f.text)), None)
    if replaces is not None:
        wanted = replaces.strip().lower()
        named = next((f for f in current if f.id == wanted), None)
        if named is None:
            raise refusal.no_such_fact(replaces)
        if old is not None and old.id != named.id:
            # Putting the named one out of force would leave the contradiction where it is.
            raise refusal.contradicts(old.id, old.text, _why(text, old) or SAME)
        if not same_value(text, named.text) and not agreed_to_replace(said):
            raise refusal.not_agreed(named.id)
        return named
    if old is None or same_value(text, old.text):
        return old
    why = _why(text, old)
    if why is not None and not told_as_changed(_sentences(found.words, said)):
        raise refusal.contradicts(old.id, old.text, why)
    return old


def _why(text: str, old: Fact) -> Weight | None:
    about = subject(text) or subject(old.text)
    return weight(about.key if about is not None else None, old.text)


def _sentences(passage: str, said: Sequence[str]) -> str:
    """The sentence that the passage stands in: what it says beside the fact may be that it is new."""
    start = normalise(passage.rstrip(" .…。!！?？")[:60])
    for message in said:
        for sentence in _SENTENCE.split(normalise(message)):
            if start and start in sentence:
                return sentence
    return passage
