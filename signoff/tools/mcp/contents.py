"""What a server answered, as JSON for a model: text as it is, everything binary as a short description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from signoff.text import shorten, terminal_safe

TEXT_CHARS = 2_000_000
"""Characters of one answer that are kept; a longer one is cut and says so."""

_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,\s]{0,100};base64,[A-Za-z0-9+/=_\s-]{64,}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{1024,}={0,2}")


def contents(blocks: Iterable[Any], structured: Any = None) -> dict[str, Any]:
    """`{"text", "structured", "attachments"}`, each only where there is something.

    Text that only repeats the structured content is left out.
    """
    texts: list[str] = []
    attachments: list[dict[str, Any]] = []
    for block in blocks:
        match block.type:
            case "text":
                texts.append(block.text)
            case "image" | "audio":
                attachments.append({"type": block.type, "media_type": block.mime_type, "bytes": _bytes(block.data)})
            case "resource_link":
                attachments.append({
                    "type": "resource_link",
                    "uri": block.uri,
                    "name": block.name,
                    **({"description": block.description} if block.description else {}),
                })  # fmt: skip
            case "resource":
                attachments.append(_resource(block.resource))
            case _:
                attachments.append({"type": str(block.type)})
    if structured is not None:
        texts = [t for t in texts if not _repeats(t, structured)]
    data: dict[str, Any] = {}
    if texts:
        data["text"] = _bounded("\n".join(map(_text, texts)))
    if structured is not None:
        data["structured"] = _without_blobs(structured)
    if attachments:
        data["attachments"] = attachments
    return data or {"text": ""}


def rendered(data: Any, language: str) -> str:
    """An answer in words, for people and weak models."""
    if not isinstance(data, Mapping):
        return str(data)
    parts = [str(data["text"])] if data.get("text") else []
    if "structured" in data:
        parts.append(json.dumps(data["structured"], ensure_ascii=False))
    for a in data.get("attachments", ()):
        about = ", ".join(f"{k} {v}" for k, v in a.items() if k not in ("type", "text"))
        parts.append(f"[{a['type']}: {about}]" if about else f"[{a['type']}]")
        if a.get("text"):
            parts.append(a["text"])
    return "\n".join(parts) or ("（空）" if language == "zh" else "(empty)")


def _resource(resource: Any) -> dict[str, Any]:
    about = {"type": "resource", "uri": resource.uri}
    if resource.mime_type:
        about["media_type"] = resource.mime_type
    text = getattr(resource, "text", None)
    if text is not None:
        return {**about, "text": _bounded(_text(text))}
    return {**about, "bytes": _bytes(resource.blob)}


def _bytes(data: str) -> int:
    return len(data.rstrip("=")) * 3 // 4


def _repeats(text: str, structured: Any) -> bool:
    try:
        return bool(json.loads(text) == structured)
    except (ValueError, RecursionError):
        return False


def _text(text: str) -> str:
    def described(match: re.Match[str]) -> str:
        kind = match[1] or "data" if match.re is _DATA_URI else "base64"
        return f"[{kind}, {len(match[0]) * 3 // 4} bytes left out]"

    return terminal_safe(_BASE64.sub(described, _DATA_URI.sub(described, text)))


def _bounded(text: str) -> str:
    if len(text) <= TEXT_CHARS:
        return text
    return f"{text[:TEXT_CHARS]}\n[cut: {len(text)} characters]"


def _without_blobs(value: Any) -> Any:
    if isinstance(value, str):
        return _bounded(_text(value))
    if isinstance(value, Mapping):
        return {shorten(str(k), 500): _without_blobs(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_blobs(v) for v in value]
    return value
