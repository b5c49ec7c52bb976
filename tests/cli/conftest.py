"""The command line on a home of the test's own, with a model that says what the test wrote."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "models"))

from scripted import ScriptedModel
from signoff_command import Cli

from signoff.models.models import Models


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedModel]:
    """Makes the desk's model say these lines, over all commands that follow in this process."""

    def say(*lines: Any) -> ScriptedModel:
        model = ScriptedModel(lines=list(lines))
        monkeypatch.setattr("signoff.graph.home.Models", lambda settings, **_: Models(settings, model=model))
        return model

    return say


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """`signoff` in this process."""
    monkeypatch.setenv("SIGNOFF_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    return Cli()
