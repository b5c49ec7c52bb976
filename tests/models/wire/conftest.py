"""Desks, and endpoints, whose model speaks through a provider's real client to a strict loopback server."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
sys.path += [str(_HERE), str(_HERE.parent), str(_HERE.parents[1] / "graph")]

from wire_desks import EXTRAS, FORMATS, THINKING, Brain, profile_of  # noqa: E402
from wire_server import KEY, Wire, WireServer  # noqa: E402

from signoff import Desk, Settings  # noqa: E402
from signoff.models.endpoint import Endpoint  # noqa: E402
from signoff.models.profile import Capabilities  # noqa: E402
from signoff.models.rehearsal import RehearsalModel  # noqa: E402


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, Brain], WireServer]]:
    """Starts servers. The test fails when any of them was sent a wrong request, and is skipped without the client."""
    monkeypatch.setenv("WIRE_TEST_KEY", KEY)
    servers: list[WireServer] = []
    with ExitStack() as stack:

        def start(format: str, brain: Brain) -> WireServer:
            if format in EXTRAS:
                pytest.importorskip(EXTRAS[format])
            wire: Wire = (THINKING.get(format) or FORMATS[format])[0]()
            servers.append(stack.enter_context(WireServer(wire, brain)))
            return servers[-1]

        yield start
    if faults := [f"{s.wire.name}: {fault}" for s in servers for fault in s.faults]:
        pytest.fail("\n".join(["The endpoint was sent what it refuses:", *faults]))


@pytest.fixture
def endpoint_on(serve: Callable[[str, Brain], WireServer]) -> Callable[..., tuple[Endpoint, WireServer]]:
    """An endpoint of a format."""

    def one(format: str, brain: Brain, can: Capabilities | None = None, **fields: Any) -> tuple[Endpoint, WireServer]:
        server = serve(format, brain)
        profile = profile_of(format, server, retries=0, timeout_s=20.0, **fields)
        return Endpoint(profile, Settings(), capabilities=can), server

    return one


@pytest.fixture
def desk_on(serve: Callable[[str, Brain], WireServer], home: Path) -> Iterator[Callable[..., tuple[Desk, WireServer]]]:
    """A desk whose model is behind a format, answering in streams or whole."""
    with ExitStack() as stack:

        def one(
            format: str, brain: Brain | None = None, *, stream: bool = True, **options: Any
        ) -> tuple[Desk, WireServer]:
            server = serve(format, brain or RehearsalModel())
            profile = profile_of(format, server, can={"streaming": stream})
            fields = profile.model_dump(mode="json", exclude_unset=True, exclude={"name"})
            lines = [f"{k} = {_toml(v)}" for k, v in fields.items()]
            (home / "models.toml").write_text("\n".join(["[models.wire]", *lines]), encoding="utf-8")
            desk = Desk.open(home, model="wire", model_retries=0, **options)
            return stack.enter_context(desk), server

        yield one
