"""What a model repeats of what it was given to read, or says that somebody else wrote: quotations, and no acts.

A call that stands word for word in a document, a tool's result or a person's message is theirs, wherever the model
writes it; so is what a line such as `The ticket reads:` leads up to.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from html import unescape

from signoff.models.repair.reading import Draft

WHY = "it stands word for word in what was read: write the call in your own form if it is meant"

_INVISIBLE = r"\u00ad\u200b-\u200f\u2060\ufeff"
_ESCAPE = re.compile(r"\\+(?:u(?P<code>[0-9a-fA-F]{4})|[nrt])?")
_MARKS = "\"'“”‘’‚„「」『』«»`*"
_DROPPED = re.compile(rf"[\s{_INVISIBLE}{_MARKS}]+|,(?=[\s{_INVISIBLE}{_MARKS}]*+[}}\])])")
_ANGLES = str.maketrans("‹›", "<>")
_SHORTEST = 3
"""Characters of a call that is looked for."""

_CLAUSE = re.compile(r"[^\n.。!！?？;；]*\Z")
_TAIL = 200
_REPORTED = re.compile(
    r"\b(?:says?|said|saying|reads?|reading|wrote|writes|writing|written|states?|stated|stating|contains?|containing"
    r"|quotes?|quoted|quoting|claims?|claimed|replied|pasted|typed|posted|shows?|shown|showed)"
    r"(?:\s+[^\s,，;；:：]{1,40}){0,3}\s*[:：]\s*\Z"
    r"|(?:写道|写着|写到|写了|写的是|写有|说道|说过?|表示|声称|回复|提到|指出|注明|显示|包含|含有|记载|载明|贴了|贴出)"
    r"(?:了|着|是|为|的|一[句段行]|这样|这[句段行]|如下|以下|内容|文字|的话|话){0,4}\s*[:：]\s*\Z",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"\b(?:texts?|contents?|body|wording|words|quote|quotation|excerpt|transcript|original)"
    r"(?:\s+(?:of|from|in|by|on|is|are)\b[^:：]{0,60})?\s*[:：]\s*\Z"
    r"|(?:内容|原文|原话|正文|全文|摘录|引文|留言|备注)(?:是|为|如下|里|中){0,2}\s*[:：]\s*\Z",
    re.IGNORECASE,
)
_ACTING = re.compile(
    r"\b(?:i|i['’](?:ll|m|d|ve)|we|we['’](?:ll|re)|let|now|next|first|then|going|will|need|must|tool|call)\b"
    r"|\A\W*\w+ing\b|我|让|现在|接下来|首先|先|然后|正在|将|需要|为您|帮您|查询|查看|查找|获取|读取|搜索|检索|调用|更新|修改"
    r"|创建|提交|工具",
    re.IGNORECASE,
)
"""Words of a clause about what the model itself is to do."""


class Quotations:
    """The texts that a model was given to read: documents, results, people's words."""

    def __init__(self, texts: Iterable[str]) -> None:
        """They are looked at only once a call is to be found in them."""
        self._texts = texts

    def hold(self, raw: str) -> bool:
        """Whether a stretch of output stands in one of them, whatever its white space, quotation marks and escapes."""
        said = bare(raw)
        return len(said) >= _SHORTEST and said in self._read

    def hold_call(self, draft: Draft) -> bool:
        """Whether a call stands in one of them; its arguments alone say nothing."""
        return bool(draft.name) and bare(draft.name) in bare(draft.raw) and self.hold(draft.raw)

    @cached_property
    def _read(self) -> str:
        return "\0".join(map(bare, self._texts))


def bare(text: str) -> str:
    """A text without what differs between two writings of it: white space, marks, escapes, trailing commas."""
    if "&" in text:
        text = unescape(text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda e: chr(int(e["code"], 16)) if e["code"] else "", text)
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text).translate(_ANGLES))


def reported(before: str) -> bool:
    """Whether a text leads up to somebody else's words: `The customer wrote:`, `Ticket text:`, `工单内容如下：`."""
    tail = before.rstrip()[-_TAIL:]
    if not tail.endswith((":", "：")) or not (clause := _CLAUSE.search(tail)):
        return False
    if _REPORTED.search(clause[0]):
        return True
    return _HEADED.search(clause[0]) is not None and _ACTING.search(clause[0]) is None
