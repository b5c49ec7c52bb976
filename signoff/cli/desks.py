"""`desks`: the scenarios there are, what each of them has, and a new one of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, command

app = typer.Typer(cls=Noun, no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The desk's name, or the path of its TOML.")]


@command(app, "list")
def list_(run: Run) -> None:
    """Every desk, and where it was found."""
    from signoff.desks import every

    rows = []
    for p in every(run.settings):
        run.output.event("desk", {"name": p.name, "title": p.title, "folder": str(p.folder), "tools": list(p.tools)})
        rows.append((p.name, p.title, str(p.folder)))
    run.output.table(("name", "what it is for", "found in"), rows, shrink=2)


@command(app)
def show(run: Run, name: Name) -> None:
    """What a desk has: tools, skills, documents, limits, and questions to try."""
    from signoff.desks import find, skill_folders, tools_of
    from signoff.skills import load
    from signoff.tools.workspace import Workspace

    profile = find(name, run.settings)
    where = run.settings.workspace
    workspace = None
    if profile.workspace is not None and where is not None:
        workspace = Workspace(where, profile.workspace.mode, profile.workspace.writable)
    # Without its folder a desk is shown with the tools it names.
    needs = profile.workspace is not None and workspace is None
    tools = [] if needs else tools_of(profile, workspace)
    skills = list(load(skill_folders(profile, run.settings)).only(profile.skills))
    named = list(profile.tools) if needs else [f"{t.name} ({t.risk})" for t in tools]
    run.output.event(
        "desk",
        {
            **profile.model_dump(mode="json", exclude={"limits"}),
            "limits": {k: str(v) for k, v in profile.limits.items()},
            "registered": [t.name for t in tools],
        },
    )
    documents = "those of the home" if profile.knowledge is True else str(profile.knowledge or "none")
    lines = [
        f"{profile.name}: {profile.title}",
        profile.description,
        f"tools: {', '.join(named)}",
        f"skills: {', '.join(s.name for s in skills) or 'none'}",
        f"documents: {documents}",
        f"for: {', '.join(profile.roles) or 'everybody'}",
    ]
    if profile.workspace is not None:
        folder = f"folder: {profile.workspace.mode}, writes in {', '.join(profile.workspace.writable)}"
        lines.append(f"{folder}; name it with --workspace DIR" if needs else f"{folder}; {where}")
    if profile.limits:
        lines.append("limits: " + ", ".join(f"{k} = {v}" for k, v in profile.limits.items()))
    run.output.say("\n".join(line for line in lines if line))
    for question in profile.examples:
        run.output.say(f"  {run.command('ask', '--desk', profile.name, question)}")


@command(app)
def new(
    run: Run,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits, - and _.")],
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where to write it; the home's `desks` when left out."),
    ] = None,
) -> None:
    """Write a desk to start from: a TOML, a Python file with two tools, a folder with a document. It works as it is."""
    from signoff.desks.scaffold import scaffold

    run.make_home()
    path = scaffold(name, folder or run.settings.home / "desks")
    run.output.event("desk", {"name": name, "path": str(path)})
    run.output.say(f"Made {path}, with its tools and documents beside it. Try:")
    known = path.parent == run.settings.home / "desks"
    for question in ("Is room Maple free?", "Book room Maple for the design review", "How long can I book a room?"):
        run.output.say(f"  {run.command('ask', '--desk', name if known else str(path), question)}")


@command(app)
def sample(run: Run, folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or an empty folder.")]) -> None:
    """Write the sample folder that the weekly desk can be tried on."""
    from signoff.desks.workspace_sample import make_sample

    made = make_sample(folder)
    run.output.event("workspace", {"path": str(made)})
    run.output.say(f"Made {made}. Try:")
    question = "写 2026-W42 的周报,预算只算 apollo 项目"
    run.output.say(f"  {run.command('ask', '--desk', 'weekly', '--workspace', str(made), question)}")
