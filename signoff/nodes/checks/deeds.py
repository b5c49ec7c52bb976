"""Words for what a desk does: one family of words for one deed, in Chinese and English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Deed:
    """A kind of change and the words that report it done."""

    name: str
    participles: str
    """English past forms, as regular expressions between spaces."""
    verbs: str
    """Chinese verbs between spaces."""
    stems: str
    """Beginnings of English words, and Chinese words, that name the deed in a tool's name or result."""
    reported: bool = True
    """Whether the passive ("has been …") is a claim of this desk's doing, not just a record's state."""


DEEDS = (
    Deed(
        "refund",
        r"refunded reimbursed credited paid\s+back",
        "退款 退货 退还 退回 返还 退钱 返款 打款 退费 报销 退",
        "refund reimburs credit 退 返",
    ),
    Deed(
        "cancel",
        r"cancell?ed voided terminated revoked called\s+off",
        "取消 撤销 作废 终止",
        "cancel void terminat revok 取消 撤销 作废 终止",
    ),
    Deed(
        "update",
        r"updated changed modified edited corrected amended revised adjusted replaced switched set(?!\s+out) fixed"
        r" redirected rerouted",
        "修改 更改 更新 变更 更正 调整 改成 改为 改到 改 替换 设置 换成",
        "updat chang modif edit correct amend revis adjust replac switch set fix 修改 更改 更新 变更 更正 调整 改 设置",
    ),
    Deed(
        "create",
        r"created opened filed logged raised lodged registered recorded added drafted generated saved"
        " written overwritten uploaded published exported",
        "创建 新建 建立 建 登记 记录 添加 生成 起草 保存 开立 记下 写入 上传 发布 导出",
        "creat open fil log rais lodg regist record add draft generat sav submit writ upload publish export"
        " 创建 新建 建立 登记 记录 添加 生成 草稿 保存 提交 写入 上传 发布 导出",
    ),
    Deed(
        "submit",
        r"submitted sent\s+in applied\s+for handed\s+in",
        "提交 递交 上报 报送 申请",
        "submit send appl 提交 递交 上报 申请",
    ),
    Deed(
        "send",
        r"sent emailed forwarded notified informed messaged",
        "发送 发出 通知 转发 转交 告知 转达",
        "send sent email forward notif inform messag 发送 发出 通知 转",
    ),
    Deed(
        "delete",
        r"deleted removed erased cleared wiped",
        "删除 移除 清除 删 清空",
        "delet remov eras clear forget wip 删除 移除 清除",
    ),
    Deed(
        "approve",
        r"approved signed\s+off authori[sz]ed granted",
        "批准 审批通过 通过审批 授权",
        "approv sign authori grant 批准 审批 授权",
    ),
    Deed("close", r"closed resolved", "关闭 结案 解决", "clos resolv 关闭 结案 解决"),
    Deed(
        "book",
        r"booked reserved scheduled arranged placed ordered purchased",
        "预订 预约 安排 下单 购买 订",
        "book reserv schedul arrang plac order purchas 预订 预约 安排 下单 购买",
    ),
    Deed(
        "operate",
        r"activated deactivated enabled disabled unlocked locked reset restarted rebooted installed assigned escalated"
        r" exchanged extended renewed transferred deployed executed restored",
        "激活 停用 启用 禁用 解锁 锁定 重置 重启 安装 分配 升级 换货 延长 续期 开通 转账 扣款 部署 恢复",
        "activ deactiv enabl disabl unlock lock reset restart reboot install assign escalat exchang"
        " exten renew transfer charg deploy execut restor run"
        " 激活 停用 启用 禁用 解锁 锁定 重置 重启 安装 分配 升级 换 延长 续期 开通 转账 扣款 部署 恢复",
    ),
    Deed("ship", r"shipped dispatched", "发货 寄出 派送", "ship dispatch deliver 发货 寄 派送", reported=False),
    Deed("pay", r"paid charged", "支付 付款", "pay paid 支付 付款", reported=False),
    Deed(
        "reject",
        r"rejected declined withdrawn withdrew refused",
        "拒绝 驳回 撤回",
        "reject declin withdr refus 拒绝 驳回 撤回",
        reported=False,
    ),
    Deed(
        "finish",
        r"done completed processed handled finished carried\s+out performed finali[sz]ed issued initiated made"
        r" taken\s+care\s+of put\s+through sorted",
        "完成 处理 办理 办好 办妥 执行 搞定 受理 办",
        "",
    ),
)
"""`finish` says that something was done without saying what; its object tells, or any change will do."""

# The thing in "the refund went through", and the deed it belongs to.
NOUNS = {
    "refund": r"refunds?|money back|reimbursements?|退款|报销",
    "cancel": r"cancell?ations?|取消",
    "update": r"changes?|updates?|corrections?|modifications?|修改|变更|更改",
    "submit": r"submissions?|提交",
    "delete": r"deletions?|removals?|删除",
    "book": r"bookings?|reservations?|purchases?|预订|预约",
    "send": r"e-?mails?|messages?|notifications?|邮件|通知",
}

# A one-character verb is part of many other words, such as 建 in 建议.
_ENDINGS = {"退": "[了给到掉好]", "改": "[了好完成为到]", "删": "[了掉好]", "建": "[了好成]", "订": "[了好到]"}


def deed_of_participle(word: str) -> Deed:
    """The deed that an English past form reports."""
    return next(d for d in DEEDS if re.fullmatch("|".join(d.participles.split()), word))


def deed_of_verb(word: str) -> Deed:
    """The deed that a Chinese verb names; the longest word wins."""
    return next(d for d in DEEDS if word in d.verbs.split())


def deeds_named(text: str) -> frozenset[str]:
    """Names of the deeds whose words occur in `text` (a tool's name, a result)."""
    words = re.findall(r"[a-z]+|[\u4e00-\u9fff]+", text.lower())
    return frozenset(
        d.name
        for d in DEEDS
        for stem in d.stems.split()
        if any(w.startswith(stem) if stem.isascii() else stem in w for w in words)
    )


def noun_deed(clause: str) -> str | None:
    """The deed whose thing the clause speaks of."""
    for name, pattern in NOUNS.items():
        if re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", clause):
            return name
    return None


@cache
def participles() -> str:
    """All English past forms, as one alternation."""
    return "|".join(p for d in DEEDS for p in d.participles.split())


@cache
def verbs() -> str:
    """All Chinese verbs as one alternation, longest first."""
    words = sorted((v for d in DEEDS for v in d.verbs.split()), key=len, reverse=True)
    return "|".join(f"{w}(?={_ENDINGS[w]})" if w in _ENDINGS else w for w in words)
