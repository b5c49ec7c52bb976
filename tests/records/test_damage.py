from __future__ import annotations

import pytest

from signoff.records.damage import damage_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it arrived broken", ["broken"]),
        ("ARRIVED DAMAGED", ["damaged"]),
        ("The screen has no cracks but the case is dented", ["dented"]),
        ("not only broken but also late", ["broken"]),
        ("I did not break it, it came broken", ["broken"]),
        ("it doesn't work", ["doesn't work"]),
        ("It won’t turn on", ["won’t turn on"]),
        ("they sent me the wrong colour", ["sent me the wrong"]),
        ("two screws are missing", ["screws are missing"]),
        ("收到就坏了", ["坏"]),
        ("到货就碎了,杯子也裂了", ["碎了", "裂"]),
        ("收到时包装破损", ["破损"]),
        ("收到broken的", ["broken"]),
        ("打开后不能用", ["不能用"]),
        ("发错货了", ["发错"]),
        ("快递员不小心摔坏了", ["坏"]),
        ("没用就坏了", ["坏"]),
        ("损坏", ["损坏"]),
    ],
)
def test_words_that_say_it_arrived_damaged_or_faulty_are_found(text: str, words: list[str]) -> None:
    assert damage_words(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "changed my mind",
        "wrong size",
        "ordered the wrong colour",
        "not damaged, I just don't like it",
        "It isn't damaged at all",
        "no scratches or dents, simply too big",
        "it was never damaged",
        "undamaged",
        "I dropped it and it broke",
        "I accidentally broke it",
        "my son dropped it",
        "不想要了",
        "没有破损,就是不喜欢",
        "没坏,不想要了",
        "外观没有划痕、破损",
        "我不小心摔坏了",
        "孩子把它弄坏了",
        "好坏不论",
        "碎花裙颜色不好看",
        "买错了",
    ],
)
def test_what_is_denied_or_self_inflicted_or_about_something_else_is_not(text: str) -> None:
    assert damage_words(text) == []
