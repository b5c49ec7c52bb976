"""What a model is shown of a result: the fields and rows that its tool declares, then what fits; the whole is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signoff.tools.contract import View
from signoff.tools.results import Kept, ref_of, trim

_DEPTH = 32
"""Levels below which a result is shown as it is."""


@dataclass(frozen=True)
class Shown:
    """A result as the model sees it."""

    data: Any
    kept: Kept | None = None
    """The whole, when less than that is shown."""
    ratio: float = 1.0
    """Characters shown of all, 0 to 1."""
    note: str = ""
    """What was left out and how to read it, as in the data; empty when nothing was."""


def only(data: Any, allow: frozenset[str]) -> Any:
    """A JSON-ready result without what is under keys that are not allowed, at every level."""
    if isinstance(data, dict):
        return {k: only(v, allow) for k, v in data.items() if k in allow}
    return [only(v, allow) for v in data] if isinstance(data, list) else data


def shown(data: Any, view: View | None, limit_chars: int, *, language: str = "en") -> Shown:
    """Reduce a JSON-ready result by its tool's view, then trim what is longer than `limit_chars` characters.

    A record is an object with any of the view's fields; it is reduced to them, in their order. An object round a
    list of records keeps its own keys. A list longer than `rows` is cut to its first ones, and `total` and `shown`
    stand beside it; a result that is a list itself becomes `items`. `note` and `ref` say how to read the rest. A
    name that the result has already gets the list's name, or `view`, before it, such as `orders_total`.

    Without a view this is `results.trim`. The data given is never changed.
    """
    limit = view.chars if view is not None and view.chars > 0 else limit_chars
    if view is None or not (view.fields or view.rows > 0) or not isinstance(data, dict | list):
        return _trimmed(data, limit)
    text = _text(data)
    cut = _Cut(view)
    reduced = cut.reduce(data)
    size = len(_text(reduced))
    if cut.rows == 0 and not cut.fields:
        return _trimmed(data, limit)
    kept = Kept(ref_of(text), text)
    ratio = round(min(1.0, size / max(1, len(text))), 4)
    note = _note(cut, kept.ref, language)
    holder = reduced if isinstance(reduced, dict) else {"items": reduced}
    if isinstance(data, list) and len(reduced) < len(data):
        holder |= {"total": len(data), "shown": len(reduced)}
    _put(holder, "view", {"note": note, "ref": kept.ref})
    if len(_text(holder)) <= limit:
        return Shown(holder, kept, ratio, note)
    return _middle_out(holder, kept, limit, language)


def _trimmed(data: Any, limit: int) -> Shown:
    less, kept = trim(data, limit)
    if kept is None:
        return Shown(data)
    return Shown(less, kept, round(less["shown"] / less["total"], 4), less["note"])


def _middle_out(holder: dict[str, Any], kept: Kept, limit: int, language: str) -> Shown:
    """Key fields and first rows that are still too long. Offsets into them are none into the whole."""
    part = _text(holder)
    half = max(1, (limit - 400) // 2)
    note = (
        f"只显示了主要字段，并截去了中间部分。完整结果：read_result(ref={kept.ref!r}, offset=0)，或用 query 查找。"
        if language == "zh"
        else f"Reduced to key fields and trimmed from the middle. The whole: read_result(ref={kept.ref!r}, offset=0) "
        "or its query."
    )
    less = {
        "head": part[:half],
        "tail": part[-half:],
        "total": len(kept.content),
        "shown": 2 * half,
        "note": note,
        "ref": kept.ref,
    }
    return Shown(less, kept, round(min(1.0, 2 * half / max(1, len(kept.content))), 4), note)


def _note(cut: _Cut, ref: str, language: str) -> str:
    if language == "zh":
        what = "、".join(
            ([f"列表只显示前 {cut.most} 条"] if cut.rows else []) + (["记录只显示主要字段"] if cut.fields else [])
        )
        return f"{what}。完整结果：read_result(ref={ref!r}, offset=0)，或用 query 查找。"
    what = " and ".join(
        ([f"the first {cut.most} entries of a list"] if cut.rows else [])
        + (["the key fields of records"] if cut.fields else [])
    )
    return f"Only {what} are shown. The whole: read_result(ref={ref!r}, offset=0) or its query."


def _text(data: Any) -> str:
    # As `trim` writes it, so that one result has one ref.
    return json.dumps(data, ensure_ascii=False, indent=1)


def _put(holder: dict[str, Any], prefix: str, values: dict[str, Any]) -> None:
    """Add values under their names; all get the prefix when one of the names is taken."""
    taken = any(name in holder for name in values)
    while taken and any(f"{prefix}_{name}" in holder for name in values):
        prefix += "_"
    holder |= {f"{prefix}_{name}" if taken else name: value for name, value in values.items()}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class _Cut:
    """Reduces a copy, and notes what it left out."""

    def __init__(self, view: View) -> None:
        self._names = view.fields
        self._set = frozenset(view.fields)
        self.most = max(0, view.rows)
        self.rows = 0
        """Entries left out of lists."""
        self.fields = False
        """Whether a record had more than its shown fields."""

    def reduce(self, node: Any, depth: int = 0, *, whole: bool = False) -> Any:
        """A reduced copy; a list that is `whole` is not cut again."""
        if depth > _DEPTH:
            return node
        if isinstance(node, list):
            items = node if whole else self._first(node)
            return [self.reduce(item, depth + 1) for item in items]
        if not isinstance(node, dict):
            return node
        names: Sequence[str] = list(node)
        if self._is_record(node):
            names = [n for n in self._names if n in node]
            self.fields = self.fields or len(names) < len(node)
        out: dict[str, Any] = {}
        cut: dict[str, int] = {}
        for name in names:
            value = node[name]
            first = self._first(value) if isinstance(value, list) else value
            if first is not value:
                cut[name] = len(value)
            out[name] = self.reduce(first, depth + 1, whole=True)
        for name, total in cut.items():
            # A tool that pages by itself has told already how many there are in all.
            if _is_count(out.get("total")) and out["total"] >= total and _is_count(out.get("shown")):
                out["shown"] = min(out["shown"], self.most)
            else:
                _put(out, name, {"total": total, "shown": self.most})
        return out

    def _first(self, items: list[Any]) -> list[Any]:
        if not 0 < self.most < len(items):
            return items
        self.rows += len(items) - self.most
        return items[: self.most]

    def _is_record(self, node: dict[str, Any]) -> bool:
        """Has any of the fields, and no list of records under a name that is none of them."""
        if self._set.isdisjoint(node):
            return False
        return not any(
            isinstance(item, dict) and not self._set.isdisjoint(item)
            for name, value in node.items()
            if name not in self._set and isinstance(value, list)
            for item in value
        )
