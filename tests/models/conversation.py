"""Plays a turn of the rehearsal model against scripted tools, the way the graph does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signoff.models.rehearsal import RehearsalModel

SYSTEM = SystemMessage("You are a desk.\n\nToday: 2026-10-31 (Saturday), Asia/Shanghai.")
Answer = str | Callable[[dict[str, Any]], str]


def done(data: Any, summary: str | None = None, **metadata: Any) -> str:
    """An envelope that says ok."""
    if summary is not None:
        metadata["summary"] = summary
    return json.dumps({"ok": True, "data": data, "error": None, "metadata": metadata}, ensure_ascii=False)


def refused(code: str, message: str, **metadata: Any) -> str:
    """An envelope that says why not."""
    fault = {"code": code, "message": message, "retryable": False, "hint": "Do not retry."}
    return json.dumps({"ok": False, "data": None, "error": fault, "metadata": metadata}, ensure_ascii=False)


class Conversation:
    """A thread: each `ask` plays one turn to its end and is remembered."""

    def __init__(self, tools: Sequence[dict[str, Any]], answers: dict[str, Answer]) -> None:
        self.model = RehearsalModel().bind_tools(tools) if tools else RehearsalModel()
        self.answers = answers
        self.messages: list[BaseMessage] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        """Of the last turn."""
        self.rounds = 0

    def ask(self, words: str, *, evidence: str = "", requests: Sequence[str] = ()) -> str:
        """Play a turn and return its answer."""
        content = words
        if requests:
            content += "\n\n<requests>\n" + "\n".join(f"{i}. {r}" for i, r in enumerate(requests, 1)) + "\n</requests>"
        if evidence:
            content += f"\n\n<evidence>\n{evidence}\n</evidence>"
        question, rounds = HumanMessage(content), list[BaseMessage]()
        self.calls, self.rounds = [], 0
        while self.rounds < 8:
            answer = self.model.invoke([SYSTEM, *self.messages, question, *rounds])
            assert isinstance(answer, AIMessage)
            rounds.append(answer)
            if not answer.tool_calls:
                self.messages += [HumanMessage(words), *rounds]
                return str(answer.text)
            self.rounds += 1
            for call in answer.tool_calls:
                self.calls.append((call["name"], call["args"]))
                scripted = self.answers.get(call["name"], refused("NOT_FOUND", "Nothing was found."))
                text = scripted(call["args"]) if callable(scripted) else scripted
                rounds.append(ToolMessage(text, tool_call_id=call["id"]))
        raise AssertionError(f"The turn did not end: {self.calls}")
