"""What there is of a continuation in an answer, put together from its pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk

from signoff.models.continuation import BLOCKS, EXTRAS, FIELDS, MOST_CHARS, SIGNATURES, Source


class Gathered:
    """One answer's parts, as its pieces come in: how long its texts are, where its calls stand, and what is opaque."""

    def __init__(self, source: Source | None) -> None:
        self._source = source
        self._parts: list[dict[str, Any]] = []
        self._at: dict[int, dict[str, Any]] = {}
        self._fields: dict[str, Any] = {}

    def add(self, chunk: AIMessageChunk) -> None:
        """Take one piece in."""
        if self._source is None:
            return
        if self._source.kind == "openai":
            self._add_fields(chunk.additional_kwargs.get(FIELDS) or {})
        elif isinstance(chunk.content, str):
            self._add_text(chunk.content, None)
        else:
            for block in chunk.content:
                self._add_block({"type": "text", "text": block} if isinstance(block, str) else block)
        if self._source.kind == "google":
            for call in chunk.tool_call_chunks:
                self._add_call(str(call["id"] or ""), "signature", chunk.additional_kwargs.get(SIGNATURES) or {})
        for call_id, extra in (chunk.additional_kwargs.get(EXTRAS) or {}).items():
            self._add_call(call_id, "extra", {call_id: extra})

    def data(self, ids: Sequence[str]) -> dict[str, Any] | None:
        """All that is to be kept, with calls by their places among `ids`, the provider's; None when that is nothing."""
        if self._source is None:
            return None
        left = list(enumerate(ids))
        parts: list[dict[str, Any]] = []
        for part in self._parts:
            if "id" not in part:
                parts.append(part)
            elif (found := next((p for p in left if p[1] == part["id"]), None)) is not None:
                left.remove(found)
                parts.append({"call": found[0], **{k: v for k, v in part.items() if k != "id"}})
        if not self._fields and not any("block" in p or "signature" in p or "extra" in p for p in parts):
            return None
        made = {"provider": self._source.kind, "model": self._source.model, "endpoint": self._source.endpoint}
        return _plain({**made, "parts": parts, **({"fields": self._fields} if self._fields else {})})

    def _add_text(self, text: str, index: Any, **marks: Any) -> None:
        last = self._parts[-1] if self._parts else {}
        part = self._at.get(index) if isinstance(index, int) else last if set(last) == {"text"} and not marks else None
        if part is None or "text" not in part:
            if not text and not marks:
                return
            part = self._begun(index, {"text": 0})
        part["text"] += len(text)
        part.update(marks)

    def _add_block(self, block: Mapping[str, Any]) -> None:
        assert self._source is not None
        index, kind = block.get("index"), block.get("type")
        match kind:
            case "text":
                extras = block.get("extras")
                signature = extras.get("signature") if isinstance(extras, dict) else None
                marks = {"signature": signature} if signature and self._source.kind == "google" else {}
                if block.get("phase") and self._source.kind == "openai-responses":
                    marks = {"phase": block["phase"]}
                self._add_text(str(block.get("text") or ""), index, **marks)
            case "tool_use":
                self._begun(index, {"id": str(block.get("id") or "")})
            case "function_call" if block.get("call_id"):
                self._begun(index, {"id": str(block["call_id"])})
            case "thinking" if self._source.kind == "google" and not block.get("signature"):
                # Thoughts that are only told need not come back.
                pass
            case str() if kind in BLOCKS[self._source.kind]:
                part = self._at.get(index) if isinstance(index, int) else None
                if part is None or "block" not in part:
                    part = self._begun(index, {"block": {"type": kind}})
                _merge(part["block"], block)

    def _add_call(self, call_id: str, name: str, marks: Mapping[str, Any]) -> None:
        mark = marks.get(call_id)
        self._parts.append({"id": call_id, **({name: mark} if mark else {})})

    def _add_fields(self, given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            if isinstance(value, list):
                _merge_details(self._fields.setdefault(name, []), value)
            else:
                self._fields[name] = self._fields.get(name, "") + value

    def _begun(self, index: Any, part: dict[str, Any]) -> dict[str, Any]:
        self._parts.append(part)
        if isinstance(index, int):
            self._at[index] = part
        return part


def _merge(block: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """A further piece of a block that is opaque: texts grow, what comes whole replaces."""
    for name in ("thinking", "signature"):
        if isinstance(piece.get(name), str):
            block[name] = block.get(name, "") + piece[name]
    for name in ("data", "id", "encrypted_content"):
        if piece.get(name):
            block[name] = piece[name]
    if block["type"] == "reasoning":
        summary = block.setdefault("summary", [])
        for part in piece.get("summary") or ():
            at = part.get("index")
            while isinstance(at, int) and len(summary) <= at < 1_000:
                summary.append({"type": "summary_text", "text": ""})
            if isinstance(at, int) and at < len(summary):
                summary[at]["text"] += str(part.get("text") or "")
            else:
                summary.append({"type": "summary_text", "text": str(part.get("text") or "")})


def _merge_details(details: list[dict[str, Any]], pieces: Sequence[Any]) -> None:
    """Pieces of `reasoning_details`: those of one index and type are one detail."""
    for piece in (p for p in pieces if isinstance(p, dict)):
        same = (
            d
            for d in details
            if piece.get("index") is not None and all(d.get(k) == piece.get(k) for k in ("index", "type"))
        )
        detail = next(same, None)
        if detail is None:
            details.append(dict(piece))
            continue
        for name, value in piece.items():
            grows = name in ("text", "summary") and isinstance(value, str)
            detail[name] = (detail.get(name) or "") + value if grows else detail.get(name) if value is None else value


def _plain(data: dict[str, Any]) -> dict[str, Any] | None:
    """As JSON gives it back; None where it is none, or too much to keep."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):
        return None
    made: dict[str, Any] = json.loads(text)
    return made if len(text) <= MOST_CHARS else None
