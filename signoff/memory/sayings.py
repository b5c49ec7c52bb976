"""Sentences that give an attribute of a person a value: what they are called, where they live, who signs for them."""

from __future__ import annotations

import re

_OWN = r"(?:my|our|(?:the )?(?:user|customer|person)['’]s)"
_LEAD = r"(?:please |always |from now on,? |going forward,? |in future,? |i want you to |only )*"
_LEAD_ZH = (
    r"(?:请|以后|今后|往后|都|一律|统一|默认|一般|平时|总是|永远|从现在起|从今以后"
    r"|我的?|本人的?|把|所有的?|全部的?|[,，])*"
)
_IS = (
    r"(?: is now| is| are now| are|['’]s now|['’]s| (?:was |has |have )?changed to| has become| should be"
    r"| must be|\s?[:=])"
)
_IS_ZH = r"(?:现在|目前|已经?)?(?:是|为|用|叫|[:：]|改成了?|改为了?|改到了?|换成了?|换到了?|变成了?)"
_PARCELS = r"(?:orders?|parcels?|packages?|deliver(?:y|ies)|purchases?|goods|everything|stuff|things|shipments?|it all)"

SAYINGS = tuple(
    (key, re.compile(pattern))
    for key, pattern in (
        ("name", rf"^(?:(?:please |always )*call me|i(?:['’]m| am) called|i go by|{_OWN} name is) (?P<value>.+)$"),
        ("name", r"^(?:请|以后|你们?|可以|就)*(?:称呼我|叫我|我叫|管我叫)(?:为|做|作)?\s*(?P<value>.+)$"),
        (
            "home",
            r"^(?:i|we|(?:the )?user)(?:['’]ve|['’]m)? (?:now |currently )?(?:lives? (?:in|at)|liv(?:e|ing) (?:in|at)"
            r"|(?:have |has )?moved to|reside in|am based in)\s+(?P<value>.+)$",
        ),
        ("home", r"^(?:我|用户|本人)(?:家|们)?(?:现在|目前)?(?:住在|住|搬到了?|搬去了?|家在)\s*(?P<value>.+)$"),
        (
            "address delivery",
            rf"^{_LEAD}(?:ship|send|deliver|post|mail) (?:(?:all|my|the|future|of"
            rf"|to me) )*(?:{_PARCELS} )?to (?P<value>.+)$",
        ),
        (
            "address delivery",
            rf"^(?:i(?:['’]d| would)? (?:want|like|need) )?(?:all |my |the |future )*{_PARCELS} (?:should |must "
            rf"|to |always |are to )*"
            r"(?:be )?(?:go(?:es)?|ship(?:ped)?|sent|delivered|posted|arrive)(?: at)? (?:to )?(?P<value>.+)$",
        ),
        (
            "address delivery",
            rf"^(?:{_OWN}|the) (?:new |current |usual |default )?(?:shipping|delivery|mailing"
            rf"|postal) address{_IS}\s+(?P<value>.+)$",
        ),
        (
            "address delivery",
            rf"^{_LEAD_ZH}(?:新的?|现在的?|默认的?)?(?:收货|收件|邮寄|快递|配送|送货"
            rf"|寄件)地址{_IS_ZH}\s*(?P<value>.+)$",
        ),
        (
            "address delivery",
            rf"^{_LEAD_ZH}(?:快递|包裹|东西|货|订单|商品|物品)?(?:都|一律|请|统一|要|就|帮我|给我)*"
            r"(?:寄|送货|发货|配送|邮寄|派送|送)(?:到|去|往|至)(?P<value>.+)$",
        ),
        (
            "payment",
            rf"^(?:{_OWN}|the) (?:new |current |usual |default |preferred )?(?:payment (?:method|account|type)"
            rf"|way to pay){_IS}\s+(?P<value>.+)$",
        ),
        (
            "payment",
            r"^(?:i|we)(?: now| always| usually| only| will)* pay (?:for (?:everything|it|orders|things) )?(?:by"
            r"|with|via|through|using|from) (?P<value>.+)$",
        ),
        ("payment", rf"^{_LEAD}(?:charge|bill|debit) (?:(?:it|everything|all|orders?|my|the|to) )*(?P<value>.+)$"),
        (
            "payment",
            rf"^{_LEAD}(?:use|take|pay (?:by|with|via)) (?P<value>.+?)(?: (?:for|as) (?:my |all )?(?:payments?"
            rf"|payment method|paying|purchases|orders))$",
        ),
        ("payment", rf"^{_LEAD_ZH}(?:付款|支付|结算)(?:方式|账户|渠道){_IS_ZH}\s*(?P<value>.+)$"),
        (
            "payment",
            rf"^{_LEAD_ZH}(?:用|使用|走|通过|改用)(?P<value>[^,，。]{{1,12}}?)(?:来)?(?:付款|支付|付钱|结账|结算"
            rf"|买单)$",
        ),
        (
            "payment refund",
            rf"^{_LEAD}(?:refund|pay back|send)(?: (?:me|my|money|everything|refunds?|all|the|back))* (?:to|via|by"
            rf"|through|into|on|onto) (?P<value>.+)$",
        ),
        (
            "payment refund",
            r"^(?:my |all |the )*refunds? (?:should |must |always |to |are )*(?:go|be (?:paid|sent)|paid|sent"
            r"|come)(?: back)? (?:to|via|by|into|on) (?P<value>.+)$",
        ),
        (
            "payment refund",
            rf"^{_LEAD_ZH}(?:退款|退钱|钱)(?:方式|账户)?(?:都|请|一律|统一|要|就|给我)*(?:退|打|转|付)?(?:到|至|回"
            rf"|往|{_IS_ZH})(?P<value>.+)$",
        ),
        (
            "approver",
            rf"^(?:{_OWN}|the) (?:new |current |usual )?(?:approver|approving manager|signatory|sign-?off (?:person"
            rf"|manager))(?: for [\w ]{{1,30}})?{_IS}\s+(?P<value>.+)$",
        ),
        (
            "approver",
            r"^(?P<value>[^,.]{1,40}?) is (?:now )?(?:my|our|the) (?:new |current )?(?:approver|signatory)$",
        ),
        (
            "approver",
            r"^(?P<value>[^,.]{1,40}?)(?: now| must| has to| should| will)* (?:approves?|signs? off(?: on)?"
            r"|authori[sz]es?) (?:all )?(?:of )?(?:my|our) [\w ]+$",
        ),
        (
            "approver",
            r"^(?:all )?(?:my|our) [\w ]{1,30} (?:are|is|get|gets|must be|have to be|need to be"
            r"|should be) (?:now )?(?:approved|signed off) by (?P<value>.+)$",
        ),
        (
            "approver",
            rf"^{_LEAD_ZH}(?:部门的?|这边的?)?(?:新的?|现在的?)?(?:审批人|审核人|批准人|签字人"
            rf"|审批领导){_IS_ZH}\s*(?P<value>.+)$",
        ),
        (
            "approver",
            rf"^{_LEAD_ZH}(?:申请|报销|采购|请求|单子|退款|请假)?单?(?:都|一律|改|现在)*(?:由|找|归"
            rf"|让)(?P<value>[^,，。]{{1,12}}?)(?:来|负责)*(?:审批|批准|签字|签批|审核)$",
        ),
        (
            "approver",
            r"^(?P<value>[^,，。]{1,8}?)(?:是|当|现在是|才是)(?:我的?|我们的?)(?:新的?)?(?:审批人|审核人|批准人"
            r"|签字人)$",
        ),
        (
            "approver",
            r"^(?P<value>[^,，。我]{1,8}?)(?:来|负责)*(?:审批|批准|签批)我的?(?:申请|报销|采购|请求|单子|退款)?$",
        ),
    )
)
"""An attribute's key and the form of a sentence that gives it a value; the first that fits counts."""
