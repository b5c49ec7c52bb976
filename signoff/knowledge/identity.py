"""Ids of documents and passages: derived from the content, so that citations survive indexing anew."""

from __future__ import annotations

import hashlib
import re


def document_id(tenant: str, key: str, version: str) -> str:
    """Stable over machines and over re-indexing."""
    slug = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:40]
    return "-".join(filter(None, (slug, _short(tenant, key, rank(version)))))


def passage_id(document: str, place: str, text: str, copy: int) -> str:
    """Of the n-th passage (`copy`, from 1) of a document with this place and text."""
    return f"{document}.{_short(document, place, text, str(copy))}"


def rank(version: str) -> str:
    """A version as text that sorts as people count: 1.9 before 1.10, 2 before 10, 2026-01 before 2026-10."""
    return ".".join(p.zfill(12) if p.isdigit() else p for p in re.findall(r"\d+|[a-z]+", version.lower())) or version


def _short(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:12]
