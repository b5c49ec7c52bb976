"""The few sentences that code says to people itself, in both languages."""

from __future__ import annotations

from typing import Final

_PHRASES: Final[dict[str, dict[str, str]]] = {
    "closed": {
        "en": "I stopped before the task was finished: {limit}.",
        "zh": "任务还没有完成，我先停在这里：{limit}。",
    },
    "known": {"en": "What is known so far:", "zh": "目前已知："},
    "nothing_known": {"en": "Nothing could be looked up so far.", "zh": "目前还没有查到任何结果。"},
    "missing": {"en": "Still open: {what}", "zh": "尚未完成：{what}"},
    "unfound": {
        "en": "I found no document that speaks of: {what}.",
        "zh": "没有找到提到这些内容的文档：{what}。",
    },
    "split": {
        "en": "You can ask for the parts one at a time, each in a message of its own.",
        "zh": "可以把任务拆开，每条消息只问其中一件。",
    },
    "provider": {
        "en": "I cannot answer now, because the language model could not be used. {why}",
        "zh": "现在无法回答，因为语言模型不可用。{why}",
    },
    "internal": {
        "en": "I cannot answer now: something failed inside the desk. Nothing was changed without a signature.",
        "zh": "现在无法回答：系统内部出错。没有任何未经批准的改动。",
    },
    "empty": {
        "en": "I have no answer to that. Please put it in other words.",
        "zh": "这个问题我没有得到答案，请换一种说法再问。",
    },
    "outdated": {
        "en": "The desk was upgraded while this request waited, so it was withdrawn and nothing was changed. "
        "Please ask for it again.",
        "zh": "在等待批准期间系统已升级，这个请求已撤回，没有做任何改动。请重新提出。",
    },
    "cut_off": {
        "en": "(The answer is longer than the model could write and ends here: ask for the rest.)",
        "zh": "（答案超出了模型一次能写的长度，到这里为止：请继续追问其余部分。）",
    },
    "asked": {"en": "what was asked", "zh": "本次提问"},
    "asked_before": {"en": "an earlier message", "zh": "之前的消息"},
    "restricted": {"en": "a document that not everybody may read", "zh": "一份并非人人可读的文档"},
    "result_of": {"en": "result of {name}", "zh": "{name} 的结果"},
    "outdated_done": {
        "en": "The desk was upgraded before this request came to its end. What had been signed off and carried out "
        "stands; everything else was withdrawn. Please look at the record before you ask for it again.",
        "zh": "系统在这个请求结束前已升级。已批准并执行的改动仍然有效，其余的已撤回。再次提出之前，请先查看记录。",
    },
    "plan_failed": {"en": "step {n} of the plan could not be done ({why})", "zh": "计划的第 {n} 步无法完成（{why}）"},
}


def phrase(key: str, language: str, **values: object) -> str:
    """A sentence in the asker's language."""
    return _PHRASES[key]["zh" if language == "zh" else "en"].format(**values)
