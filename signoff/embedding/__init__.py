"""Texts as vectors: packaged models, any OpenAI-compatible endpoint, or anything behind LangChain's `Embeddings`."""

from signoff.embedding.choice import encoder_of, packaged
from signoff.embedding.encoder import Encoder

__all__ = ["Encoder", "encoder_of", "packaged"]
