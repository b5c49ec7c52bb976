"""The tool that reads on in a result that was too long to be shown whole."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.tools.catalog.wording import chosen
from signoff.tools.contract import CallInfo, Example
from signoff.tools.decorator import tool
from signoff.tools.results import Results


def _render(data: Any, lang: str) -> str:
    start, total, after = data["offset"], data["total"], data["next_offset"]
    end = start + len(data["text"])
    more = (
        chosen(lang, f"; go on at offset {after}", f";继续读取请用 offset {after}")
        if after is not None
        else chosen(lang, "; this is the end", ";已到结尾")
    )
    head = chosen(
        lang,
        f"Characters {start} to {end} of {total} of the result {data['ref']}{more}:",
        f"结果 {data['ref']} 的第 {start} 到 {end} 个字符,共 {total} 个{more}:",
    )
    return f"{head}\n{data['text']}"


@tool(
    injects=("caller", "results", "call"),
    render=_render,
    examples=(
        Example(
            "继续看刚才那个结果 res_0a1b2c3d4e5f60718293 后面的内容",
            {"ref": "res_0a1b2c3d4e5f60718293", "offset": 1800},
        ),
        Example(
            "Show the rest of result res_0a1b2c3d4e5f60718293",
            {"ref": "res_0a1b2c3d4e5f60718293", "offset": 1800},
        ),
        Example(
            "在结果 res_0a1b2c3d4e5f60718293 里找 A2009",
            {"ref": "res_0a1b2c3d4e5f60718293", "query": "A2009"},
        ),
        Example(
            "Find the word warranty in res_0a1b2c3d4e5f60718293",
            {"ref": "res_0a1b2c3d4e5f60718293", "query": "warranty"},
        ),
    ),
)
def read_result(
    ref: Annotated[str, Field(pattern=r"^res_[0-9a-f]{8,64}$")],
    caller: Caller,
    results: Results,
    call: CallInfo,
    offset: Annotated[int, Field(ge=0)] = 0,
    query: Annotated[str, Field(max_length=200)] | None = None,
) -> dict[str, Any]:
    """Reads on in an earlier tool result of this conversation that was trimmed, by the ref that the trimmed
    result shows. Only for such a ref: not for orders, tickets or documents, which have their own tools.

    Args:
        ref: The ref of the trimmed result, res_ and letters and digits.
        offset: The character to read from.
        query: Words to find; the page round the first place after offset that holds them is read.
    """
    return results.read(caller, call.thread, ref, offset, query)
