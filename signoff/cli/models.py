"""`models`: which models there are, what each is used for, and what its endpoint can really do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, command

if TYPE_CHECKING:
    from signoff.cli.checkup import Finding
    from signoff.models.known import Known
    from signoff.models.profile import ModelProfile, Way
    from signoff.models.profiles import Profiles
    from signoff.models.report import Observation
    from signoff.settings import Settings

app = typer.Typer(cls=Noun, no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The profile's name; `default` is that of SIGNOFF_MODEL.")]

_MARKS = {"yes": "yes", "no": "no", "unknown": "?"}


@command(app, "list")
def list_(run: Run) -> None:
    """Every model: where it is, the roles it has, and how tool calls are got out of it."""
    from signoff.models.known import known
    from signoff.models.profiles import Profiles
    from signoff.models.wording import address

    profiles = Profiles.load(run.settings)
    rows = []
    for profile in profiles.all.values():
        held = known(profile, run.settings.home)
        roles = _roles(profiles, profile.name)
        where = "in this process" if profile.provider == "rehearsal" else address(profile.base_url)
        data = {"name": profile.name, "model": profile.model, "where": where, "roles": roles}
        run.output.event("model", {**data, "way": held.can.way, "from": held.can_from})
        rows.append((profile.name, profile.model, where, ", ".join(roles), held.can.way, _source(held)))
    run.output.table(("name", "model", "where", "roles", "way", "known from"), rows, shrink=2)


@command(app)
def show(run: Run, name: Name) -> None:
    """What a model has: its address, key, prices and fallbacks, and what is held to be true of its endpoint."""
    from signoff.models.known import known
    from signoff.models.profiles import Profiles

    profiles = Profiles.load(run.settings)
    profile = _named(profiles, name)
    held = known(profile, run.settings.home)
    chain = [p.name for p in profiles.chain(profile.name)]
    report = held.report
    run.output.event(
        "model",
        {
            **_shown(held.profile),
            "roles": _roles(profiles, profile.name),
            "chain": chain,
            "key_set": _key_set(profile, run.settings),
            "way": held.can.way,
            "can_from": held.can_from,
            "context_from": held.context_from,
            "probe": report.model_dump(mode="json") if report is not None else None,
        },
    )
    for line in _lines(held, run.settings, _roles(profiles, profile.name), chain):
        run.output.say(line)
    if report is not None:
        run.output.say()
        run.output.table(("question", "", "how"), [(f.question, _MARKS[f.verdict], f.note) for f in report.findings])
    elif profile.provider != "rehearsal":
        run.output.note(f"Not probed: `{run.command('models', 'probe', profile.name)}` finds out what is true of it.")


@command(app)
def probe(
    run: Run,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="The profiles; all of them when left out.")
    ] = None,
) -> int:
    """Ask endpoints a dozen small fixed questions, and keep what they can really do in the home.

    It costs a few thousand tokens a model. Ends with 1 when one of them cannot be used at all.
    """
    from signoff.errors import SignoffError
    from signoff.models.profiles import Profiles

    profiles = Profiles.load(run.settings)
    wanted = [_named(profiles, n) for n in dict.fromkeys(names)] if names else list(profiles.all.values())
    asked = [p for p in wanted if p.provider != "rehearsal"]
    for profile in wanted:
        if profile not in asked:
            run.output.note(f"{profile.name} is the rehearsal model, which has no endpoint: there is nothing to probe.")
    if asked:
        run.make_home()
    failed = 0
    for profile in asked:
        try:
            _probe(run, profile)
        except SignoffError as error:
            failed += 1
            run.output.event("unusable", {"name": profile.name, "message": str(error)})
            run.output.note(f"{profile.name} cannot be used: {error}", "red")
    return 1 if failed else 0


def _probe(run: Run, profile: ModelProfile) -> None:
    from signoff.models.known import known
    from signoff.models.presets import preset
    from signoff.models.probe import Probe, plan
    from signoff.models.profiles import check_key
    from signoff.models.wording import address

    check_key(profile)
    will = plan(profile)
    price = f", ¥{will.price_yuan.normalize():f} at most" if will.price_yuan else ""
    data = {"name": profile.name, "calls": will.calls, "prompt_tokens": will.prompt_tokens}
    run.output.event("plan", {**data, "completion_tokens": will.completion_tokens, "price_yuan": str(will.price_yuan)})
    run.output.say(f"{profile.name}: {profile.model} at {address(profile.base_url)}", "bold")
    run.output.note(
        f"{will.calls} questions: about {will.prompt_tokens} prompt tokens, and {will.completion_tokens} written "
        f"at most{price}."
    )
    rows: list[tuple[str, str, str]] = []

    def found(finding: Observation) -> None:
        run.output.event("finding", {"name": profile.name, **finding.model_dump()})
        rows.append((finding.question, _MARKS[finding.verdict], finding.note))

    base = preset(profile)
    report = Probe(profile, run.settings, on_finding=found).run(base.can if base is not None else None)
    path = report.write(run.settings.home, profile)
    held = known(profile, run.settings.home)
    run.output.event(
        "probe", {"name": profile.name, "way": held.can.way, "path": str(path), **report.model_dump(mode="json")}
    )
    run.output.table(("question", "", "how"), rows)
    if report.reported_model:
        run.output.say(f"It calls itself {report.reported_model}.")
    run.output.say(_sentence(held.can.way))
    if differ := [f for f in held.stated if getattr(held.can, f) != getattr(report.can, f)]:
        run.output.note(
            f"[models.{profile.name}] in models.toml states otherwise, and that counts: {', '.join(differ)}.", "yellow"
        )


def findings(settings: Settings) -> Iterator[Finding]:
    """For `doctor`: whether the models can be used as they are written down. No endpoint is asked."""
    from signoff.cli.checkup import Finding
    from signoff.errors import SignoffError
    from signoff.models import provider
    from signoff.models.known import known
    from signoff.models.profiles import Profiles, check_key
    from signoff.models.report import Report

    try:
        profiles = Profiles.load(settings)
    except SignoffError as error:
        yield Finding("models", "fail", str(error))
        return
    if "default" not in profiles.all:
        for name in ("model_base_url", "model_api_key"):
            if getattr(settings, name) is not None:
                variable = f"SIGNOFF_{name.upper()}"
                yield Finding(
                    "models", "note", f"{variable} is not used: SIGNOFF_MODEL names a profile, which has its own."
                )
    used = {p.name for role in profiles.roles.values() for p in profiles.chain(role)}
    for profile in profiles.all.values():
        if profile.provider == "rehearsal":
            continue
        roles = ", ".join(_roles(profiles, profile.name)) or ("fallback" if profile.name in used else "no role")
        try:
            check_key(profile)
            provider.check(profile, settings)
        except SignoffError as error:
            yield Finding("models", "fail" if profile.name in used else "note", str(error))
            continue
        held = known(profile, settings.home)
        said = f"{profile.name} ({roles}): {profile.model}, {held.can.way} tool calls, known from {_source(held)}"
        if held.report is not None:
            yield Finding("models", "ok", said)
            continue
        other = Report.any(settings.home, profile)
        why = "what was probed was another model or by older questions" if other is not None else "not probed"
        yield Finding("models", "note", f"{said}; {why}: `signoff models probe {profile.name}` finds out.")


def _named(profiles: Profiles, name: str) -> ModelProfile:
    if name == "default" and name not in profiles.all:
        return profiles.role("agent")
    return profiles.named(name)


def _roles(profiles: Profiles, name: str) -> list[str]:
    from signoff.models.profiles import ROLES

    return [r for r in ROLES if profiles.roles.get(r) == name]


def _source(held: Known) -> str:
    if held.profile.provider == "rehearsal":
        return "itself"
    word = {"preset": f"what {held.title} does", "probe": "a probe", "default": "nothing: assumed"}
    source = word.get(held.can_from, held.can_from)
    return f"models.toml and {source}" if held.stated and held.can_from != "models.toml" else source


def _lines(held: Known, settings: Settings, roles: list[str], chain: list[str]) -> Iterator[str]:
    from signoff.models.wording import address

    profile, can = held.profile, held.can
    yield f"{profile.name}: {profile.model}"
    yield f"roles: {', '.join(roles) or 'none'}"
    if profile.provider == "rehearsal":
        yield "It runs in this process: deterministic, not an LLM."
        return
    yield f"where: {address(profile.base_url)}"
    yield f"key: {_key(profile, settings)}"
    yield f"context: {profile.context_tokens:,} tokens ({held.context_from})"
    price = f"{profile.price_prompt_yuan} prompt, {profile.price_completion_yuan} written"
    yield f"price of a million tokens: ¥{price}"
    yield f"asked in this order: {', '.join(chain)}"
    does = [f for f, on in can.model_dump().items() if on]
    lacks = [f for f, on in can.model_dump().items() if not on]
    yield f"can: {', '.join(does) or 'nothing of it'} ({_source(held)})"
    yield f"cannot: {', '.join(lacks) or 'nothing is missing'}"
    yield _sentence(can.way)


def _key(profile: ModelProfile, settings: Settings) -> str:
    from signoff.models.wording import Names

    variable = Names.of(profile).key
    if profile.key_env is None and not _key_set(profile, settings):
        return "none" if profile.base_url and profile.provider == "openai" else f"{variable}, which is not set"
    return variable if _key_set(profile, settings) else f"{variable}, which is not set"


def _key_set(profile: ModelProfile, settings: Settings) -> bool:
    from signoff.errors import ConfigError
    from signoff.models.provider import key_of

    try:
        return key_of(profile, settings) is not None
    except ConfigError:
        return bool(os.environ.get(profile.key_env or ""))


def _shown(profile: ModelProfile) -> dict[str, Any]:
    from signoff.models.wording import address

    where = address(profile.base_url) if profile.base_url else None
    return {**profile.model_dump(mode="json", exclude={"options"}), "base_url": where}


def _sentence(way: Way) -> str:
    return {
        "native": "Tool calls: by the endpoint's own function calling.",
        "schema": "Tool calls: a choice under a JSON schema, then its arguments under theirs, for it calls no tools.",
        "json": "Tool calls: written as JSON in JSON mode, for it calls no tools and keeps to no schema.",
        "text": "Tool calls: written as text, step by step, for it has neither tools nor JSON.",
    }[way]
