"""The one way to a model: `endpoint` is one, `gateway` calls it, `ways` get tool calls out of it, `view` computes what
it is sent.

`rehearsal` is the embedded model: deterministic, keyless, and not a language model.
"""

from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.provider import chat_model

__all__ = ["Endpoint", "ModelGateway", "chat_model"]
