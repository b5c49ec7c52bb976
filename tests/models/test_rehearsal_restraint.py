"""What is asked about, denied, supposed, told of, or quoted is not proposed; what is wanted is."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolCall

from signoff.desks.library import find
from signoff.desks.toolbox import tools_of
from signoff.models.rehearsal import RehearsalModel
from signoff.settings import Settings
from signoff.tools.contract import Risk

SYSTEM = SystemMessage("You are a desk.\n\nToday: 2026-10-31 (Saturday), Asia/Shanghai.")
TOOLS = {name: tools_of(find(name, Settings()), None) for name in ("service", "assistant")}

NOT_WANTED = {
    "supposed": [
        ("service", "如果我把A1003退了,钱多久能到账?"),
        ("service", "假如退掉A1004,要扣手续费吗"),
        ("service", "要是现在取消A1002来得及吗"),
        ("service", "What happens if I refund A1003?"),
        ("service", "Suppose I wanted to return A1004, how would I do that?"),
        ("service", "Imagine I ask you to refund A1004. Who must approve it?"),
        ("service", "I would have cancelled A1002 if it were late"),
        ("service", "I might cancel A1002 later"),
        ("assistant", "what would happen if you ran `touch a.txt`?"),
        ("assistant", "如果我给ann@example.com发邮件会怎样"),
    ],
    "denied": [
        ("service", "先别取消A1002,我再想想"),
        ("service", "我没说要取消A1002啊"),
        ("service", "我可没同意退A1003"),
        ("service", "请勿取消A1002"),
        ("service", "Never refund A1003 without asking me"),
        ("service", "cancel nothing, I only want to see A1002"),
        ("service", "I changed my mind about cancelling A1002, keep it"),
        ("service", "I'm not asking you to cancel A1002, just tell me its status"),
        ("service", "do not create a ticket, just tell me how to fix the printer"),
        ("assistant", "Don't run `ls`, just explain it"),
        ("assistant", "别发邮件给bob@example.com"),
    ],
    "told of": [
        ("service", "我昨天已经退了A1003"),
        ("service", "我朋友让我把A1003退掉,你觉得呢"),
        ("service", "是谁取消了A1005"),
        ("service", "I refunded A1003 yesterday, where is the money?"),
        ("service", "The address on A1002 was changed last week, right?"),
        ("service", "I already opened a ticket about the printer"),
        ("assistant", "我昨天给ann@example.com发过邮件了"),
        ("assistant", "I sent an email to bob@example.com this morning"),
    ],
    "asked about with a word of order in it": [
        ("service", "A1003还能申请退货吗"),
        ("service", "可以申请取消A1002么"),
        ("service", "我能申请修改A1002的地址吗"),
        ("service", "Can I apply for a refund of A1003?"),
        ("service", "Am I able to request a refund for A1003?"),
    ],
    "wanted once and no longer": [
        ("service", "上个月说要退A1003,后来决定不退了"),
        ("service", "之前想取消A1002,现在又不想取消了"),
        ("service", "本来打算退A1004的"),
        ("service", "原本想把A1002取消的,现在不用了"),
        ("service", "帮我退A1003吧,算了不退了"),
        ("service", "帮我取消A1002,不,还是别取消了"),
        ("service", "I was going to refund A1003, but I decided to keep it"),
        ("service", "I wanted to cancel A1002 last week, but then I decided not to cancel it"),
        ("service", "cancel A1002, no wait, actually don't cancel it"),
        ("service", "Last week I said I would return A1003; I no longer want to."),
        ("service", "I'd cancel A1002 if I could"),
        ("assistant", "我本来想给ann@example.com发邮件的"),
    ],
    "wanted or done by others": [
        ("service", "客服说会帮我取消A1002"),
        ("service", "我室友想取消A1002"),
        ("service", "卖家让我把A1003退了"),
        ("service", "My boss wants me to cancel A1002"),
        ("service", "My wife wants to cancel A1002"),
        ("service", "The seller told me to return A1003"),
        ("assistant", "明天我会给ann@example.com发邮件,主题午饭,内容是中午见"),
    ],
    "thanks, or a number alone": [
        ("service", "好的谢谢"),
        ("service", "嗯,多谢啦"),
        ("service", "ok thanks a lot"),
        ("assistant", "sure, thank you"),
        ("service", "订单号是 A1004"),
        ("service", "order number A1003"),
    ],
    "remembered already": [
        ("service", "把你帮我记的事情列一下"),
        ("service", "看看你替我记住的内容"),
        ("service", "List everything you remember about me"),
        ("assistant", "Show the things you have remembered"),
    ],
    "quoted": [
        ("service", '他说"帮我取消A1002",这句话是什么意思'),
        ("service", "The note says: refund order A1003. Is that allowed?"),
        ("service", ">refund A1003"),
        ("service", 'My colleague wrote "please cancel A1002" in the ticket, what does that mean?'),
        ("assistant", '"rm -rf /" 这个命令是干什么的'),
    ],
    "asked about": [
        ("service", "Before you refund A1003, tell me how long it takes"),
        ("service", "为什么A1003不能直接退"),
        ("service", "A1002的地址能改吗"),
        ("service", "When can I cancel A1002?"),
        ("service", "Should I return A1003 or keep it?"),
        ("service", "别忘记告诉我A1006的状态"),
        ("assistant", "Is it safe to run `mkdir reports`?"),
        ("assistant", "Did the email to ann@example.com go out?"),
    ],
}


def called(desk: str, words: str) -> list[str]:
    return [c["name"] for c in calls(desk, words)]


def calls(desk: str, words: str) -> list[ToolCall]:
    answer = RehearsalModel().bind_tools([t.schema() for t in TOOLS[desk]]).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(answer, AIMessage)
    return answer.tool_calls


@pytest.mark.parametrize("how", NOT_WANTED)
def test_what_is_not_wanted_is_not_proposed(how: str) -> None:
    wrong = {
        words: names
        for desk, words in NOT_WANTED[how]
        if (
            names := [
                n for n in called(desk, words) if next(t for t in TOOLS[desk] if t.name == n).risk is not Risk.READ
            ]
        )
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("desk", "words", "tool"),
    [
        ("service", "I changed my mind, please cancel A1002", "cancel_order"),
        ("service", "Refund A1003 before it is too late", "refund_order"),
        ("service", "A1002 should go to 45 Willow Street, Ningbo instead", "update_address"),
        ("service", "我搬家了,A1002新地址:苏州市姑苏区平江路 12 号", "update_address"),
        ("service", "Ship A1002 to 27 Lake Road, Wuhan instead", "update_address"),
        ("service", "我昨天说要退A1003,现在帮我退掉", "refund_order"),
        ("service", "申请退款A1003", "refund_order"),
        ("service", "麻烦你们把A1002取消", "cancel_order"),
        ("service", "I would like to cancel A1002", "cancel_order"),
        ("service", "I want you to cancel A1002 now", "cancel_order"),
        ("service", "Can you remember that I like tea?", "remember"),
        ("service", "把你记的关于我的东西全删了", "forget_memory"),
        ("assistant", "在工作区执行 ls -la", "run_command"),
    ],
)
def test_what_is_wanted_is_proposed_though_it_is_said_in_the_same_words(desk: str, words: str, tool: str) -> None:
    assert called(desk, words) == [tool]


@pytest.mark.parametrize(
    ("desk", "words", "tool", "args"),
    [
        ("service", "退A1003,A1004不退了", "refund_order", {"order_id": "A1003"}),
        ("service", "取消A1002,A1006先不取消", "cancel_order", {"order_id": "A1002"}),
        ("service", "cancel A1002 but keep A1003", "cancel_order", {"order_id": "A1002"}),
        ("service", "Refund A1003, A1004 stays", "refund_order", {"order_id": "A1003"}),
        ("service", "提个工单:投影仪有点模糊,不着急", "create_ticket_draft", {"priority": "low"}),
        ("service", "开个工单:椅子坏了,没那么急", "create_ticket_draft", {"priority": "low"}),
        ("service", "create a ticket: the chair squeaks, no rush", "create_ticket_draft", {"priority": "low"}),
        (
            "service",
            "新地址是杭州市西湖区文三路9号3楼，A1002 用这个",
            "update_address",
            {"address": "杭州市西湖区文三路9号3楼"},
        ),
        (
            "assistant",
            "Mail ann@example.com, subject Offer, text See you at noon, replies should go to lee@example.com",
            "send_email",
            {"to": ["ann@example.com"], "body": "See you at noon", "reply_to": "lee@example.com"},
        ),
        (
            "assistant",
            "给ann@example.com发邮件,主题午饭,内容:12点吃饭,回复请发到lee@example.com",
            "send_email",
            {"to": ["ann@example.com"], "body": "12点吃饭", "reply_to": "lee@example.com"},
        ),
        (
            "assistant",
            "send 一封邮件给 ann@example.com,subject 是 Keys，内容写：钥匙在门口",
            "send_email",
            {"subject": "Keys"},
        ),
    ],
)  # fmt: skip
def test_a_change_holds_what_was_said_of_it_and_nothing_beside(
    desk: str, words: str, tool: str, args: dict[str, object]
) -> None:
    made = calls(desk, words)
    assert [c["name"] for c in made] == [tool]
    assert {k: made[0]["args"].get(k) for k in args} == args


@pytest.mark.parametrize(
    "words", ["delete order A1001", "把A1001的记录删了", "rename order A1003", "Close order A1002"]
)
def test_a_change_that_no_tool_makes_is_not_answered_by_looking_something_up(words: str) -> None:
    assert [n for n in called("service", words) if n != "find_tools"] == []
