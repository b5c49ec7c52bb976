"""What the command line itself says about turns and cards, in both languages."""

from __future__ import annotations

from signoff.text import Language

_WORDS: dict[str, tuple[str, str]] = {
    # The card
    "needed": ("Signature needed", "需要批准"),
    "field": ("what", "项目"),
    "before": ("before", "修改前"),
    "after": ("after", "修改后"),
    "undo": ("Undo", "能否撤销"),
    "reversible": ("can be undone.", "可以撤销。"),
    "irreversible": ("cannot be undone.", "无法撤销。"),
    "risk": ("Risk", "风险"),
    "write": ("write: changes records", "写入：会改动数据"),
    "critical": ("critical: irreversible, outward or above a threshold", "高风险：不可撤销、对外或超过限额"),
    "who": ("Who decides", "谁可批准"),
    "requester_or": (
        "the requester, or one person with the role {roles}",
        "申请人本人，或一位具有 {roles} 角色的人",
    ),
    "others": (
        "one person with the role {roles}, not the requester",
        "一位具有 {roles} 角色的人，不能是申请人",
    ),
    "several": (
        "{count} different people with the role {roles}, not the requester",
        "{count} 位不同的、具有 {roles} 角色的人，不能是申请人",
    ),
    "or": (" or ", " 或 "),
    "expires": ("Expires", "有效期至"),
    "left": ("in {time}", "还剩 {time}"),
    "over": ("over", "已过期"),
    "asked": ("Asked by", "申请人"),
    "words": ("In their words", "原话"),
    "call": ("Exact call", "确切调用"),
    "from": ("Values from", "取值来源"),
    "evidence": ("Evidence", "依据"),
    "thread": ("Thread", "会话"),
    "edited": ("Edited by", "修改人"),
    "replaces": ("{by}, in place of {old}", "{by}，替代 {old}"),
    "decided": ("Decided", "决定"),
    "status": ("Status", "状态"),
    "below": ("({n} characters, shown below)", "（{n} 个字符，见下文）"),
    "hidden": (
        "{what} holds characters that cannot be seen; they are written as escapes below.",
        "{what} 含有不可见字符，下面以转义形式写出。",
    ),
    # Where an argument's value came from
    "user": ("the requester's words", "申请人的原话"),
    "program": ("the program that made the call", "发起调用的程序"),
    "result": ("a tool's result", "工具结果"),
    "document": ("a document", "文档"),
    "untrusted": ("UNTRUSTED TEXT", "不可信的文本"),
    "editor": ("whoever edited it", "修改人"),
    "default": ("left at its default", "默认值"),
    "model": ("worded by the model", "模型的措辞"),
    "nowhere": ("NOWHERE", "没有来源"),
    # How an approval stands
    "pending": ("pending", "待批准"),
    "approved": ("approved", "已批准"),
    "used": ("carried out", "已执行"),
    "rejected": ("rejected", "已拒绝"),
    "expired": ("expired", "已过期"),
    "taken_back": ("what is written above was taken back", "以上内容已撤回"),
    "withdrawn": ("withdrawn", "已撤回"),
    "superseded": ("replaced by an edit", "已被修改替代"),
    "approve": ("approved", "批准"),
    "reject": ("rejected", "拒绝"),
    "edit": ("edited", "修改"),
    # Deciding
    "choose": (
        "approve [a], edit [e], reject [r], later [Enter]? ",
        "批准 [a]、修改 [e]、拒绝 [r]、稍后 [回车]？",
    ),
    "unclear": ("Please answer a, e, r or l.", "请回答 a、e、r 或 l。"),
    "why": ("Reason (may be empty): ", "原因（可不填）："),
    "keep": ("Press Enter to keep a value.", "直接按回车保留原值。"),
    "unchanged": ("Nothing was changed.", "没有修改任何内容。"),
    "new_card": (
        "This is a new approval in place of {old}. It must be approved itself.",
        "这是替代 {old} 的新审批，仍需批准。",
    ),
    "one_of": (
        "{by} has approved {id}: {have} of {count} signatures.",
        "{by} 已批准 {id}：已有 {have}/{count} 个签字。",
    ),
    "approved_by": ("{by} approved {id}.", "{by} 已批准 {id}。"),
    "rejected_by": ("{by} rejected {id}.", "{by} 已拒绝 {id}。"),
    "not_you": (
        "{by} may not approve {id}: it needs {rule}. Entitled here: {who}.",
        "{by} 不能批准 {id}：需要{rule}。可以批准的人：{who}。",
    ),
    "nobody": ("nobody in the directory", "名录中没有人"),
    # How a turn stands
    "waiting": ("Waiting for a signature: {id}, {title}", "等待批准：{id}，{title}"),
    "to_decide": ("To decide:", "批准或拒绝："),
    "to_go_on": ("To go on: {command}", "继续：{command}"),
    "thread_hint": ("thread {thread} · go on with: {command}", "会话 {thread} · 继续提问：{command}"),
    "not_finished": ("Not finished: {why}.", "没有完成：{why}。"),
    "elsewhere": (
        "Thread {thread} runs on LangGraph's server: resume it there.",
        "会话 {thread} 在 LangGraph 服务器上运行：请在那里继续。",
    ),
    "running": (
        "The last turn did not come to its end. To go on: {command}",
        "上一轮没有跑完。继续：{command}",
    ),
    # The demo
    "story.elsewhere": (
        "{home} has no sample order left that can be refunded: the story is played in a throw-away home.",
        "{home} 中已没有可以退款的示例订单，这次在临时目录中演示。",
    ),
    "story.model": ("Model: {label}", "模型：{label}"),
    "story.home": ("Home: {home}; its business time is {now}.", "数据目录：{home}；业务时间为 {now}。"),
    "story.no_model": (
        "The story cannot go on without its model: `signoff doctor` says what is wrong.",
        "没有模型，无法继续演示：`signoff doctor` 会说明原因。",
    ),
    "story.policy": (
        "A question about policy: the answer cites where it is written",
        "制度问题：回答要注明出处",
    ),
    "story.policy?": (
        "How many days do I have to return something without giving a reason?",
        "退货政策规定几天内可以无理由退货？",
    ),
    "story.uncited": ("This time the model cited nothing.", "这次模型没有注明出处。"),
    "story.order": ("An order is looked up: reads run at once", "查询订单：只读操作立即执行"),
    "story.order?": ("What is the status of order {order}?", "订单 {order} 什么状态？"),
    "story.refund": (
        "A refund is asked for: it is proposed, and the run stops",
        "申请退款：只提出申请，流程停下等待批准",
    ),
    "story.refund?": ("Refund order {order}, it arrived broken", "订单 {order} 收到就坏了，给我退款"),
    "story.again?": ("Yes, please do refund order {order}.", "对，请为订单 {order} 办理退款。"),
    "story.unproposed": (
        "This model did not propose the refund, so there is nothing to sign. The conversation is kept: {thread}.",
        "这个模型没有提出退款申请，因此没有需要批准的内容。会话已保留：{thread}。",
    ),
    "story.unchanged": (
        "Nothing has changed. Refunds of {order} in the records: {count}.",
        "数据没有任何改动。记录中 {order} 的退款笔数：{count}。",
    ),
    "story.count": ("Refunds of {order} in the records: {count}.", "记录中 {order} 的退款笔数：{count}。"),
    "story.decide": ("A second person decides: {by}, a supervisor", "由另一个人决定：主管 {by}"),
    "story.you": ("You are {by} now.", "现在您是 {by}。"),
    "story.command": ("Waiting for a signature: {id}. The command is:", "等待批准：{id}。命令是："),
    "story.signs": (
        "Nobody is at a terminal here, so the story signs it off in that person's name.",
        "这里没有终端，由演示程序以该主管的身份批准。",
    ),
    "story.later": ("It is left undecided. To decide it later:", "暂不决定。以后可以这样批准："),
    "story.history": ("Every step is a checkpoint", "每一步都是一个检查点"),
    "story.replay": (
        "A replay from {checkpoint}, just before the write: nothing is carried out twice",
        "从写入之前的检查点 {checkpoint} 重放：不会执行第二次",
    ),
    "story.same": ("The replay passed the write and went as before.", "重放经过了写入步骤，结果相同。"),
    "story.other": (
        "The replay passed the write; what differs: {what}.",
        "重放经过了写入步骤；不同之处：{what}。",
    ),
    "story.twice": (
        "Refunds of {order} in the records: {before} before the replay, {after} after it.",
        "记录中 {order} 的退款笔数：重放前 {before}，重放后 {after}。",
    ),
    "story.end": ("That is the story. To go on:", "演示结束。接下来可以："),
}


def say(key: str, lang: Language, **values: object) -> str:
    """A sentence or label in a language. The values must be safe to show already."""
    return _WORDS[key][lang == "zh"].format(**values)
