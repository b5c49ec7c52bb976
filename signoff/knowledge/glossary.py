"""Words of company life in Chinese and English, so that a question in one language finds the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from signoff.knowledge.terms import terms
from signoff.text import normalise

# A line is one concept, Chinese words before the bar and English ones, between commas, behind it.
_CONCEPTS = """
退货 退换货 退换 能退 可退 退吗 退掉 退不退 寄回 退回 退 | return, send back, sent back, bring back, take back
退款 退钱 返款 退费 | refund, refunded, money back
换货 更换 调换 换新 换 | exchange, replacement, replace, swap
订单 下单 | order, orders
无理由 不想要 不喜欢 反悔 | no reason, without giving a reason, without a reason, changed my mind, change of mind
签收 收货 收到货 到货 | signed for, signing, received, receipt of goods
破损 损坏 摔坏 受损 破裂 坏 碎 破 | damaged, damage, broken, defective, smashed, cracked
物流 快递 配送 包裹 运单 寄送 | shipment, shipping, delivery, courier, parcel, package, logistics, tracking
运费 邮费 | shipping cost, shipping fee, postage, freight, return shipping
地址 | address
付款 支付 | payment, paying, paid
发票 票据 收据 | invoice, receipt
报销 报 | reimbursement, reimburse, expense, expenses, expense claim, claim back
餐费 餐补 餐饮 用餐 伙食 吃饭 餐标 午餐 晚餐 饭补 | meal, meals, food, lunch, dinner
住宿 酒店 宾馆 住店 住 | hotel, accommodation, lodging, overnight
交通 打车 出租车 网约车 车费 | transport, transportation, taxi, cab
出差 差旅 | business trip, business travel, travel, trip
机票 航班 飞机 | flight, air ticket, airfare
商务舱 经济舱 头等舱 | business class, economy class, first class
工作时间 上班时间 上下班 考勤 | working hours, core hours, office hours
云服务 订阅 | subscription, cloud service
外包 承包商 | contractor, freelancer
网络 | network
火车 高铁 动车 | train ticket, high-speed rail
补贴 津贴 补助 | allowance, subsidy, stipend, per diem
请假 休假 假期 放假 休 假 | leave, time off, days off, day off, vacation, holiday
年假 年休假 带薪假 | annual leave, paid leave, vacation days, annual vacation, holiday entitlement
病假 生病 | sick leave, sick, ill, illness
产假 生育 生孩子 | maternity leave, maternity, parental leave, childbirth
陪产假 护理假 | paternity leave, paternity
婚假 结婚 | marriage leave, wedding, married
丧假 去世 | bereavement leave, bereavement, funeral
事假 | personal leave, unpaid leave
调休 加班 | overtime, compensatory leave, time in lieu
医院 诊断证明 病历 医生 | doctor, hospital, medical certificate, sick note
审批 批准 审核 签字 签批 批 | approval, approve, approver, sign off
申请 | application, apply, request
经理 主管 上级 直属领导 | manager, supervisor, line manager, boss
财务 财务部 | finance, accounting
人事 人力资源 | human resources, hr
远程 远程办公 在家办公 居家办公 | remote, remotely, work from home, working from home
连接 连上 接入 登录 | connect, connection, log in, login, sign in
密码 口令 | password, passphrase
账号 账户 帐号 | account
锁定 锁住 解锁 锁 | locked, lockout, unlock
双因素 双因子 两步验证 验证码 动态码 | two-factor, multi-factor, mfa, authenticator, verification code, second factor
客户端 | client app, client
断开 断线 掉线 连不上 断网 | disconnect, drops, cannot connect, can't connect
电脑 笔记本 笔记本电脑 | laptop, computer
设备 | device, equipment, hardware
耳机 | headphone, headset, earbud
音箱 音响 | speaker, loudspeaker
手机 | phone, mobile, smartphone
礼品 礼物 | gift
预付款 预付 定金 | in advance, advance payment, deposit, prepayment
驾车 自驾 开车 | drive, own car, mileage
费用 多少钱 价格 收费 | cost, fee, price
登记 注册 准入 | register, registration
打印机 | printer
软件 | software
采购 购买 购置 请购 | procurement, purchase, purchasing, buy, buying, procure
供应商 厂商 | supplier, vendor
报价 比价 询价 | quote, quotation, bid
合同 | contract
招标 投标 | tender, bidding
预算 | budget
标准 限额 上限 额度 | standard, rate, limit, cap, ceiling, maximum, threshold
值班 轮值 值守 | on-call duty, call rota, rota, on call, rotation
故障 事故 宕机 告警 报警 | incident, outage, alert
严重级别 严重程度 优先级 级别 | severity, priority
升级 上报 | escalate, escalation
响应 回应 | respond, response time, acknowledge
复盘 事后总结 | postmortem, retrospective
交接 移交 | handover, hand over, handoff
保修 质保 三包 维修 保修期 修 | warranty, guarantee, repair
屏幕 | screen, display
电池 续航 | battery
充电 充电器 | charge, charging, charger
进水 摔落 摔 人为 | misuse, accidental damage, liquid damage, water damage, dropped, drops
配件 附件 零件 备件 | accessory, accessories, spare part
产品 商品 | product, item, merchandise
防水 | waterproof, water resistant, water resistance
蓝牙 配对 | bluetooth, pairing, pair
会员 积分 | membership, loyalty point
优惠 折扣 优惠券 打折 | discount, coupon, voucher
客服 热线 | customer service, support, hotline
工资 薪资 薪酬 薪水 薪级 | salary, wage, compensation, pay band, salary band
职级 岗位 | grade, job level, position
奖金 年终奖 | bonus
绩效 考核 | performance review, appraisal, performance rating
入职 新员工 新人 | onboarding, new hire, new employee, new starter
试用期 | probation
离职 辞职 | resignation, resign, offboarding, leaving the company
培训 | training course, training session
隐私 个人信息 | privacy, personal data, personal information
保密 机密 | confidential, confidentiality
安全 | safety
访客 来访 | visitor, guest
会议室 会议 | meeting room, meeting
停车 车位 | parking, car park
门禁 工牌 门卡 | badge, access card, door card
仓库 仓储 | warehouse
库存 缺货 | in stock, inventory, out of stock
工单 | ticket
政策 制度 规定 规则 办法 | policy, rule, regulation
工作日 | working day, business day
期限 截止 时限 | deadline, time limit, period
材料 凭证 证明 | supporting document, evidence, proof
超出 超过 超标 | exceed, over the limit, above the limit
自费 自行承担 自付 | own expense, out of pocket
境外 国外 海外 | abroad, overseas, international
城市 一线城市 | city, cities
开封 拆封 拆开 | opened, unsealed, unboxed
定制 订做 刻字 | customised, customized, made to order, personalised, engraving, engraved
遗失 丢失 丢 弄丢 | lost, lose, loss
周末 节假日 法定节假日 | weekend, public holiday
"""


@dataclass(frozen=True, eq=False)
class Concept:
    """Words for one thing, each as its search terms: a Chinese word is one term, an English one may be several."""

    chinese: tuple[str, ...]
    english: tuple[tuple[str, ...], ...]
    named: str = ""
    """Its first English word as it is written."""

    @property
    def variants(self) -> frozenset[tuple[str, ...]]:
        """All its words."""
        return frozenset({(w,) for w in self.chinese} | set(self.english))


@dataclass(frozen=True)
class Mention:
    """A concept met in a text, and the words it was met by."""

    concept: Concept
    words: tuple[tuple[str, ...], ...]

    def covers(self, term: str) -> bool:
        """Whether a search term of the same text is a part of the words met."""
        return any(term in word or (not term.isascii() and term in word[0]) for word in self.words)


def mentions(text: str, found: Sequence[str] | None = None) -> Iterator[Mention]:
    """The concepts that `text` names; `found` are its terms, if they are known already.

    A Chinese word of one character counts only where the tokenizer cuts it out: 修 is not in 修改.
    """
    plain, found = normalise(text), terms(text) if found is None else found
    known = set(found)
    for concept in _concepts():
        met: list[tuple[str, ...]] = [(w,) for w in concept.chinese if (w in plain if len(w) > 1 else w in known)]
        met.extend(w for w in concept.english if known.issuperset(w) and occurrences(w, found))
        if met:
            yield Mention(concept, tuple(met))


@lru_cache(maxsize=256)
def concepts_of(text: str) -> frozenset[Concept]:
    """The concepts that `text` names, remembered for texts that are compared with again and again."""
    return frozenset(m.concept for m in mentions(text))


def index_terms(text: str) -> list[str]:
    """Search terms with the glossary's Chinese words whole, however the text around them is cut."""
    found, plain = terms(text), normalise(text)
    known = set(found)
    return found + [w for w in sorted(_chinese_words()) if w not in known for _ in range(plain.count(w))]


def occurrences(word: tuple[str, ...], found: Sequence[str]) -> int:
    """How often the terms of `word` follow each other in `found`."""
    n = len(word)
    if n == 1:
        return found.count(word[0])
    return sum(tuple(found[i : i + n]) == word for i in range(len(found) - n + 1))


@cache
def _concepts() -> tuple[Concept, ...]:
    found = []
    for line in _CONCEPTS.strip().splitlines():
        chinese, _, english = line.partition("|")
        words = [w.strip() for w in english.split(",")]
        found.append(Concept(tuple(chinese.split()), tuple(tuple(terms(w)) for w in words), words[0]))
    return tuple(found)


@cache
def _chinese_words() -> frozenset[str]:
    return frozenset(w for c in _concepts() for w in c.chinese if len(w) > 1)
