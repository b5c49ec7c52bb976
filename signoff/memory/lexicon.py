"""A small bilingual vocabulary: words of both languages that mean one thing where a person speaks of themselves."""

from __future__ import annotations

from functools import cache

from signoff.text import STOP_WORDS, tokens

CHANNELS = {
    "email": "email e-mail mail emails 邮件 邮箱 电邮 电子邮件 电子邮箱",
    "phone": "phone telephone call calls called calling 电话 打电话 来电 致电 手机",
    "sms": "sms text texts texting 短信",
    "wechat": "wechat weixin 微信",
    "wecom": "wecom 企微",
    "dingtalk": "dingtalk 钉钉",
    "feishu": "feishu lark 飞书",
    "slack": "slack",
    "teams": "teams",
    "whatsapp": "whatsapp",
    "telegram": "telegram",
    "letter": "letter letters 信件 书信 信函",
}
"""Ways of reaching somebody."""

LANGUAGES = {
    "chinese": "chinese mandarin 中文 汉语 普通话",
    "english": "english 英文 英语",
    "japanese": "japanese 日文 日语",
    "german": "german 德文 德语",
    "french": "french 法文 法语",
    "spanish": "spanish 西班牙文 西班牙语",
    "korean": "korean 韩文 韩语",
    "russian": "russian 俄文 俄语",
    "cantonese": "cantonese 粤语 广东话",
}
"""Languages somebody may be answered in."""

_ALIKE = {
    "prefer": "prefer preference preferences preferred favourite favorite favour like likes rather"
    " 喜欢 偏好 偏爱 倾向 习惯 爱好 首选 最喜欢 更喜欢",
    "contact": "contact contacted reach reached 联系 联络 联系方式 联系我 沟通",
    "address": "address addresses 地址 住址",
    "name": "name names nickname 名字 姓名 名称 称呼 昵称",
    "language": "language languages 语言 语种",
    "department": "department dept 部门",
    "team": "team group 团队 小组",
    "title": "title position job role 职位 岗位 职务",
    "manager": "manager boss supervisor 经理 主管 领导 上级",
    "office": "office 办公室",
    "seat": "seat desk workstation 座位 工位",
    "floor": "floor 楼层 楼",
    "city": "city 城市",
    "birthday": "birthday birthdate 生日",
    "zone": "timezone zone 时区",
    "size": "size 尺码 尺寸",
    "colour": "colour color 颜色",
    "assistant": "assistant 助理 秘书",
    "invoice": "invoice invoices 发票 抬头",
    "delivery": "delivery deliver delivered deliveries shipping ship shipped ships shipment mailing parcel parcels"
    " 收货 收件 送货 配送 派送 邮寄 寄件 寄送 寄 寄到 快递 包裹",
    "payment": "payment payments pay pays paid paying payer 支付 付款 付钱 结算 结账",
    "refund": "refund refunds refunded refunding 退款 退钱",
    "approver": "approver approvers approve approves approved approving signatory"
    " 审批人 审核人 批准人 审批 批准 签批 签字人",
    "hours": "hours schedule shift 作息 班次",
    "lunch": "lunch 午餐 午饭 午休",
    "company": "company employer 公司",
    "home": "live lives home 住 住在 家",
    "answer": "answer answers reply replies respond 回答 回复 答复",
    "morning": "morning mornings 上午 早上",
    "afternoon": "afternoon afternoons 下午",
    "evening": "evening evenings 晚上",
    **{
        f"day{n}": f"{en} {en}s 周{zh} 星期{zh} 礼拜{zh}"
        for n, (en, zh) in enumerate(
            zip("monday tuesday wednesday thursday friday saturday sunday".split(), "一二三四五六日", strict=True)
        )
    },
}

ASIDE = frozenset(
    "remember memory memories memorize ask asked tell told said say says know knows forget forgot save saved store"
    " stored keep keeps kept mind note noted record recorded thing things everything anything fact facts info"
    " information detail details method methods about time all every whole entire single user users"
    " customer customers person client delete remove erase clear way"
    " 记住 记得 记忆 记 记下 记着 记录 让 告诉 说 说过 知道 忘 忘掉 忘记 忘了 事 事情 时间 信息 内容 方式 用户 客户"
    " 本人 关于 东西 过 之前 以前 保存 删除 删掉 删 清除 清空 去掉 移除 叫 别 那条 这条 那件 这件 条 件 些 那些 这些"
    " 长期 吧 都 统统 全部 所有 一切".split()
)
"""Words for remembering itself and for nothing in particular: they say nothing of what a fact is about."""


def terms(text: str) -> frozenset[str]:
    """What a text is about: its words, folded so that both languages meet; empty when it is about nothing."""
    aside = _aside()
    found = {concept_of(w) for w in _words(text) if w not in aside and w not in STOP_WORDS}
    # To be reached by e-mail is a way of being contacted, though the word is not said.
    return frozenset(found | ({"contact"} if found & CHANNELS.keys() else set()))


def concept_of(token: str) -> str:
    """The concept that a token (as `signoff.text.tokens` gives it) means, or the token."""
    return _concepts().get(token, token)


def _words(text: str) -> list[str]:
    """The tokens, each Chinese word once: 午饭时间, which is cut into 午饭, 饭时, 时间 and itself, as 午饭 and 时间."""
    found: list[str] = []
    for word in tokens(text):
        parts: list[str] = []
        while not word.isascii() and len(word) > 2 and found and found[-1] in word:
            parts.insert(0, found.pop())
        known = word in _concepts() or word in _aside()
        found.extend([word] if known else _tiled(word, parts) or [word])
    return found


def _tiled(word: str, parts: list[str]) -> list[str]:
    """Parts that make up the word one behind the other; none when they do not."""
    tiles: list[str] = []
    while rest := word[sum(map(len, tiles)) :]:
        fitting = [p for p in parts if len(p) > 1 and rest.startswith(p)]
        if not fitting:
            return []
        tiles.append(max(fitting, key=len))
    return tiles


@cache
def channel_words() -> dict[str, str]:
    """Each word for a way of contact, as written, with the way."""
    return {w: name for name, words in CHANNELS.items() for w in words.split()}


@cache
def language_words() -> dict[str, str]:
    """Each word for a language, as written, with the language."""
    return {w: name for name, words in LANGUAGES.items() for w in words.split()}


@cache
def _concepts() -> dict[str, str]:
    table = {**_ALIKE, **CHANNELS, **LANGUAGES}
    return {tokens(w, stop=False)[-1]: name for name, words in table.items() for w in words.split()}


@cache
def _aside() -> frozenset[str]:
    return frozenset(t for w in ASIDE for t in (*tokens(w, stop=False), w))
