"""Cities, countries and time zones that a text names, and which of two places a time is given in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from zoneinfo import available_timezones

from signoff.models.rehearsal import lexicon
from signoff.models.rehearsal.cards import Parameter
from signoff.models.rehearsal.texts import Piece, Span

_CHINESE = (
    "北京 上海 广州 深圳 杭州 成都 南京 武汉 西安 重庆 天津 苏州 厦门 青岛 大连 哈尔滨 沈阳 长沙 昆明 "
    "拉萨 乌鲁木齐 郑州 济南 合肥 福州 南昌 "
    "贵阳 南宁 海口 三亚 太原 石家庄 呼和浩特 兰州 银川 西宁 长春 宁波 无锡 珠海 东莞 佛山 温州 洛阳 桂林 "
    "丽江 烟台 香港 澳门 台北 台湾 高雄 中国 "
    "东京 日本 大阪 京都 名古屋 横滨 札幌 福冈 首尔 韩国 釜山 平壤 新加坡 吉隆坡 马来西亚 曼谷 泰国 清迈 "
    "普吉 胡志明市 河内 越南 雅加达 印尼 巴厘岛 "
    "马尼拉 菲律宾 金边 仰光 印度 新德里 德里 孟买 加尔各答 班加罗尔 卡拉奇 巴基斯坦 达卡 科伦坡 加德满都 "
    "尼泊尔 德黑兰 伊朗 巴格达 迪拜 阿联酋 阿布扎比 "
    "利雅得 沙特 多哈 卡塔尔 耶路撒冷 以色列 特拉维夫 伊斯坦布尔 土耳其 安卡拉 伦敦 英国 曼彻斯特 爱丁堡 "
    "都柏林 爱尔兰 里斯本 葡萄牙 马德里 西班牙 "
    "巴塞罗那 巴黎 法国 里昂 马赛 布鲁塞尔 比利时 阿姆斯特丹 荷兰 柏林 德国 慕尼黑 法兰克福 汉堡 苏黎世 "
    "瑞士 日内瓦 维也纳 奥地利 罗马 意大利 米兰 "
    "威尼斯 佛罗伦萨 布拉格 捷克 华沙 波兰 布达佩斯 匈牙利 雅典 希腊 哥本哈根 丹麦 斯德哥尔摩 瑞典 奥斯陆 "
    "挪威 赫尔辛基 芬兰 雷克雅未克 冰岛 莫斯科 "
    "俄罗斯 圣彼得堡 基辅 乌克兰 开罗 埃及 约翰内斯堡 开普敦 南非 内罗毕 肯尼亚 拉各斯 卡萨布兰卡 纽约 "
    "华盛顿 波士顿 芝加哥 迈阿密 亚特兰大 休斯顿 "
    "达拉斯 丹佛 凤凰城 洛杉矶 旧金山 硅谷 圣何塞 西雅图 拉斯维加斯 圣地亚哥 费城 底特律 夏威夷 檀香山 "
    "美国 美东 美西 多伦多 加拿大 温哥华 蒙特利尔 "
    "渥太华 墨西哥城 墨西哥 哈瓦那 里约热内卢 里约 圣保罗 巴西 布宜诺斯艾利斯 阿根廷 圣地亚哥 智利 利马 "
    "秘鲁 波哥大 悉尼 墨尔本 布里斯班 珀斯 堪培拉 "
    "澳大利亚 澳洲 奥克兰 惠灵顿 新西兰 世界协调时 格林尼治"
).split()
_ENGLISH = (
    "beijing shanghai guangzhou shenzhen hangzhou chengdu nanjing wuhan xi'an xian tianjin suzhou xiamen "
    "qingdao dalian "
    "china japan korea india germany france spain italy england britain scotland netherlands belgium "
    "switzerland austria "
    "sweden norway finland denmark poland russia ukraine greece turkey egypt israel brazil argentina mexico canada "
    "australia thailand vietnam malaysia indonesia philippines pakistan kenya nigeria ireland portugal hungary "
    "osaka kyoto nagoya yokohama sapporo busan hanoi bali delhi mumbai bangalore bengaluru hyderabad chennai munich "
    "frankfurt hamburg cologne stuttgart lyon marseille nice barcelona seville valencia milan naples "
    "venice florence turin "
    "manchester edinburgh cambridge oxford birmingham glasgow liverpool geneva bern krakow gothenburg rotterdam boston "
    "washington philadelphia miami atlanta houston dallas austin seattle portland oakland pittsburgh cleveland "
    "baltimore orlando tampa minneapolis nashville charlotte honolulu hawaii california texas montreal ottawa calgary "
    "canberra wellington utc gmt cet est edt pst pdt jst ist bst cst hkt sgt"
).split()
_PHRASES = (
    "new york city", "new york", "nyc", "los angeles", "san francisco", "san diego", "san jose", "las vegas",
    "salt lake city",
    "new delhi", "hong kong", "kuala lumpur", "ho chi minh city", "tel aviv", "abu dhabi", "saudi arabia", "sri lanka",
    "south korea", "north korea", "south africa", "cape town", "new zealand", "united states", "united kingdom",
    "united arab emirates", "costa rica", "puerto rico", "rio de janeiro", "sao paulo", "buenos aires", "mexico city",
    "st. petersburg", "saint petersburg", "the hague", "silicon valley", "washington dc", "washington d.c.", "la paz",
    "pacific time", "eastern time", "central time", "mountain time", "uk", "usa", "uae", "czech republic",
)  # fmt: skip
_ZONE = (
    r"(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US)/[A-Za-z_+-]+"
    r"(?:/[A-Za-z_]+)?"
)
_OFFSET = r"(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?\d{2})?|[东西][一二三四五六七八九十]{1,2}区"
_HERE = re.compile(
    r"\b(?:here|my (?:time|zone|local time)|local time|our time|for me|where i am)\b|我这边|我们这边|"
    r"我这里|这边|这里|本地|我们这|当地",
    re.IGNORECASE,
)
_WORDS = frozenset(
    "nice bern est ist turin center easter eastern central pacific west knox north south east yap truk".split()
)
_NEAR = re.compile(
    r"^[^\w,，。;；]*(?:(?:in|at|时间|的|当地|时|点|整|半|local|time)[^\w,，。;；]*){0,3}$", re.IGNORECASE
)
_TO = re.compile(
    r"(?:\b(?:to|into)|换算成|换算到|换成|转成|转换成|转换为|转为|对应|相当于|等于|是|到|给)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:\bfrom|从|由|把)\s*(?:the\s+)?$", re.IGNORECASE)


def takes_one(parameter: Parameter) -> bool:
    """Whether a parameter takes a city, a country or a time zone."""
    words = parameter.words & {
        "city",
        "place",
        "location",
        "zone",
        "timezone",
        "tz",
        "town",
        "country",
        "where",
        "region",
    }
    return parameter.type == "string" and bool(words) and not parameter.schema.get("enum") and not parameter.pattern


def find(text: str, *, zones: bool = False) -> list[Piece]:
    """The places that a text names, in order; with `zones` names of time zones and offsets too."""
    found: list[Piece] = []
    for pattern in (_zone_pattern(), _place_pattern()) if zones else (_place_pattern(),):
        for match in pattern.finditer(text):
            if not any(a.start < match.end() and match.start() < a.end for a in found):
                found.append(Piece(match[0], match.start(), match.end(), 1.3))
    return sorted((p for p in found if not _common_word(p)), key=lambda p: p.start)


def given_and_wanted(text: str, clock: Span | None, found: Sequence[Piece]) -> tuple[Piece | None, Piece | None]:
    """Of the places of a conversion, the one where the time is given and the one where it is wanted."""
    if not found:
        return None, None
    folded = lexicon.fold(text)
    mine = _HERE.search(folded)
    if (
        len(found) == 1
        and clock
        and mine
        and mine.end() <= clock[0]
        and not re.search(r"[,，;；。]", folded[mine.end() : clock[0]])
    ):
        return None, found[0]
    led = next((p for p in found if _FROM.search(folded[: p.start])), None)
    near = next((p for p in found if clock and _beside(folded, clock, p)), None)
    source = led or near
    if len(found) == 1:
        only = found[0]
        return (only, None) if source is only and not _TO.search(folded[: only.start]) else (None, only)
    if source is None:
        last = found[-1] if _TO.search(folded[: found[-1].start]) else None
        source = found[0] if last or not _TO.search(folded[: found[0].start]) else found[1]
    return source, next(p for p in found if p is not source)


def here(text: str) -> bool:
    """Whether a text speaks of the place where the person is."""
    return bool(_HERE.search(text))


def _beside(folded: str, clock: Span, place: Piece) -> bool:
    """ "3pm in Paris", "New York 3pm", 北京时间 15:00."""
    if place.start >= clock[1]:
        return bool(_NEAR.match(folded[clock[1] : place.start]))
    return bool(
        re.fullmatch(
            r"(?:\W|time|in|at|时间|的|当地|今天|明天|今晚|明早|上午|下午|晚上|早上|凌晨|中午|tomorrow|today)*",
            folded[place.end : clock[0]],
        )
    )


@cache
def _place_pattern() -> re.Pattern[str]:
    stems = {
        z.rsplit("/", 1)[-1].replace("_", " ").lower() for z in available_timezones() if "/" in z and "Etc" not in z
    }
    english = sorted({*_ENGLISH, *_PHRASES, *(s for s in stems if len(s) > 3)}, key=len, reverse=True)
    chinese = sorted(set(_CHINESE), key=len, reverse=True)
    return re.compile(
        rf"(?<![A-Za-z@/.-])(?:{'|'.join(map(re.escape, english))})(?![A-Za-z@/-]|\.\w)|(?:{'|'.join(chinese)})",
        re.IGNORECASE,
    )


@cache
def _zone_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/]){_ZONE}|{_OFFSET}")


def _common_word(piece: Piece) -> bool:
    """ "nice", "est": names that are words too count only with a capital letter."""
    return piece.value == piece.value.lower() and piece.value in _WORDS
