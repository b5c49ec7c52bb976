"""Calls written in each format, as the chat template of its model writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from signoff.models.repair.schemas import typed

Call = tuple[str, Mapping[str, Any]]
"""A tool's name and the arguments."""
Writer = Callable[[list[Call]], str]
"""Writes the calls of one output."""

_M3 = "]<]minimax[>["


def compact(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def objects_of(calls: list[Call], name: str = "name", args: str = "arguments", **more: Any) -> list[str]:
    return [compact({**more, name: n, args: a}) for n, a in calls]


def wrapped(opening: str, closing: str, args: str = "arguments") -> Writer:
    return lambda calls: "\n".join(f"{opening}{o}{closing}" for o in objects_of(calls, args=args))


def listed(opening: str, closing: str, name: str = "name", args: str = "arguments") -> Writer:
    return lambda calls: f"{opening}[{', '.join(objects_of(calls, name, args))}]{closing}"


def _text(value: Any) -> str:
    """A value between tags: text as it is, the rest as JSON without a character that could begin a tag."""
    return value if isinstance(value, str) else compact(value).replace("<", "\\u003c")


def tagged(call: str, parameter: str, end: str, opening: str = "", closing: str = "", each: bool = False) -> Writer:
    """Tags for the call and its parameters; `each` wraps every call by itself."""

    def write(calls: list[Call]) -> str:
        made = [
            call.format(name=n) + "".join(parameter.format(key=k, value=_text(v)) for k, v in a.items()) + end
            for n, a in calls
        ]
        if each:
            return "\n".join(f"{opening}{m}{closing}" for m in made)
        return f"{opening}{''.join(made)}{closing}"

    return write


def dsml(block: str) -> Writer:
    def write(calls: list[Call]) -> str:
        lines = [f"<｜DSML｜{block}>"]
        for name, args in calls:
            lines.append(f'<｜DSML｜invoke name="{name}">')
            for key, value in args.items():
                told = "true" if isinstance(value, str) else "false"
                parameter = f'<｜DSML｜parameter name="{key}" string="{told}">'
                lines.append(f"{parameter}{_text(value)}</｜DSML｜parameter>")
            lines.append("</｜DSML｜invoke>")
        return "\n".join([*lines, f"</｜DSML｜{block}>"])

    return write


def minicpm(calls: list[Call]) -> str:
    def value(given: Any) -> str:
        said = _text(given)
        return f"<![CDATA[{said}]]>" if re.search(r"[<&\n]", said) and "]]>" not in said else said

    return "\n".join(
        f'<function name="{n}">{"".join(f"""<param name="{k}">{value(v)}</param>""" for k, v in a.items())}</function>'
        for n, a in calls
    )


def deepseek(named: str, ending: str) -> Writer:
    def write(calls: list[Call]) -> str:
        made = "".join(
            f"<｜tool▁call▁begin｜>{named.format(name=n)}{compact(a)}{ending}<｜tool▁call▁end｜>" for n, a in calls
        )
        return f"<｜tool▁calls▁begin｜>{made}<｜tool▁calls▁end｜>"

    return write


def step3(calls: list[Call]) -> str:
    one = tagged(
        '<steptml:invoke name="{name}">', '<steptml:parameter name="{key}">{value}</steptml:parameter>',
        "</steptml:invoke>", "<｜tool_call_begin｜>", "<｜tool_call_end｜>", each=True,
    )  # fmt: skip
    return f"<｜tool_calls_begin｜>{one(calls)}<｜tool_calls_end｜>"


def kimi_k2(calls: list[Call]) -> str:
    made = "".join(
        f"<|tool_call_begin|>functions.{n}:{i}<|tool_call_argument_begin|>{compact(a)}<|tool_call_end|>"
        for i, (n, a) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{made}<|tool_calls_section_end|>"


def glm(calls: list[Call]) -> str:
    return "".join(
        f"<tool_call>{n}\n"
        + "".join(f"<arg_key>{k}</arg_key>\n<arg_value>{_text(v)}</arg_value>\n" for k, v in a.items())
        + "</tool_call>"
        for n, a in calls
    )


def mistral(with_id: bool) -> Writer:
    def write(calls: list[Call]) -> str:
        return "".join(
            f"[TOOL_CALLS]{n}{f'[CALL_ID]{i:09d}' if with_id else ''}[ARGS]{compact(a)}"
            for i, (n, a) in enumerate(calls)
        )

    return write


def python(opening: str, closing: str, between: str = ", ") -> Writer:
    def write(calls: list[Call]) -> str:
        made = (f"{n}({', '.join(f'{k}={_literal(v)}' for k, v in a.items())})" for n, a in calls)
        return f"{opening}{between.join(made)}{closing}"

    return write


def _literal(value: Any) -> str:
    return repr(value)


def gemma(calls: list[Call]) -> str:
    def value(given: Any) -> str:
        if isinstance(given, str):
            return f'<|"|>{given}<|"|>'
        if isinstance(given, Mapping):
            return "{" + ",".join(f"{key(k)}:{value(v)}" for k, v in given.items()) + "}"
        if isinstance(given, list):
            return f"[{','.join(map(value, given))}]"
        return compact(given)

    def key(given: str) -> str:
        return given if re.fullmatch(r"[^\W\d]\w*", given) else f'<|"|>{given}<|"|>'

    return "".join(f"<|tool_call>call:{n}{value(a)}<tool_call|>" for n, a in calls)


def minimax_m3(calls: list[Call]) -> str:
    def element(key: str, given: Any) -> str:
        return f"{_M3}<{key}>{inside(given)}{_M3}</{key}>"

    def inside(given: Any) -> str:
        if isinstance(given, str):
            return given
        if not isinstance(given, Mapping | list) or not _elements(given):
            return compact(given)
        pairs = given.items() if isinstance(given, Mapping) else (("item", i) for i in given)
        return "".join(element(k, v) for k, v in pairs)

    made = "\n".join(
        f'{_M3}<invoke name="{n}">{"".join(element(k, v) for k, v in a.items())}{_M3}</invoke>' for n, a in calls
    )
    return f"{_M3}<tool_call>\n{made}\n{_M3}</tool_call>"


def _elements(value: Any) -> bool:
    """Whether a value comes back from elements without a schema for its inside; JSON stands in their place if not."""
    if isinstance(value, str):
        return typed(value, None, {}) == value and bool(value.strip()) and _M3 not in value
    if isinstance(value, Mapping):
        names = all(re.fullmatch(r"[^\W\d][\w.\-]*", k) and k != "item" for k in value)
        return bool(value) and names and all(_elements(v) for v in value.values())
    if isinstance(value, list):
        return bool(value) and all(_elements(v) for v in value)
    return True


def blocks(calls: list[Call], text: str, reasoning: str) -> str:
    def block(tag: str, inside: str, attrs: str = "") -> str:
        return f"<|open|>{tag}{attrs}<|sep|>{inside}<|close|>{tag}<|sep|>"

    def quoted(said: str) -> str:
        return said.replace("&", "&amp;").replace('"', "&quot;")

    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", type(None): "null"}
    made = "".join(
        block(
            "call",
            "".join(
                block("argument", _text(v), f' key="{quoted(k)}" type="{kinds.get(type(v), "object")}"')
                for k, v in a.items()
            ),
            f' tool="{quoted(n)}" index="{i}"',
        )
        for i, (n, a) in enumerate(calls, 1)
    )
    thought = block("think", reasoning) if reasoning else ""
    return thought + block("response", text) + (block("tools", made) if calls else "") + "<|close|>message<|sep|>"


def channelled(format: str, calls: list[Call], text: str, reasoning: str) -> str:
    parts: list[str] = []
    if format == "harmony":
        if reasoning:
            parts.append(f"<|channel|>analysis<|message|>{reasoning}<|end|>")
        if text:
            parts.append(f"<|channel|>{'commentary' if calls else 'final'}<|message|>{text}<|end|>")
        parts += [
            f"<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{compact(a)}<|call|>" for n, a in calls
        ]
    else:
        parts += [f" to=self<|message|>{reasoning}<|eom|>"] if reasoning else []
        parts += [f" to=user<|message|>{text}<|eom|>"] if text else []
        parts += [f" to={n}<|message|>{_ATEM([(n, a)])}<|eom|>" for n, a in calls]
    return "<|start|>assistant".join(parts)


def react(calls: list[Call]) -> str:
    return "\n".join(f"Action: {n}\nAction Input: {compact(a)}" for n, a in calls)


def apertus(calls: list[Call]) -> str:
    return f"<|tools_prefix|>[{', '.join(compact({n: a}) for n, a in calls)}]<|tools_suffix|>"


def command_r(calls: list[Call]) -> str:
    return f"Action: ```json\n[{', '.join(objects_of(calls, 'tool_name', 'parameters'))}]\n```"


_ATEM = tagged(
    '<atem:invoke name="{name}">\n', '<atem:parameter name="{key}">{value}</atem:parameter>\n', "</atem:invoke>\n",
    "<atem:function_calls>\n", "</atem:function_calls>",
)  # fmt: skip
