"""Words that speak to a model and not to a reader, by kind: what `examination` looks for, in normal form."""

from __future__ import annotations

import re

_OF = (
    r"(?:all |any |the |your |these |those |my |every |previous |prior |above |earlier |preceding |other |existing "
    r"|system )*"
)
_SAID = r"(?:instruction|prompt|rule|guideline|message|command|context|direction|polic|restriction|safeguard)"
_DO = r"call|read|send|invoke|run|execute|forward|upload|append|bcc|pass"

_ENGLISH: dict[str, tuple[str, ...]] = {
    "instruction": (
        rf"\b(?:ignore|disregard|forget|override|bypass|overrule|neglect|drop|skip)\s+{_OF}{_SAID}",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\b",
        rf"\b(?:new|updated|real|actual|secret|hidden|following)\s+(?:system\s+)?{_SAID}s?\s*:",
        r"\b(?:before|after|prior to|when|whenever|while)\s+(?:you\s+)?"
        r"(?:using|calling|invoking|running|use|call|invoke|execut\w+)\s+"
        r"(?:this|that|the|any|every|another|other)(?:\s+\w+){0,2}\s*(?:tool|function)?s?\b[^.]{0,40}"
        r"\b(?:read|call|fetch|open|send|first|must|always|run|execute|include|get|cat|upload|invoke|use)\b",
        r"\byou\s+(?:must|should|need to|have to|are required to|shall)\s+(?:\w+\s+){0,2}"
        rf"(?:{_DO}|include|open|reveal|obey|comply|copy|add|put|cc)\b",
        rf"\b(?:always|first|immediately|silently|secretly)\s*,?\s+(?:{_DO})\b",
        r"\byou are (?:now|no longer)\b|\bact as (?:if|though|an?|the) |\bpretend (?:to be|that)\b",
        r"\b(?:as an?|dear|attention|note to(?: the)?|to the|hey|hello) "
        r"(?:ai|llm|assistant|language model|agent|model)s?\b",
        r"\b(?:system prompt|developer message|jailbreak|dan mode|god mode)\b",
        r"\binstead of (?:using|calling|the)\b[^.]{0,60}\b(?:tool|function)s?\b",
        r"\b(?:do not|don't|never) (?:use|call|invoke) (?:any |the )?other\b",
        r"\bwithout (?:asking|waiting|confirm\w*|approv\w*|permission|consent|a signature|signing)\b",
        r"\b(?:no|skip|needs no|already|pre-?)\s*(?:further |any |user )?"
        r"(?:approv\w+|confirmation|sign(?:ed)?[- ]?off)\b",
    ),
    "secrecy": (
        r"\b(?:do not|don't|never|must not|without|avoid)\s+(?:\w+\s+){0,2}"
        r"(?:tell|telling|mention\w*|inform\w*|reveal\w*|notify\w*|show\w*|let|alert\w*|disclos\w+|explain\w*|say\w*"
        r"|report\w*)\s+(?:\w+\s+){0,4}"
        r"(?:user|human|person|anyone|anybody|people|customer|operator|them|this|it|him|her)s?\b",
        r"\b(?:keep|hide|conceal)\s+(?:this|it|that|these)?\s*(?:\w+\s+){0,2}"
        r"(?:secret|hidden|from (?:the )?(?:user|human))",
    ),
    "secrets": (
        r"~/\.|\.ssh\b|\bid[_ ]?(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)",
        r"\.aws\b|\.env\b|\.netrc\b|\.npmrc\b|\bmcp\.json\b|\bprivate keys?\b",
        r"\b(?:read|send|include|pass|reveal|print|your)\s+(?:\w+\s+){0,4}"
        r"(?:api[_ ]?keys?|passwords?|credentials?|tokens?|secrets?|cookies?)\b",
        r"\b(?:conversation|chat)\s+(?:history|log|transcript)",
        r"\b(?:full|entire|whole|complete)\s+(?:conversation|prompt|context|chat|history)\b",
    ),
    "sending": (
        r"\b(?:send|forward|post|upload|exfiltrate|leak|copy|transmit|bcc|cc|email|mail)\b[^.]{0,60}"
        r"(?:https?://|[\w.+-]+@[\w-]+\.\w)",
    ),
    "markup": (
        r"</?\s*(?:important|system|instructions?|secret|hidden|admin|assistant|user|prompt|override|critical|rules?"
        r"|human|tool_call|function_call|im_start|im_end|inst|重要|系统|指令)\b[^>]*>",
        r"<\|[^|>]{1,40}\|>|\[/?inst\]|<!--|!\[[^\]]*\]\(\s*http",
    ),
}
_CHINESE: dict[str, tuple[str, ...]] = {
    "instruction": (
        r"(?:忽略|无视|忘记|忘掉|不理会|绕过|跳过|违反|推翻|覆盖)[^。.;；]{0,12}"
        r"(?:指令|指示|规则|要求|提示|说明|命令|约束|限制|内容|审批|批准|确认|签字|签核)",
        r"(?:调用|使用|执行|运行)(?:本|此|该|这个|任何|其他|其它|别的)?个?(?:工具|函数|接口)之?(?:前|后)[^。]{0,10}"
        r"(?:必须|务必|先|请|需|应|一定)",
        r"(?:必须|务必|一定要|请|应当|应该|需要)(?:首先|先|立即|马上|同时)?"
        r"(?:读取|调用|执行|发送|上传|转发|附上|包含|抄送|粘贴|打开)",
        r"你(?:现在|从现在起|不再)是|系统提示|提示词|系统指令|开发者消息",
        r"(?:无需|不需要|不用|不必|免)(?:经过|征得|询问|等待|任何)?[^。]{0,6}(?:同意|批准|审批|确认|签字|授权)",
    ),
    "secrecy": (
        r"(?:不要|不得|别|切勿|勿|禁止|不能|不可|请勿)[^。]{0,6}(?:告诉|告知|提及|提到|透露|提示|通知|说明|让|向)"
        r"[^。]{0,8}(?:用户|使用者|对方|客户|任何人|别人|他们|他|她|知道|此事|这)",
        r"瞒着|隐瞒|保密|偷偷|悄悄|暗中",
    ),
    "secrets": (
        r"私钥|密钥|口令|密码|凭据|凭证|令牌",
        r"(?:对话|聊天)(?:记录|历史|内容)|完整的?(?:对话|上下文|提示)",
    ),
    "sending": (r"(?:发送|转发|上传|抄送|发|传)(?:到|给|至)[^。]{0,30}(?:https?://|[\w.+-]+@[\w-]+\.\w)",),
}

RULES = [(kind, re.compile(pattern)) for table in (_ENGLISH, _CHINESE) for kind, ps in table.items() for pattern in ps]
"""A kind of finding, and what in a text is one."""

SQUEEZED = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any|the|your)*(?:previous|prior|above|earlier|system)"
    r"|donottell|donttell|readthefile|systemprompt"
)
"""Phrases without their spaces, for words that were written apart."""

ENCODED = re.compile(
    r"(?<![\w+/=])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{48,}={0,2}"
    r"|(?:\\[xu][0-9a-f]{2,4}){6,}|(?:%[0-9a-fA-F]{2}){8,}"
)
"""Text that only a program reads."""
