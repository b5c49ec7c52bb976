"""What in a clause asks, tells, wishes, denies, frames or urges: the signs in both languages that `speech` reads."""

from __future__ import annotations

import re

EN_WH = re.compile(
    r"\b(?:what|what's|which|when|where|where's|why|who|whose|how|whether|eligible|allowed|possible|policy|policies)\b"
    r"|\b(?:tell me (?:if|about)|see if|check if|find out|wonder(?:ing)?|asking about|know (?:if|about)|curious|"
    r"explain|what if)\b",
    re.IGNORECASE,
)
EN_AUX = re.compile(
    r"^\W*(?:(?:hi|hello|hey|ok|okay|and|so|but|well|also|then)\W+)*"
    r"(?:is|are|was|were|am|(?:do|does|did)(?! not\b|n't\b| please\b)|has|have you|have i|had|should|may|"
    r"might|must|will|shall|would it|"
    r"(?:can|could|would|will) (?!you\b|u\b|someone\b|somebody\b|anyone\b|the (?:desk|team)\b)\w+)\b",
    re.IGNORECASE,
)
EN_TOLD = re.compile(
    r"^\W*(?:(?:and|but|because|since|as|so|hi|hello)\W+)*(?:i|it|we|they|he|she|this|that|there|my|the|"
    r"our|a|an|someone|something)\b(?=.*"
    r"\b(?:is|was|are|were|has|had|have|came|broke|got|bought|does|did|doesn't|didn't|don't|can't|won't|"
    r"isn't|wasn't|keeps|stopped|\w{3,}ed)\b)"
    r"|^\W*(?:it|that|there|this|he|she)'s\b|\bi (?:don't|do not|no longer|never|can't|didn't|bought|got|have|had)\b",
    re.IGNORECASE,
)
ZH_TELLS = re.compile(r"[了过](?![吗么没])|坏|碎|不(?:能|行|了|亮|动|工作|好|对)|没(?:有|收|到|电|法)")
EN_TOPIC = re.compile(r"\b(?:eligible|allowed|possible|policy|policies)\b", re.IGNORECASE)
EN_POLITE = re.compile(
    r"\b(?:please|pls|plz|kindly)\b|\b(?:can|could|would|will|won't) (?:you|u|someone|somebody|anyone)\b|"
    r"\bwould you mind\b|"
    r"\bany chance you\b|\bmind\b",
    re.IGNORECASE,
)
EN_WISH = re.compile(
    r"\b(?:want|wants|need|like|wish|love|prefer|help|asking|request|requesting|get|give|have|please|pls|"
    r"mind|let's|let us|ready|"
    r"decided|going|looking|hoping|trying|ask|demand|require|i'll take|initiate|issue|process|arrange|"
    r"set|create|add|file|open|raise|log|make|do|start|proceed with|"
    r"go ahead with|put in|apply for)\b",
    re.IGNORECASE,
)
EN_BETWEEN = (
    r"(?:[\s,]+(?:want|wants|wanted|to|you|please|just|yet|actually|wish|need|like|me|a|an|any|the|my|be|been|get|have|go|"
    r"ahead|and|try|dare|ever|i|think|we|should|us|even|let|them|do|really|intend|plan|mean|asking|asked|for|currently|"
    r"now|already|anyone|anybody|somebody|it's|being|still|ask|or|cancel|change|refund|return))*[\s,]*$"
)
EN_NEGATOR = re.compile(
    r"\b(?:don't|dont|do not|never|not|no need to|without|instead of|rather than|shouldn't|should not|avoid|"
    r"refuse to|stop|no)" + EN_BETWEEN,
    re.IGNORECASE,
)
EN_UNABLE = re.compile(
    r"\b(?:can't|cannot|can not|won't|will not|does not|doesn't|didn't|did not|hasn't|haven't|has not|have not|isn't|"
    r"wasn't|wouldn't|couldn't|unable to|failed to)" + EN_BETWEEN,
    re.IGNORECASE,
)
EN_FRAME = re.compile(
    r"^\W*(?:(?:and|but|so|ok|well|also|then)\W+)*(?:before|until|unless|after|when|whenever|while|once|"
    r"if(?! (?:so|yes|possible|that works|it is|they are)\b)|suppose|supposing|"
    r"imagine|assume|assuming|pretend|hypothetically|in case|let's (?:say|suppose|assume)|say i|what if|"
    r"although|though)\b",
    re.IGNORECASE,
)
"""The beginning of a clause that says when, or what would be: nothing in it is wanted now."""
EN_TURNED = re.compile(
    r"\b(?:chang(?:ed?|ing) (?:my|our) minds? (?:about|on)|decid(?:ed?|ing) against|(?:thinking|thought) (?:of|about)|"
    r"considering|considered|not sure (?:about|of)|unsure about|hesitat\w+ (?:about|on)|regret\w*|"
    r"no longer (?:interested in|want)|"
    r"(?:would|could|should|might|may|must)(?:n't| not)? have|talked about|asked (?:about|me)|"
    r"heard (?:of|about)|(?:was|were) (?:going|about|planning|thinking of|hoping|meaning|supposed|set) to|"
    r"(?:planned|intended|meant) to|"
    r"(?:wants?|expects?|would like|needs?|tells?|told|urge[sd]?|advise[sd]?|orders?|begs?|begged) (?:me|us) to|"
    r"(?:he|she|they|somebody|someone|people|(?:my|our|the|a) (?!order|ticket|parcel|package)\w+) (?:also |now |just )?"
    r"(?:wants?|plans?|hopes?|intends?|would like|decided|is going|are going) to)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
"""What is only thought of, or was and is no longer."""
EN_SUBJECT = re.compile(
    r"\b(?:i|we|they|he|she|it|who|customers?|people|users?|one|can|could|may|might|did|does|do you|"
    r"do they|must not|if|when|"
    r"whenever|unless|before|after|until|once|while|since|because|said|says|that|already|been|was|were|"
    r"has|had|will|would|should|"
    r"able|unable|failed|forgot|wanted|tried|used|how|about)\s*$",
    re.IGNORECASE,
)
EN_ARTICLE = re.compile(
    r"\b(?:the|my|a|an|this|that|any|of|your|our|his|her|their|another|no|each|every|last|previous|'s)\s*$", re.I
)
EN_HEAD = re.compile(
    r"^[\s-]*(?:policy|policies|status|rules?|process|procedure|history|period|window|terms?|conditions?|"
    r"request|requests|fees?|"
    r"amount|records?|options?|deadline|id|number|form|link|button|email|details?|list|time|limit|logs?|"
    r"page|went|has|is|was|"
    r"will|takes?|took|arrives?|came|works?|eligib\w+)\b",
    re.IGNORECASE,
)

ZH_WH = re.compile(
    r"百分之[几多]|几成|几折|什么(?!时候都)|怎么|怎样|如何|为何|为啥|啥|多少|多久|多长|哪(?!怕)|几(?=天|家|份|种|轮|层|级|人|位|名|年|页|个|号|点|时|次|元|块|日|"
    r"月|周)|是否|谁|何时|咋|"
    r"能不能|可不可以|可否|能否|有没有|是不是|要不要|会不会|该不该|需不需要|行不行|好不好|退不退|"
    r"政策|规定|条件|流程|条款|制度|标准|规则"
)
ZH_ASKS = re.compile(r"(?:吗|么|没有|没|呢)[\s?？。!！~]*$|[?？]\s*$")
ZH_POLITE = re.compile(
    r"(?:能|可以|能不能|可不可以|能否|可否|是否可以|方便|行不行|好不好|麻烦|劳烦|(?<![申邀])请|拜托|帮忙)?(?:你|"
    r"您)?(?:们)?(?:帮|替|给我|为我|把|麻烦|(?<![申邀])请[您你]?|劳驾)|"
    r"(?:好吗|行吗|可以吗|可以么|好不好|行不行|谢谢)[\s?？。!！~]*$"
)
ZH_WH_MASK = re.compile(r"能不能|可不可以|可否|能否|是否可以|行不行|好不好|怎么样$")
ZH_NOT_NEGATION = re.compile(
    r"要不(?!要)|不如|不好意思|不小心|不得不|能不能|可不可以|是不是|要不要|会不会|不想要了?|不要了|不喜欢|"
    r"不合适|不需要了|"
    r"不用了(?=[,，])|用不上|用不了|不能用|不好用|不工作|没用|不行了?|不对|不符|不满意|不久|不错|不见|"
    r"不够|没收到|没到货|不然|不急|不同"
)
ZH_NEGATOR = re.compile(
    r"(?:不要|别|不用|不想|不需要|无需|不必|先不|暂不|勿|禁止|请勿|不是|并非|没说|没让|没叫|没同意|没答应|没想|没要|没打算|没准备|不同意|不答应|没有(?:要|说|让|叫|同意|答应|打算|想)|不打算|不准备|不该|"
    r"不应该|暂时不|不再|免得|以免|避免|拒绝|停止)[^,，;；。!！?？]{0,6}$|"
    r"(?:别|不要|不用|不必|请勿|不想|先不)(?:再)?(?:把|将)[^,，;；。!！?？]{1,24}$|"
    r"不(?:再|给我|帮我|直接|马上|立即|申请|进行|办理|自动|随便|擅自)*$"
)
ZH_UNABLE = re.compile(
    r"(?:不能|无法|没法|不可以|不可|不得|没|未|没有|还没|尚未)(?:再|给我|帮我|直接|马上|立即|申请|被|进行|办理|自动|把|用)*$"
)
ZH_HEAD = re.compile(
    r"^的?(?:政策|规则|规定|进度|状态|记录|流程|条件|金额|期限|期|标准|说明|时间|要求|须知|方式|情况|服务(?!器)|"
    r"手续费|费用|费|到账|结果|原因|问题|历史|"
    r"明细|列表|信息|率|单号|制度|条款|渠道|政策|入口|时限|之前|以前|前(?!的)|之后|后|时候|时,|需要|要多|"
    r"要几|怎|会(?!议)|能|可以|可不|是|有|"
    r"到哪|走到|为什么|失败|成功|处理|审核|了没|了吗|过吗|没|(?:过|了|好)?的(?!话))"
)
ZH_ABILITY = re.compile(r"(?:能|可以|可|能够|还能|允许|应该)(?:再|直接)?$")
ZH_INQUIRE = re.compile(
    r"(?:了解|咨询|问一下|问问|问下|想问|请问|知道|关于|看看|看一下|看下|查一下|查查|查下|查询|查看|查|"
    r"说说|介绍|解释|确认|检查|核实|讲讲|说明|记得|听说|"
    r"如果|要是|假如|万一|假设|若|比如)[^,，;；。!！?？]{0,8}$"
)
ZH_TOLD = re.compile(
    r"(?:已经?|曾经?|刚刚?|上次|之前|昨天|客服|他|她|他们|朋友|对方|商家|卖家|系统|自动|被|说要?|答应|"
    r"承诺|正在)[^,，;；。!！?？]{0,4}$|(?<![\u3400-\u9fff])在$|在(?=$)"
)
ZH_FRAME = re.compile(
    r"(?:如果|要是|假如|假设|假使|倘若|万一|若是?|设想|比如说?|等到?|一旦)(?:(?!就|则|帮我|请|麻烦|直接|那么)[^,，。;；])*$"
)
"""A clause that says what would be, up to what is then to be done."""
ZH_URGED = re.compile(r"[\u3400-\u9fff](?<!请)(?<!就)(?<!快)(?<!,)(?:让|叫|劝|建议|催|要求|问)我[^,，。;；]{0,10}$")
"""What somebody else wants the person to do."""
ZH_WISHED = re.compile(
    r"(?:上次|上回|之前|以前|先前|昨[天晚]|前天|前几天|上个?(?:周|星期|礼拜|月)|早上|早先|本来|原本|原来|起初|一开始|当初|当时|那时|曾经?)"
    r"(?:我|就|还|也|是|都|曾|有)*(?:说过?|想过?|要|打算|决定|考虑|准备|计划|申请过?)(?:了|着|过|说|要|想|把|给)*"
    r"[^,，;；。!！?？帮请就现]{0,8}$"
)
"""What was wished for once."""
ZH_OF_OTHERS = re.compile(
    r"(?:客服|卖家|商家|店家|快递员?|系统|他们?|她们?|你们|同事|朋友|室友|老板|领导|经理|老婆|老公|家人|爸爸?|妈妈?|邻居|客户|对方|有人)"
    r"(?:也|都|就|之前|刚才?|昨天|现在|已经|还|跟我|和我|对我|给我)*"
    r"(?:(?:说|答应|承诺|表示|讲|通知)[^,，;；。!！?？]{0,8}|(?:想|要|打算|准备|希望|在考虑|考虑)[^,，;；。!！?？帮请]{0,8})$|"
    r"我们?(?:自己|明天|今天|等会儿?|稍后|晚点|回头)*(?:自己会?|会|将会?)(?:再|去|给|把)?[^,，;；。!！?？帮请]{0,30}$"
)
"""What others say or want to do, or the person does without the desk."""
ZH_TAKEN_BACK = re.compile(r"了\W*$|算了|后来|还是|决定|改主意|又")
EN_TAKEN_BACK = re.compile(
    r"\b(?:later|then|but|actually|decided?|after all|any ?more|on second thoughts?|never ?mind|no wait)\b",
    re.IGNORECASE,
)
OF_OTHERS = re.compile(
    r"\d{3,}|\b(?:others?|rest|else|another|anything)\b|其他|其它|别的|另外|剩下|其余", re.IGNORECASE
)
"""What a negation names that is no taking back: another thing."""
ZH_WISH = re.compile(
    r"(?:帮|请|要|想|把|给我|给他|麻烦|替|希望|打算|决定|申请|需要|直接|马上|立刻|立即|赶紧|尽快|就|再|先|"
    r"顺便|然后|那|现在)"
)
ZH_CONDITIONAL = re.compile(r"的话|如果|要是|假如|若")
