from __future__ import annotations

from pathlib import Path

import pytest

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.knowledge.cases import Case, read

EXPECTED = [
    Case("退款多久到账?", expected=("refunds", "退款政策")),
    Case("How long is the warranty?", contains=("24 months", "from delivery")),
    Case("What are salaries, on average?", none=True, caller=Caller("acme", "u-17", frozenset({"sales"}))),
]

JSON_LINES = """\
{"question": "退款多久到账?", "expected": ["refunds", "退款政策"]}

{"question": "How long is the warranty?", "contains": ["24 months", "from delivery"]}
{"question": "What are salaries, on average?", "none": true, "as": "acme/u-17:sales"}
"""
CSV = """\
question,expected,contains,none,as
退款多久到账?,refunds | 退款政策,,,
How long is the warranty?,,24 months|from delivery,,
"What are salaries, on average?",,,yes,acme/u-17:sales
"""
YAML = """\
questions:
  - question: 退款多久到账?
    expected: [refunds, 退款政策]
  - question: How long is the warranty?
    contains: [24 months, from delivery]
  - {question: "What are salaries, on average?", none: true, as: "acme/u-17:sales"}
"""
TOML = """\
[[questions]]
question = "退款多久到账?"
expected = ["refunds", "退款政策"]
[[questions]]
question = "How long is the warranty?"
contains = ["24 months", "from delivery"]
[[questions]]
question = "What are salaries, on average?"
none = true
as = "acme/u-17:sales"
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.jsonl", JSON_LINES),
        ("q.NDJSON", JSON_LINES.replace("\n", "\r\n")),
        ("q.json", "[" + ",".join(JSON_LINES.split("\n")[i] for i in (0, 2, 3)) + "]"),
        ("q.csv", "\ufeff" + CSV),
        ("q.tsv", CSV.replace('"What are salaries, on average?"', "What are salaries; on average?").replace(",", "\t")),
        ("q.yaml", YAML),
        ("q.yml", YAML.replace("questions:\n", "").replace("\n  ", "\n").removeprefix("  ")),
        ("q.toml", TOML),
    ],
)
def test_every_form_holds_the_same_questions(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = read(path)
    assert [(c.question.replace(";", ","), c.expected, c.contains, c.none, c.caller) for c in found] == [
        (c.question, c.expected, c.contains, c.none, c.caller) for c in EXPECTED
    ]


def test_one_name_need_not_be_a_list_and_a_year_stays_a_name(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text("- question: Which report?\n  expected: 2026\n  contains: 12%\n", encoding="utf-8")
    assert read(path) == [Case("Which report?", ("2026",), ("12%",))]


GOOD = '{"question": "a", "expected": "b"}\n'


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("q.jsonl", GOOD + "\n{bad\n", "line 3, column 2: is not JSON"),
        ("q.jsonl", GOOD + '["a", "b"]\n', "line 2: is not a question"),
        ("q.jsonl", GOOD + '{"expected": "b"}\n', "line 2: has no question"),
        ("q.jsonl", GOOD + '{"question": 7, "expected": "b"}\n', "line 2: has no question"),
        ("q.jsonl", GOOD + '{"question": "a"}\n', "line 2: does not say what to find"),
        ("q.jsonl", GOOD + '{"question": "a", "expected": []}\n', "line 2: does not say what to find"),
        ("q.jsonl", GOOD + '{"question": "a", "answer": "b"}\n', "line 2: has the field 'answer'"),
        ("q.jsonl", GOOD + '{"question": "a", "none": true, "expected": "b"}\n', "line 2: says that nothing"),
        ("q.jsonl", GOOD + '{"question": "a", "none": "perhaps"}\n', "line 2: has none: 'perhaps'"),
        ("q.jsonl", GOOD + '{"question": "a", "expected": {"key": "b"}}\n', "line 2: has expected that is neither"),
        ("q.jsonl", GOOD + '{"question": "a", "none": true, "as": "nobody"}\n', "line 2: 'nobody' does not name"),
        ("q.jsonl", GOOD + '{"question": "a", "none": true, "as": 7}\n', "line 2: has `as` that is not text"),
        ("q.jsonl", "\n \n", "holds no questions"),
        ("q.json", '{"cases": []}', "holds no list of questions"),
        ("q.json", "7", "holds no list of questions"),
        ("q.json", "[" * 100_000, "nested too deeply"),
        ("q.csv", "question,expected\na,b,c\n", "line 2: has more cells"),
        ("q.csv", 'question,expected\n"a,b\n', "is not CSV"),
        ("q.csv", "", "holds no questions"),
        ("q.yaml", "- question: a\n  expected: b\n- question: [\n", "is not YAML"),
        ("q.yaml", "- question: a\n  expected: b\n- question: c\n", "line 3: does not say what to find"),
        ("q.yaml", "a: b\n", "holds no list of questions"),
        ("q.yaml", "- &a [*a]\n", "is not YAML"),
        ("q.yaml", "\x00", "is not YAML"),
        ("q.toml", "questions = [", "is not TOML"),
        ("q.toml", "[[questions]]\nquestion = 'a'\n", "question 1: does not say what to find"),
        ("q.txt", "a", "is not of a known kind"),
    ],
)
def test_a_wrong_file_is_told_in_one_sentence_with_the_line(tmp_path: Path, name: str, content: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError) as problem:
        read(path)
    message = str(problem.value)
    assert message.startswith(name) and said in message
    assert "\n" not in message and message.endswith(".")


def test_a_file_that_is_missing_or_a_folder_or_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes("question,expected\ncaf\xe9,b\n".encode("latin-1"))
    for name, said in (("no.csv", "There is no file"), ("folder.csv", "cannot be read"), ("latin.csv", "not UTF-8")):
        with pytest.raises(UsageError, match=said):
            read(tmp_path / name)
