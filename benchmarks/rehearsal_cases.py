"""Labelled requests to the desks: how they are written down, read, and compared with what a turn did.

A case is one JSON object a line:

    {"id": "svc-001", "desk": "service", "said": ["Where is A1006?"], "why": "a parcel by its number",
     "expect": {"calls": [["query_logistics", {"order_id": "A1006"}]], "status": "done", "answer": ["A1006"]}}

`said` are the person's messages on one thread; the last one's turn is judged. In `expect`:

- `calls`: all tool calls of that turn, over all its rounds. Retrieval is none, nor is `find_tools` unless it is named.
  A value is equal, or holds all the words of `{"has": "…"}` (a string or a list of them), or is one of
  `{"any": […]}`, or a sum that comes to the number of `{"equals": …}`. With `unordered` they come in any order.
  Where it is left out, nothing is asked of the calls but what follows.
- `never`: tools that the turn must not call.
- `status`: the turn's. `asks`: it asks back. `refuses`: it says that it cannot or will not.
- `answer`: words that the answer holds.

Text is compared without case, punctuation and blanks, sums by what they come to. Arguments that are not named must
not be filled, but for free words such as a reason or a report's text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff.errors import ConfigError, SignoffError, UsageError
from signoff.tools.calculation import evaluate

Calls = Sequence[tuple[str, Mapping[str, Any]]]

DESKS = ("service", "weekly", "assistant")
NOTES = frozenset({"reason", "details", "note", "notes", "kind", "summary", "content"})
"""Arguments that may be filled though no label names them."""
_EXPECTED = frozenset({"calls", "unordered", "never", "status", "asks", "refuses", "answer"})
_ASKING = re.compile(r"[?？]|^\W*(?:请告诉我|请问|Please tell me)", re.MULTILINE)
_REFUSING = re.compile(
    r"\b(?:can(?:not|'t)?(?: only)?|could not|only|none of|not|nothing|no)\b|无法|不能|不可以|只能|没有|不做|不予|未能",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Case:
    """A conversation and what its last turn must do."""

    id: str
    desk: str
    said: tuple[str, ...]
    calls: Calls | None
    unordered: bool = False
    never: frozenset[str] = frozenset()
    status: str = ""
    asks: bool = False
    refuses: bool = False
    answer: tuple[str, ...] = ()
    why: str = ""

    @property
    def language(self) -> str:
        """`zh` when the last message has a Chinese character, else `en`."""
        return "zh" if re.search(r"[\u3400-\u9fff]", self.said[-1]) else "en"


@dataclass(frozen=True)
class Made:
    """What the judged turn did."""

    calls: Calls
    status: str
    answer: str
    rounds: int
    usage: Mapping[str, Any] = field(default_factory=dict)
    """The turn's."""
    changing: frozenset[str] = field(default_factory=frozenset)
    """Tools of the desk that are not reads."""


@dataclass(frozen=True)
class Verdict:
    """How a turn compares with its case. None where the case asks for nothing of the kind."""

    tools: bool
    arguments: bool | None
    rounds: int
    too_many: bool
    asked: bool | None
    refused: bool | None
    status: bool | None
    answer: bool | None
    wrong: Calls
    """Drafts and writes that the case does not want, or wants with another value."""

    @property
    def both(self) -> bool:
        """The right tools with the right arguments."""
        return self.tools and self.arguments is not False

    @property
    def right(self) -> bool:
        """All that the case asks for."""
        return not self.wrong and False not in (self.both, self.asked, self.refused, self.status, self.answer)


def read(paths: Sequence[Path]) -> list[Case]:
    """The cases of these files. Raises `UsageError` for a file that is not there, `ConfigError` for a bad line."""
    cases: list[Case] = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
            raise UsageError(f"The cases {path} cannot be read: {why}.") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    cases.append(_case(json.loads(line)))
                except (ValueError, KeyError, TypeError) as error:
                    what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
                    raise ConfigError(f"{path}, line {number} is no case: {what}.") from None
    twice = sorted({c.id for c in cases if sum(c.id == o.id for o in cases) > 1})
    if twice:
        raise ConfigError(f"The case {twice[0]} is there twice: every id is used once.")
    return cases


def _case(row: Any) -> Case:
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    expect, said = row["expect"], row["said"]
    if row["desk"] not in DESKS:
        raise ValueError(f"desk is {row['desk']!r}, which is none of {', '.join(DESKS)}")
    if not isinstance(said, list) or not said or not all(isinstance(s, str) and s.strip() for s in said):
        raise ValueError("said is no list of messages")
    if not isinstance(expect, dict) or not set(expect) <= _EXPECTED:
        raise ValueError(f"expect takes {', '.join(sorted(_EXPECTED))}")
    calls = [(name, args) for name, args in expect["calls"] or ()] if "calls" in expect else None
    if not all(isinstance(n, str) and isinstance(a, dict) for n, a in calls or ()):
        raise ValueError("calls is no list of [tool, {arguments}]")
    answer = expect.get("answer") or ()
    return Case(
        id=str(row["id"]),
        desk=row["desk"],
        said=tuple(said),
        calls=calls,
        unordered=bool(expect.get("unordered")),
        never=frozenset(map(str, expect.get("never") or ())),
        status=str(expect.get("status") or ""),
        asks=bool(expect.get("asks")),
        refuses=bool(expect.get("refuses")),
        answer=(answer,) if isinstance(answer, str) else tuple(map(str, answer)),
        why=str(row.get("why") or ""),
    )


def judge(case: Case, made: Made) -> Verdict:
    """Compare a turn with its case."""
    labels = case.calls or ()
    found, wanted = [n for n, _ in made.calls], [n for n, _ in labels]
    tools = sorted(found) == sorted(wanted) if case.unordered else found == wanted
    # Independent calls fit into one round, and changes may have to wait for what reads say; an order needs one each.
    stages = len({n in made.changing for n in wanted})
    enough = stages if case.unordered else len(labels)
    changes = [(n, a) for n, a in made.calls if n in made.changing]
    if case.calls is None:
        changes = [c for c in changes if c[0] in case.never]
    return Verdict(
        tools=not case.never & set(found) and (case.calls is None or tools),
        arguments=_paired(made.calls, labels, in_order=not case.unordered) if labels else None,
        rounds=made.rounds,
        too_many=case.calls is not None and made.rounds > enough,
        asked=bool(_ASKING.search(made.answer)) if case.asks else None,
        refused=bool(_REFUSING.search(made.answer)) if case.refuses else None,
        status=made.status == case.status if case.status else None,
        answer=all(plain(a) in plain(made.answer) for a in case.answer) if case.answer else None,
        wrong=[c for c in changes if not any(_allowed(c, w) for w in labels)],
    )


def _paired(found: Calls, wanted: Calls, *, in_order: bool) -> bool:
    """Whether each call has its label, and each label its call."""
    if len(found) != len(wanted):
        return False
    if in_order:
        return all(_agrees(c, w) for c, w in zip(found, wanted, strict=True))
    left = list(found)
    for want in wanted:
        hit = next((c for c in left if _agrees(c, want)), None)
        if hit is None:
            return False
        left.remove(hit)
    return True


def _agrees(call: tuple[str, Mapping[str, Any]], want: tuple[str, Mapping[str, Any]]) -> bool:
    (name, args), (wanted_name, wanted) = call, want
    return (
        name == wanted_name
        and set(args) - set(wanted) <= NOTES
        and all(same(args.get(k), v) for k, v in wanted.items())
    )


def _allowed(call: tuple[str, Mapping[str, Any]], want: tuple[str, Mapping[str, Any]]) -> bool:
    """Whether a change is the wanted one. Free words may differ: an approver reads them; all else may not."""
    (name, args), (wanted_name, wanted) = call, want
    exact = {k: v for k, v in wanted.items() if not (isinstance(v, dict) and "has" in v)}
    return name == wanted_name and all(same(args.get(k), v) for k, v in exact.items())


def same(found: Any, wanted: Any) -> bool:
    """Whether a value is the labelled one."""
    if isinstance(wanted, dict) and set(wanted) <= {"any", "equals"}:
        sums = isinstance(found, str) and "equals" in wanted and _value(found)
        return any(same(found, o) for o in wanted.get("any", ())) or bool(sums and float(sums) == wanted["equals"])
    if isinstance(wanted, dict) and set(wanted) == {"has"}:
        words = [wanted["has"]] if isinstance(wanted["has"], str) else wanted["has"]
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        return found is not None and all(plain(w) in plain(text) for w in words)
    if isinstance(wanted, str) and isinstance(found, str):
        return plain(found) == plain(wanted) or ((value := _value(wanted)) is not None and value == _value(found))
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(same(f, w) for f, w in zip(found, wanted, strict=True))
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def plain(text: str) -> str:
    """Text as it is compared: points and hyphens count between digits only."""
    folded = re.sub(r"\s|_|(?<=\d),(?=\d{3})", "", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"(?<!\d)[.-]|[.-](?!\d)|[^\w+*/%<>=^.-]", "", folded)


def _value(text: str) -> str | None:
    """What an arithmetic expression comes to, None for any other text: two that come to the same are the same."""
    if not re.search(r"[-+*/%)]", text):
        return None
    try:
        return evaluate(text).text
    except SignoffError:
        return None
