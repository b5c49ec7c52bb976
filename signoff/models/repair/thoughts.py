"""What a model says to itself: the marks round it in the chat templates of models that reason."""

from __future__ import annotations

import re

_MARKS: tuple[tuple[str, str], ...] = (
    (r"<(?:seed:|mm:|longcat_)?think(?:ing)?>", r"</(?:seed:|mm:|longcat_)?think(?:ing)?>"),
    (r"<(?:thought|reasoning|reflection|scratchpad)>", r"</(?:thought|reasoning|reflection|scratchpad)>"),
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|channel>(?:thought|analysis)?\s?", r"<channel\|>"),
    (r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"◁think▷", r"◁/think▷"),
    (r"<unused94>(?:thought\s)?", r"<unused95>"),
    (r"(?<![\s\S])\s{0,8}Here are my reasoning steps:", r"\[BEGIN FINAL RESPONSE\]"),
    (r"(?<![\s\S])\s{0,8}Here(?: i|')s my thought process:", r"Here(?: i|')s my response:"),
)
OPEN = re.compile("|".join(o for o, _ in _MARKS))
CLOSE = re.compile("|".join(c for o, c in _MARKS if "thought process" not in o))
_CLOSERS = [(re.compile(o), re.compile(c)) for o, c in _MARKS]

NOISE = re.compile(
    r"<\|im_end\|>|<\|eo[tm]_id\|>|<\|eo[tm]\|>|<\|end_of_(?:text|msg|turn)\|>|<\|endoftext\|>|<end_of_turn>|<turn\|>"
    r"|<｜end▁of▁sentence｜>|<\|(?:START|END)_(?:RESPONSE|TEXT)\|>|\[END FINAL RESPONSE\]|<\|end_of_solution\|>"
    r"|<\|begin_of_solution\|>|<\|END_OF_TURN_TOKEN\|>|<\|(?:open|close)\|>(?:response|tools|message)<\|sep\|>"
    r"|<\|role_end\|>|<\|message_sep\|>|<\|inner_suffix\|>|\[e~\[|<\|return\|>|<\|end_of_role\|>|>>>all\n"
)
"""Tokens that frame a message and say nothing."""
RESULTS = re.compile(
    r"<tool_response>|<\|tool_response>|<tool_output[ >]|<function_results>|<tool_result>|\[TOOL_RESULTS\]"
    r"|<[|｜]tool[▁_]outputs?[▁_]begin[|｜]>|<\|START_TOOL_RESULT\|>|<\|im_start\|>(?:tool|user)"
)
"""A model going on to write a tool's result, which it cannot know."""


def closer(opening: str) -> re.Pattern[str]:
    """What ends a stretch of reasoning that began with this mark."""
    return next(c for o, c in _CLOSERS if o.fullmatch(opening) or "Here" in o.pattern)
