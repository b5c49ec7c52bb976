"""Greetings, thanks and questions about the desk itself: answered without a tool."""

from __future__ import annotations

import re

from signoff.text import normalise

_KINDS = {
    "who": (
        r"who are you|who am i (?:talking|speaking|chatting) (?:to|with)|who is this|what are you|what(?:'s|"
        r" is) your name|are you (?:a |an )?(?:bot|robot|human|person|ai|llm|language model|real person|"
        r"chatgpt|gpt)[\w ]*|"
        r"which model are you|what model (?:is this|are you)|introduce yourself|你(?:是|叫)(?:谁|什么|啥|"
        r"哪位)\w{0,4}|您(?:是|叫)(?:谁|什么|哪位)\w{0,4}|你是\w{0,6}(?:机器人|人工|真人|模型|ai|gpt)\w{0,4}|"
        r"(?:介绍|自我介绍)(?:一下)?(?:你)?(?:自己)?|你叫什么(?:名字)?|你是什么模型|你用的什么模型"
    ),
    "can": (
        r"what can you do(?: for me)?|how can you help(?: me)?|what do you do|what are you able to do|help|"
        r"你(?:能|会|可以)(?:做|干|帮我做|帮我干|帮我)?(?:什么|啥|哪些)\w{0,4}|您(?:能|会|可以)做什么|"
        r"你有(?:什么|哪些)功能|有什么功能|怎么用你?|帮助"
    ),
    "thanks": (
        r"thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|ty|cheers|much appreciated|谢谢(?:你|您|啦|了)?|"
        r"多谢|感谢|谢啦|辛苦了?|非常感谢"
    ),
    "bye": r"bye|goodbye|bye bye|see you(?: later)?|that's all|that is all|再见|拜拜|没事了|没别的了?",
    "ok": (
        r"ok|okay|great|good|nice|cool|fine|perfect|got it|i see|alright|sure|yes|no|yep|nope|好|好的|好吧|嗯|"
        r"嗯嗯|哦|知道了|明白了?|收到|行|可以|是的?|不是|不用了?"
    ),
    "hello": (
        r"hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|how are you(?: doing)?(?: today)?|"
        r"what's up|你好|您好|嗨|哈喽|哈啰|在吗|在不在|有人吗|早上好|上午好|下午好|晚上好|早|早安|你好吗|"
        r"最近好吗"
    ),
}
_FILL = r"(?:there|again|team|everyone|desk|signoff|please|啊|呀|呢|吗|哦|啦|哈|嘛|[\s,，.。!！?？~、])*"
_PATTERNS = {kind: re.compile(f"{_FILL}(?:{pattern}){_FILL}") for kind, pattern in _KINDS.items()}


def kind(text: str) -> str | None:
    """`who`, `can`, `thanks`, `bye`, `ok` or `hello` when the text is nothing but that, or None."""
    folded = normalise(text).strip()
    if not folded:
        return "hello"
    whole = next((k for k, p in _PATTERNS.items() if p.fullmatch(folded)), None)
    if whole:
        return whole
    parts = [p for p in re.split(r"[,，.。!！?？~;；\n]+", folded) if p.strip()]
    kinds = [next((k for k, p in _PATTERNS.items() if p.fullmatch(part)), None) for part in parts]
    if len(parts) > 1 and all(kinds):
        ranked = ("who", "can", "thanks", "bye", "hello", "ok")
        return min((k for k in kinds if k), key=ranked.index)
    return None
