from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from near_misses import ASKED_ANEW, NEAR_MISSES
from questions import ASKED, OFF_TOPIC
from shelf import ACME, GLOBEX, NOW, opened, write

from signoff.embedding import Encoder, encoder_of
from signoff.errors import ConfigError, ProviderUnavailable
from signoff.knowledge import Filter, Knowledge, sample_folder
from signoff.knowledge.relevance import Scale
from signoff.knowledge.search import LEGS, Search
from signoff.knowledge.sqlite import SqliteStore
from signoff.knowledge.store import Access
from signoff.settings import Settings

USE = encoder_of(Settings(embeddings="use"))
assert USE is not None


def with_meaning(path: Path) -> Knowledge:
    """As a desk opens it: with the model of the settings."""
    return opened(path, encoder=USE)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    knowledge = with_meaning(tmp_path_factory.mktemp("knowledge") / "knowledge.db")
    knowledge.add(sample_folder())
    yield knowledge
    knowledge.close()


def missed(knowledge: Knowledge, asked: Sequence[tuple[str, str]]) -> list[str]:
    return [q for q, key in asked if not any(p.source.startswith(key) for p in knowledge.search(ACME, q, limit=3))]


def test_words_and_meaning_find_nineteen_in_twenty(sample: Knowledge) -> None:
    lost = missed(sample, ASKED)
    assert len(lost) <= len(ASKED) // 20, lost


def test_they_find_more_than_words_alone_in_questions_that_nothing_was_tuned_to(
    sample: Knowledge, tmp_path: Path
) -> None:
    words = opened(tmp_path / "words.db")
    words.add(sample_folder())
    assert len(missed(sample, ASKED_ANEW)) < len(missed(words, ASKED_ANEW)) <= len(ASKED_ANEW) // 4
    words.close()


def test_what_no_document_is_about_finds_nothing(sample: Knowledge) -> None:
    found = [q for q in OFF_TOPIC if sample.search(ACME, q)]
    assert len(found) <= len(OFF_TOPIC) // 50, found
    near = [q for q in NEAR_MISSES if sample.search(ACME, q)]
    assert len(near) <= len(NEAR_MISSES) // 4, near


@pytest.mark.parametrize("text", ["hello", "你好", "A1001", "", " \n", "?!", "的", "the", "\0", "\ud800", "🙂" * 40])
def test_what_asks_nothing_finds_nothing(sample: Knowledge, text: str) -> None:
    assert sample.search(ACME, text) == []


@pytest.mark.parametrize(
    "text", ['"退货" OR NOT (', "x'; DROP TABLE passage; --", "退货" * 3000, "return \ud800\0 policy"]
)
def test_no_text_breaks_the_search(sample: Knowledge, text: str) -> None:
    assert isinstance(sample.search(ACME, text), list)


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("潮汐什么时候最高", "tides.md"),
        ("灯塔的看守人每隔几周轮换一次", "keeper.md"),
        ("When may the harbour crane be used?", "crane.md"),
        ("Who feeds the seals on Sundays?", "seals.md"),
    ],
)
def test_a_question_finds_its_answer_in_the_other_language_without_the_glossary(
    tmp_path: Path, question: str, source: str
) -> None:
    knowledge = with_meaning(tmp_path / "k.db")
    for name, text in (
        ("tides", "# Sea\n\nThe tide is highest two days after the full moon."),
        ("keeper", "# Lighthouse\n\nThe keeper of the lighthouse is relieved every three weeks."),
        ("crane", "# 港口\n\n港口的起重机只能在白天使用。"),
        ("seals", "# 海豹\n\n星期天由志愿者喂海豹。"),
        ("noise", "# Bicycles\n\nBicycles are locked to the rail beside the gate."),
        ("noise2", "# 图书\n\n图书每次可以借四周。"),
    ):
        write(tmp_path / "docs", f"{name}.md", text)
    knowledge.add(tmp_path / "docs")
    assert knowledge.search(ACME, question)[0].source == source
    knowledge.close()


def test_a_hit_says_why_it_was_found_and_where(sample: Knowledge) -> None:
    best = sample.search(ACME, "How long does a refund to my debit card take?", limit=1)[0]
    assert "words: " in best.reason and "refund" in best.reason and "meaning 0." in best.reason
    start, end = best.match
    assert 0 <= start < end <= len(best.text) and "Debit card" in best.text[start:end]


def test_scores_fall(sample: Knowledge) -> None:
    scores = [p.score for p in sample.search(ACME, "退货政策", limit=10)]
    assert len(scores) > 3 and scores == sorted(scores, reverse=True)


def test_wordings_of_one_question_are_searched_together(sample: Knowledge) -> None:
    found = sample.find(ACME, ["年假有几天?音箱防水吗?", "年假有几天", "音箱防水吗"], limit=5)
    sources = {p.source for p in found.passages}
    assert {"leave.zh.md", "product-faq.en.md"} <= sources
    assert len({p.id for p in found.passages}) == len(found.passages)


@pytest.mark.parametrize("queries", [[], [""], [" ", "\n"], "退货政策", ["退货政策"] * 20])
def test_any_number_of_wordings_is_taken(sample: Knowledge, queries: Any) -> None:
    assert bool(sample.find(ACME, queries).passages) == ("退货政策" in queries)


def test_a_filter_narrows_both_legs(sample: Knowledge) -> None:
    for narrowed, sources in (
        (Filter(language="en"), {"return-policy.en.md", "warranty.en.md", "product-faq.en.md"}),
        (Filter(source="warranty"), {"warranty.en.md"}),
    ):
        found = sample.search(ACME, "退款多久到账", limit=10, narrowed=narrowed)
        assert found and {p.source for p in found} <= sources


def test_others_documents_change_neither_order_nor_scores_nor_what_is_missing(tmp_path: Path) -> None:
    knowledge = with_meaning(tmp_path / "k.db")
    knowledge.add(sample_folder())
    questions = ("住宿标准 hotel", "hotel bookings in Japan", "火星出差住宿标准")
    before = [knowledge.find(ACME, [q]) for q in questions]
    for i in range(8):
        write(tmp_path / "docs", f"{i}.md", f"# 住宿 Mars {i}\n\n酒店住宿标准 hotel bookings in Japan 火星 {i}。\n")
    knowledge.add(tmp_path / "docs", tenant="globex")
    assert [knowledge.find(ACME, [q]) for q in questions] == before
    assert [knowledge.find(GLOBEX, [q]) for q in questions] != before
    knowledge.close()


class Lamed(Embeddings):
    """The packaged model, until it breaks."""

    def __init__(self) -> None:
        self.broken: Exception | None = None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.broken:
            raise self.broken
        return [[float(x) for x in v] for v in USE.documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.mark.parametrize(
    "error",
    [ProviderUnavailable("The endpoint did not answer."), ConfigError("No key is set."), RuntimeError("sk-secret")],
)
def test_a_failing_model_leaves_the_words_and_a_warning(tmp_path: Path, error: Exception) -> None:
    model = Lamed()
    knowledge = opened(tmp_path / "k.db", encoder=Encoder(lambda: model, "lamed", dimension=512))
    write(tmp_path / "docs", "parking.md", "# Parking\n\nParking costs 5 yuan.\n")
    knowledge.add(tmp_path / "docs")
    assert not knowledge.find(ACME, ["parking"]).warnings
    model.broken = error
    found = knowledge.find(ACME, ["what does parking cost"])
    assert [p.source for p in found.passages] == ["parking.md"] and "meaning" not in found.passages[0].reason
    assert len(found.warnings) == 1 and found.warnings[0].startswith("Searched by words alone")
    assert "sk-secret" not in found.warnings[0]
    knowledge.close()


def test_vectors_of_another_model_are_told_with_what_to_do(tmp_path: Path) -> None:
    write(tmp_path / "docs", "parking.md", "# Parking\n\nParking costs 5 yuan.\n")
    first = with_meaning(tmp_path / "k.db")
    first.add(tmp_path / "docs")
    first.close()
    other = opened(tmp_path / "k.db", encoder=Encoder(Lamed, "other", dimension=512))
    found = other.find(ACME, ["parking"])
    assert [p.source for p in found.passages] == ["parking.md"]
    assert "use/512" in found.warnings[0] and "other/512" in found.warnings[0] and "reindex" in found.warnings[0]
    other.close()


def test_documents_without_vectors_are_told_with_what_to_do(tmp_path: Path) -> None:
    write(tmp_path / "docs", "parking.md", "# Parking\n\nParking costs 5 yuan.\n")
    plain = opened(tmp_path / "k.db")
    plain.add(tmp_path / "docs")
    assert plain.find(ACME, ["parking"]).warnings == []
    plain.close()
    knowledge = with_meaning(tmp_path / "k.db")
    assert "reindex" in knowledge.find(ACME, ["parking"]).warnings[0]
    assert knowledge.find(ACME, ["zebra"]).warnings == []
    knowledge.close()


def test_a_model_that_names_no_line_gets_one_of_its_own(tmp_path: Path) -> None:
    encoder = Encoder(Lamed, "unmeasured", dimension=512)
    scale = Scale.of(encoder)
    assert 0.1 < scale.relevant < 0.5 and scale.nearness(scale.unrelated) == 0.0
    assert scale.nearness(scale.relevant) == pytest.approx(1.0)
    knowledge = opened(tmp_path / "k.db", encoder=encoder)
    knowledge.add(sample_folder())
    assert not [q for q in OFF_TOPIC[:40] if knowledge.search(ACME, q)]
    assert len(missed(knowledge, ASKED[:40])) <= 4
    knowledge.close()


def test_a_deadline_that_has_passed_leaves_the_words(tmp_path: Path) -> None:
    knowledge = with_meaning(tmp_path / "k.db")
    write(tmp_path / "docs", "parking.md", "# Parking\n\nParking costs 5 yuan.\n")
    knowledge.add(tmp_path / "docs")
    knowledge.close()
    store = SqliteStore(tmp_path / "k.db")
    found = Search(store, USE).find(Access.of(ACME, NOW.date()), "parking", deadline_s=0.0)
    assert [p.source for p in found.passages] == ["parking.md"] and "in time" in found.warnings[0]
    store.close()


@pytest.mark.parametrize("legs", [("lexical",), ("dense",), LEGS])
def test_ranking_without_the_gate_gives_rows_best_first(tmp_path: Path, legs: Any) -> None:
    knowledge = with_meaning(tmp_path / "k.db")
    knowledge.add(sample_folder())
    knowledge.close()
    store = SqliteStore(tmp_path / "k.db")
    ranked = Search(store, USE).ranked(Access.of(ACME, NOW.date()), "退款多久到账", 12, legs=legs)
    assert len(ranked) == len({row for row, _ in ranked}) == 12
    assert [s for _, s in ranked] == sorted((s for _, s in ranked), reverse=True)
    store.close()
