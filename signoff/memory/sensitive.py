"""What is never remembered: secrets, identity and card numbers, and data about health."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signoff.telemetry.patterns import MARK
from signoff.telemetry.redaction import redact
from signoff.text import normalise, terminal_safe

_CONTACT = frozenset({"[phone]", "[email]"})
"""What redaction also finds, and a person may want remembered: how to reach them."""
_DIGITS = str.maketrans("零〇一二两三四五六七八九壹贰叁肆伍陆柒捌玖", "001223456789123456789")

_SECRET = re.compile(
    r"\b(?:pass(?:word|code|phrase|wd)s?|passkeys?|pwd|pin(?:s|code| ?codes?| ?numbers?)?(?= ?(?:[:=]|is\b|was\b|\d))"
    r"|(?:my|the|your|card|sim|bank) pins?\b|pins? (?:code|number)s?|otps?|totps?|cvv2?|cvc2?|mfa codes?|2fa codes?"
    r"|(?:verification|security|access|entry|door|gate|alarm|recovery|backup|unlock|safe|one[- ]time|auth\w*)"
    r" (?:code|key|phrase|combination)s?"
    r"|(?:api|access|secret|private|ssh|encryption|master|licen[cs]e|product|signing|account)[ _-]?keys?"
    r"|(?:api|access|auth\w*|refresh|session|bearer|bot)[ _-]?tokens?|tokens?(?= ?(?:[:=]|is\b|was\b))"
    r"|seed phrases?|secret (?:question|answer|word)s?|credentials?|client secrets?|log[ -]?in details)"
    r"|密码|口令|验证码|校验码|动态码|安全码|门禁码|开锁码|解锁码|提取码|恢复码|密钥|秘钥|私钥|令牌|助记词|密保"
    r"|登录凭[证据]|通行码|pin ?码"
)
_IDENTITY = re.compile(
    r"\b(?:passports?|ssn|social security|national id\w*|identity (?:card|number|no)\w*|id (?:card|number|no)\b\.?"
    r"|driv(?:er|ing)\w*'?s? licen[cs]e|tax (?:id|number|file)|residence permit|visa number|insurance number)"
    r"|身份证|证件号?|护照|驾照|驾驶证|社保号?|社会保障|居住证|通行证|军官证|户口|医保号?"
)
_CARD = re.compile(
    r"\b(?:(?:bank|credit|debit|visa|master|amex)[ -]?cards?|card (?:number|no)\w*|cards? ends?(?:ing)? (?:in|with)"
    r"|(?:bank )?account (?:number|no)\w*|iban|sort code|routing number)"
    r"|银行卡|信用卡|储蓄卡|借记卡|贷记卡|工资卡|卡号|银行账[号户]|对公账[号户]|卡.{0,4}尾号"
)
_DATE = re.compile(r"(?<!\d)(?:19|20)\d{2}(?:[-/.年 ]\d{1,2}(?:[-/.月 ]\d{1,2})?)?(?!\d)")
_LONG = re.compile(r"\d(?:[ -]?[0-9x]){4,}")
_SHORT = re.compile(r"\d(?:[ -]?\d){3,}")
_SHAPES = (
    (re.compile(r"(?<!\d)[1-8]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[0-9x](?![0-9a-z])"), "id"),
    (re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"), "id"),
    (re.compile(r"(?<![a-z0-9.-])(?:\d{16,19}|\d{4}(?:[ -]\d{4}){3}(?:[ -]?\d{1,3})?)(?![a-z0-9.-])"), "card"),
)
_HEALTH = re.compile(
    r"\b(?:diabet\w*|cancer\w*|tumou?rs?|leuk\w+|hiv|(?:have|has|with|got) aids|hepatitis|tuberculosis|covid\w*"
    r"|vaccin\w*|depress(?:ion|ed|ive)|anxiety|bipolar|schizo\w+|autis\w+|adhd|dementia|alzheimer\w*|parkinson\w*"
    r"|epilep\w+|asthma\w*|allerg\w+|migraines?|hypertensi\w+|blood (?:pressure|type|group|sugar)|cholesterol|insulin"
    r"|chemo\w*|dialysis|(?:organ|kidney|liver|heart|marrow) transplant\w*|pregnan\w+|miscarri\w+|abortion\w*|ivf"
    r"|menopaus\w+|menstrua\w+|surger(?:y|ies)|diagnos(?:ed|is)|prescription\w*|medications?|medicines?|antidepress\w+"
    r"|pills|therap(?:y|ist)|psychiatr\w+|psycholog(?:ist|ical)|rehab\w*|disabilit(?:y|ies)|(?:am|'m|is) disabled"
    r"|wheelchairs?|disorders?|illness\w*|diseases?|sick leave|heart (?:disease|attack|condition|failure|problem)\w*"
    r"|mental health|my health|health (?:condition|issue|problem|data|record|insurance)\w*|c(?:o)?eliac|arthritis"
    r"|medical (?:record|history|condition|leave|problem|treatment)\w*|suicid\w+|addict(?:ed|ion)|alcoholi\w+"
    r"|(?:am|'m|is|legally|partially|colou?r)[ -](?:deaf|blind)|hearing aids?|hard of hearing)\b"
    r"|糖尿病|癌|肿瘤|白血病|艾滋|肝炎|乙肝|肺结核|新冠|疫苗|抑郁|焦虑症|双相|躁郁|精神分裂|自闭|多动症|痴呆|帕金森|癫痫|哮喘"
    r"|过敏|偏头痛|高血压|低血压|血压|血型|血糖|血脂|胰岛素|化疗|透析|[肝肾髓官]移植|怀孕|怀了|孕[期妇]|流产|试管婴儿|月经|更年期"
    r"|手术|确诊|诊断[为出书]|处方|药物|[吃服用]药|心理咨询|精神科|残疾|残障|轮椅|病史|疾病|患[有者上]|得了.{0,8}病|生病|病情|病假"
    r"|病人|心脏病|冠心病|中风(?![险格波])|关节炎|健康状况|身体状况|体检|住院|就医|看病|医嘱|病历|乳糖不耐|失聪|失明|色盲|自杀"
    r"|戒[酒毒]"
)


@dataclass(frozen=True)
class Sensitive:
    """Why a text is not remembered, in both languages."""

    en: str
    zh: str


SECRET = Sensitive("a password, key or other secret", "密码、密钥或其他凭证")
IDENTITY = Sensitive("an identity number", "证件号码")
CARD = Sensitive("a bank card or account number", "银行卡或账户号码")
HEALTH = Sensitive("data about health", "健康信息")


def sensitive(text: str) -> Sensitive | None:
    """Why a text must not be remembered, or None. Rather too much is refused than too little."""
    flat = _flat(text)
    if _SECRET.search(flat):
        return SECRET
    marks = set(re.findall(MARK, redact(text) + redact(flat))) - set(re.findall(MARK, text + flat)) - _CONTACT
    if marks & {"[id-card]"}:
        return IDENTITY
    if marks & {"[bank-card]"}:
        return CARD
    if marks:
        return SECRET
    counted = _DATE.sub(" ", flat.translate(_DIGITS))
    if _LONG.search(counted) and _IDENTITY.search(flat):
        return IDENTITY
    if _SHORT.search(counted) and _CARD.search(flat):
        return CARD
    for shape, what in _SHAPES:
        if shape.search(flat.translate(_DIGITS)):
            return IDENTITY if what == "id" else CARD
    return HEALTH if _HEALTH.search(flat) else None


def _flat(text: str) -> str:
    """One form: no invisible characters, no blanks within Chinese, one between it and Latin, l-e-t-t-e-r-s together."""
    flat = normalise(terminal_safe(text)).replace("\u00ad", "")
    flat = re.sub(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])", "", flat)
    flat = re.sub(r"(?<=[\u3400-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u3400-\u9fff])", " ", flat)
    return re.sub(r"\b(?:\w[ .\-_*]){3,}\w\b", lambda m: m[0] + " " + re.sub(r"[ .\-_*]", "", m[0]), flat)
