"""Whether words ask to have something remembered, in many wordings and with many that only look so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.memory import asked_to_remember
from signoff.memory.asking import agreed_to_replace, told_as_changed
from signoff.memory.spoken import bare

ASKS = """
remember that I prefer email
Remember: my office is on floor 5
Please remember I'm in the Berlin office
can you remember that I like tea?
Could you please remember my office is on floor 5?
would you remember this for me
Don't forget that I hate calls
please don't forget I'm vegetarian
do not ever forget that I work nights
never forget: I am in Berlin
keep in mind that my standup is at 9
please keep that in mind
Keep my seat preference in mind
bear in mind I'm on leave in May
note that I am out every Friday
Please note: I'm away on Mondays
Note down that I prefer aisle seats
Make a note that I sit on floor 4
take note of this: my assistant is Bob
Please make a mental note that I like tea
note to self: I prefer tea
jot down that I use a Mac
write this down: I use a Mac
Save this for later: I use a Mac
please save that I use a Mac
record that my team is platform
store this in your memory: I use a Mac
add to your memory that I use a Mac
commit this to memory: I use a Mac
keep it on file that I use a Mac
FYI I prefer short answers
for the record, I prefer short answers
for future reference I prefer short answers
just so you know, I'm in Berlin on Fridays
I want you to remember that I use a Mac
I'd like you to remember I use a Mac
make sure you remember that I use a Mac
be sure to remember my desk is 4B
from now on answer in English
Going forward, use metric units
in future please send me an email
next time, use the back door
always answer in English
Never call me before ten
please always ask before refunding
You should always use metric units
I always want a receipt
I never want calls
I prefer email from now on
Where is A1003? Also remember that I prefer email.
Do you remember my office? If not, remember that it is on floor 5.
Don't remember my old desk, remember the new one: 4B
memorize this: I like tea
I prefer email, please remember that
I prefer email. Remember it.
yes please
yes, remember it
OK
please be aware that I'm on leave in May
let's not forget that I'm on leave in May
记住我喜欢用邮件联系
请记住,我住在北京
记一下我周三不在
请你记一下,我周三不在
帮我记一下:我喜欢靠窗
帮我记住我喜欢邮件
能帮我记住我喜欢邮件吗?
你能帮我记一下我的工位在五楼吗
可以记住我喜欢邮件吗
请你记住我喜欢邮件,好吗?
麻烦记下来,我周五在家办公
以后记得用邮件联系我
记得以后用邮件联系我
你记得以后用邮件联系我
记住以后打电话联系我
别忘了我周三不在
不要忘记我周三不在
千万别忘了我喜欢邮件
勿忘我周三不在
牢记我的工位在五楼
切记我周三不在
备注一下,我周三不在
做个备注:我周三不在
备忘:我周三不在
保存一下我的偏好:简短回答
存一下,我用苹果电脑
请记录一下,我周三不在
记录下来:我周三不在
以后都用英文回答我
以后请用邮件联系我
今后都发顺丰
下次请放门卫
从现在起用中文回答
从今天开始,叫我小王
一律用邮件联系我
我喜欢邮件,记住了
我喜欢邮件,请记一下
我喜欢邮件,别忘了
订单到哪了?另外记住我喜欢邮件
请注意,我周五不在
注意:我周五不在
帮我记个事,我周五不在
以后都用英文回答我,别忘了
好的
嗯,记吧
是的,替换
你还记得我的工位吗?不记得的话记一下:在五楼
希望以后用邮件联系我
记好了,我叫小王
我要你记住我喜欢邮件
"""
DOES_NOT = """
do you remember my office?
Do you remember that I prefer email?
Don't you remember me?
what do you remember about me?
Did you note that I prefer email?
Have you saved my preference?
What did I ask you to remember?
what have I told you to keep in mind?
Tell me what you remember
list everything I asked you to remember
Can you remember my office?
can you still remember what I said?
Could you remember anything about me?
don't remember this
Please don't remember that I prefer email
do not save this
never store my address
no need to remember that
you don't have to remember this
there's no need to note this down
Please do not keep this in mind
I don't want you to remember this
I don't remember my order number
I can't remember the order id
I remember ordering two
I never remember my password
I still remember the old price
As far as I remember it was 299
Remember me?
Remember when I ordered the lamp?
Remember?
forget that I prefer email
forget it
forget everything
I forgot my password
I never got my parcel
Always late, this courier
The printer is down
The store in Berlin is closed
Where is my order?
I prefer email. Where is order A1006?
I prefer email
My record shows two orders
show my purchase records
Can I schedule it for later?
How do you store my data?
The delivery note that came with it is wrong
I left a note for the courier
will my order arrive in the future?
Every time I call I have to wait
I will never order here again
Refund order A1003, it arrived broken
hello
no
no thanks
remind me what I ordered
I won't forget this
did I ask you to remember my office?
Is it easy to remember the order number?
stop remembering things about me
I would rather you didn't remember this
你还记得我的工位吗
你记得我喜欢什么吗?
你记得我吗
还记得我吗
记得吗?
你记住了吗
记住了吗
记住了没有
你记了什么
我让你记住了什么
我让你记住的是什么?
我之前让你记住的内容有哪些
你记得我什么
你都记得哪些关于我的事
别记这个
不要记住这个
不用记了
不必记录
请不要保存这个
别把这个记下来
我不记得订单号了
我记得是299元
我记不清了
我忘了密码
忘掉我的联系方式偏好
忘了吧
忘记我说的
我的退款记录
查一下我的订单记录
登记一下退货
两天以后能到吗
收货以后多久能退
下单以后怎么取消
以后还能退吗?
以后再说吧
下次再买
我喜欢用邮件联系,订单 A1006 到哪了
我喜欢邮件
你们每次都迟到
你能记住多少东西?
你会记住我说的话吗
是否记得我的偏好
有没有记住我的工位
不
不用了
订单备注里写了什么
笔记本电脑坏了
提醒我明天开会
你没记住我的偏好
"""


@pytest.mark.parametrize("words", ASKS.strip().splitlines())
def test_this_asks_for_something_to_be_remembered(words: str) -> None:
    assert asked_to_remember([words, "Where is my order?"])


@pytest.mark.parametrize("words", DOES_NOT.strip().splitlines())
def test_this_does_not(words: str) -> None:
    assert not asked_to_remember([words, "remember that I prefer email"])


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ("记一下我周三不在", "我周三不在"),
        ("请记一下,我周三不在", "我周三不在"),
        ("note that I am out every Friday", "I am out every Friday"),
        ("please don't forget I work nights", "I work nights"),
        ("Could you keep in mind that I work nights?", "I work nights"),
        ("以后记得用邮件联系我", "用邮件联系我"),
        ("记住以后打电话联系我", "以后打电话联系我"),
        ("我喜欢邮件,别忘了", "我喜欢邮件"),
        ("能帮我记住我喜欢邮件吗", "我喜欢邮件"),
        ("for future reference: I use a Mac", "I use a Mac"),
        ("make a note that my desk is 4B", "my desk is 4B"),
        ("I use a Mac, so remember that", "I use a Mac"),
        ("would you remember this for me", ""),
    ],
)
def test_the_fact_is_what_is_left(words: str, fact: str) -> None:
    assert bare(words) == fact


@pytest.mark.parametrize(
    ("words", "agrees"),
    [
        ("yes", True),
        ("Yes, replace it.", True),
        ("replace the old one", True),
        ("please update it", True),
        ("是的,替换", True),
        ("对,用新的", True),
        ("好的", True),
        ("I moved", True),
        ("mem-0a1b2c3d", True),
        ("no", False),
        ("no, keep the old one", False),
        ("don't replace it", False),
        ("不", False),
        ("不要替换", False),
        ("不用了", False),
        ("remember that I live in Hamburg", False),
        ("where is my order?", False),
        ("", False),
    ],
)
def test_only_a_yes_or_a_word_of_change_lets_the_older_fact_give_way(words: str, agrees: bool) -> None:
    assert agreed_to_replace([words]) == agrees


def test_who_said_nothing_asks_and_agrees_to_nothing() -> None:
    assert not asked_to_remember([]) and not agreed_to_replace([])


@settings(deadline=None)
@given(st.text(st.sampled_from("remember not do you I, 记住了吗你我不?。 always never note that以后把"), max_size=300))
def test_reading_any_text_ends_and_never_fails(text: str) -> None:
    assert asked_to_remember([text]) in (True, False)
    assert told_as_changed(text) in (True, False)


@pytest.mark.parametrize(
    "piece", ["do you not remember ", "I do not ", "你还记得", "please always ", "yes ", "note that "]
)
def test_a_very_long_message_is_read_at_all(piece: str) -> None:
    assert asked_to_remember([piece * 3_000]) in (True, False)
