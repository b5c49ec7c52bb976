"""The text of a page as a reader sees it: no scripts, no styles, nothing that is hidden."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from signoff.text import terminal_safe, tokens

PASSAGES = 5
PASSAGE_CHARS = 600
_SEARCHED = 400_000
"""Characters of a text in which passages are looked for."""
_ELEMENTS = 150_000
"""Elements of a page that are read: a page of nothing else must not take minutes."""

# Python's names of the encodings that pages are written in; the others are no text encodings, or costly to decode.
_ENCODINGS = re.compile(
    r"utf-8|utf-16(?:-[lb]e)?|ascii|gb18030|gbk|gb2312|hz|big5(?:hkscs)?|shift_jis|cp932|euc_jp|iso2022_jp"
    r"|euc_kr|cp949|koi8-[ru]|cp125\d|cp874|cp866|iso8859-\d{1,2}|mac-\w+|tis-620"
)
# The supersets that browsers read these labels as (WHATWG, Encoding).
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252", "ascii": "cp1252", "shift_jis": "cp932",
    "big5": "big5hkscs", "euc_kr": "cp949",
}  # fmt: skip
_META = re.compile(
    rb"<(?:meta[^>]{0,300}?charset|\?xml[^>]{0,200}?encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE
)
_UNSEEN = frozenset(
    "script style template noscript iframe object embed applet svg canvas audio video map head nav select datalist "
    "textarea dialog".split()
)
_BLOCK = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr html legend li main ol p pre section summary table tbody tfoot thead tr ul".split()
)
_HIDDEN_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0*)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0*(?:\.0*)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{4,}"
    r"|content-visibility\s*:\s*hidden)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Text:
    """What a page says."""

    title: str
    text: str
    """Paragraphs one a line, headings marked with #, list entries with -, cells of a table parted by |."""


def extract(content: bytes, content_type: str, charset: str | None = None) -> Text:
    """The text of a page of any of the types that are read; damaged content gives what can be read of it."""
    decoded = decode(content, charset)
    hypertext = content_type in ("text/html", "application/xhtml+xml") or (
        not content_type
        and re.match(r"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b", decoded, re.I | re.S)
    )
    if hypertext:
        return _hypertext(decoded)
    return Text("", terminal_safe(decoded.replace("\r\n", "\n").replace("\r", "\n")).strip())


def decode(content: bytes, charset: str | None = None) -> str:
    """Bytes as text: by their byte order mark, the server's word, the page's own, or what they can be read as."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace")
    declared = _META.search(content[:2048])
    for label in (charset, declared[1].decode("ascii") if declared else None):
        if label and (encoding := _encoding(label)):
            return content.decode(encoding, errors="replace")
    for name in ("utf-8", "gb18030"):
        try:
            # The last character may be cut in half.
            return codecs.getincrementaldecoder(name)().decode(content, final=False)
        except UnicodeDecodeError:
            continue
    return content.decode("cp1252", errors="replace")


def passages(text: str, query: str) -> list[str]:
    """The paragraphs that hold most of the query's words, at most 5, in the order of the page."""
    wanted = set(tokens(query))
    scored: list[tuple[int, int, str]] = []
    for at, line in enumerate(text[:_SEARCHED].splitlines()):
        hits = len(wanted & set(tokens(line[: 20 * PASSAGE_CHARS])))
        if hits:
            scored.append((-hits, at, line))
    best = sorted(scored)[:PASSAGES]
    return [_round(line, wanted) for _, _, line in sorted(best, key=lambda s: s[1])]


def _round(line: str, wanted: set[str]) -> str:
    """At most 600 characters of a line, round the first word that is wanted."""
    if len(line) <= PASSAGE_CHARS:
        return line
    step = PASSAGE_CHARS // 3
    starts = range(0, min(len(line), 20 * PASSAGE_CHARS), step)
    start = next((s for s in starts if wanted & set(tokens(line[s : s + step]))), 0)
    start = max(0, start - step)
    cut = line[start : start + PASSAGE_CHARS]
    return f"{'…' if start else ''}{cut}{'…' if start + PASSAGE_CHARS < len(line) else ''}"


def _encoding(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    return _WIDER.get(name, name) if _ENCODINGS.fullmatch(name) else None


def _hypertext(html: str) -> Text:
    from lxml import etree  # type: ignore[import-untyped]

    reader = _Reader()
    # As events, not as a tree: time and memory grow with the page, however deep it is nested.
    parser = etree.HTMLParser(target=reader, encoding="utf-8")
    with suppress(_Enough):
        parser.feed(html.encode("utf-8", errors="replace").replace(b"\0", b""))
        parser.close()
    return Text(reader.title, reader.text)


class _Enough(Exception):
    """So much was read that the rest is left out."""


class _Reader:
    """Collects what is seen of a page, event by event."""

    def __init__(self) -> None:
        self._hidden: list[bool] = []
        self._open: list[str] = []
        self._titled = False
        self._title: list[str] = []
        self._said: list[str] = []
        self._pre = 0
        self._elements = 0

    @property
    def title(self) -> str:
        return terminal_safe(" ".join("".join(self._title).split()))[:300]

    @property
    def text(self) -> str:
        lines = terminal_safe("".join(self._said)).split("\n")
        kept = (line.rstrip() if line.startswith("    ") else " ".join(line.split()).strip("| ") for line in lines)
        return "\n".join(line for line in kept if line.strip(" #-|"))

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        if self._elements > _ELEMENTS:
            raise _Enough
        hidden = bool(self._hidden and self._hidden[-1]) or tag in _UNSEEN or _is_hidden(attributes)
        # The title stands in the head, which is not seen itself.
        self._hidden.append(hidden)
        self._open.append(tag)
        if hidden:
            return
        if tag in _BLOCK or tag == "br":
            self._said.append("\n")
        if tag in ("td", "th"):
            self._said.append(" | ")
        elif tag == "li":
            self._said.append("- ")
        elif tag == "pre":
            self._pre += 1
        elif len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._said.append("#" * int(tag[1]) + " ")

    def end(self, tag: str) -> None:
        if not self._open:
            return
        self._open.pop()
        hidden = self._hidden.pop()
        if tag == "title" and self._title:
            self._titled = True
        if hidden:
            return
        if tag == "pre":
            self._pre = max(0, self._pre - 1)
        if tag in _BLOCK:
            self._said.append("\n")

    def data(self, text: str) -> None:
        if self._open and self._open[-1] == "title" and not self._titled and "svg" not in self._open[-3:]:
            self._title.append(text)
        elif self._hidden and self._hidden[-1]:
            return
        elif self._pre:
            self._said.append(text.replace("\n", "\n    "))
        else:
            self._said.append(re.sub(r"\s+", " ", text))

    def comment(self, text: str) -> None:
        """Not seen."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Not seen."""

    def close(self) -> None:
        """Nothing is left open."""


def _is_hidden(attributes: Mapping[str, str]) -> bool:
    if not attributes:
        return False
    return "hidden" in attributes or bool(_HIDDEN_STYLE.search(attributes.get("style") or ""))
