"""The tool that searches the company's documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.knowledge import Knowledge, Passage
from signoff.text import shorten
from signoff.tools.catalog.wording import chosen, paragraphs
from signoff.tools.contract import Example, View
from signoff.tools.decorator import tool

_RENDERED_CHARS = 400
_PASSAGE_CHARS = 1_500
"""Characters of a passage in a result, from the part that was found on."""


def _part(passage: Passage) -> str:
    """A passage, or of a long one as much round the part that was found."""
    text, (start, end) = passage.text, passage.match
    if len(text) <= _PASSAGE_CHARS:
        return text
    first = max(0, min(start, end - _PASSAGE_CHARS if end > start + _PASSAGE_CHARS else start))
    first = min(first, len(text) - _PASSAGE_CHARS)
    last = first + _PASSAGE_CHARS
    return ("…" if first else "") + text[first:last].strip() + ("…" if last < len(text) else "")


def _render(data: Any, lang: str) -> str:
    if not data["passages"]:
        return chosen(
            lang,
            f"Nothing was found in the documents for “{data['query']}”.",
            f"文档中没有找到与「{data['query']}」有关的内容。",
        )
    missing = ", ".join(data.get("missing", ()))
    return paragraphs(
        [
            f"[{p['n']}] {shorten(p['text'], _RENDERED_CHARS)} "
            + chosen(lang, f"(Source: {_place(p, lang)})", f"(来源:{_place(p, lang)})")
            for p in data["passages"]
        ]
        + ([chosen(lang, f"No document speaks of: {missing}.", f"没有文档提到：{missing}。")] if missing else [])
    )


def _place(passage: dict[str, Any], lang: str) -> str:
    title, place, version = passage["title"], passage["place"], passage["version"]
    where = place if place.startswith(title) else ", ".join(p for p in (title, place) if p)
    if passage.get("page"):
        where += chosen(lang, f", p. {passage['page']}", f",第 {passage['page']} 页")
    return where + chosen(lang, f", version {version}", f",第 {version} 版") if version else where


@tool(
    injects=("caller", "knowledge"),
    # Never kept behind a ref, which would outlast the right to read it.
    view=View(chars=8 * _PASSAGE_CHARS * 4),
    render=_render,
    examples=(
        Example("退货政策是什么?", {"query": "退货政策"}),
        Example("What is the return policy for damaged goods?", {"query": "return policy damaged goods"}),
        Example("看看报销标准和差旅住宿标准", {"query": "报销标准 差旅住宿标准"}),
        Example("年假有几天", {"query": "年假 天数"}),
        Example("How do I apply for VPN access?", {"query": "apply for VPN access"}),
        Example("How long is the warranty and what does it cover?", {"query": "warranty period and cover"}),
    ),
)
def search_knowledge(
    query: Annotated[str, Field(min_length=1, max_length=300)],
    caller: Caller,
    knowledge: Knowledge,
    limit: Annotated[int, Field(ge=1, le=8)] = 4,
) -> dict[str, Any]:
    """Searches the company's policies, handbooks and FAQs, and returns numbered passages to cite; only what the
    person asking may read. Not for a person's own orders, parcels, refunds or tickets: those are in the records,
    not in documents.

    Args:
        query: What to look for, in the words that a document would use; one topic.
        limit: How many passages to return at most.
    """
    judged = knowledge.find(caller, query, limit=limit)
    found = judged.passages
    return {
        "query": query,
        "passages": [
            {
                "n": n,
                "id": p.id,
                "title": p.title,
                "place": p.place,
                "source": p.source,
                "version": p.version,
                "page": p.page,
                "trusted": p.trusted,
                "language": p.language,
                "text": _part(p),
            }
            for n, p in enumerate(found, 1)
        ],
        "found": len(found),
        "missing": list(judged.sufficiency.missing) if found else [],
        "untrusted": any(not p.trusted for p in found),
    }
