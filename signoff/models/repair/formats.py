"""The formats by name, and calls written in each: for prompts, recorded examples, scripted models and tests.

Each is written as its model's chat template does. What a format cannot carry (a tag's own closing mark inside its
text, names that are no identifiers in Python) is written all the same, and reads back as whatever it then is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signoff.errors import ConfigError
from signoff.models.repair import writers
from signoff.models.repair.reading import FoundCall
from signoff.models.repair.writers import Writer


def render(
    format: str, calls: Iterable[FoundCall | tuple[str, Mapping[str, Any]]], *, text: str = "", reasoning: str = ""
) -> str:
    """An output of a model of this format that says `text` and makes `calls` (found ones, or names and arguments).

    Formats without a mark of their own (`json`, `xlam`, `fenced-json`, `pythonic`, `llama3-json`) are calls only
    when there is no text. Raises `ConfigError` for a format there is none of.
    """
    if format not in _WRITERS:
        raise ConfigError(f"There is no format {format!r} of tool calls: name one of {', '.join(FORMATS)}.")
    made = [(c.name, c.args) if isinstance(c, FoundCall) else c for c in calls]
    if format in ("harmony", "muse-glimmer"):
        return writers.channelled(format, made, text, reasoning)
    if format == "kimi-k3":
        return writers.blocks(made, text, reasoning)
    if format == "react":
        thought = f"Thought: {reasoning}\n" if reasoning else ""
        return f"{text}\n{thought}{writers.react(made)}" if text else f"{thought}{writers.react(made)}"
    opening, closing = _THINK.get(format, ("<think>", "</think>"))
    thought = f"{opening}{reasoning}{closing}" if reasoning else ""
    written = _WRITERS[format](made) if made else ""
    if format == "functionary-v3.2" and not text:
        return thought + written.removeprefix(">>>") if len(made) == 1 else thought + written
    said = f"{text}\n" if text and written else text
    return thought + said + written


_THINK = {
    "mistral-call-id": ("[THINK]", "[/THINK]"), "mistral-args": ("[THINK]", "[/THINK]"),
    "seed-oss": ("<seed:think>", "</seed:think>"), "minimax-m3": ("<mm:think>", "</mm:think>"),
    "command-r7b": ("<|START_THINKING|>", "<|END_THINKING|>"), "gemma": ("<|channel>thought\n", "<channel|>"),
    "longcat": ("<longcat_think>", "</longcat_think>"), "apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
}  # fmt: skip

_WRITERS: dict[str, Writer] = {
    "hermes": writers.wrapped("<tool_call>\n", "\n</tool_call>"),
    "qwen-coder": writers.tagged(
        "<function={name}>\n", "<parameter={key}>\n{value}\n</parameter>\n", "</function>",
        "<tool_call>\n", "\n</tool_call>", each=True,
    ),
    "seed-oss": writers.tagged(
        "<function={name}>\n", "<parameter={key}>{value}</parameter>\n", "</function>",
        "<seed:tool_call>\n", "\n</seed:tool_call>", each=True,
    ),
    "llama3": lambda calls: "<|python_tag|>" + "; ".join(writers.objects_of(calls, args="parameters")),
    "llama3-json": lambda calls: "; ".join(writers.objects_of(calls, args="parameters")),
    "pythonic": writers.python("[", "]"),
    "llama4": writers.python("<|python_start|>[", "]<|python_end|>"),
    "lfm2": writers.python("<|tool_call_start|>[", "]<|tool_call_end|>"),
    "olmo3": writers.python("<function_calls>", "</function_calls>", "\n"),
    "mistral": writers.listed("[TOOL_CALLS]", ""),
    "mistral-args": writers.mistral(with_id=False),
    "mistral-call-id": writers.mistral(with_id=True),
    "deepseek-v3": writers.deepseek("function<｜tool▁sep｜>{name}\n```json\n", "\n```"),
    "deepseek-v3.1": writers.deepseek("{name}<｜tool▁sep｜>", ""),
    "deepseek-v3.2": writers.dsml("function_calls"),
    "deepseek-v4": writers.dsml("tool_calls"),
    "kimi-k2": writers.kimi_k2,
    "kimi-k3": lambda calls: writers.blocks(calls, "", ""),
    "glm": writers.glm,
    "minimax-m2": writers.tagged(
        '<invoke name="{name}">\n', '<parameter name="{key}">{value}</parameter>\n', "</invoke>\n",
        "<minimax:tool_call>\n", "</minimax:tool_call>",
    ),
    "minimax-m3": writers.minimax_m3,
    "harmony": lambda calls: writers.channelled("harmony", calls, "", ""),
    "muse-glimmer": lambda calls: writers.channelled("muse-glimmer", calls, "", ""),
    "gemma": writers.gemma,
    "granite": writers.listed("<|tool_call|>", ""),
    "granite-20b": writers.wrapped("<function_call> ", ""),
    "phi-4-mini": writers.listed("functools", ""),
    "firefunction": writers.listed(" functools", ""),
    "command-r": writers.command_r,
    "command-r7b": writers.listed("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters"),
    "functionary-v3.1": lambda calls: "\n".join(f"<function={n}>{writers.compact(a)}</function>" for n, a in calls),
    "functionary-v3.2": lambda calls: "".join(f">>>{n}\n{writers.compact(a)}" for n, a in calls),
    "internlm2": writers.wrapped("<|action_start|><|plugin|>", "<|action_end|>", "parameters"),
    "hunyuan": writers.listed("<tool_calls>", "</tool_calls>"),
    "step3": writers.step3,
    "longcat": writers.wrapped("<longcat_tool_call>", "</longcat_tool_call>"),
    "nemotron": writers.listed("<TOOLCALL>", "</TOOLCALL>"),
    "minicpm5": writers.minicpm,
    "gigachat3": lambda calls: "".join(
        f"<|message_sep|>\n\nfunction call<|role_sep|>\n{o}" for o in writers.objects_of(calls)
    ),
    "gigachat3.1": writers.wrapped("<|function_call|>", ""),
    "apertus": writers.apertus,
    "xlam": writers.listed("", ""),
    "react": writers.react,
    "fenced-json": lambda calls: "\n".join(f"```json\n{o}\n```" for o in writers.objects_of(calls)),
    "json": lambda calls: "\n".join(writers.objects_of(calls)),
}  # fmt: skip

FORMATS: tuple[str, ...] = tuple(_WRITERS)
"""Every format that is read and written."""
