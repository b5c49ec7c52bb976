"""Tables in the pages agree with the code they describe."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from types import ModuleType

import pytest
from markdown_pages import ROOT, Page

from signoff import Preview, Risk, Settings, errors
from signoff.cli.exits import code_of
from signoff.state import Status
from signoff.tools.contract import INJECTABLE
from signoff.tools.decorator import ToolOptions
from signoff.tools.envelope import Code

TESTS = sorted({name for page in ("README.md", "docs/security.md") for name in Page(page).links if "tests/" in name})


def first_column(page: str, heading: str) -> list[str]:
    return [row[0].strip("`") for row in Page(page).rows(heading)]


def settings_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("settings_page", ROOT / "docs" / "settings_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_settings_page_is_what_the_settings_say() -> None:
    made = settings_page()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run: python docs/settings_page.py"


def test_the_settings_page_has_every_setting_with_a_sentence() -> None:
    described = [field for _, fields in settings_page().sections() for field in fields]
    assert [name for name, _ in described] == list(Settings.model_fields)
    assert all(text for _, text in described)


def test_the_environment_template_names_settings_only() -> None:
    names = re.findall(r"^#?SIGNOFF_(\w+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert names and {n.lower() for n in names} <= set(Settings.model_fields)


def test_variables_in_the_pages_are_settings() -> None:
    known = {f"SIGNOFF_{name.upper()}" for name in Settings.model_fields} | {"SIGNOFF_DEBUG"}
    for page in ("README.md", "docs/recovery.md", "docs/security.md", "docs/errors.md", "docs/tools.md"):
        assert set(re.findall(r"\bSIGNOFF_[A-Z_]+\b", Page(page).text)) <= known


def test_the_error_page_draws_the_error_tree() -> None:
    real = {
        name: cls.__base__.__name__ for name, cls in vars(errors).items() if isinstance(cls, type) and cls.__base__
        if issubclass(cls, errors.SignoffError)
    }  # fmt: skip
    assert {row[0].strip("`"): row[1].strip("`") for row in Page("docs/errors.md").rows("## Exceptions")} == real


def test_the_error_page_has_every_status_with_its_exit_code() -> None:
    rows = Page("docs/errors.md").rows("## How a turn ends")
    assert {row[0].strip("`"): int(row[2]) for row in rows} == {s.value: code_of(s) for s in Status}


def test_the_error_page_has_every_tool_error_code() -> None:
    assert first_column("docs/errors.md", "## Tool error codes") == [c.value for c in Code]


def test_the_tools_page_has_every_field_that_a_tool_declares() -> None:
    declared = list(ToolOptions.__annotations__)
    assert first_column("docs/tools.md", "## What a tool declares") == declared


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("### Injected names", INJECTABLE),
        ("## Risk levels", {r.value for r in Risk}),
        ("## Previews", {f.name for f in dataclasses.fields(Preview)}),
    ],
)
def test_a_table_of_the_tools_page_is_complete(heading: str, names: set[str]) -> None:
    assert set(first_column("docs/tools.md", heading)) == set(names)


def test_the_dependencies_page_has_what_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = {d for group in extras.values() for d in names(group)} - {"signoff"}
    assert set(first_column("docs/dependencies.md", "## At run time")) == names(project["dependencies"])
    assert set(first_column("docs/dependencies.md", "## Extras")) == own
    for row in Page("docs/dependencies.md").rows("## Extras"):
        assert row[0].strip("`") in names(extras[row[1]])


def test_the_dependencies_page_has_what_is_imported() -> None:
    tables = ("## At run time", "## Extras", "## Imported, and brought along by the ones above")
    shown = {name for heading in tables for name in first_column("docs/dependencies.md", heading)}
    owners = packages_distributions()
    for module in imported():
        found = {d.lower().replace("_", "-") for d in owners.get(module, ())}
        assert found & shown, f"{module} is imported, and docs/dependencies.md does not say what it is for"


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~! ]", r)[0] for r in requirements}


def imported() -> set[str]:
    """Top-level modules of other projects that the package imports."""
    found: set[str] = set()
    for path in (ROOT / "signoff").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"signoff"}


@pytest.mark.parametrize("link", TESTS)
def test_a_test_that_a_promise_rests_on_is_there(link: str) -> None:
    path = ROOT / link.removeprefix("../")
    assert re.search(r"^(?:async )?def test_", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_architecture_page_names_the_rooms_in_the_order_of_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers")
    drawn = next(b.text for b in Page("docs/architecture.md").blocks if b.text.startswith("cli "))
    lines = [line.split() for line in drawn.splitlines()]
    assert len(lines) == len(layers)
    for words, layer in zip(lines, layers, strict=True):
        assert {room.strip().removeprefix("signoff.") for room in layer.split(":")} <= set(words)
