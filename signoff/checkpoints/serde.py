"""How a checkpoint becomes bytes: msgpack with a closed list of types, compressed, and encrypted with a key."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from hashlib import blake2b
from typing import Any
from uuid import UUID

import ormsgpack
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    ToolMessageChunk,
)
from langgraph.checkpoint.serde import jsonplus
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Overwrite, Send, TimeoutPolicy
from pydantic import SecretStr

from signoff.errors import ConfigError, StoreError
from signoff.state import Status

COMPRESS_ABOVE = 100
"""Bytes; a smaller blob is stored as it is."""

_LEVELS = 100
"""Nesting that msgpack's encoder takes in one piece is about 250 levels; deeper data is stored in pieces."""

_KINDS = frozenset({"null", "bytes", "bytearray", "msgpack"})

_MESSAGES: Mapping[tuple[str, str], type[BaseMessage]] = {
    (c.__module__, c.__name__): c
    for c in (
        AIMessage,
        AIMessageChunk,
        ChatMessage,
        FunctionMessage,
        HumanMessage,
        HumanMessageChunk,
        RemoveMessage,
        SystemMessage,
        ToolMessage,
        ToolMessageChunk,
    )
}
_FIELDS = {c: c.model_fields.keys() for c in _MESSAGES.values()}

_VALUES: Mapping[tuple[str, str], Callable[..., Any]] = {
    (c.__module__, c.__name__): c
    for c in (
        Command,
        Decimal,
        Interrupt,
        Overwrite,
        Send,
        Status,
        TimeoutPolicy,
        UUID,
        date,
        datetime,
        deque,
        frozenset,
        set,
        time,
        timedelta,
        timezone,
    )
} | {("builtins", "int"): lambda text: int(text, 16), ("builtins", "dict"): dict, ("builtins", "list"): list}


class ThreadSerializer:
    """Implements LangGraph's `SerializerProtocol`.

    A name in a blob only selects from the types above; nothing is ever imported by name, so a forged blob
    cannot call anything: what it names comes back as the plain data it carries. Types are tagged
    `msgpack`, `msgpack+z` (zlib) and `…+aes` (AES-EAX, authenticated); with a key, only `+aes` is read.

    `words` is zlib's preset dictionary: bytes that are likely in a blob. Most blobs are small and half of them
    is field names, which compress only against an example (see `signoff.checkpoints.words`). A blob can be
    read only with the words it was written with.

    Raises `StoreError` for a blob that is damaged, of another key, or not encrypted where a key is set.
    """

    def __init__(self, key: bytes | None = None, words: bytes = b"") -> None:
        self._words = words
        self._encoder = JsonPlusSerializer(__unpack_ext_hook__=self._revive)
        self._cipher: CipherProtocol | None = _cipher(key) if key else None
        # With a key the digests say nothing about the content to whoever reads the file.
        self._digest_key = blake2b(b"blocks", key=key, digest_size=32).digest() if key else b""

    @property
    def encrypts(self) -> bool:
        """Whether a key is set."""
        return self._cipher is not None

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize, compress, encrypt."""
        return self.seal(*self.plain(obj))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The inverse of `dumps_typed`."""
        kind, *wraps = str(data[0]).split("+")
        blob = data[1]
        if kind not in _KINDS or wraps not in ([], ["z"], ["aes"], ["z", "aes"]):
            raise StoreError(f"A checkpoint has the unknown form {data[0]!r}: it was not written by this version.")
        if self._cipher is None and "aes" in wraps:
            raise StoreError("This thread is encrypted: set SIGNOFF_CHECKPOINT_KEY to its key.")
        if self._cipher is not None and "aes" not in wraps:
            raise StoreError(
                "This thread was stored without encryption and SIGNOFF_CHECKPOINT_KEY is set: "
                "unset the key to read it, or delete the thread."
            )
        try:
            if self._cipher is not None:
                blob = self._cipher.decrypt("aes", blob)
        except ValueError:
            raise StoreError(
                "A checkpoint does not open with SIGNOFF_CHECKPOINT_KEY: "
                "the key is another one, or the file was altered."
            ) from None
        try:
            return self._encoder.loads_typed((kind, self._inflate(blob) if "z" in wraps else blob))
        except (ValueError, zlib.error) as error:
            raise StoreError(f"A checkpoint is damaged and cannot be read: {error}.") from None

    def plain(self, obj: Any) -> tuple[str, bytes]:
        """The first step alone: `(kind, bytes)`, the same bytes for the same value."""
        try:
            kind, blob = self._encoder.dumps_typed(obj)
        except TypeError:
            # A model may write a number of 30 digits or lists in lists in lists, which msgpack does not take.
            kind, blob = self._encoder.dumps_typed(self._in_pieces(obj))
        return kind, bytes(blob)

    def seal(self, kind: str, blob: bytes) -> tuple[str, bytes]:
        """Compress and encrypt what `plain` gave."""
        if len(blob) > COMPRESS_ABOVE and len(small := self._deflate(blob)) < len(blob):
            kind, blob = f"{kind}+z", small
        if self._cipher is not None:
            kind, blob = f"{kind}+aes", self._cipher.encrypt(blob)[1]
        return kind, blob

    def digest(self, blob: bytes) -> bytes:
        """16 bytes that name a content; keyed when there is a key."""
        return blake2b(blob, key=self._digest_key, digest_size=16).digest()

    def _in_pieces(self, value: Any, level: int = 1) -> Any:
        if isinstance(value, _DeltaSnapshot):
            return _DeltaSnapshot(self._in_pieces(value.value, level))
        if isinstance(value, BaseMessage):
            fields = self._in_pieces(value.model_dump())
            return self._piece(jsonplus.EXT_PYDANTIC_V2, type(value), fields, "model_validate_json")
        if type(value) is int and not -(2**63) <= value < 2**64:
            return self._piece(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, int, format(value, "x"))
        parts: Any = value
        if type(value) is dict:
            parts = {}
            for key, part in value.items():
                parts[key] = self._in_pieces(part, level + 1)
        elif type(value) in (list, tuple):
            parts = []
            for part in value:
                parts.append(self._in_pieces(part, level + 1))
        if level % _LEVELS == 0 and parts is not value:
            return self._piece(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, type(parts), parts)
        return parts

    def _piece(self, code: int, kind: type, *content: Any) -> ormsgpack.Ext:
        return ormsgpack.Ext(code, self._encoder.dumps_typed((kind.__module__, kind.__name__, *content))[1])

    def _deflate(self, blob: bytes) -> bytes:
        packer = zlib.compressobj(zdict=self._words)
        return packer.compress(blob) + packer.flush()

    def _inflate(self, blob: bytes) -> bytes:
        unpacker = zlib.decompressobj(zdict=self._words)
        found = unpacker.decompress(blob) + unpacker.flush()
        if not unpacker.eof:
            raise zlib.error("it ends too early")
        return found

    def _revive(self, code: int, data: bytes) -> Any:
        found = self._encoder.loads_typed(("msgpack", data))
        if code == jsonplus.EXT_DELTA_SNAPSHOT:
            return _DeltaSnapshot(found)
        if not isinstance(found, list | tuple) or len(found) < 3:
            return found
        module, name, content = found[:3]
        if not (isinstance(module, str) and isinstance(name, str)):
            return content
        key = (module, name)
        try:
            match code:
                case jsonplus.EXT_PYDANTIC_V2 if key in _MESSAGES:
                    return _message(_MESSAGES[key], content)
                case jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG if key in _VALUES:
                    return _VALUES[key](content)
                case jsonplus.EXT_CONSTRUCTOR_POS_ARGS if key == ("langgraph.types", "Send"):
                    return Send(*content[:2], **({"timeout": content[2]} if len(content) > 2 else {}))
                case jsonplus.EXT_CONSTRUCTOR_POS_ARGS if key in _VALUES:
                    return _VALUES[key](*content)
                case jsonplus.EXT_CONSTRUCTOR_KW_ARGS if key in _VALUES:
                    return _VALUES[key](**content)
                case jsonplus.EXT_METHOD_SINGLE_ARG if key == ("datetime", "datetime"):
                    return datetime.fromisoformat(content)
        except (TypeError, ValueError, ArithmeticError):
            pass
        return content


def checkpoint_key(key: SecretStr | None) -> bytes | None:
    """The bytes of `Settings.checkpoint_key`. Raises `ConfigError` unless they are 16, 24 or 32."""
    if key is None or not key.get_secret_value():
        return None
    text = key.get_secret_value()
    try:
        raw = base64.b64decode(text[7:], validate=True) if text.startswith("base64:") else text.encode()
    except binascii.Error:
        raise ConfigError("SIGNOFF_CHECKPOINT_KEY is not valid base64 after `base64:`.") from None
    if len(raw) not in (16, 24, 32):
        raise ConfigError(
            f"SIGNOFF_CHECKPOINT_KEY must be 16, 24 or 32 bytes, as text or as base64:…; it is {len(raw)} bytes."
        )
    return raw


def _cipher(key: bytes) -> CipherProtocol:
    try:
        return EncryptedSerializer.from_pycryptodome_aes(key=key).cipher
    except ImportError:
        raise ConfigError(
            "SIGNOFF_CHECKPOINT_KEY is set, and encryption needs an extra: pip install 'signoff[encryption]'."
        ) from None


def _message(cls: type[BaseMessage], fields: dict[str, Any]) -> BaseMessage:
    """A message as it was stored. Its fields were validated when it was made; doing it again for the
    thousands of a long thread takes longer than everything else in a read."""
    if fields.keys() == _FIELDS[cls] and type(fields["content"]) is str:
        made = cls.__new__(cls)
        made.__setstate__(
            {
                "__dict__": fields,
                "__pydantic_fields_set__": set(fields),
                "__pydantic_extra__": {},
                "__pydantic_private__": None,
            }
        )
        return made
    try:
        return cls(**fields)
    except ValueError:
        return cls.model_construct(**fields)
