"""The one way to a model: `provider` makes it, `gateway` calls it, `view` computes what it is sent.

`rehearsal` is the embedded model: deterministic, keyless, and not a language model.
"""

from signoff.models.gateway import ModelGateway
from signoff.models.provider import chat_model

__all__ = ["ModelGateway", "chat_model"]
