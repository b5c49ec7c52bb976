"""A Markdown note as items: each list entry, paragraph and table row, with its line, headings and week."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml  # type: ignore[import-untyped]
from markdown_it import MarkdownIt
from markdown_it.token import Token

from signoff.text import terminal_safe
from signoff.tools.weeks import Week, absolute_week

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_MARKDOWN.core.ruler.enableOnly(["normalize", "block"])
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_NEXT = r"下\s*一?\s*个?\s*(?:周|星期|礼拜)|next week|coming week|following week|week ahead"
_PLAN_HEADING = re.compile(rf"{_NEXT}|next steps?|up next|接下来|后续", re.IGNORECASE)
_PLAN_ITEM = re.compile(rf"^\W*(?:\[[ x]\]\s*)?(?:for |in )?(?:the )?(?:{_NEXT})", re.IGNORECASE)
# What reads like an order to an assistant. It only labels a line: what may be done is decided elsewhere.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:above|previous|prior|earlier|instructions?|rules?|"
    r"prompts?)\b|\bsystem prompt\b|\bover-?writ(?:e|ing)\b.{0,40}\b(?:readme|file|report|budget|issues)|"
    r"\byou (?:are now|must now)\b|\b(?:do not|don't|without) (?:ask|tell)(?:ing)?\b.{0,40}\b(?:approv|user|person)|"
    r"(?:忽略|无视|忘记|忘掉|不要理会).{0,12}(?:以上|上面|之前|前面|先前|指令|要求|规则|提示)|系统提示词?|"
    r"(?:覆盖|改写|删除|清空|重写).{0,12}(?:readme|文件|周报|预算表|仓库)|(?:跳过|绕过|无需|不用).{0,6}(?:审批|批准|确认)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Item:
    """One thing that a note says."""

    file: str
    line: int
    """From 1, as an editor counts."""
    section: str
    """The headings it stands under, outermost first, the note's own title left out."""
    text: str
    week: Week | None
    """The week that its note or its heading names."""
    plan: bool
    """Whether it is planned for the week after."""
    order: bool
    """Whether it reads like an order to an assistant."""


@dataclass(frozen=True)
class _Heading:
    level: int
    text: str
    week: Week | None
    plan: bool


def items(file: str, text: str, today: date) -> Iterator[Item]:
    """The items of a note. A heading's week or day goes before the front matter's, that before the file name's."""
    front, body = _front_matter(text)
    named = _front_week(front, today) or absolute_week(file.rpartition("/")[2], today)
    open_: list[_Heading] = []
    for line, level, words in _lines(body):
        if level:
            open_ = [h for h in open_ if h.level < level]
            above = open_[-1] if open_ else _Heading(0, "", named, False)
            # A file's title that repeats a day of its week says nothing new.
            week = absolute_week(words, today) or above.week
            plan = above.plan or bool(_PLAN_HEADING.search(words))
            open_.append(_Heading(level, words, above.week if plan and above.week else week, plan))
            continue
        here = open_[-1] if open_ else _Heading(0, "", named, False)
        yield Item(
            file,
            line,
            " / ".join(h.text for h in open_ if h.level > 1),
            words,
            here.week,
            here.plan or bool(_PLAN_ITEM.match(words)),
            bool(_ORDER.search(words)),
        )


def _lines(body: str) -> Iterator[tuple[int, int, str]]:
    """Line, heading level (0 for an item) and words, in order. Code and comments are left out."""
    level = 0
    row: list[str] | None = None
    at = 1
    head = False
    for token in _MARKDOWN.parse(terminal_safe(body)):
        match token.type:
            case "heading_open":
                level = int(token.tag[1])
            case "heading_close":
                level = 0
            case "thead_open" | "thead_close":
                head = token.type == "thead_open"
            case "tr_open":
                row, at = [], _line(token, at)
            case "tr_close":
                words = " | ".join(c for c in row or () if c)
                if words and not head:
                    yield at, 0, words
                row = None
            case "inline":
                words = " ".join(token.content.replace("**", "").replace("`", "").split())
                if row is not None:
                    row.append(words)
                elif words:
                    yield _line(token, at), level, words


def _line(token: Token, before: int) -> int:
    return token.map[0] + 1 if token.map else before


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The front matter, and the text with its lines blanked, so that lines keep their numbers."""
    match = _FRONT.match(text)
    if match is None:
        return {}, text
    try:
        front = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError):
        front = None
    return front if isinstance(front, dict) else {}, "\n" * match[0].count("\n") + text[match.end() :]


def _front_week(front: dict[str, Any], today: date) -> Week | None:
    for key in ("week", "date", "day", "周", "周次", "日期"):
        if key in front and (week := absolute_week(_words(key, front[key]), today)):
            return week
    return None


def _words(key: str, value: Any) -> str:
    return f"W{value}" if isinstance(value, int) and key in ("week", "周", "周次") else str(value)
