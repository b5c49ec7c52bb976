"""The marked blocks of a prompt's current question, each with its source and trust, and the words that close it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage

from signoff.models.budget import cut_middle
from signoff.models.facts import BLOCK
from signoff.state import Evidence, TurnState


@dataclass(frozen=True)
class Brief:
    """What a model is told beside the conversation, each part empty where there is none."""

    desk: str = ""
    """What the desk's profile adds to the instructions."""
    skill: tuple[str, str] | None = None
    """The chosen skill: its name and its instructions."""
    plan: str = ""
    """The skill's steps and how far they are, a line a step."""
    memory: tuple[str, ...] = ()
    """What the person asked to have remembered, as far as it matters here."""
    working: Callable[[], str] | None = None
    """Says what a long conversation has come to so far; asked for only when not all of it fits."""
    asking: str = ""
    """Who asks, as the authenticated edge knows it, such as `acme/u-17, roles: hr`; never a model's word."""
    draft: str = ""
    """The answer as a smaller model drafted it, for the model that is to write it."""
    summary: Callable[[str], str] | None = None
    """A model that puts what the assistant said in folded turns shorter; one lasting object, since it is asked anew
    for each object. Without one those words are cut."""


@dataclass(frozen=True)
class Room:
    """How far a question's blocks are cut; in estimated tokens, None for whole."""

    question: int | None = None
    passage: int | None = None
    """For the text of each passage of evidence; 0 leaves evidence out."""
    beside: int | None = None
    """For each other block but `working`; memory is left out when there is a limit."""


def question_text(
    words: str, turn: TurnState, evidence: Sequence[Evidence], brief: Brief, *, working: str, room: Room
) -> str:
    """The question with its blocks behind it."""
    parts = [words if room.question is None else cut_middle(words, room.question)]
    if working:
        parts.append(f"<working>\n{inert(working)}\n</working>")
    if brief.memory and room.beside is None:
        remembered = "\n".join(f"- {inert(m)}" for m in brief.memory)
        parts.append(f"<memory>\nWhat this person asked to have remembered:\n{remembered}\n</memory>")
    if brief.skill is not None:
        name, instructions = brief.skill
        parts.append(f'<skill name="{name}">\n{_cut(instructions, room.beside)}\n</skill>')
    if len(turn["intents"]) > 1:
        requests = "\n".join(f"{i}. {intent['text']}" for i, intent in enumerate(turn["intents"], 1))
        parts.append(f"<requests>\n{_cut(requests, room.beside)}\n</requests>")
    if evidence and room.passage != 0:
        passages = "\n".join(
            inert(
                f"[{e['n']}] {e['title']} > {e['place']} ({e['source']}{_page(e)}, {e['version']}"
                f"{'' if e['trusted'] else ', untrusted'})\n{_cut(e['text'], room.passage)}"
            )
            for e in evidence
        )
        parts.append(f"<evidence>\n{passages}\n</evidence>")
    if turn["lacking"]:
        what = inert(_cut("; ".join(turn["lacking"]), room.beside))
        parts.append(
            f"<lacking>\nNo document that was found speaks of: {what}. Search again with other words, or say that "
            "no document was found for it.\n</lacking>"
        )
    return "\n\n".join(parts)


def closing_words(turn: TurnState, brief: Brief, closing: str | None) -> list[BaseMessage]:
    """What the model is to do next: go on with the plan, mend its draft, write the answer out, or close."""
    said: list[BaseMessage] = []
    if brief.plan and not closing and not brief.draft and not turn["findings"]:
        said.append(HumanMessage(f"<plan>\n{inert(brief.plan)}\n</plan>"))
    if turn["findings"]:
        lines = "\n".join(f"- {inert(f)}" for f in turn["findings"])
        said.append(
            HumanMessage(f"<findings>\nWrite the answer again, with these faults mended:\n{lines}\n</findings>")
        )
    if brief.draft:
        said.append(
            HumanMessage(
                "Write the answer that the person is to read, from what was found above: whole, in the language of "
                "the question, with its markers such as [1], and with no fact that neither a result nor the evidence "
                f"holds. No tools are left. A draft to go by:\n<draft>\n{inert(brief.draft)}\n</draft>"
            )
        )
    if closing:
        said.append(
            HumanMessage(
                f"<close>\nThe turn's limit is reached ({inert(closing)}). No tools are left. Say what is known, what "
                "is missing, and how the task could be split.\n</close>"
            )
        )
    return said


def inert(text: str) -> str:
    """Text that can neither close a block of a prompt nor open one."""
    return BLOCK.sub("‹", text)


def _cut(text: str, tokens: int | None) -> str:
    return text if tokens is None else cut_middle(text, tokens)


def _page(evidence: Evidence) -> str:
    page = evidence.get("page")
    return f", p. {page}" if page else ""
