"""The embedded home: one folder with all of a desk's data, and the services that work on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from signoff.approvals import Inbox, approvals_metadata
from signoff.caller import Caller
from signoff.checkpoints import ThreadLocks, Threads, open_saver
from signoff.desks import Profile, find, skill_folders, tools_of
from signoff.errors import ConfigError, Forbidden, StoreError
from signoff.knowledge import Knowledge, sample_folder
from signoff.memory import Memory
from signoff.models import ModelGateway
from signoff.models.models import Models
from signoff.nodes.services import Identify, Services
from signoff.records import Records, records_metadata
from signoff.records.database import Database
from signoff.records.denials import denials_metadata
from signoff.records.ledger import Ledger, ledger_metadata
from signoff.records.sample import seed
from signoff.settings import Settings
from signoff.skills import load
from signoff.telemetry import Tracer, telemetry_metadata
from signoff.tools.audit import Audit, audit_metadata
from signoff.tools.catalog.finding import find_tools
from signoff.tools.contract import Tool
from signoff.tools.effects import Effects
from signoff.tools.gateway import Gateway
from signoff.tools.limits import quota_metadata
from signoff.tools.masks import Masks, masks_metadata
from signoff.tools.proposals import Proposals
from signoff.tools.registry import Registry
from signoff.tools.results import Results, results_metadata
from signoff.tools.selection import Selector
from signoff.tools.workspace import Workspace

if TYPE_CHECKING:
    from signoff.tools.mcp import Connections

SAMPLE_CLOCK = "2026-10-31T10:00:00+08:00"
"""Business time in a home with sample data: its dates mean the same every day."""

DESK_VERSION = 1
"""Of the tables in `desk.db`; a file of a newer version is refused."""

JUDGE_S = 8.0
"""Seconds for a model's word on one command."""

_MARK = "settings.toml"
_MAKING_S = 60.0


@dataclass(frozen=True)
class Made:
    """What `init` did."""

    home: Path
    created: bool
    sample: bool


def init(settings: Settings, *, sample: bool = True) -> Made:
    """Make the home: its folder, its databases and, with `sample`, sample records and policies.

    A home that is there already is left as it is; of two processes that make one, one waits for the other.
    Raises `ConfigError` when the folder cannot be made or has lost its settings.
    """
    home = settings.home
    if (home / _MARK).exists():
        return Made(home, created=False, sample=False)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"The home {home} cannot be made: {error.strerror}. Set SIGNOFF_HOME to a folder.") from None
    with ThreadLocks(home / "locks", _MAKING_S).hold("init"):
        if (home / _MARK).exists():
            return Made(home, created=False, sample=False)
        return _make(settings, sample)


def _make(settings: Settings, sample: bool) -> Made:
    home = settings.home
    # Marks a home whose making was cut short: it is made again, and every part of it can be.
    part = home / f"{_MARK}.part"
    if settings.database("desk").exists() and not part.exists():
        raise ConfigError(
            f"The home {home} holds data and no {_MARK}: put it back, or an empty file if it was made without samples."
        )
    try:
        part.touch()
    except OSError as error:
        raise ConfigError(f"The home {home} cannot be written to: {error.strerror}.") from None
    # All files are made here, by one process: SQLite does not let two switch a new file to WAL at once.
    with (
        closing(open_database(settings)) as database,
        closing(Knowledge.open(settings)) as knowledge,
        closing(Memory(settings.database("memory"), settings.business_clock())),
        closing(open_saver(settings)),
    ):
        if sample:
            seed(database)
            knowledge.add(sample_folder())
    lines = ["# Settings of this home; the environment and .env win over them.\n"]
    if sample:
        lines.append(f"# The sample data is of these days, so business time stands still.\nclock = {SAMPLE_CLOCK}\n")
    part.write_text("".join(lines), encoding="utf-8")
    part.replace(home / _MARK)
    return Made(home, created=True, sample=sample)


def open_database(settings: Settings) -> Database:
    """`desk.db` with all its tables."""
    database = Database(settings.database("desk"), version=DESK_VERSION, busy_timeout_s=settings.busy_timeout_s)
    database.create(
        records_metadata,
        ledger_metadata,
        approvals_metadata,
        results_metadata,
        masks_metadata,
        quota_metadata,
        denials_metadata,
        audit_metadata,
        telemetry_metadata,
    )
    return database


def open_services(
    settings: Settings,
    *,
    identify: Identify,
    model: BaseChatModel | None = None,
    tools: Iterable[Tool] = (),
) -> Services:
    """A desk's parts on a home that has been made: the desk that the settings name. `tools` are added to its own.

    Raises `ConfigError` when the desk's profile, skills, tools or folder are wrong.
    """
    profile = find(settings.desk, settings)
    settings = profile.applied(settings)
    clock = settings.business_clock()
    desk = settings.database("desk")
    if not desk.exists() or not desk.stat().st_size:
        raise StoreError(f"{desk} is gone, and with it records, approvals and ledger: restore it from a backup.")
    workspace = _workspace(profile, settings)
    models = Models(settings, model=model)
    models.check()
    speaker = models.gateway("agent")
    database = open_database(settings)
    tracer = Tracer(database, content=settings.trace_content, file=settings.trace_file, clock=clock)
    judge = _judge(models.gateway("judge"), tracer) if settings.command_classifier else None
    own = tools_of(profile, workspace, tools, judge=judge)
    connections = _connections(profile, settings, own)
    registry = Registry([*own, *(connections.tools if connections else ())])
    if len(registry) > settings.max_tools:
        # A turn sees a few of them: the model may ask for others.
        registry.add(find_tools)
    skills = load(skill_folders(profile, settings)).only(profile.skills)
    knowledge = _documents(profile, settings)
    memory = Memory(settings.database("memory"), clock, busy_timeout_s=settings.busy_timeout_s)
    audit = Audit(database, clock)
    selector = Selector(registry)
    gateway = Gateway(
        registry,
        database=database,
        inbox=Inbox(database, clock),
        ledger=Ledger(clock),
        results=Results(database, clock, ttl_h=settings.result_ttl_h),
        masks=Masks(database, clock, ttl_h=settings.result_ttl_h),
        audit=audit,
        tracer=tracer,
        clock=clock,
        settings=settings,
        services={
            "records": Records(database, clock, settings),
            "knowledge": knowledge,
            "memory": memory,
            "audit": audit,
            "registry": registry,
            "selector": selector,
            "workspace": workspace,
        },
    )
    proposals = Proposals(gateway)
    return Services(
        profile=profile,
        skills=skills,
        settings=settings,
        clock=clock,
        database=database,
        threads=Threads(database, clock),
        locks=ThreadLocks(settings.home / "locks", settings.turn_wait_s),
        knowledge=knowledge,
        memory=memory,
        model=speaker,
        models=models,
        gateway=gateway,
        proposals=proposals,
        effects=Effects(gateway, proposals),
        selector=selector,
        tracer=tracer,
        identify=identify,
        connections=connections,
        options=_options(settings, workspace),
    )


def _judge(model: ModelGateway, tracer: Tracer) -> Callable[[str], str]:
    """The model as the judge of commands that the rules leave undecided: a word, within seconds."""

    def ask(prompt: str) -> str:
        with tracer.span("model_call", model.name, role="judge") as span:
            said = model.call([HumanMessage(prompt)], [], deadline_s=JUDGE_S)
            usage = said.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
            span.set(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"], **said.response_metadata)
        return str(said.text)

    return ask


def _options(settings: Settings, workspace: Workspace | None) -> dict[str, str]:
    """How the desk must be opened again for its threads, beside its name."""
    # A desk in a file of its own is found by its path only.
    path = {"desk": str(Path(settings.desk).resolve())} if settings.desk.endswith(".toml") else {}
    folder = {"workspace": str(workspace.root), "workspace_mode": workspace.mode} if workspace is not None else {}
    return {**path, **folder}


def _workspace(profile: Profile, settings: Settings) -> Workspace | None:
    """The folder a desk works on, if it works on one. Raises `ConfigError` when none was named."""
    if profile.workspace is None:
        return None
    if settings.workspace is None:
        raise ConfigError(
            f"The desk {profile.name} works on a folder: name it with --workspace DIR or SIGNOFF_WORKSPACE."
        )
    readonly = "readonly" in (settings.workspace_mode, profile.workspace.mode)
    return Workspace(settings.workspace, "readonly" if readonly else "write", profile.workspace.writable)


def _connections(profile: Profile, settings: Settings, own: Iterable[Tool]) -> Connections | None:
    """The MCP servers of the home's `mcp.json`, for a desk that uses them. A server that is down costs its tools."""
    from signoff.tools.mcp.config import config_path

    path = config_path(settings) if profile.mcp else None
    if path is None:
        return None
    from signoff.desks.toolbox import catalogue
    from signoff.tools.mcp import mcp_tools

    taken = {t.name for t in catalogue()} | {t.name for t in own}
    servers = None if profile.mcp is True else profile.mcp or ()
    return mcp_tools(path, home=settings.home, taken=sorted(taken), only=servers)


def _documents(profile: Profile, settings: Settings) -> Knowledge:
    """The home's documents; or those of the desk's own folder, which are read again when they changed."""
    if isinstance(profile.knowledge, bool):
        return Knowledge.open(settings)
    folder = profile.folder / profile.knowledge
    if not folder.is_dir():
        raise ConfigError(f"The desk {profile.name} has its documents in {folder}, which is no folder.")
    knowledge = Knowledge.open(settings, path=settings.home / f"knowledge-{profile.name}.db")
    with ThreadLocks(settings.home / "locks", _MAKING_S).hold(f"knowledge-{profile.name}"):
        knowledge.add(folder)
    return knowledge


def from_context(runtime: Runtime[Caller]) -> Caller:
    """Who is asking, from the run's context, which the program that embeds the desk sets."""
    if isinstance(runtime.context, Caller):
        return runtime.context
    raise Forbidden('Nobody is asking: pass context=Caller(tenant="…", user="…") with the run.')
