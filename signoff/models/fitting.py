"""A prompt's parts put together within a budget: what is worth least is cut first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signoff.models.blocks import Brief, Room, question_text
from signoff.models.budget import cut_middle, estimate
from signoff.models.facts import Facts, results
from signoff.models.history import HISTORY_TOKENS, Turn, view_of
from signoff.models.shrinking import shrunk
from signoff.state import Evidence, TurnState

_LEAST_QUESTION = 60
_LEFT_OUT_TOKENS = 240


@dataclass(frozen=True)
class Cut:
    """How far a prompt is cut."""

    history: int
    """Tokens for earlier turns."""
    older: bool = False
    """The results of all rounds but the newest are shrunk."""
    newest: bool = False
    """Those of the newest are, too; and older ones are their outcome only."""
    stub: bool = False
    """Those of the newest are their outcome only."""
    room: Room = field(default_factory=Room)
    rounds: int | None = None
    """Rounds that are kept, the newest; None for all."""


@dataclass(frozen=True)
class Parts:
    """All that a prompt may hold."""

    system: SystemMessage
    turns: Sequence[Turn]
    question: HumanMessage
    rounds: Sequence[Sequence[BaseMessage]]
    """Of the current turn: a message of the model with the results of its calls, each."""
    closing: Sequence[BaseMessage]
    turn: TurnState
    evidence: Sequence[Evidence]
    brief: Brief

    def view(self, cut: Cut) -> list[BaseMessage]:
        """The prompt, cut so far."""
        earlier, folded = view_of(self.turns, cut.history, self.brief.summary)
        kept = self.rounds if cut.rounds is None else self.rounds[len(self.rounds) - cut.rounds :]
        working = (
            [self.brief.working()] if folded and self.brief.working is not None and cut.room.beside is None else []
        )
        if len(kept) < len(self.rounds):
            working.append(_left_out(self.rounds[: len(self.rounds) - len(kept)], self.turn["language"]))
        words = question_text(
            str(self.question.text),
            self.turn,
            self.evidence,
            self.brief,
            working="\n".join(filter(None, working)),
            room=cut.room,
        )
        view = [self.system, *earlier, HumanMessage(words, id=self.question.id)]
        for n, messages in enumerate(kept, 1):
            last = n == len(kept)
            if cut.newest if last else cut.older:
                view.extend(shrunk(messages, stub=cut.stub if last else cut.newest))
            else:
                view.extend(messages)
        view.extend(self.closing)
        return view

    def within(self, budget: int) -> list[BaseMessage]:
        """The prompt that fits a budget with the least cut; the shortest there is when none does."""
        view: list[BaseMessage] = []
        for cut in self._cuts(budget):
            view = self.view(cut)
            if estimate(view) <= budget:
                return view
        return view

    def _cuts(self, budget: int) -> Iterator[Cut]:
        history = min(HISTORY_TOKENS, max(0, budget) // 2)
        yield Cut(history)
        yield Cut(history // 2)
        yield Cut(history // 2, older=True)
        yield Cut(history // 4, older=True)
        cut = Cut(history // 4, older=True, room=Room(passage=160))
        yield cut
        cut = replace(cut, history=history // 8, room=Room(passage=60))
        yield cut
        yield self._shorter(cut, budget, 4 * _LEAST_QUESTION)
        cut = replace(cut, history=0, newest=True, room=Room(passage=60, beside=160))
        yield self._shorter(cut, budget, 2 * _LEAST_QUESTION)
        cut = replace(cut, stub=True, room=Room(passage=0, beside=40))
        yield self._shorter(cut, budget, _LEAST_QUESTION)
        kept = len(self.rounds)
        while kept > 1:
            kept = max(1, kept * 3 // 4)
            yield self._shorter(replace(cut, rounds=kept), budget, _LEAST_QUESTION)

    def _shorter(self, cut: Cut, budget: int, least: int) -> Cut:
        """The cut with the question's middle left out as far as it must be."""
        rest = replace(self, question=HumanMessage("")).view(cut)
        return replace(cut, room=replace(cut.room, question=max(least, budget - estimate(rest) - 2)))


def rounds_of(messages: Sequence[BaseMessage]) -> list[list[BaseMessage]]:
    """Paired messages of a turn, a model's message with the results of its calls each."""
    rounds: list[list[BaseMessage]] = []
    for m in messages:
        if isinstance(m, AIMessage) or not rounds:
            rounds.append([m])
        else:
            rounds[-1].append(m)
    return rounds


def _left_out(rounds: Sequence[Sequence[BaseMessage]], language: str) -> str:
    """What is said of rounds that found no room: their number, and the identifiers of what they changed."""
    word = 1 if language == "zh" else 0
    found = list(results([m for r in rounds for m in r]))
    made = Facts(found, word).identified([r for r in found if r.ok and r.wrote])
    head = f"本轮较早的 {len(rounds)} 步已省略。" if word else f"Earlier rounds of this turn left out: {len(rounds)}."
    changes = (
        ["其中已确认的变更:" if word else "Changes made in them, confirmed:", *(f"- {m}" for m in made)] if made else []
    )
    return cut_middle("\n".join([head, *changes]), _LEFT_OUT_TOKENS)
