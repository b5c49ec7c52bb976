"""Tools and desks of other packages: found by entry point, registered by nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from people import REQUESTER

from signoff import Desk, Settings
from signoff.desks import find
from signoff.errors import ConfigError

TOOLS = '''
from signoff import Example, tool

@tool(examples=[Example("How tall is mount Emei?", {"mountain": "Emei"})],
      render=lambda data, lang: f"Mount {data['mountain']} is {data['metres']} m tall.")
def look_up_mountain(mountain: str) -> dict[str, object]:
    """Says how tall a mountain is. Not for lakes.

    Args:
        mountain: The mountain's name, such as Emei.
    """
    return {"mountain": mountain, "metres": 3099}
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A package as pip would have installed it, with its entry points."""
    name = f"hills_{abs(hash(request.node.name)) % 10**8}"
    site = tmp_path / "site"
    (site / name).mkdir(parents=True)
    (site / name / "__init__.py").write_text("", encoding="utf-8")
    (site / name / "tools.py").write_text(TOOLS, encoding="utf-8")
    (site / name / "hills.toml").write_text('title = "Hills"\nknowledge = false\n', encoding="utf-8")
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    points = f"[signoff.tools]\nhills = {name}.tools\n\n[signoff.desks]\nhills = {name}\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    return info


def test_a_packages_tool_is_there_without_being_named(package: Path, home: Path) -> None:
    with Desk.open(home) as desk:
        assert desk.services.gateway.registry.get("look_up_mountain") is not None
        turn = desk.ask("How tall is mount Emei?", caller=REQUESTER)
        assert [s.tool for s in turn.steps] == ["look_up_mountain"] and "3099" in turn.answer


def test_a_desk_without_plugins_does_without_it(package: Path, home: Path) -> None:
    (home / "desks").mkdir()
    (home / "desks" / "plain.toml").write_text(
        'title = "Plain"\nplugins = false\nknowledge = false\n', encoding="utf-8"
    )
    (home / "desks" / "named.toml").write_text(
        'title = "Named"\nplugins = false\nknowledge = false\ntools = ["look_up_mountain"]\n', encoding="utf-8"
    )
    with Desk.open(home, desk="plain") as desk:
        assert desk.services.gateway.registry.names() == []
    with Desk.open(home, desk="named") as desk:
        assert desk.services.gateway.registry.names() == ["look_up_mountain"]


def test_a_packages_desk_is_found(package: Path, home: Path) -> None:
    assert find("hills", Settings.load(home=home)).title == "Hills"
    with Desk.open(home, desk="hills") as desk:
        assert desk.services.gateway.registry.names() == ["look_up_mountain"]


@pytest.mark.parametrize("points", ["[signoff.tools]\nhills = nowhere.at_all\n", "[signoff.tools]\nhills = json\n"])
def test_an_entry_point_that_leads_nowhere_is_named(points: str, package: Path, home: Path) -> None:
    (package / "entry_points.txt").write_text(points, encoding="utf-8")
    with pytest.raises(ConfigError, match="entry point hills"):
        Desk.open(home)
