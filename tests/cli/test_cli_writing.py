"""An answer on the screen while it is being written."""

from __future__ import annotations

import pytest

from signoff.cli.output import Output

Part = tuple[str, int]


@pytest.mark.parametrize(
    ("parts", "answer", "shown"),
    [
        ([("One. ", 0), ("Two.", 5)], "One. Two.", "One. Two.\n"),
        ([], "Whole.", "Whole.\n"),
        ([("One. ", 0), ("", 0), ("Other.", 0)], "Other.", "One. \nOther.\n"),
        ([("One. Two.", 0), ("Three.", 5)], "One. Three.", "One. Two.\nOne. Three.\n"),
        ([("One.", 0)], "Another.", "One.\nAnother.\n"),
        ([("好。\x1b[31m", 0), ("嗯。", 7)], "好。\x1b[31m嗯。", "好。嗯。\n"),
    ],
)
def test_it_is_written_on_and_begun_anew_where_it_was_taken_back(
    parts: list[Part], answer: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = Output()
    for text, at in parts:
        output.write(text, at)
    output.answer(answer)
    output.answer("Next.")
    assert capsys.readouterr().out == f"{shown}Next.\n"


def test_a_note_in_between_stands_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.write("One. ", 0)
    output.note("noted")
    output.write("Two.", 5)
    output.answer("One. Two.")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("One. \nTwo.\n", "noted\n")


def test_programs_are_written_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(json=True)
    output.write("One. ", 0)
    output.answer("One.")
    assert capsys.readouterr().out == ""
