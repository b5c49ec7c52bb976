"""Weather codes in words (WMO code table 4677, as Open-Meteo uses it)."""

from __future__ import annotations

_WORDS = {
    0: ("clear sky", "晴"),
    1: ("mainly clear", "大部晴朗"),
    2: ("partly cloudy", "多云"),
    3: ("overcast", "阴"),
    45: ("fog", "雾"),
    48: ("fog with rime", "雾凇"),
    51: ("light drizzle", "小毛毛雨"),
    53: ("drizzle", "毛毛雨"),
    55: ("heavy drizzle", "大毛毛雨"),
    56: ("light freezing drizzle", "轻微冻毛毛雨"),
    57: ("freezing drizzle", "冻毛毛雨"),
    61: ("light rain", "小雨"),
    63: ("rain", "中雨"),
    65: ("heavy rain", "大雨"),
    66: ("light freezing rain", "小冻雨"),
    67: ("freezing rain", "冻雨"),
    71: ("light snow", "小雪"),
    73: ("snow", "中雪"),
    75: ("heavy snow", "大雪"),
    77: ("snow grains", "米雪"),
    80: ("light showers", "小阵雨"),
    81: ("showers", "阵雨"),
    82: ("violent showers", "强阵雨"),
    85: ("light snow showers", "小阵雪"),
    86: ("snow showers", "阵雪"),
    95: ("thunderstorm", "雷暴"),
    96: ("thunderstorm with light hail", "雷暴伴小冰雹"),
    99: ("thunderstorm with hail", "雷暴伴冰雹"),
}


def words(code: int | None) -> tuple[str, str]:
    """What a weather code means, in English and Chinese; a code that is not in the table is given as it is."""
    if code is None:
        return "not known", "未知"
    return _WORDS.get(code, (f"weather code {code}", f"天气代码 {code}"))
