"""What is never kept: secrets, numbers of identities and cards, health; in many wordings, and what only looks so."""

from __future__ import annotations

import pytest

from signoff.memory.sensitive import sensitive

REFUSED = """
my login for the portal is bob / hunter2
log in with bob and hunter2
my password's swordfish
my pass word is abc
the pw is abc123
pw: abc123
my passwort ist abc
my unlock pattern is Z
the alarm PIN is 2580
my card's security number is 123
two-factor code 123456
my authenticator secret is JBSWY3DP
the Wi-Fi key is abc12345
my SSH key passphrase is apple
the combination to the safe is 12-34-56
my mother's maiden name is Li
my first pet's name is Rex, that's my security answer
here is the token abc123def
the answer to my security question is Rex
my recovery codes are 1111 2222
use the credential admin admin123
BEGIN PRIVATE KEY abc
my wallet mnemonic is apple pear
口令是芝麻开门
我的账号是bob,密码123456
登录名bob登陆密码qwerty
我的支付密码是123456
wifi密码是88888888
我的锁屏图案是Z
短信验证码是1234
动态口令 123456
保险柜密码 12-34
我的 pin 是 1234
门锁密码8888
我的密保问题答案是小白
登录密钥abc
我的mima是123456
取件码是8-2-1234
开机密码是abc
我的二次验证码是123456
授权码是abcd1234
激活码 ABCD-1234
my SSN is 123 45 6789
my social is 123456789
my national insurance number is QQ123456C
my driver license is D1234567
my passport no. E12345678
my ID is 110101199001011234
my tax id 12-3456789
my NHS number is 943 476 5919
my Aadhaar is 1234 5678 9012
my green card number is A123456789
身份证110101199001011234
我的身份证后四位是1234
证件号码 E12345678
我的护照E12345678
社保卡号123456789
港澳通行证C12345678
驾照号 320123456789
我的学籍号是123456789
户口本编号 123456
我的纳税人识别号是 91110000123456789X
my Visa is 4111111111111111
my card number's 5500 0000 0000 0004
my debit card ends in 1234
my IBAN is DE89370400440532013000
account 12345678 sort code 12-34-56
my credit card expires 12/27
the CVV is 123
routing 021000021
my Amex 3782 822463 10005
我的工行卡6222020200012345678
银行账号是 1234567890
卡号后四位1234
信用卡有效期12/27
我的开户行账号 622848001234
支付宝绑定的卡 6222 0202 0001 2345
I have diabetes
I was diagnosed with cancer
I'm allergic to peanuts
I am HIV positive
I take antidepressants
I'm on insulin
I have a bad back and see a doctor weekly
I had a stroke
I see a psychiatrist on Mondays
my blood pressure is high
I have asthma
I'm going through chemo
I'm seeing a therapist
I had an operation last week
I'm in hospital
I have panic attacks
I have a heart murmur
I suffer from insomnia
I have lupus
I tested positive for covid
my knee surgery is on Friday
I have a fever
I'm recovering from an injury
I'm colour-blind
I can't hear well
I have ADHD
I broke my leg
我有高血压
我对花粉过敏
我在吃抗抑郁药
我怀孕三个月了
我做过心脏支架
我有腰椎间盘突出
我失眠很严重
我得了流感
我发烧了
我有痛风
我腿骨折了
我在做透析
我有近视
我听力不好
我每周去看心理医生
我得过抑郁症
我有焦虑
我是乙肝携带者
我血糖偏高
我在住院
我刚做完手术
我有幽闭恐惧症
我骨折了,不能走楼梯
我月经不调
我正在备孕
"""
KEPT = """
I prefer email
my passport expires in 2027
call me on 13800138000
order A1003 is a gift
a token of thanks
pin the message
my key contact is Li
I work at the hospital as an accountant
the operation of the printer is my job
I sit in the operations team
I'm the doctor's assistant
I sell medicines wholesale
the account manager is Bob
my account name is bob17
my desk is 1234
我在医院信息科工作
我负责账号管理
我的工号是12345
我的订单都要开发票
我的分机号是8123
my extension is 8123
my employee number is 12345
my team handles card payments
I prefer to pay by card
我用信用卡付款
我用支付宝付款
my fever for football
the server has a broken leg
我的快递放门卫
I like strong coffee
I study at the heart of the city
send me the activation email
my answer is always yes
给我发邮件
我的开户行是工商银行
remember my patience is short
my back office is in Berlin
我喜欢药膳
Call me before the operation team arrives
I prefer vegetarian food
我吃素
my standup is at 9
I'm in the security team
I manage the health department's printers
my department is health and safety
我在健康管理部
I broke my lamp
I can't see my order in the app
I log in with SSO
logging in is slow
I have a cold brew at 9
recovering from a backup is my job
复查订单由我负责
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_this_is_never_kept(text: str) -> None:
    assert sensitive(text) is not None
    assert sensitive(f"please remember that {text}, thanks") is not None


@pytest.mark.parametrize("text", KEPT.strip().splitlines())
def test_this_may_be_kept(text: str) -> None:
    assert sensitive(text) is None
