"""Requests to the `weekly` and the `assistant` desk in people's words, with the calls of the first round.

A case is (words, calls). The first part of each table was worked with; the others were scored once before anything
was changed for them. `Has` and exactness are those of `paraphrases`.
"""

from __future__ import annotations

from typing import Any

from paraphrases import Call, Has

Wording = tuple[str, list[Call]]


def _week(week: str, project: str = "", *, all_of: bool = False) -> list[Call]:
    """The reads of a report: with a project the budget's, or with `all_of` everything's."""
    budget = {"project": project} if project else {}
    of = {"project": project} if project and all_of else {}
    return [("search_notes", {"week": week}), ("count_issues", {"week": week, **of}), ("sum_budget", budget)]


def _one(tool: str, **args: Any) -> list[Call]:
    return [(tool, args)]


WEEKLY_SEEN, ASSISTANT_SEEN = 24, 30
"""How many of each table were worked with."""

WEEKLY: list[Wording] = [
    ("写 2026-W42 的周报,预算只算 apollo 项目", _week("2026-W42", "apollo")),
    ("帮我出上周的周报", _week("上周")),
    ("Write the report for week 42, budget for apollo only", _week("week 42", "apollo")),
    ("weekly report for last week please", _week("last week")),
    ("周报 2026年第42周", _week("2026年第42周")),
    ("麻烦生成一下本周周报", _week("本周")),
    ("把第四十二周的周报写了,预算只看青鸟", _week("第四十二周", "青鸟")),
    ("Could you write last week's report? Only count apollo in the budget.", _week("last week", "apollo")),
    ("整理一份上个星期的周报给我", _week("上个星期")),
    ("I need the weekly report of 2026-W41", _week("2026-W41")),
    ("上上周的周报,预算部分只统计 borealis", _week("上上周", "borealis")),
    ("report for week 43, with just borealis's budget", _week("week 43", "borealis")),
    ("W42 周报", _week("W42")),
    ("请写周报,周次是 2026-W43", _week("2026-W43")),
    ("写周报", []),
    ("Write the weekly report", []),
    ("apollo 项目的上周周报", _week("上周", "apollo", all_of=True)),
    ("How many issues are still open?", _one("count_issues")),
    ("apollo 的预算用了多少", _one("sum_budget", project="apollo")),
    ("上周的会议记录里有什么", _one("search_notes", week="上周")),
    ("what do the notes of week 42 say?", _one("search_notes", week="week 42")),
    ("How much of the budget is spent?", _one("sum_budget")),
    ("怎么写周报?", []),
    ("上周的周报给我看看,先不要写文件", _week("上周")),
    # first seen when they were scored
    ("做一份2026年第42周的周报,预算仅限 apollo", _week("2026年第42周", "apollo")),
    (
        "Please prepare the team's weekly report for 2026-W42 and restrict the budget to apollo",
        _week("2026-W42", "apollo"),
    ),
    ("老板要上周的周报,帮忙写一下", _week("上周")),
    ("出一下 W43 的周报吧,budget 只要 borealis 的", _week("W43", "borealis")),
    ("generate last week's weekly report", _week("last week")),
    ("Can I have the weekly report for week 41 of 2026?", _week("week 41 of 2026")),
    ("周报，上周的，预算算 apollo 就行", _week("上周", "apollo")),
    ("本周周报,所有项目的预算都要", _week("本周")),
    ("draft this week's report for the whole team", _week("this week")),
    ("weekly report, week forty-two, apollo budget only", _week("week forty-two", "apollo")),
    ("给我来份上礼拜的周报", _week("上礼拜")),
    (
        "The weekly report for the week before last, please; budget: project borealis only",
        _week("week before last", "borealis"),
    ),
    ("写10月14日那周的周报", _week("2026-10-14")),
    ("两周前的周报补一下", _week("两周前")),
    ("write up the weekly report from two weeks ago", _week("two weeks ago")),
    ("周报写好了吗?我要2026-W42的", _week("2026-W42")),
    ("还有哪些 issue 没做完", _one("count_issues")),
    ("统计一下上周的议题", _one("count_issues", week="上周")),
    ("What is planned for next week according to the notes of week 42?", _one("search_notes", week="week 42")),
    ("borealis 项目花了多少钱", _one("sum_budget", project="borealis")),
    ("sum up the budget of the apollo project", _one("sum_budget", project="apollo")),
    ("issues of borealis that are done", _one("count_issues", project="borealis")),
    ("别写周报,就告诉我预算还剩多少", _one("sum_budget")),
    ("生成周报", []),
    # a second round, likewise
    ("该写周报了,第41周的", _week("第41周")),
    ("把2026-W43那一周的情况汇总成周报", _week("2026-W43")),
    ("周报请用上周数据,预算那块只放青鸟项目的", _week("上周", "青鸟")),
    ("Make me a weekly report: 2026-W42, budget just for project apollo", _week("2026-W42", "apollo")),
    ("We need last week's weekly report before the meeting", _week("last week")),
    ("Please do the weekly report for W41", _week("W41")),
    ("下午开会要用,快出一份本周周报", _week("本周")),
    ("weekly report (week 42) with apollo's budget only", _week("week 42", "apollo")),
    ("给领导写个周报，上个星期的，预算范围：borealis", _week("上个星期", "borealis")),
    ("write the report for the week of 2026-10-12", _week("2026-10-12")),
    ("I'd like the report on the week before last", _week("week before last")),
    ("2026年第四十三周周报", _week("2026年第四十三周")),
    ("Save last week's weekly report to the reports folder", _week("last week")),
    ("青鸟项目上周的周报", _week("上周", "青鸟", all_of=True)),
    ("第42周完成了多少个议题", _one("count_issues", week="第42周")),
    ("apollo 还有几个 issue 没关", _one("count_issues", project="apollo")),
    ("预算超了没有", _one("sum_budget")),
    ("What did we decide last week?", _one("search_notes", week="last week")),
    ("How much budget does borealis have left?", _one("sum_budget", project="borealis")),
    ("Is apollo over budget?", _one("sum_budget", project="apollo")),
    ("查下会议记录里第43周关于迁移的内容", [("search_notes", {"week": "第43周", "query": Has("迁移")})]),
    ("issue 总数", _one("count_issues")),
    ("你好", []),
    ("the weekly report please", []),
    # a third round
    ("帮忙生成 W43 的团队周报，预算就统计apollo这个项目", _week("W43", "apollo")),
    ("Can you put together the weekly report for 2026-W41?", _week("2026-W41")),
    ("周报:2026-W42,预算:青鸟", _week("2026-W42", "青鸟")),
    ("Last week's report, with the budget limited to borealis.", _week("Last week", "borealis")),
    ("我要一份这周的周报", _week("这周")),
    ("Report for the week: week 43. Thanks!", _week("week 43")),
    ("先出上周周报,其他的之后再说", _week("上周")),
    ("weekly report W42, only apollo counts for the budget", _week("W42", "apollo")),
    ("请汇报第42周工作,写成周报", _week("第42周")),
    ("Write me last week's weekly report in Chinese", _week("last week")),
    ("List the open issues of apollo", _one("count_issues", project="apollo")),
    ("第42周的笔记里提到供应商了吗", [("search_notes", {"week": "第42周", "query": Has("供应商")})]),
    ("What's the status of our issues at the end of week 42?", _one("count_issues", week="week 42")),
    ("青鸟的预算够不够", _one("sum_budget", project="青鸟")),
    ("thanks", []),
]

MAIL = {"to": ["ann@example.com"]}

ASSISTANT: list[Wording] = [
    ("What is 17.5 % of 2,480?", _one("calculate", expression="17.5% * 2480")),
    ("3的平方根加2", _one("calculate", expression="sqrt(3) + 2")),
    ("12*(3+4)等于多少", _one("calculate", expression="12*(3+4)")),
    ("how much is 1,299 plus 8% tax", _one("calculate", expression="1299 * (1 + 8%)")),
    ("350打八折是多少钱", _one("calculate", expression="350 * 0.8")),
    ("Divide 100 by 7 and give me 2 decimals", _one("calculate", expression="round(100 / 7, 2)")),
    ("北京现在几点，东京呢？", [("now", {"zone": "北京"}), ("now", {"zone": "东京"})]),
    ("What time is it in New York and London?", [("now", {"zone": "New York"}), ("now", {"zone": "London"})]),
    ("现在几点", _one("now")),
    ("convert 3pm New York to Shanghai", _one("convert_time", time="3pm", from_zone="New York", to_zone="Shanghai")),
    ("伦敦早上9点是北京几点", _one("convert_time", time="早上9点", from_zone="伦敦", to_zone="北京")),
    (
        "If it's noon in Berlin, what's the time in Sydney?",
        _one("convert_time", time="noon", from_zone="Berlin", to_zone="Sydney"),
    ),
    ("What's the weather in Paris tomorrow?", _one("get_weather", place="Paris", days=2)),
    ("上海未来三天会下雨吗", _one("get_weather", place="上海", days=3)),
    ("今天天气如何", []),
    ("read https://example.com/news for me", _one("fetch_url", url="https://example.com/news")),
    ("打开 http://example.org/faq 看看说了什么", _one("fetch_url", url="http://example.org/faq")),
    (
        "send an email to ann@example.com saying the meeting moved to 3pm, subject Meeting",
        _one("send_email", **MAIL, subject="Meeting", body="the meeting moved to 3pm"),
    ),
    (
        "给 ann@example.com 发邮件,主题是会议改期,内容是会议改到下午三点",
        _one("send_email", **MAIL, subject="会议改期", body="会议改到下午三点"),
    ),
    ("Send an email", []),
    ("Run `ls -la` in the workspace", _one("run_command", command="ls -la")),
    ("执行命令 git status", _one("run_command", command="git status")),
    ("Run this python: print(sum(range(10)))", _one("run_python", code="print(sum(range(10)))")),
    ("```python\nprint('hi')\n```\n运行一下这段代码", _one("run_python", code="print('hi')")),
    ("remember that I am out on Fridays", _one("remember", text="I am out on Fridays")),
    ("记一下,我每周五下午不在", _one("remember", text="我每周五下午不在")),
    ("what did I ask you to remember?", _one("recall_memory")),
    ("25*4是多少,然后东京现在几点", [("calculate", {"expression": "25*4"}), ("now", {"zone": "东京"})]),
    ("hello", []),
    ("translate hello into French", []),
    # first seen when they were scored
    ("Could you work out 15% of 86.40 for me?", _one("calculate", expression="15% * 86.40")),
    ("(128+72)除以4再乘3得多少", _one("calculate", expression="(128+72) / 4 * 3")),
    ("what's 2 to the power of 16", _one("calculate", expression="2**16")),
    ("18420.50占25000的百分之几", _one("calculate", expression="18420.50 / 25000 * 100")),
    (
        "I bought 3 things for 19.99, 5.50 and 42 - what's the total of 19.99, 5.50 and 42?",
        _one("calculate", expression="19.99 + 5.50 + 42"),
    ),
    ("九百九十九减去一百二十三", _one("calculate", expression="999 - 123")),
    ("20% off 450, how much?", _one("calculate", expression="450 * (1 - 20%)")),
    ("旧金山这会儿几点了", _one("now", zone="旧金山")),
    ("what day is it today", _one("now")),
    ("time in Singapore now?", _one("now", zone="Singapore")),
    ("纽约时间下午4点半,上海是几点?", _one("convert_time", time="下午4点半", from_zone="纽约", to_zone="上海")),
    (
        "When it is 18:30 in Tokyo, what time is it in Paris?",
        _one("convert_time", time="18:30", from_zone="Tokyo", to_zone="Paris"),
    ),
    (
        "把明天上午10点的北京时间换成洛杉矶时间",
        _one("convert_time", time=Has("上午10点"), from_zone="北京", to_zone="洛杉矶"),
    ),
    ("will I need an umbrella in Hangzhou?", _one("get_weather", place="Hangzhou")),
    ("后天成都冷不冷", _one("get_weather", place="成都", days=3)),
    ("Forecast for Berlin, next 5 days", _one("get_weather", place="Berlin", days=5)),
    (
        "summarise this page: https://docs.python.org/3/whatsnew/3.11.html",
        _one("fetch_url", url="https://docs.python.org/3/whatsnew/3.11.html"),
    ),
    ("这个链接讲了啥 https://example.com/a?b=1&c=2。", _one("fetch_url", url="https://example.com/a?b=1&c=2")),
    (
        'Email ann@example.com with the subject "Lunch" and the text "Lunch is at noon."',
        _one("send_email", **MAIL, subject="Lunch", body="Lunch is at noon."),
    ),
    (
        "帮我写封邮件给 ann@example.com，标题：请假，正文：我明天请假一天",
        _one("send_email", **MAIL, subject="请假", body="我明天请假一天"),
    ),
    (
        "mail ann@example.com and bob@example.com, subject: Outage, body: The server is back.",
        _one("send_email", to=["ann@example.com", "bob@example.com"], subject="Outage", body="The server is back."),
    ),
    ('please execute "df -h"', _one("run_command", command="df -h")),
    ("跑一下 wc -l README.md", _one("run_command", command="wc -l README.md")),
    ("execute this code: x = 3; print(x * 2)", _one("run_python", code="x = 3; print(x * 2)")),
    ("please don't forget that my office is on floor 5", _one("remember", text="my office is on floor 5")),
    ("以后都用英文回答我,请记住", _one("remember", text=Has("用英文回答我"))),
    ("note that I prefer tea over coffee", _one("remember", text="I prefer tea over coffee")),
    ("你都记住了我什么", _one("recall_memory")),
    ("谢谢!", []),
    (
        "Is it raining in Oslo, and what is 7 times 8?",
        [("get_weather", {"place": "Oslo"}), ("calculate", {"expression": "7 * 8"})],
    ),
    # a second round, likewise
    ("请计算 (3.5+2.5)*4^2", _one("calculate", expression="(3.5+2.5)*4**2")),
    ("100的平方根是几", _one("calculate", expression="sqrt(100)")),
    ("12345乘以678", _one("calculate", expression="12345 * 678")),
    ("Can you tell me what 19% VAT on 250 comes to?", _one("calculate", expression="19% * 250")),
    ("If I split 1,250 between 8 people how much does each pay?", _one("calculate", expression="1250 / 8")),
    ("average of 85, 92 and 78", _one("calculate", expression="avg(85, 92, 78)")),
    ("599 减 15% 是多少", _one("calculate", expression="599 * (1 - 15%)")),
    ("1+2+3+4+5", _one("calculate", expression="1+2+3+4+5")),
    ("7 的 8 次方", _one("calculate", expression="7**8")),
    ("What's 45 minus 17?", _one("calculate", expression="45 - 17")),
    ("悉尼那边现在是几点钟", _one("now", zone="悉尼")),
    ("tell me the current time in Dubai", _one("now", zone="Dubai")),
    ("今天是几月几号", _one("now")),
    ("Which week of the year is it?", _one("now")),
    ("10am in London is what time in Tokyo?", _one("convert_time", time="10am", from_zone="London", to_zone="Tokyo")),
    ("柏林下午两点对应北京时间几点", _one("convert_time", time="下午两点", from_zone="柏林", to_zone="北京")),
    ("我们这里晚上9点,多伦多是几点", _one("convert_time", time="晚上9点", to_zone="多伦多")),
    (
        "translate 17:00 Paris time to New York time",
        _one("convert_time", time="17:00", from_zone="Paris", to_zone="New York"),
    ),
    ("How's the weather in San Francisco?", _one("get_weather", place="San Francisco")),
    ("深圳明天会不会下雨", _one("get_weather", place="深圳", days=2)),
    ("weather for Tokyo and Seoul", [("get_weather", {"place": "Tokyo"}), ("get_weather", {"place": "Seoul"})]),
    ("7-day forecast for Madrid", _one("get_weather", place="Madrid", days=7)),
    ("帮我抓取 https://example.com/index.html 的内容", _one("fetch_url", url="https://example.com/index.html")),
    (
        "What does https://example.org/terms say about refunds?",
        [("fetch_url", {"url": "https://example.org/terms", "query": Has("refunds")})],
    ),
    (
        "Please email bob@example.com: subject Invoice, body The invoice is attached.",
        _one("send_email", to=["bob@example.com"], subject="Invoice", body="The invoice is attached."),
    ),
    (
        "发一封邮件到 bob@example.com,标题叫周会纪要,正文写:纪要见共享盘,请查收",
        _one("send_email", to=["bob@example.com"], subject="周会纪要", body="纪要见共享盘,请查收"),
    ),
    ("email bob@example.com", []),
    ("在工作区里运行 `grep -rn TODO .`", _one("run_command", command="grep -rn TODO .")),
    ("run pwd", _one("run_command", command="pwd")),
    ("用 Python 跑一下 print(2**100)", _one("run_python", code="print(2**100)")),
    ("keep in mind that my manager is Li Lei", _one("remember", text="my manager is Li Lei")),
    ("记住我的工位在3楼", _one("remember", text="我的工位在3楼")),
    ("what can you do?", []),
    ("book a flight to Paris", []),
    ("算 18*7,再查一下巴黎天气", [("calculate", {"expression": "18*7"}), ("get_weather", {"place": "巴黎"})]),
    (
        "What time is it in Lagos and what's 12 squared?",
        [("now", {"zone": "Lagos"}), ("calculate", {"expression": "12**2"})],
    ),
    # a third round
    ("帮我算 1024 除以 16", _one("calculate", expression="1024 / 16")),
    ("what is (45 + 55) * 2?", _one("calculate", expression="(45 + 55) * 2")),
    ("98 乘 76 等于?", _one("calculate", expression="98 * 76")),
    ("A jacket costs 240 and is 30% off. What do I pay?", _one("calculate", expression="240 * (1 - 30%)")),
    ("Add 12.5, 7.5 and 30", _one("calculate", expression="12.5 + 7.5 + 30")),
    ("计算 2 的 20 次方减 1", _one("calculate", expression="2**20 - 1")),
    ("现在莫斯科时间是多少", _one("now", zone="莫斯科")),
    ("What's the time over in Chicago right now?", _one("now", zone="Chicago")),
    ("what's today's date", _one("now")),
    ("东京上午11点是纽约几点", _one("convert_time", time="上午11点", from_zone="东京", to_zone="纽约")),
    (
        "If I call at 9am Berlin time, what time is it in Singapore?",
        _one("convert_time", time="9am", from_zone="Berlin", to_zone="Singapore"),
    ),
    ("Do I need a coat in Helsinki tomorrow?", _one("get_weather", place="Helsinki", days=2)),
    ("给我看看 https://example.com/blog/post-1 这篇文章", _one("fetch_url", url="https://example.com/blog/post-1")),
    ("Fetch https://example.com/data.json please", _one("fetch_url", url="https://example.com/data.json")),
    (
        "Write an email to carol@example.com. Subject: Friday. Body: I will be late on Friday.",
        _one("send_email", to=["carol@example.com"], subject="Friday", body="I will be late on Friday."),
    ),
    (
        "用邮件通知 dave@example.com,主题「停电」,内容「明天下午停电两小时」",
        _one("send_email", to=["dave@example.com"], subject="停电", body="明天下午停电两小时"),
    ),
    ("could you run the command `du -sh .`?", _one("run_command", command="du -sh .")),
    (
        "把这段 Python 跑一下:\n```python\nfor i in range(3):\n    print(i)\n```",
        _one("run_python", code="for i in range(3):\n    print(i)"),
    ),
    ("remember I prefer aisle seats", _one("remember", text="I prefer aisle seats")),
    ("麻烦记住,我的英文名叫 Leo", _one("remember", text="我的英文名叫 Leo")),
    ("what do you know about me?", _one("recall_memory")),
    ("who are you?", []),
    ("order me a pizza", []),
]
