from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import ACME, opened, write

from signoff.text import tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Café crème", ["cafe", "creme"]),
        ("Größe, Straße", ["gross", "strass"]),
        ("Việt Nam İstanbul São Paulo", ["viet", "nam", "istanbul", "sao", "paulo"]),
        ("Возврат: йогурт", ["возврат", "йогурт"]),
        ("επιστροφή χρημάτων", ["επιστροφή", "χρημάτων"]),
        ("환불 정책", ["환불", "정책"]),
        ("환불은", ["환불", "불은"]),
        ("カード", ["カー", "ード"]),
        ("ｶｰﾄﾞ", ["カー", "ード"]),
        ("返品できる", ["返品", "でき", "きる"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مرحبا بكم", ["مرحبا", "بكم"]),
        ("VPN接続", ["vpn", "接", "続"]),
        ("snake_case return-policy v1.2", ["snake_cas", "return-polici", "v1.2"]),
    ],
)
def test_words_of_every_script_are_kept(text: str, found: list[str]) -> None:
    assert tokens(text, stop=False) == found


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_tokens_are_never_blank_and_a_word_alone_is_one(text: str) -> None:
    found = tokens(text, stop=False)
    assert all(t.strip() for t in found)
    if any(c.isalpha() for c in text.casefold()):
        assert found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Где оставить велосипед?", "Велосипед можно оставить во дворе."),
        ("cafe opening", "The café is open from 8:00."),
        ("자전거 보관", "자전거는 마당에 보관합니다."),
        ("コピー機の使い方", "コピー機は3階にあります。"),
    ],
)
def test_documents_in_other_scripts_are_found_by_their_words(tmp_path: Path, question: str, text: str) -> None:
    knowledge = opened(tmp_path / "k.db")
    write(tmp_path / "docs", "it.md", f"# X\n\n{text}\n")
    write(tmp_path / "docs", "other.md", "# Y\n\nParking costs 5 yuan.\n")
    knowledge.add(tmp_path / "docs")
    assert [p.source for p in knowledge.search(ACME, question)] == ["it.md"]
    knowledge.close()
