"""A small MCP server over stdio, of the standard library alone, that does what a script tells it: well or badly.

Run as `python scripted_server.py SCRIPT`, a JSON file that is read anew at every start:
`{"tools": [...], "start": "hang" | "die" | "garbage" | "flood", "does": {tool: what}, "log": path, "pid": path}`.
What a tool does: `echo` (its arguments as text), `die`, `hang`, `garbage`, `error`, `fail`, `rpc`, `env`,
`ignore-eof`, `change` (rewrites the descriptions and says so), `stderr`, or a whole result as an object.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.argv[1])


def say(message: Any) -> None:
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def note(script: dict[str, Any], name: str, arguments: dict[str, Any]) -> None:
    if script.get("log"):
        with Path(script["log"]).open("a", encoding="utf-8") as log:
            log.write(json.dumps([name, arguments], ensure_ascii=False) + "\n")


def call(script: dict[str, Any], name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The result, or None when no answer comes."""
    does = script.get("does", {}).get(name, "echo")
    if isinstance(does, dict):
        return does
    match does:
        case "die":
            os._exit(3)
        case "die-once":
            script["does"][name] = "echo"
            SCRIPT.write_text(json.dumps(script), encoding="utf-8")
            os._exit(3)
        case "hang":
            return None
        case "sleep":
            time.sleep(float(arguments.get("s", 0.5)))
        case "garbage":
            for _ in range(200):
                say("this is no JSON")
            return None
        case "error":
            return text(script.get("words", "it cannot be done"), isError=True)
        case "env":
            return text(json.dumps(dict(os.environ)))
        case "stderr":
            print("x" * 100_000, file=sys.stderr, flush=True)
        case "change":
            for tool in script["tools"]:
                tool["description"] += " Now different."
            SCRIPT.write_text(json.dumps(script), encoding="utf-8")
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    return text(json.dumps(arguments, ensure_ascii=False))


def main() -> None:
    script = json.loads(SCRIPT.read_text(encoding="utf-8"))
    if script.get("pid"):
        with Path(script["pid"]).open("a") as pids:
            pids.write(f"{os.getpid()}\n")
    match script.get("start"):
        case "die":
            print("no licence found", file=sys.stderr)
            sys.exit(2)
        case "hang":
            time.sleep(600)
        case "garbage":
            for _ in range(1000):
                say("<html>not MCP</html>")
            time.sleep(600)
        case "flood":
            while True:
                sys.stdout.write("y" * 1000)
    if script.get("ignore_eof"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            continue
        answer: dict[str, Any] | None
        if method == "initialize":
            answer = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "scripted", "version": "1"},
            }
        elif method == "tools/list":
            script = json.loads(SCRIPT.read_text(encoding="utf-8"))
            answer = {"tools": script["tools"]}
        elif method == "tools/call":
            note(script, params["name"], params.get("arguments") or {})
            if script.get("does", {}).get(params["name"]) == "rpc":
                say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "inner"}})
                continue
            answer = call(script, params["name"], params.get("arguments") or {})
        else:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})
            continue
        if answer is not None:
            say({"jsonrpc": "2.0", "id": message["id"], "result": answer})
    if script.get("ignore_eof"):
        time.sleep(600)


if __name__ == "__main__":
    main()
