"""Earlier turns of a conversation within a budget: the newest whole, older ones shrunk, the oldest folded to text.

What a prompt holds of them is a pure function of the record. It is found by playing the turns in order: nothing is
taken back until a high-water mark is passed, and then at once down to a low-water mark. So from turn to turn a
prompt only grows at its end, and a provider's cache of its beginning holds until the next such step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from signoff.models.budget import estimate
from signoff.models.facts import UNTRUSTED
from signoff.models.folding import fold
from signoff.models.pairing import WORDLESS
from signoff.models.shrinking import shrunk
from signoff.state import call_ids

HISTORY_TOKENS = 12_000
"""Estimated tokens of earlier turns that a prompt may hold."""

_FOLDED_SHARE = 4
"""The folded turns have a quarter of the history's tokens."""
_WHOLE_TURNS = 2
"""Turns that stay whole when others shrink, as far as there is room for them."""


@dataclass(frozen=True)
class Turn:
    """A question with what was done and said for it, paired; never split."""

    whole: tuple[BaseMessage, ...]
    brief: tuple[BaseMessage, ...]
    """The same with its results shrunk."""
    whole_tokens: int
    brief_tokens: int

    @classmethod
    def of(cls, messages: Sequence[BaseMessage]) -> Turn:
        """Of a turn's paired messages. Drafts that validation sent back are left out: only the last word stands."""
        last = max((i for i, m in enumerate(messages) if isinstance(m, AIMessage) and not call_ids(m)), default=-1)
        whole = [m for i, m in enumerate(messages) if i == last or not isinstance(m, AIMessage) or call_ids(m)]
        brief = shrunk(whole)
        tokens, fewer = estimate(whole), estimate(brief)
        # A turn that shrinking does not make shorter stays as it is.
        return cls(tuple(whole), tuple(brief if fewer < tokens else whole), tokens, min(fewer, tokens))


def turns_of(earlier: Sequence[BaseMessage]) -> list[Turn]:
    """The turns in paired messages; what stands before the first question is a turn whose question is not known."""
    turns: list[list[BaseMessage]] = []
    for m in earlier:
        if isinstance(m, HumanMessage):
            turns.append([m])
        elif turns:
            turns[-1].append(m)
        else:
            turns.append([HumanMessage(WORDLESS), m])
    return [_known(t) for t in turns]


def _known(messages: Sequence[BaseMessage]) -> Turn:
    """The turn, made once for the same messages: a long thread's are looked at before every model call."""
    key = tuple(map(_key, messages))
    with _lock:
        if (known := _turns.get(key)) is not None:
            _turns.move_to_end(key)
            return known
    made = Turn.of(messages)
    with _lock:
        _turns[key] = made
        if len(_turns) > _MOST_TURNS:
            _turns.popitem(last=False)
    return made


def _key(message: BaseMessage) -> Hashable:
    calls = repr(message.tool_calls) if isinstance(message, AIMessage) and message.tool_calls else None
    whose = message.tool_call_id if isinstance(message, ToolMessage) else bool(message.additional_kwargs.get("tainted"))
    content = message.content if isinstance(message.content, str) else repr(message.content)
    return message.type, message.id, message.name, content, calls, whose


_MOST_TURNS = 2048
_turns: OrderedDict[tuple[Hashable, ...], Turn] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class Marks:
    """How far older turns are taken back: those before `folded` are text, those from there to `shrunk` are brief."""

    folded: int = 0
    shrunk: int = 0


def marks(turns: Sequence[Turn], budget: int) -> Marks:
    """Where the marks stand after all turns, for `budget` tokens of history."""
    high = budget - budget // _FOLDED_SHARE
    whole = [0, *accumulate(t.whole_tokens for t in turns)]
    brief = [0, *accumulate(t.brief_tokens for t in turns)]
    folded = short = 0
    for end in range(1, len(turns) + 1):
        # The whole turns may have four fifths of the room, and keep one when they had more.
        if whole[end] - whole[short] > high * 4 // 5:
            newest = (n for n in range(max(end - _WHOLE_TURNS, short), end) if whole[end] - whole[n] <= high // 5)
            # One that alone is more is whole until the next comes.
            alone = end - 1 if turns[end - 1].whole_tokens <= high * 4 // 5 else end
            short = max(short, next(newest, alone))
        if brief[short] - brief[folded] + whole[end] - whole[short] > high:
            while folded < end - 1 and _held(brief, whole, folded, short, end) > high // 2:
                folded += 1
            # The newest turn is the last to go: shrunk first, and folded when that is not enough.
            if _held(brief, whole, folded, short, end) > high:
                short = end
            if _held(brief, whole, folded, short, end) > high:
                folded = end
            short = max(short, folded)
    return Marks(folded, short)


def _held(brief: Sequence[int], whole: Sequence[int], folded: int, short: int, end: int) -> int:
    if folded >= short:
        return whole[end] - whole[folded]
    return brief[short] - brief[folded] + whole[end] - whole[short]


def view_of(
    turns: Sequence[Turn], budget: int, summary: Callable[[str], str] | None = None
) -> tuple[list[BaseMessage], bool]:
    """The turns in at most `budget` tokens, and whether any of them was folded."""
    at = marks(turns, budget)
    view: list[BaseMessage] = []
    if at.folded:
        text = fold([t.whole for t in turns[: at.folded]], budget // _FOLDED_SHARE - _FRAME, summary)
        if text:
            # Readers of prompts find blocks behind an empty line; before it stand a person's own words: here none.
            view.append(HumanMessage(f"\n\n<working>\n{text}\n</working>"))
    for t in turns[at.folded : at.shrunk]:
        view.extend(t.brief)
    for t in turns[at.shrunk :]:
        view.extend(t.whole)
    return view, at.folded > 0


_FRAME = 16


def untrusted_in(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Tools whose untrusted results a prompt may hold, whatever its budget: those of the newest turns that find room
    when all are shrunk. No mark can stand before these."""
    names: list[str] = []
    room = HISTORY_TOKENS
    for turn in reversed(turns):
        room -= turn.brief_tokens
        if room < 0:
            break
        names[:0] = [
            m.name or "a tool" for m in turn.whole if isinstance(m, ToolMessage) and UNTRUSTED in str(m.content)
        ]
    return tuple(dict.fromkeys(names))
