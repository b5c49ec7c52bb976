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
    r"|seed phrases?|secret (?:question|answer|word)s?|credentials?|client secrets?|log[ -]?in details|pass ?words?"
    r"|pass ?phrases?|passwor[dt]e?s?|pw(?= ?(?:[:=]|is\b|was\b))|(?:two|2)[- ]?(?:factor|step) codes?|(?:wi-?fi"
    r"|wlan|network|wpa2?) keys?"
    r"|security (?:number|questions?|answers?)|(?:unlock|screen|lock|swipe) patterns?|mnemonics?"
    r"|mother['’]?s maiden name"
    r"|combination (?:to|of|for) (?:the|my|our)|(?:activation|licen[cs]e|pick-?up|voucher) codes?|mima"
    r"|(?:my|the|our) log[ -]?in\b[^.]{0,30}(?: is| are|:)|log[ -]?in with \S+ and|tokens?(?= [\w.-]*\d)"
    r"|(?:user ?name|account) [^,.]{1,30} (?:pass|pw)\w*)\b"
    r"|\bpins? ?(?:是|为|:)|(?:锁屏|解锁|手势)(?:图案|手势|密码)|取[件货]码|授权码|激活码|兑换码|注册码|助记|暗号"
    r"|密码|口令|验证码|校验码|动态码|安全码|门禁码|开锁码|解锁码|提取码|恢复码|密钥|秘钥|私钥|令牌|助记词|密保"
    r"|登录凭[证据]|通行码|pin ?码"
)
_IDENTITY = re.compile(
    r"\b(?:passports?|ssn|social security|national id\w*|identity (?:card|number|no)\w*|id (?:card|number|no)\b\.?"
    r"|driv(?:er|ing)\w*'?s? licen[cs]e|tax (?:id|number|file)|residence permit|visa number|insurance number)"
    r"|\bsocial(?= (?:is|number|no)\b| ?:)|\bnhs (?:number|no)\w*|\baadhaar\w*|\bnational insurance\b"
    r"|\bresident (?:id|card)\w*"
    r"|\b(?:citizen|personal) (?:id|number|code)\w*|\bgreen card\b"
    r"|学籍号|学号|纳税人识别号|税号|统一社会信用|港澳|回乡证|台胞证|户籍|出生证|结婚证|残疾证|身份证|证件号?|护照"
    r"|驾照|驾驶证|社保号?|社会保障|居住证|通行证|军官证|户口|医保号?"
)
_CARD = re.compile(
    r"\b(?:(?:bank|credit|debit|visa|master|amex)[ -]?cards?|card (?:number|no)\w*|cards? ends?(?:ing)? (?:in|with)"
    r"|(?:bank )?account (?:number|no)\w*|iban|sort code|routing number)"
    r"|\b(?:routing|swift|bsb)\b|\bcards? (?:expires?|expiry|valid)\w*"
    r"|开户行账[号户]|收款账[号户]|银行卡|信用卡|储蓄卡|借记卡|贷记卡|工资卡|卡号|银行账[号户]|对公账[号户]"
    r"|卡.{0,4}尾号"
)
_TAIL = re.compile(r"(?:身份证|证件).{0,6}(?:后|末|尾).{0,3}位.{0,4}[0-9x]{3}")
_EXPIRY = re.compile(
    r"(?:card|卡).{0,20}(?:expir\w+|valid\w*|有效期|到期).{0,8}\d{1,2} ?[/-] ?\d{2}(?:\d{2})?(?!\d)", re.DOTALL
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
    r"|menopaus\w+|menstrua\w+|surger(?:y|ies)|diagnos(?:ed|is)|prescription\w*|medications?|(?:my|take|taking"
    r"|on) (?:\w+ )?medicines?|antidepress\w+"
    r"|pills|therap(?:y|ist)|psychiatr\w+|psycholog(?:ist|ical)|rehab\w*|disabilit(?:y|ies)|(?:am|'m|is) disabled"
    r"|wheelchairs?|disorders?|illness\w*|diseases?|sick leave|heart (?:disease|attack|condition|failure|problem)\w*"
    r"|mental health|my health|health (?:condition|issue|problem|data|record|insurance)\w*|c(?:o)?eliac|arthritis"
    r"|medical (?:record|history|condition|leave|problem|treatment)\w*|suicid\w+|addict(?:ed|ion)|alcoholi\w+"
    r"|(?:am|'m|is|legally|partially|colou?r)[ -](?:deaf|blind)|hearing aids?|hard of hearing|(?:can't"
    r"|cannot) (?:hear|see) (?:well|properly|much|anything)"
    r"|(?:had|have|suffered|after) (?:a|an|my|another) (?:minor |mild |small |bad |serious )*(?:stroke|seizure"
    r"|operation|surgery|fever"
    r"|heart \w+|concussion|fracture|hernia|infection|flu|migraine|rash|injury|panic attack|allergy)|heart murmur"
    r"|(?:am|'m|was|been|be) (?:in|at) (?:the )?hospital|hospitali[sz]ed|panic attacks?|insomnia\w*|lupus|anemi\w+"
    r"|anaemi\w+"
    r"|recovering from (?:a|an|my|the) (?:\w+ )?(?:injury|operation|surgery|illness|stroke|accident|fall|fracture)"
    r"|(?:see|seeing|visit) (?:a|my|the) (?:doctor|gp|specialist|cardiologist|oncologist|shrink)"
    r"|(?:broke|broken|sprained|twisted|fractured|injured|hurt) (?:my|his|her) (?:leg|arm|wrist|ankle|hand|foot"
    r"|finger|toe|rib|neck|back|knee|shoulder"
    r"|hip|nose|collarbone|elbow|jaw)s?|(?:bad|slipped|herniated|aching) (?:back|knee|disc|disk)s?"
    r"(?! office)|(?:tested|test) positive|thyroid|eczema|psoriasis|gout|ulcers?|obes\w+|anorexi\w+|bulimi\w+|ptsd"
    r"|ocd|dyslexi\w+"
    r"|tinnitus|sclerosis|endometriosis|fertility|infertil\w+|vertigo|claustrophob\w+|phobias?|stutter\w*"
    r"|gluten[- ]free because"
    r"|on (?:my )?(?:meds|medication|antibiotics|statins))\b"
    r"|糖尿病|癌|肿瘤|白血病|艾滋|肝炎|乙肝|肺结核|新冠|疫苗|抑郁|焦虑症|双相|躁郁|精神分裂|自闭|多动症|痴呆|帕金森"
    r"|癫痫|哮喘"
    r"|过敏|偏头痛|高血压|低血压|血压|血型|血糖|血脂|胰岛素|化疗|透析|[肝肾髓官]移植|怀孕|怀了|孕[期妇]|流产"
    r"|试管婴儿|月经|更年期"
    r"|手术|确诊|诊断[为出书]|处方|药物|[吃服用]药|心理咨询|精神科|残疾|残障|轮椅|病史|疾病|患[有者上]|得了.{0,8}病"
    r"|生病|病情|病假"
    r"|病人|心脏病|冠心病|中风(?![险格波])|关节炎|健康状况|身体状况|体检|住院|就医|看病|医嘱|病历|乳糖不耐|失聪"
    r"|失明|色盲|自杀"
    r"|戒[酒毒]|心脏(?:病|支架|搭桥|不好)|支架手术|椎间盘|失眠|流感|发[烧热]了|我?发烧|痛风|骨折|扭伤|拉伤|近视"
    r"|远视|散光|听力|视力不|心理医生|心理治疗"
    r"|焦虑(?!地)|恐惧症|强迫症|创伤后|备孕|不孕|阳痿|痔疮|结石|甲[亢减状]|甲状腺|贫血|湿疹|皮炎|鼻炎|胃炎|胃溃疡"
    r"|肠炎|脂肪肝|肝硬化|肾病|肾炎"
    r"|脑梗|脑出血|癌症|康复期|术后|吃素是因为|瘫痪|口吃|脊柱|腰(?:疼|痛|不好)|颈椎(?:病|不好)|三高"
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
    if _TAIL.search(flat):
        return IDENTITY
    if _EXPIRY.search(flat):
        return CARD
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
