"""How sums are said, in Chinese and English, and what each way of saying comes to in plain signs."""

from __future__ import annotations

import re
from collections.abc import Callable

_FUNCTIONS = (
    "abs sqrt round floor ceil trunc min max sum avg mean pow exp ln log log2 log10 factorial gcd lcm sin cos tan asin "
    "acos atan sinh cosh tanh radians degrees"
).split()
NAMES = frozenset([*_FUNCTIONS, "pi", "e"])
_N = r"\d+(?:\.\d+)?"
CALL = r"(?:" + "|".join(sorted(_FUNCTIONS, key=len, reverse=True)) + r")"
_IN = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_A = rf"(?:{CALL}{_IN}|{_IN}|{_N}(?:\*\*{_N})?%?|\bpi\b)"
"""One operand: a call, something in brackets, a number."""
_WORDED = {"half": "1/2", "third": "1/3", "quarter": "1/4", "fifth": "1/5", "tenth": "1/10"}


Rewrite = Callable[[re.Match[str]], str]


def _rule(pattern: str, made: str | Rewrite) -> tuple[re.Pattern[str], str | Rewrite]:
    return re.compile(pattern.replace("{A}", f"({_A})").replace("{P}", rf"({_N})\s*(?:%|percent|per cent|pct)")), made


def _listed(name: str) -> Rewrite:
    return lambda m: f"{name}({', '.join(re.findall(_A, m[1]))})"


def _chosen(largest: bool, listed: str) -> str:
    return f"{'max' if largest else 'min'}({', '.join(re.findall(_A, listed))})"


def _joined(sign: str) -> Rewrite:
    """Two operands, in whichever language the rule found them."""
    return lambda m: f"{m[1] or m[3]} {sign} {m[2] or m[4]}"


_LIST = rf"({_A}(?:\s*(?:,\s*and|,|、|和|与|跟|及|\band\b|\+)\s*{_A})+)"
RULES = (
    _rule(r"百分之\s*({N})".replace("{N}", _N), r"\1%"),
    _rule(r"({N})\s*(?:percent|per cent|pct)\b".replace("{N}", _N), r"\1%"),
    _rule(r"({N})\s+%".replace("{N}", _N), r"\1%"),
    _rule(r"({N})\s*分之\s*({N})".replace("{N}", _N), r"(\2/\1)"),
    # what part one is of another
    _rule(r"what (?:percent(?:age)?|share|fraction|%) of {A} (?:is|are) {A}", r"\2 / \1 * 100"),
    _rule(r"{A} (?:is|are) what (?:percent(?:age)?|share|%) of {A}", r"\1 / \2 * 100"),
    _rule(r"{A} as (?:a |an )?(?:percent(?:age)?|share|%) of {A}", r"\1 / \2 * 100"),
    _rule(r"{A}\s*占\s*(?:了)?\s*{A}\s*的?\s*(?:百分之|比例|百分比|多少|几成|百分)?(?:几|多少)?", r"\1 / \2 * 100"),
    _rule(r"{A}\s*是\s*{A}\s*的\s*(?:百分之几|百分之多少|百分比)", r"\1 / \2 * 100"),
    _rule(r"{A}\s*是\s*{A}\s*的\s*(?:几倍|多少倍)", r"\1 / \2"),
    # roots and powers
    _rule(r"(?:the )?square root of (?:the number )?{A} (?:to the power of|raised to(?: the power of)?) {A}",
          r"sqrt(\1**\2)"),
    _rule(r"(?:the )?(?:square root|sqrt) of (?:the number )?{A}", r"sqrt(\1)"),
    _rule(r"(?:the )?cube root of {A}", r"\1**(1/3)"),
    _rule(r"(?:√|根号)\s*{A}", r"sqrt(\1)"),
    _rule(r"{A}\s*(?:的)?\s*(?:算术)?平方根", r"sqrt(\1)"),
    _rule(r"{A}\s*(?:的)?\s*(?:开平方|开根号|开方)", r"sqrt(\1)"),
    _rule(r"{A}\s*(?:的)?\s*立方根", r"\1**(1/3)"),
    _rule(r"(?:对|给|把)?\s*{A}\s*(?:开平方|开根号|开方)", r"sqrt(\1)"),
    _rule(r"{A} (?:to the power of|to the power|raised to(?: the power(?: of)?)?) {A}", r"\1**\2"),
    _rule(r"{A} to the (\d+)(?:st|nd|rd|th)(?: power)?", r"\1**\2"),
    _rule(r"{A} squared|(?:the )?square of {A}", lambda m: f"{m[1] or m[2]}**2"),
    _rule(r"{A} cubed|(?:the )?cube of {A}", lambda m: f"{m[1] or m[2]}**3"),
    _rule(r"{A}\s*的\s*({N})\s*次(?:方|幂)".replace("{N}", _N), r"\1**\2"),
    _rule(r"{A}\s*的?\s*平方(?!根|米|公里|厘米)", r"\1**2"),
    _rule(r"{A}\s*的?\s*立方(?!根|米)", r"\1**3"),
    _rule(r"{A}\s*的?\s*阶乘|(?:the )?factorial of {A}|{A} factorial", lambda m: f"factorial({m[1] or m[2] or m[3]})"),
    _rule(rf"\b(ln|log2|log10|log|sin|cos|tan|exp|abs|sqrt)\s+(?:of\s+)?({_A}°?)", r"\1(\2)"),
    # percentages on top and off
    _rule(r"{A}(?: (?:yuan|dollars|euros))?,? (?:plus|with|and|\+|including|incl\.?|adding|add) (?:a |an |the "
        r")?{P} (?:sales |service |of )?(?:tax|vat|gst|tip|fee|"
          r"markup|surcharge|interest|charge|service|commission|duty)", r"\1 * (1 + \2%)"),
    _rule(r"{A}\s*(?:元)?,?\s*(?:再)?(?:加上?|含|另加|外加|上浮|涨价?|上涨|增加|增长|提高|"
        r"加收)\s*了?\s*{P}(?:\s*的?\s*(?:税费?|增值税|消费税|服务费|小费|手续费|利息))?", r"\1 * (1 + \2%)"),
    _rule(r"{A}\s*(?:减去?|minus|less)\s*{P}(?!\s*(?:of|on|的)?\s*\d)", r"\1 * (1 - \2%)"),
    _rule(r"{A}\s*(?:plus)\s*{P}(?!\s*(?:of|on|的)?\s*\d)", r"\1 * (1 + \2%)"),
    _rule(r"{A},? (?:increased|raised|marked up|going up|up|grown) by {P}", r"\1 * (1 + \2%)"),
    _rule(r"(?:increase|raise|grow|mark up) {A} by {P}", r"\1 * (1 + \2%)"),
    _rule(r"{A},? (?:decreased|reduced|lowered|discounted|cut|marked down|down) by {P}", r"\1 * (1 - \2%)"),
    _rule(r"(?:decrease|reduce|lower|discount|cut) {A} by {P}", r"\1 * (1 - \2%)"),
    _rule(r"{A},? (?:less|minus|with|after|at) (?:a |an |the )?{P} (?:discount|off|reduction|rebate)",
          r"\1 * (1 - \2%)"),
    _rule(r"{A}(?: (?:yuan|dollars|euros))?,?\s+(?:and is|and it's|but is|and|is|now|reduced by)\s+(?:at |by )?"
          r"{P} (?:off|cheaper|discounted)",
          r"\1 * (1 - \2%)"),
    _rule(r"{P} (?:off|discount on|discount off|reduction (?:on|of)) (?:of )?{A}", r"\2 * (1 - \1%)"),
    _rule(r"{A}\s*(?:元)?,?\s*(?:再)?(?:减去|减少|降低|下降|降价?|下调|便宜|优惠|减免|打折掉|扣除|"
        r"扣掉?)\s*了?\s*{P}", r"\1 * (1 - \2%)"),
    _rule(r"{A}\s*(?:元)?,?\s*打?\s*([1-9])\.?([1-9])?\s*折", lambda m: f"{m[1]} * 0.{m[2]}{m[3] or ''}"),
    _rule(r"{P} (?:tip|tax|vat|gst|interest|commission|fee|deposit|discount|duty) (?:on|of) (?:a |an |the "
        r")?(?:bill of |price of |total of )?{A}", r"\1% * \2"),
    _rule(r"{P} (?:of|on) (?:the )?{A}", r"\1% * \2"),
    _rule(r"{A}\s*的\s*{P}", r"\1 * \2%"),
    _rule(r"(?:a |an |one[- ])?(half|third|quarter|fifth|tenth) (?:of )?{A}", lambda m: f"{m[2]} * ({_WORDED[m[1]]})"),
    _rule(r"{A}\s*的\s*(\(\d+/\d+\))", r"\1 * \2"),
    _rule(r"{A}\s*的\s*一半", r"\1 / 2"),
    _rule(r"(double|twice|triple) (?:of )?{A}", lambda m: f"{m[2]} * {3 if m[1] == 'triple' else 2}"),
    _rule(r"{A},? (?:is |to be )?(?:split|shared|divided)(?: (?:equally|evenly))? (?:between|among|"
        r"amongst|by|into|over|"
          r"across) {A}", r"\1 / \2"),
    _rule(r"(?:split|share|divide) {A}(?: (?:equally|evenly))? (?:between|among|amongst|by|into|over|across) {A}",
          r"\1 / \2"),
    _rule(r"{A}\s*(?:元)?\s*[,，]?\s*{A}\s*个?\s*(?:人|位|名|户|家)\s*(?:一起)?(?:平分|平摊|均分|均摊|"
        r"分摊|aa|分)", r"\1 / \2"),
    _rule(r"{A}\s*(?:平分|平摊|均分|分摊|分)(?:给|成|到)?\s*{A}\s*(?=个|位|份|人|名|天|月|等)", r"\1 / \2"),
    _rule(r"{A}\s*(?:个?人|位|名|户|家)\s*(?:一起)?(?:平分|平摊|均分|均摊|分摊|aa|分)\s*{A}", r"\2 / \1"),
    # lists
    _rule(rf"(?:the )?(?:average|mean|avg) (?:of|for|from)?\s*:?\s*{_LIST}", _listed("avg")),
    _rule(rf"{_LIST}\s*(?:的|这\w{{0,3}}数的?|几个数的?|,)?\s*(?:平均数|平均值|平均|均值)", _listed("avg")),
    _rule(rf"(?:平均数|平均值|平均)[是:：]?\s*{_LIST}", _listed("avg")),
    _rule(rf"(?:the )?(?:sum|total) (?:of|for|from)\s*:?\s*{_LIST}|(?:add (?:up )?|sum (?:up )?|total (?:up )?){_LIST}",
          lambda m: " + ".join(re.findall(_A, m[1] or m[2]))),
    _rule(rf"{_LIST}\s*(?:的|这\w{{0,3}}数的?|,)?\s*(?:之和|总和|的和|和是|合计|总共|一共|加起来|相加|求和|加总)",
          lambda m: " + ".join(re.findall(_A, m[1]))),
    _rule(rf"(?:把|将|求)?\s*{_LIST}\s*(?:都|全)?(?:加起来|相加|求和|加总)",
          lambda m: " + ".join(re.findall(_A, m[1]))),
    _rule(rf"(?:the )?(max(?:imum)?|largest|biggest|min(?:imum)?|smallest) (?:of|among|in)\s*{_LIST}",
          lambda m: _chosen(m[1][:1] in "lb" or m[1].startswith("max"), m[2])),
    _rule(rf"{_LIST}\s*(?:中|里|里面)?的?(最大|最小)(?:值|的|公约数|公倍数)?",
          lambda m: _chosen(m[2] == "最大", m[1])),
    _rule(r"(?:the )?(?:product) of {A} and {A}|{A}\s*(?:和|与)\s*{A}\s*的(?:乘积|积)", _joined("*")),
    _rule(r"(?:the )?(?:difference) (?:of|between) {A} and {A}|{A}\s*(?:和|与)\s*{A}\s*的差", _joined("-")),
    _rule(r"(?:the )?(?:quotient|ratio) of {A} (?:and|to) {A}|{A}\s*(?:和|与)\s*{A}\s*的(?:商|比)", _joined("/")),
    _rule(r"{A}\s*(?:个|件|台|张|份|本|盒|瓶|套|箱|斤|公斤)\s*(?:单价|价格|每个|每件)?(?:是|为)?\s*{A}\s*(?:块|"
        r"元)?\s*(?:一个|一件|每个|每件)?的", r"\1 * \2"),
    _rule(r"{A} (?!(?:plus|minus|times|divided|over|and|of|to|percent)\b)[a-z]+ (?:at|for|costing|priced at|of) "
        r"{A}(?: yuan| dollars| euros)? (?:each|apiece|per \w+|a piece)", r"\1 * \2"),
    # verbs with two operands
    _rule(r"subtract {A} from {A}|take {A} (?:away )?from {A}", lambda m: f"{m[2] or m[4]} - {m[1] or m[3]}"),
    _rule(r"从\s*{A}\s*(?:里|中)?\s*(?:减去|减掉|扣除|扣掉)\s*{A}", r"\1 - \2"),
    _rule(r"add {A} (?:to|and) {A}", r"\1 + \2"),
    _rule(r"multiply {A} (?:by|with|and) {A}", r"\1 * \2"),
    _rule(r"divide {A} by {A}", r"\1 / \2"),
    _rule(r"(?:split|share|divide) {A} (?:evenly |equally )?(?:between|among|amongst|by|into) {A}", r"\1 / \2"),
    _rule(r"(?:the )?remainder (?:of|when) {A} (?:is )?(?:divided by|by|/) {A}", r"\1 % \2"),
    _rule(r"{A}\s*除以\s*{A}\s*的?余数", r"\1 % \2"),
    _rule(r"{A}\s*(?:平)?(?:分给|分成|平均分给|平分给|均分给|均分成)\s*{A}", r"\1 / \2"),
    # signs in words
    _rule(r"(?:然后|接着|最后|再)\s*(?=[加减乘除])", ""),
    _rule(r"\b(?:multiplied by|times)\b|乘以|乘上|乘", " * "),
    _rule(r"(?<=[\d)%])\s*x\s*(?=[\d(])", " * "),
    _rule(r"\b(?:divided by|over)\b|除以", " / "),
    _rule(r"\b(?:plus|added to)\b|加上|加(?!起|总)", " + "),
    _rule(r"\b(?:minus|less|subtracting)\b|减去|减掉|减", " - "),
    _rule(r"\b(?:mod|modulo)\b|取模|取余|模", " % "),
    _rule(r"\^", "**"),
    _rule(r"(?<=\d)\s*倍(?=\s|$|\D)", ""),
    _rule(r"{A}\s*的\s*({N})(?![\d.])".replace("{N}", _N), r"\1 * \2"),
    _rule(r"(?<![a-z]\d)(?<![a-z]\d\d)(?<=[\d)])\s*(?=\()", " * "),
)  # fmt: skip
