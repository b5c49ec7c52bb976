"""What is said in several words, or in two parts that stand apart: 请三天年假, "call it off", "no rush"."""

from __future__ import annotations

import re

from signoff.models.rehearsal import persons

APART = (
    (re.compile(r"(?:send|bring|take)(?= (?:\S+ ){1,4}back\b)"), "refund"),
    # "Send me the number" asks for it; "ship it to 5 Lake Road" changes where it goes.
    (re.compile(r"(?:send|text)(?= (?:me|us) (?!.{0,24}\b(?:e-?mails?|mails?|messages?|refund|money)\b))"), "look"),
    (re.compile(r"发(?:一下)?(?:给)?(?:我|过来)(?!们?的?(?:邮|信))"), "look"),
    (re.compile(r"(?<![系序陈行排])列(?=[最我近前出]|个|一)"), "list"),
    (
        re.compile(
            r"(?:re)?(?:ship|send|deliver|route|direct)(?= (?:it|this|that|them|my \w+|(?:the |"
            r"my )?(?:order|parcel|package)"
            r"(?: #?[a-z]*\d+)?|#?[a-z]*\d{3,})(?: over)? to (?!me\b|us\b|the (?:service|team)|\S*@))"
        ),
        "change",
    ),
    (
        re.compile(r"(?:should|must|needs? to|has to|ought to) (?:now )?(?:go|be (?:sent|shipped|delivered))(?= to )"),
        "change",
    ),
    (re.compile(r"new (?:delivery |shipping )?address(?=(?: (?:for|of|on)\b[^:.?!]{0,24})?(?: is\b|\s*:))"), "change"),
    (re.compile(r"新的?(?:收货|收件)?地址(?=\s*[是为:：改])(?!是(?:什么|哪|啥|多少|否|不是))"), "change"),
    (re.compile(r"改?[寄送发][到往去](?=[^,，。;；?？!！]{3,30}(?:路|街|道|号|楼|室|栋|巷|弄|大厦|小区))"), "change"),
    (re.compile(r"[不没别](?:[^,，。;；吗]{0,3}?)(?:着?急|紧急)"), "low"),
    (
        re.compile(
            r"(?:no|not|isn't|nothing)(?: (?:a|an|in|any|very|that|too|so|really|particularly|at all|big|"
            r"terribly)){0,2}"
            r" (?:urgent|rush|hurry)(?![a-z])"
        ),
        "low",
    ),
    (
        re.compile(r"(?<=\bi )(?:can't|cannot|can not|don't|do not|couldn't)(?: \w+)? (?:recall|remember)(?![a-z])"),
        "made",
    ),
    (re.compile(r"(?:快递|物流|包裹|配送|运输)的?(?:进度|状态|情况|进展|信息)"), "logistics"),
    (
        re.compile(r"(?:shipping|delivery|parcel|package|tracking|shipment) (?:status|progress|updates?)(?![a-z])"),
        "logistics",
    ),
    (re.compile(r"(?:怎么|为什么|为啥|咋)?还没[到送](?!货?的)|卡在(?:哪|什么)"), "logistics"),
    (
        re.compile(
            r"when (?:did|have|had) (?:i|we) (?:placed?|order(?:ed)?|buy|bought|purchased?)(?: (?:my|the|this|"
            r"that))?(?: order)?"
            r"(?![a-z])|(?:是|在)?(?:哪一?[天日]|什么时候|几号|何时)下的?[这那]?个?单"
        ),
        "order",
    ),
    (re.compile(r"found(?= (?:an?|another|my|it|them|some|one|the|out)(?![a-z]))"), "made"),
    (
        re.compile(
            r"open(?:ing)?(?= (?:up )?(?:the |this |that )?(?:web ?)?(?:pages?|links?|urls?|sites?|websites?|https?:))"
        ),
        "look",
    ),
    (re.compile(r"打开(?=一?下?[这那]?个?\s*(?:https?:|网页|网址|链接|页面))"), "look"),
    (
        re.compile(r"下的?[这那]?个?单(?=[^独位元一]|$)|place[ds]?(?: (?:my|the|this|that))? order(?=s? #?[a-z]?\d)"),
        "order",
    ),
    (re.compile(r"(?:都)?[干做忙]了(?:些|点)?(?:啥|什么|哪些)"), "note"),
    (
        re.compile(
            r"(?:everything|anything|whatever|all|what|things?|notes?|facts?)(?: that)? you(?:'ve| have| still|"
            r" already)* "
            r"(?:remember(?:ed)?|noted|stored|saved)(?![a-z])"
        ),
        "memory",
    ),
    (re.compile(r"[你您](?:帮|替|给|为)我(?:都)?记[住得下着]?了?的"), "memory"),
    (re.compile(r"call(?= (?:\S+ ){1,4}off\b)"), "cancel"),
    (re.compile(r"put(?= (?:\S+ ){1,4}off\b)"), "reschedule"),
    (re.compile(r"(?:turn|switch)(?= (?:\S+ ){1,5}on\b)"), "enable"),
    (re.compile(r"(?:turn|switch)(?= (?:\S+ ){1,5}off\b)"), "disable"),
    (re.compile(r"(?<=\d)度|(?<=\d )度"), "temperature"),
    *((said, persons.CONCEPT) for said in persons.SAID),
    (re.compile(r"[请休](?=[^,，。;；!！?？]{0,12}假)(?!问|帮|给|你|您|把|将|查|看)"), "apply"),
)
"""Patterns of folded text, each with the concept that it means; the first that fits counts."""
