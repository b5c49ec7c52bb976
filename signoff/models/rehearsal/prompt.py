"""The messages as the rehearsal model reads them: question, requests, evidence, results, conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signoff.models.rehearsal import outline
from signoff.models.rehearsal.outline import PlanStep, Skill
from signoff.models.rehearsal.wishes import wished_language
from signoff.text import Language, language

_TODAY = re.compile(r"^Today: (\d{4})-(\d{2})-(\d{2})\b(?: \(\w+\), ([\w/+:-]+))?", re.MULTILINE)
_REQUESTS = re.compile(r"\n\n<requests>\n(.*?)\n</requests>", re.DOTALL)
_EVIDENCE = re.compile(r"\n\n<evidence>\n(.*)\n</evidence>", re.DOTALL)
_HEADER = re.compile(r"\[(\d+)\] (.+)")
_NARROW = {c: c - 0xFEE0 for a, b in ("０９", "ＡＺ", "ａｚ") for c in range(ord(a), ord(b) + 1)}
"""Letters and figures as wide as Chinese characters, and as they are meant: Ａ１００５ is A1005."""
_CONTROL = re.compile(r"\s*<(findings|close|plan)>\s*(.*?)\s*(?:</\1>)?\s*$", re.DOTALL)
_BLOCKS = {
    "skill": re.compile(r'\n\n<skill name="([\w-]+)">\n(.*?)\n</skill>', re.DOTALL),
    "lacking": re.compile(r"\n\n<(lacking)>\n(.*?)\n</lacking>", re.DOTALL),
    "memory": re.compile(r"\n\n<(memory)>\n(.*?)\n</memory>", re.DOTALL),
    "working": re.compile(r"\n\n<(working)>\n(.*?)\n</working>", re.DOTALL),
}


@dataclass(frozen=True)
class Passage:
    """A numbered passage of evidence."""

    n: int
    title: str
    origin: str
    """Source and version, as the header states them."""
    text: str
    trusted: bool = True


@dataclass(frozen=True)
class Result:
    """A tool call and what came of it."""

    tool: str
    args: dict[str, Any]
    ok: bool
    data: Any
    error: dict[str, Any]
    metadata: dict[str, Any]

    @property
    def untrusted(self) -> bool:
        """Its text came from outside: it may be reported, but no value is taken from it."""
        return bool(self.metadata.get("untrusted"))


@dataclass(frozen=True)
class Said:
    """One thing of the conversation before the question: a person's words, an answer, or a result."""

    who: str
    """`person`, `desk` or `tool`."""
    text: str = ""
    result: Result | None = None


@dataclass(frozen=True)
class Prompt:
    """A prompt, taken apart."""

    question: str
    requests: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    results: tuple[Result, ...] = ()
    """Of this turn, in the order of the calls."""
    past: tuple[Said, ...] = ()
    """Oldest first."""
    today: date | None = None
    zone: str = ""
    """The desk's own time zone, as the prompt states it."""
    remembered: tuple[str, ...] = ()
    """What the person asked to have remembered."""
    skill: Skill | None = None
    plan: tuple[PlanStep, ...] = ()
    draft: str = ""
    """The answer that was sent back, when `findings` is set."""
    findings: str | None = None
    close: str | None = None

    @property
    def wished(self) -> Language | None:
        """The language that the person asked for, in these words or once for all; the newest wish holds."""
        return wished_language([self.question, *self.remembered])

    @property
    def language(self) -> Language:
        """The language asked for, now or once for all; else that of the words, or of the conversation when they
        have none."""
        if self.wished is not None:
            return self.wished
        if re.search(r"[^\W\d_]{3,}|[\u3400-\u9fff]", self.question):
            return language(self.question)
        earlier = [s.text for s in self.past if s.who == "person" and re.search(r"[^\W\d_]", s.text)]
        return language(earlier[-1] if earlier else self.question)


def parse(messages: Sequence[BaseMessage]) -> Prompt:
    """Take a prompt apart. The current question is the last human message that is no control message."""
    start = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and not _control(m)), default=-1)
    system = "\n".join(str(m.text) for m in messages if isinstance(m, SystemMessage))
    today = _TODAY.search(system)
    said = str(messages[start].text) if start >= 0 else ""
    words, requests, passages = _question(said)
    blocks = {kind: found for kind, block in _BLOCKS.items() if (found := block.search(said))}
    current = messages[start + 1 :]
    control = {
        kind: text for m in current if isinstance(m, HumanMessage) and (parts := _control(m)) for kind, text in [parts]
    }
    drafts = [str(m.text) for m in current if isinstance(m, AIMessage) and not m.tool_calls and str(m.text).strip()]
    return Prompt(
        question=words,
        requests=requests,
        passages=(*passages, *(p for p in _found_passages(current) if p.n not in {q.n for q in passages})),
        results=tuple(_results(current)),
        past=tuple(_past(messages[:start] if start >= 0 else ())),
        today=_date(today) if today else None,
        zone=(today[4] or "") if today else "",
        remembered=_lines(blocks["memory"][2]) if "memory" in blocks else (),
        skill=outline.skill(*blocks["skill"].groups()) if "skill" in blocks else None,
        plan=outline.plan(control.get("plan", "")),
        draft=drafts[-1] if drafts else "",
        findings=control.get("findings"),
        close=control.get("close"),
    )


def _control(message: BaseMessage) -> tuple[str, str] | None:
    match = _CONTROL.match(str(message.text))
    return (match[1], match[2]) if match else None


def _question(content: str) -> tuple[str, tuple[str, ...], tuple[Passage, ...]]:
    requests: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    if evidence := _EVIDENCE.search(content):
        passages = tuple(_passages(evidence[1]))
        content = content[: evidence.start()] + content[evidence.end() :]
    if listed := _REQUESTS.search(content):
        lines = re.split(r"(?:^|\n)\d+\. ", listed[1])
        requests = tuple(line.strip() for line in lines if line.strip())
        content = content[: listed.start()] + content[listed.end() :]
    for block in _BLOCKS.values():
        content = block.sub("", content)
    return content.strip().translate(_NARROW), tuple(r.translate(_NARROW) for r in requests), passages


def _lines(block: str) -> tuple[str, ...]:
    return tuple(line.removeprefix("- ").strip() for line in block.splitlines() if line.startswith("- "))


def _passages(block: str) -> list[Passage]:
    found: list[tuple[int, str, list[str]]] = []
    for line in block.split("\n"):
        header = _HEADER.fullmatch(line)
        # Numbers go up by one: a line of a passage that looks like a header does not start another.
        if header and int(header[1]) == (found[-1][0] + 1 if found else int(header[1])):
            found.append((int(header[1]), header[2], []))
        elif found:
            found[-1][2].append(line)
    return [_passage(n, header, "\n".join(lines).strip()) for n, header, lines in found]


def _passage(n: int, header: str, text: str) -> Passage:
    title, origin = header, ""
    if header.endswith(")") and " (" in header:
        title, _, origin = header[:-1].rpartition(" (")
    return Passage(n, title, origin, text, trusted="untrusted" not in origin)


def _results(messages: Sequence[BaseMessage]) -> list[Result]:
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    return [_result(c["name"], c["args"], answers[c["id"]]) for c in calls if c["id"] in answers]


def _result(tool: str, args: dict[str, Any], answer: ToolMessage) -> Result:
    try:
        envelope = json.loads(str(answer.text))
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict) or not isinstance(envelope.get("ok"), bool):
        failed = answer.status == "error"
        error = {"code": "INTERNAL", "message": str(answer.text)} if failed else {}
        return Result(tool, args, not failed, envelope if envelope is not None else str(answer.text), error, {})
    fault = envelope.get("error")
    metadata = envelope.get("metadata")
    return Result(
        tool,
        args,
        envelope["ok"],
        envelope.get("data"),
        fault if isinstance(fault, dict) else {},
        metadata if isinstance(metadata, dict) else {},
    )


def _found_passages(messages: Sequence[BaseMessage]) -> list[Passage]:
    """Passages that a search of this turn brought: objects with a number `n` and a `text`."""
    found: dict[int, Passage] = {}
    for result in _results(messages):
        lists = [result.data, *result.data.values()] if isinstance(result.data, dict) else [result.data]
        for row in (r for rows in lists if isinstance(rows, list) for r in rows if isinstance(r, dict)):
            if isinstance(row.get("n"), int) and isinstance(row.get("text"), str):
                title = " > ".join(str(row[k]) for k in ("title", "place") if row.get(k))
                origin = ", ".join(str(row[k]) for k in ("source", "version") if row.get(k))
                trusted = row.get("trusted") is not False and not result.untrusted
                found[row["n"]] = Passage(row["n"], title, origin, row["text"], trusted)
    return list(found.values())


def _past(messages: Sequence[BaseMessage]) -> list[Said]:
    said: list[Said] = []
    for i, m in enumerate(messages):
        if isinstance(m, HumanMessage) and not _control(m):
            said.append(Said("person", _question(str(m.text))[0]))
        elif isinstance(m, AIMessage):
            if m.tool_calls:
                said.extend(Said("tool", result=r) for r in _results([m, *messages[i + 1 :]]))
            elif text := str(m.text).strip():
                said.append(Said("desk", text))
    return said


def _date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
