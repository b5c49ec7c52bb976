"""The sentences that the rehearsal model says itself, in English and Chinese."""

from __future__ import annotations

from typing import Any, Final

from signoff.text import Language

_PHRASES: Final[dict[str, tuple[str, str]]] = {
    "who": (
        "I am Signoff's service desk, running on the rehearsal model. The rehearsal model is "
        "deterministic and is not a language model: it picks tools and quotes documents by rules.",
        "我是 Signoff 服务台，当前运行在 rehearsal（排练）模型上。"
        "它是确定性的规则程序，不是大语言模型：按规则选择工具、引用文档。",
    ),
    "hello": (
        "Hello, this is Signoff's service desk. What can I do for you?",
        "你好，这里是 Signoff 服务台。请问有什么可以帮你？",
    ),
    "thanks": (
        "You are welcome.",
        "不客气。",
    ),
    "bye": (
        "Goodbye.",
        "再见。",
    ),
    "ok": (
        "All right. Tell me if there is anything else.",
        "好的。还有其他需要请告诉我。",
    ),
    "can": (
        "I look things up in the records and documents, and prepare changes that a person signs off.",
        "我可以查询记录和文档，也可以准备需要人工批准的改动。",
    ),
    "such": (
        "For example:",
        "例如：",
    ),
    "others": (
        "I can only look at your own data; other people's or other companies' data cannot be reached from here.",
        "我只能查看你本人的数据，无法查看其他人或其他公司的数据。",
    ),
    "nothing": (
        "I found no document or record that answers this.",
        "没有找到能回答这个问题的文档或记录。",
    ),
    "nothing_for": (
        "I found no document or record that answers “{text}”.",
        "关于「{text}」，没有找到能回答的文档或记录。",
    ),
    "unable": (
        "None of my tools can do this: {text}",
        "我没有可以完成这件事的工具：{text}",
    ),
    "spared": (
        "All right, I leave it as it is; nothing was changed.",
        "好的，不做处理，没有任何改动。",
    ),
    "withdrawn": (
        "The change was waiting to be signed off, and your new message has withdrawn it; nothing was changed. Signing "
        "off is done with the approval itself, not in the conversation. Ask for the change again, and it will wait "
        "there for a decision.",
        "那项改动原本在等待批准，你的新消息已将它撤回，没有任何改动。批准须在审批处进行，不能在对话里完成。"
        "如果仍然需要，请再提一次，它会在那里等待决定。",
    ),
    "dropped": (
        "The change that was waiting to be signed off is withdrawn; nothing was changed.",
        "等待批准的那项改动已撤回，没有任何改动。",
    ),
    "only whole": (
        "This can only be done for the whole order and its whole amount, not for a part of it, so I have proposed "
        "nothing. Should it be the whole?",
        "这只能整单、全额办理，不能只办一部分，因此没有提交任何改动。要全额办理吗？",
    ),
    "which": (
        "Please tell me the {what}.",
        "请告诉我{what}。",
    ),
    "which?": (
        "Which {what} do you mean?",
        "请问是哪一个{what}？",
    ),
    "such as": (
        "It may be: {options}.",
        "可能是：{options}。",
    ),
    "held": (
        "Because of this, it was not done.",
        "因此没有执行。",
    ),
    "not done": (
        "This was not done: {why}",
        "没有执行：{why}",
    ),
    "not found": (
        "This could not be looked up: {why}",
        "未能查到：{why}",
    ),
    "untrusted": (
        "It comes from outside and was not checked: {text}",
        "以下内容来自外部，未经核实：{text}",
    ),
    "done": (
        "Done: {what}.",
        "已完成：{what}。",
    ),
    "empty": (
        "Nothing was found.",
        "没有查到内容。",
    ),
    "says": (
        "The document says: “{text}”",
        "文档原文：“{text}”",
    ),
    "closed": (
        "I had to stop before everything was done, because the limit of this turn was reached.",
        "本轮已达到上限，我先停在这里，任务还没有全部完成。",
    ),
    "known": (
        "What is known so far:",
        "目前已知：",
    ),
    "none known": (
        "Nothing is known so far.",
        "目前还没有查到任何结果。",
    ),
    "missing": (
        "Still missing: {what}",
        "尚缺：{what}",
    ),
    "split": (
        "Please ask for the parts one at a time, each in a message of its own.",
        "可以把任务拆开，每条消息只问其中一件。",
    ),
    "section empty": (
        "The results say nothing about this.",
        "查到的结果中没有这方面的内容。",
    ),
    "not written": (
        "Nothing was written, because not everything that belongs in it could be looked up.",
        "由于需要的内容没有全部查到，没有写入任何文件。",
    ),
    "not reached": (
        "{tools} was not called any more",
        "没有调用 {tools}",
    ),
    "split into": (
        "The task can be split, one message each: {parts}.",
        "可以把任务拆开，每条消息只做一件：{parts}。",
    ),
    "unsupported": (
        "I found nothing that supports a further answer.",
        "没有找到能支持进一步回答的依据。",
    ),
}


def phrase(key: str, language: Language, **values: Any) -> str:
    """A sentence in a language."""
    return _PHRASES[key][1 if language == "zh" else 0].format(**values)


def is_phrase(key: str, text: str) -> bool:
    """Whether a text holds a sentence of this key, in either language; only for one without values."""
    return any(words in text for words in _PHRASES[key])
