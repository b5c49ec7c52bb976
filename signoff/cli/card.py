"""The card an approver reads: one exact call, what it changes, and where every value in it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.box import ASCII, ROUNDED
from rich.cells import cell_len
from rich.console import Group
from rich.panel import Panel
from rich.text import Text

from signoff.cli.output import NARROWEST, WIDEST, exact, fit, moment, visible
from signoff.cli.words import say
from signoff.cli.wrapping import wrap
from signoff.text import Language, language, shorten

if TYPE_CHECKING:
    from signoff.approvals import Approval, Origin

_FRAME = 4
_GAP = "  "
_LONG = 160
"""Characters of a value that is shown apart from its call."""
_ALARMING = ("untrusted", "nowhere")


def draw_card(
    approval: Approval, *, zone: str, width: int = 80, unicode: bool = True, now: datetime | None = None
) -> Panel:
    """The card as a Rich panel of `width` columns (60 to 120), in the language of its words.

    Every text in it may come from a model, a document or a person: it is shown as text, never as markup, and
    what a reader could not see is written as an escape.
    """
    width = max(NARROWEST, min(WIDEST, width))
    lang = language_of_card(approval)
    lines = _Lines(width - _FRAME, lang, unicode)
    card = approval.card
    lines.add(visible(card.title), style="bold")
    lines.gap()
    lines.changes(_brief(card.changes, [v for v in approval.args.values() if _long(v)]))
    warnings = [*card.warnings, *_hidden(approval, lang)]
    for warning in warnings:
        lines.add(visible(warning), style="bold red", head="⚠ " if unicode else "! ")
    if warnings:
        lines.gap()
    undo = say("reversible" if card.reversible else "irreversible", lang)
    lines.row(
        "undo", f"{undo}{'' if lang == 'zh' else ' '}{visible(card.why)}", style="" if card.reversible else "yellow"
    )
    lines.row("risk", say(approval.risk, lang), style="yellow" if approval.risk == "critical" else "")
    lines.row("who", told_rule(approval, lang))
    lines.row("expires", _expiry(approval, zone, lang, now or datetime.now(UTC)))
    lines.row("asked", approval.requester.name)
    if card.words:
        lines.row("words", f"“{visible(card.words)}”")
    called = ", ".join(f"{visible(n)}={_called(v, lang)}" for n, v in approval.args.items())
    lines.row("call", f"{approval.tool}({called})")
    lines.rows("from", [(_origin(o, lang), "bold red" if o.source in _ALARMING else "") for o in card.origins])
    lines.rows("evidence", [(visible(e), "") for e in card.evidence])
    lines.row("thread", approval.thread)
    if approval.edited_by:
        lines.row("edited", say("replaces", lang, by=approval.edited_by, old=approval.replaces))
    lines.texts({n: v for n, v in approval.args.items() if _long(v)})
    lines.rows("decided", [(_decision(d, zone, lang), "") for d in approval.decisions])
    heading = say("needed", lang) if approval.status == "pending" else say(approval.status, lang)
    alarming = bool(warnings) or any(o.source in _ALARMING for o in card.origins)
    return Panel(
        Group(*lines.drawn),
        title=Text(f"{heading} · {approval.id}" if unicode else f"{heading} - {approval.id}", style="bold"),
        title_align="left",
        width=width,
        border_style="red" if alarming else "yellow" if approval.status == "pending" else "dim",
        box=ROUNDED if unicode else ASCII,
    )


def language_of_card(approval: Approval) -> Language:
    """The language a card is written in: the requester's setting, or that of the question."""
    if approval.requester.locale in ("zh", "en"):
        return "zh" if approval.requester.locale == "zh" else "en"
    return language(approval.card.words or approval.card.title)


class _Lines:
    """Lines of the card, wrapped here so that Rich has nothing left to wrap."""

    def __init__(self, width: int, lang: Language, unicode: bool) -> None:
        self.drawn: list[Text] = []
        self._width, self._lang, self._unicode = width, lang, unicode
        labels = ("undo", "risk", "who", "expires", "asked", "words", "call", "from", "evidence", "thread", "edited")
        self._label_w = max(cell_len(say(key, lang)) for key in labels)

    def add(self, text: str, style: str = "", head: str = "") -> None:
        indent = " " * cell_len(head)
        for number, line in enumerate(wrap(text, self._width - len(indent))):
            self.drawn.append(Text.assemble((indent if number else head, "dim"), (line, style)))

    def gap(self) -> None:
        self.drawn.append(Text())

    def row(self, label: str, text: str, style: str = "") -> None:
        """A labelled text."""
        self.add(text, style, fit(say(label, self._lang), self._label_w) + _GAP)

    def rows(self, label: str, texts: Sequence[tuple[str, str]]) -> None:
        """A labelled list, one text a line."""
        for number, (text, style) in enumerate(texts):
            self.add(text, style, fit("" if number else say(label, self._lang), self._label_w) + _GAP)

    def texts(self, texts: Mapping[str, str]) -> None:
        """Long texts whole, below everything else, as they would be read."""
        for name, text in texts.items():
            self.gap()
            self.add(f"{visible(name)}:", "bold")
            for line in text.split("\n"):
                self.add(visible(line), head="│ " if self._unicode else "| ")

    def changes(self, changes: Sequence[Any]) -> None:
        """The fields that change, before and after; each cell is wrapped in its column."""
        if not changes:
            return
        nothing, arrow = ("—", "→") if self._unicode else ("-", ">")
        heads = [say(h, self._lang) for h in ("field", "before", "after")]
        rows = [[visible(nothing if c[k] is None else c[k]) for k in ("field", "before", "after")] for c in changes]
        widths = _columns([heads, *rows], self._width - 2 * len(_GAP) - cell_len(arrow) - 1)
        for number, row in enumerate([heads, *rows]):
            cells = [wrap(cell, w) for cell, w in zip(row, widths, strict=True)]
            for i in range(max(map(len, cells))):
                field, before, after = (fit(c[i] if i < len(c) else "", w) for c, w in zip(cells, widths, strict=True))
                between = f" {arrow} " if number and not i else "   "
                styles = ("dim", "dim", "dim") if not number else ("", "", "bold")
                self.drawn.append(
                    Text.assemble((field + _GAP, styles[0]), (before + between, styles[1]), (after.rstrip(), styles[2]))
                )
        self.gap()


def _columns(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of three columns in so much room: what is needed, or else fair shares of what there is."""
    needed = [max(cell_len(row[i]) for row in rows) for i in range(3)]
    field = min(needed[0], room // 4)
    left = room - field
    before = min(needed[1], max(left // 2, left - needed[2]))
    return [field, before, min(needed[2], left - before)]


def _brief(changes: Sequence[Any], texts: Sequence[str]) -> list[dict[str, Any]]:
    """The changes, with what is shown whole further down, and what was there before it, only begun."""
    shown = {t.strip() for t in texts}
    return [
        {**c, "before": c["before"] and shorten(c["before"], _LONG), "after": shorten(c["after"], _LONG)}
        if c["after"] is not None and c["after"].strip() in shown
        else c
        for c in changes
    ]


def _long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > _LONG


def _called(value: Any, lang: Language) -> str:
    return say("below", lang, n=len(value)) if _long(value) else exact(value)


def _hidden(approval: Approval, lang: Language) -> Iterator[str]:
    for name, value in approval.args.items():
        if exact(value) != json.dumps(value, ensure_ascii=False, default=str):
            yield say("hidden", lang, what=name)


def told_rule(approval: Approval, lang: Language) -> str:
    """Who may decide, in words."""
    rule = approval.rule
    roles = say("or", lang).join(sorted(rule.roles))
    if rule.count > 1:
        return say("several", lang, count=rule.count, roles=roles)
    return say("requester_or" if rule.by_requester else "others", lang, roles=roles)


def _expiry(approval: Approval, zone: str, lang: Language, now: datetime) -> str:
    left = approval.expires_at - now
    minutes = int(left.total_seconds() // 60)
    if minutes < 0 or approval.status == "expired":
        told = say("over", lang)
    else:
        told = say("left", lang, time=f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min")
    return f"{moment(approval.expires_at, zone)} ({zone}), {told}"


def _origin(origin: Origin, lang: Language) -> str:
    where = f" ({visible(origin.where)})" if origin.where else ""
    value = shorten(origin.value, _LONG // 2)
    return f"{visible(origin.argument)} = {visible(value)}: {say(origin.source, lang)}{where}"


def _decision(decision: Any, zone: str, lang: Language) -> str:
    why = f": “{visible(decision.reason)}”" if decision.reason else ""
    return f"{decision.by}, {say(decision.kind, lang)}, {moment(decision.at, zone)}{why}"
