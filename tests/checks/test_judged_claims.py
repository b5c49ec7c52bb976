from __future__ import annotations

import pytest
from judged_claims import PASSAGES, SUPPORTED, UNSUPPORTED

from signoff.embedding import Encoder
from signoff.embedding.local import UniversalSentenceEncoder
from signoff.knowledge import cite
from signoff.nodes.checks.likeness import Likeness
from signoff.text import language


def same(key: str, claim: str) -> bool:
    return language(claim) == language(PASSAGES[key])


def score(claims: tuple[tuple[str, str], ...], alike: Likeness | None = None) -> tuple[int, int]:
    """How many of the claims are supported, and how many there are."""
    held = [not cite.supports(claim, PASSAGES[key], alike=alike, alike_floor=0.4) for key, claim in claims]
    return sum(held), len(held)


def test_there_are_claims_enough_of_both_kinds_and_languages() -> None:
    for claims in (SUPPORTED, UNSUPPORTED):
        assert len(claims) > 140 and len(set(claims)) == len(claims)
        assert sum(not same(*c) for c in claims) > 30
    assert not set(SUPPORTED) & set(UNSUPPORTED)


def test_words_alone_tell_most_claims_of_the_passages_language() -> None:
    true, of_true = score(tuple(c for c in SUPPORTED if same(*c)))
    false, of_false = score(tuple(c for c in UNSUPPORTED if same(*c)))
    assert true >= 0.97 * of_true
    assert false <= 0.05 * of_false


def test_words_alone_let_no_wrong_number_pass_across_languages() -> None:
    changed = [(k, c) for k, c in UNSUPPORTED if not same(k, c) and cite.missing_values(c, [], "")]
    assert len(changed) > 10
    true, of_true = score(tuple(c for c in SUPPORTED if not same(*c)))
    assert true >= 0.88 * of_true


@pytest.mark.slow
def test_with_the_packaged_model_most_claims_are_told_across_languages() -> None:
    alike = Likeness(Encoder(UniversalSentenceEncoder, "use", dimension=512))
    true, of_true = score(tuple(c for c in SUPPORTED if not same(*c)), alike)
    false, of_false = score(tuple(c for c in UNSUPPORTED if not same(*c)), alike)
    assert true >= 0.9 * of_true
    assert false <= 0.25 * of_false
