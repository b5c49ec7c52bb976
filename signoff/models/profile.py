"""A model as a desk knows it: where it is, what it costs, and what its endpoint can really do."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Role = Literal["router", "agent", "writer", "judge", "summary"]
"""What a model is used for: `router` decides what a request is, `agent` calls tools and answers, `writer` puts the
final answer into words, `judge` gives its word on a command or an answer, `summary` shortens."""

Way = Literal["native", "schema", "json", "text"]
"""How tool calls are got out of a model: native function calling; a schema-constrained choice, then its arguments;
JSON mode; or text in the ReAct form (Yao et al., 2022)."""


_MILLION = 1_000_000


class Capabilities(BaseModel):
    """What an endpoint does with what it is sent; not what it accepts, for some accept all and ignore half."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: bool = True
    """It answers with structured tool calls."""
    parallel_calls: bool = True
    """It may call several tools in one message."""
    required: bool = True
    """`tool_choice: "required"` makes it call."""
    none: bool = True
    """`tool_choice: "none"` keeps it from calling."""
    strict: bool = False
    """It takes `strict: true` and keeps to the schema."""
    json_schema: bool = False
    """`response_format` of type `json_schema` constrains what it writes."""
    json_mode: bool = False
    """`response_format` of type `json_object` makes it write JSON."""
    streaming: bool = True
    usage_in_streams: bool = True
    """A stream ends with the tokens used."""
    system: bool = True
    """It takes a system message."""

    @property
    def way(self) -> Way:
        """The best way to tool calls that the endpoint has."""
        if self.tools:
            return "native"
        if self.json_schema:
            return "schema"
        return "json" if self.json_mode else "text"


class ModelProfile(BaseModel):
    """One model at one endpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")
    """As roles, fallbacks and settings name it."""
    model: str
    """`rehearsal`, `openai:<name>` for every OpenAI-compatible endpoint, `anthropic:<name>` or `google:<name>`."""
    base_url: str | None = None
    """The provider's own endpoint when unset."""
    key_env: str | None = None
    """The environment variable that holds the key. A key itself is never in a profile."""
    context_tokens: int = Field(32_000, ge=512)
    """Tokens of prompt and answer together."""
    output_tokens: int | None = Field(None, ge=16)
    """Tokens asked for in one answer; the endpoint's own limit when unset."""
    price_prompt_yuan: Decimal = Field(Decimal(0), ge=0)
    """Price of a million prompt tokens."""
    price_cached_yuan: Decimal | None = Field(None, ge=0)
    """Price of a million prompt tokens that the provider had cached; as the others when unset."""
    price_completion_yuan: Decimal = Field(Decimal(0), ge=0)
    """Price of a million tokens that the model writes."""
    timeout_s: float | None = Field(None, gt=0, le=600)
    """As SIGNOFF_MODEL_TIMEOUT_S when unset."""
    retries: int | None = Field(None, ge=0, le=10)
    """As SIGNOFF_MODEL_RETRIES when unset."""
    fallback: tuple[str, ...] = ()
    """Profiles that are asked, in this order, when this one cannot be."""
    can: Capabilities | None = None
    """What the operator states; what `signoff models probe` found when unset; else what is known of the provider."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Further fields of each request, such as `temperature` or vLLM's `chat_template_kwargs`."""

    def cost_yuan(self, prompt_tokens: int, completion_tokens: int, *, cached_tokens: int = 0) -> Decimal:
        """Money for so many tokens, exact; `cached_tokens` are those of the prompt that the provider had cached."""
        cached = min(cached_tokens, prompt_tokens)
        cached_yuan = self.price_prompt_yuan if self.price_cached_yuan is None else self.price_cached_yuan
        millionths = (
            (prompt_tokens - cached) * self.price_prompt_yuan
            + cached * cached_yuan
            + completion_tokens * self.price_completion_yuan
        )
        return millionths / _MILLION

    @property
    def provider(self) -> str:
        """`rehearsal`, `openai`, `anthropic` or `google`."""
        return self.model.partition(":")[0]

    @property
    def model_id(self) -> str:
        """The model's name at its provider."""
        return self.model.partition(":")[2] or self.model
