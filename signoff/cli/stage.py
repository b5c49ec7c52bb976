"""Where the demo is played: the home that is there, or a throw-away one when its story is told."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from signoff.caller import Caller
from signoff.cli.run import Run
from signoff.cli.words import say
from signoff.errors import ToolError
from signoff.graph.desk import Desk
from signoff.graph.home import SAMPLE_CLOCK
from signoff.records import People, Records
from signoff.settings import Settings
from signoff.text import Language

TENANT, ASKING, DECIDING = "acme", "u-17", "s-02"
_WANTED = "A1003"


@contextmanager
def stage(run: Run, lang: Language) -> Iterator[tuple[Desk, str]]:
    """A desk, and an order that can be refunded on it."""
    with run.desk() as desk:
        order = refundable(desk)
        if order is not None:
            yield desk, order
            return
    run.output.note(say("story.elsewhere", lang, home=desk.settings.home), "yellow")
    with (
        tempfile.TemporaryDirectory(prefix="signoff-demo-") as folder,
        Desk.open(settings=_elsewhere(desk.settings, Path(folder) / "home")) as fresh,
    ):
        found = refundable(fresh)
        assert found is not None
        yield fresh, found


def refundable(desk: Desk) -> str | None:
    """An ordinary order of the person asking that can be refunded today and waits for no signature."""
    person = People(desk.services.database).find(TENANT, ASKING)
    decider = People(desk.services.database).find(TENANT, DECIDING)
    if person is None or decider is None or "supervisor" not in decider.roles:
        return None
    records = Records(desk.services.database, desk.services.clock, desk.settings)
    caller = Caller(TENANT, ASKING, person.roles)
    waiting = {str(a.args.get("order_id")) for a in desk.approvals(caller)}
    able = [o for o in records.orders(caller) if o.order_id not in waiting and _can(records, caller, o.order_id)]
    # The smallest first: the largest needs more than one signature.
    able.sort(key=lambda o: (o.order_id != _WANTED, o.amount_yuan))
    return able[0].order_id if able else None


def _can(records: Records, caller: Caller, order: str) -> bool:
    try:
        return records.refund_check(caller, order, damaged=True).refundable
    except ToolError:
        return False


def _elsewhere(settings: Settings, home: Path) -> Settings:
    clock = datetime.fromisoformat(SAMPLE_CLOCK)
    return settings.model_copy(update={"home": home, "clock": clock, "checkpoint_key": None, "trace_file": None})
