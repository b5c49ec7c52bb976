import json
import os
from collections import deque
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import uuid4

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Overwrite, Send
from pydantic import SecretStr

from signoff.checkpoints.serde import ThreadSerializer, checkpoint_key
from signoff.checkpoints.words import words
from signoff.errors import ConfigError, StoreError
from signoff.state import Status

KEY = b"0123456789abcdef"
SERIALIZERS = {"plain": ThreadSerializer(), "words": ThreadSerializer(None, words()), "key": ThreadSerializer(KEY)}

CALL = {"name": "query_order", "args": {"order_id": "A1001"}, "id": "c1", "type": "tool_call"}
USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
VALUES = [
    2**63,
    -(10**40),
    None,
    b"bytes",
    "文字",
    {"turn": {"seen": {}, "n": 1.5}, "list": [1, None, True]},
    HumanMessage("hello", id="1"),
    HumanMessage([{"type": "text", "text": "a"}], id="1", name="u-17", additional_kwargs={"a": 1}),
    HumanMessage("hello", id="1", extra_field="kept"),
    AIMessage("", id="2", tool_calls=[CALL], usage_metadata=USAGE, response_metadata={"model": "m"}),
    AIMessage("x", id="2", invalid_tool_calls=[{**CALL, "args": "{", "error": "?", "type": "invalid_tool_call"}]),
    AIMessageChunk("x", id="2"),
    ToolMessage('{"ok": true}', tool_call_id="c1", id="3", artifact={"rows": [1]}, status="error"),
    SystemMessage("s", id="4"),
    ChatMessage("c", role="critic", id="5"),
    RemoveMessage("6"),
    Interrupt({"approvals": ["a1"]}, id="i"),
    Command(resume={"ok": True}, update={"status": "done"}, goto="agent"),
    Send("tools", {"n": 1}),
    Overwrite(["x"]),
    Status.WAITING,
    Decimal("299.00"),
    datetime(2026, 10, 31, 10, tzinfo=UTC),
    date(2026, 10, 31),
    time(10, 30),
    timedelta(hours=24),
    timezone(timedelta(hours=8)),
    uuid4(),
    {1, 2},
    frozenset({"supervisor"}),
    deque([1, 2]),
    _DeltaSnapshot([HumanMessage("hello " * 100, id="1"), AIMessage("hi", id="2")]),
]


@pytest.mark.parametrize("serde", SERIALIZERS.values(), ids=SERIALIZERS)
@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_what_a_thread_holds_comes_back_as_it_was(serde: ThreadSerializer, value: object) -> None:
    found = serde.loads_typed(serde.dumps_typed({"value": value}))["value"]
    assert found == value and type(found) is type(value)
    assert serde.loads_typed(serde.dumps_typed(value)) == value


@pytest.mark.parametrize("depth", [90, 240, 260, 500])
def test_arguments_of_any_number_and_depth_that_a_model_writes_can_be_stored(depth: int) -> None:
    args: dict = {"order": 10**30}
    for _ in range(depth // 2):
        args = {"in": [args]}
    said = _DeltaSnapshot([AIMessage("", id="1", tool_calls=[{**CALL, "args": args}])])
    serde = SERIALIZERS["words"]
    # Compared by text: comparing such depths directly is more than Python's own stack takes.
    found = serde.loads_typed(serde.dumps_typed({"messages": said}))["messages"].value[0]
    assert json.dumps(found.tool_calls) == json.dumps(said.value[0].tool_calls)


@given(st.text(max_size=50), st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5))))
def test_messages_come_back_whole_whatever_they_say(text: str, args: list[dict]) -> None:
    calls = [{**CALL, "id": str(i), "args": a} for i, a in enumerate(args)]
    said = AIMessage(text, id="1", tool_calls=calls, response_metadata={"finish": text})
    serde = SERIALIZERS["words"]
    found = serde.loads_typed(serde.dumps_typed(said))
    assert found == said
    assert found.model_dump() == said.model_dump() and repr(found) == repr(said)
    assert found.model_copy(update={"content": "other"}).content == "other"
    assert (found.model_extra, found.model_fields_set >= {"content", "id"}) == (said.model_extra, True)


def packed(code: int, *parts: object) -> tuple[str, bytes]:
    return "msgpack", ormsgpack.packb({"v": ormsgpack.Ext(code, ormsgpack.packb(parts))})


FORGED = {
    "one argument": packed(0, "os", "getenv", "HOME"),
    "arguments": packed(1, "os", "getenv", ["HOME"]),
    "named arguments": packed(2, "os", "getenv", {"key": "HOME"}),
    "method": packed(3, "pathlib", "Path", "/", "cwd"),
    "pydantic 1": packed(4, "subprocess", "Popen", {"args": ["touch", "x"]}),
    "pydantic 2": packed(5, "subprocess", "Popen", {"args": ["touch", "x"]}, "model_validate_json"),
    "builtin": packed(0, "builtins", "eval", "os.getenv('HOME')"),
    "method of an allowed type": packed(3, "datetime", "datetime", 0, "fromtimestamp"),
    "pattern": packed(1, "re", "compile", ["(a+)+$", 0]),
    "message that is none": packed(5, "langchain_core.messages.ai", "__loader__", {"a": 1}, "x"),
    "array": packed(6, "<i8", [1], "C", b"\0" * 8),
    "unknown code": packed(77, "os", "getenv", "HOME"),
    "nothing": packed(0),
    "not names": packed(0, 1, 2, "HOME"),
}


@pytest.mark.parametrize("blob", FORGED.values(), ids=FORGED)
def test_a_forged_blob_calls_nothing_and_is_plain_data(blob: tuple[str, bytes], monkeypatch: object) -> None:
    os.environ["HOME"] = os.environ.get("HOME", "/")
    found = SERIALIZERS["plain"].loads_typed(blob)["v"]
    assert isinstance(found, str | int | list | dict | bytes)
    assert found != os.environ["HOME"]


@pytest.mark.parametrize("form", ["json", "pickle", "msgpack+zip", "msgpack+z+z", "", "msgpack+aes+z"])
def test_a_blob_of_another_form_is_refused(form: str) -> None:
    blob = b'{"lc": 2, "type": "constructor", "id": ["os", "getenv"], "args": ["HOME"]}'
    with pytest.raises(StoreError, match="unknown form"):
        SERIALIZERS["plain"].loads_typed((form, blob))


@pytest.mark.parametrize("name", ["words", "key"])
def test_a_damaged_blob_is_told_in_a_sentence(name: str) -> None:
    serde = SERIALIZERS[name]
    kind, blob = serde.dumps_typed({"text": "hello " * 100})
    for wrong in (blob[:-3], blob[:5] + b"\0\0\0\0" + blob[9:], b"", b"\xc1"):
        with pytest.raises(StoreError):
            serde.loads_typed((kind, wrong))


def test_a_blob_opens_only_with_the_words_it_was_written_with() -> None:
    blob = SERIALIZERS["words"].dumps_typed({"text": "hello " * 100})
    with pytest.raises(StoreError, match="damaged"):
        ThreadSerializer(None, b"other words").loads_typed(blob)


def test_small_blobs_shrink_against_the_words() -> None:
    said = AIMessage("A1003 is delivered.", id=uuid4().hex, tool_calls=[CALL], usage_metadata=USAGE)
    sizes = [len(SERIALIZERS[name].dumps_typed([said])[1]) for name in ("plain", "words")]
    assert sizes[1] < sizes[0] * 0.7


def test_nothing_readable_is_left_in_an_encrypted_blob() -> None:
    secret = "the customer already called"
    kind, blob = SERIALIZERS["key"].dumps_typed({"messages": [HumanMessage(secret, id="1")]})
    assert kind.endswith("+aes") and b"customer" not in blob
    again = SERIALIZERS["key"].dumps_typed({"messages": [HumanMessage(secret, id="1")]})[1]
    assert again != blob


def test_digests_name_contents_and_a_key_makes_them_its_own() -> None:
    plain, key = SERIALIZERS["plain"], SERIALIZERS["key"]
    assert plain.digest(b"a") == plain.digest(b"a") != plain.digest(b"b")
    assert key.digest(b"a") == ThreadSerializer(KEY).digest(b"a") != plain.digest(b"a")


def test_another_key_or_none_is_told_in_a_sentence() -> None:
    blob = SERIALIZERS["key"].dumps_typed({"a": 1})
    with pytest.raises(StoreError, match="the key is another one"):
        ThreadSerializer(b"another key ....").loads_typed(blob)
    with pytest.raises(StoreError, match="set SIGNOFF_CHECKPOINT_KEY"):
        SERIALIZERS["plain"].loads_typed(blob)
    with pytest.raises(StoreError, match="without encryption"):
        SERIALIZERS["key"].loads_typed(SERIALIZERS["plain"].dumps_typed({"a": 1}))


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        (None, None),
        ("", None),
        ("0123456789abcdef", b"0123456789abcdef"),
        ("k" * 32, b"k" * 32),
        ("密钥密钥密钥密钥", "密钥密钥密钥密钥".encode()),
        ("base64:MDEyMzQ1Njc4OWFiY2RlZg==", b"0123456789abcdef"),
    ],
)
def test_a_key_is_read_from_text_or_base64(text: str | None, raw: bytes | None) -> None:
    assert checkpoint_key(SecretStr(text) if text is not None else None) == raw


@pytest.mark.parametrize("text", ["short", "base64:!!", "base64:c2hvcnQ=", "k" * 33])
def test_a_key_of_another_length_or_form_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_CHECKPOINT_KEY") as refused:
        checkpoint_key(SecretStr(text))
    assert text.removeprefix("base64:") not in str(refused.value)
