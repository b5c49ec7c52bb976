"""`demo`: the whole story on a real home, with the rehearsal model and with models that do otherwise."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import ScriptedModel, call
from signoff_command import Cli

from signoff.errors import ProviderRejected

Says = Callable[..., ScriptedModel]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["rehearsal (deterministic, not an LLM)", "299.00 yuan", "1 before the replay, 1 after it"]),
        ("zh", ["299.00 元", "重放前 1，重放后 1"]),
    ],
)
def test_the_story_is_told_to_its_end(cli: Cli, lang: str, words: list[str]) -> None:
    told = cli("demo", "--lang", lang)
    assert told.code == 0, told
    for part in words:
        assert part in told.out
    assert re.search(r"^\[\d\] .+\.md, \d\)$", told.out, re.M), told.out
    assert cli.refunds("A1003") == 1
    command = next(line for line in told.out.splitlines() if " approvals approve ap-" in line)
    assert cli(*shlex.split(command)[1:]).code in (0, 1)
    assert cli.refunds("A1003") == 1


def test_it_can_be_played_again_and_again_on_one_home(cli: Cli) -> None:
    refunded = []
    for _ in range(5):
        told = cli("demo")
        assert told.code == 0, told
        refunded.append(re.findall(r"Refunds of (A\d+)", told.out)[0])
        if "throw-away home" in told.err:
            break
    else:
        pytest.fail("the sample orders never came to an end")
    assert len(set(refunded[:-1])) == len(refunded) - 1


def test_a_home_without_sample_data_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    cli("init", "--empty", "--home", str(tmp_path / "empty"))
    told = cli("demo", "--home", str(tmp_path / "empty"))
    assert told.code == 0
    assert "throw-away home" in told.err
    assert cli("records", "rows", "orders", "--home", str(tmp_path / "empty"), "--json").events == []
    assert cli("threads", "list", "--home", str(tmp_path / "empty"), "--json").events == []


def test_a_home_is_made_for_it(cli: Cli, tmp_path: Path) -> None:
    assert cli("demo", "--home", str(tmp_path / "new")).code == 0
    assert (tmp_path / "new" / "settings.toml").exists()


def test_a_model_that_proposes_nothing_ends_it_with_a_sentence(cli: Cli, says: Says) -> None:
    says("I would rather talk about the weather.")
    told = cli("demo")
    assert told.code == 2
    assert "did not propose the refund" in told.out
    assert cli.refunds("A1003") == 0


def test_a_model_that_must_be_asked_twice_is_asked_twice(cli: Cli, says: Says) -> None:
    says("Hello.", "Hello.", "Shall I?", call("refund_order", order_id="A1003"), "Order A1003 was refunded.")
    assert cli("demo").code == 0
    assert cli.refunds("A1003") == 1


def test_a_model_that_does_not_answer_ends_it_with_a_sentence(cli: Cli, says: Says) -> None:
    says(ProviderRejected("The endpoint refused the key: check SIGNOFF_MODEL_API_KEY."))
    told = cli("demo")
    assert told.code == 1
    assert "signoff doctor" in told.out
    assert "Traceback" not in told.err
