from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import zstandard

SECRETS = {
    "phone": "13812345678",
    "email": "zhang.san@example.com",
    "model key": "sk-model0123456789abcdef",
    "tool key": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "metadata password": "hunter2-in-metadata",
    "id card": "11010519491231002X",
    "card": "4111111111111111",
    "error key": "AKIAIOSFODNN7EXAMPLE",
    "opaque key": "opaque-constructor-key",
}

PROGRAM = """
import os
from typing import Any, TypedDict
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from signoff.telemetry import langsmith

S = {secrets!r}

class Model(BaseChatModel):
    api_key: str = S["model key"]
    header: str = S["opaque key"]

    @property
    def _llm_type(self):
        return "own"

    @property
    def _identifying_params(self):
        return {{"api_key": self.api_key, "note": S["email"]}}

    def _generate(self, messages, stop=None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs):
        run_manager.on_llm_new_token("call " + S["phone"])
        said = AIMessage("call " + S["phone"], additional_kwargs={{"authorization": "Bearer " + S["tool key"]}})
        return ChatResult(generations=[ChatGeneration(message=said)])

@tool
def pay(card: str) -> str:
    "Pay."
    return f"paid with {{card}}, receipt to {{S['email']}}"

class State(TypedDict, total=False):
    question: str
    answer: Any
    fail: bool

def agent(state):
    answer = Model().invoke([HumanMessage(state["question"])], stop=[S["phone"]])
    return {{"answer": answer}}

def tools(state):
    pay.invoke({{"card": S["card"]}})
    if state.get("fail"):
        raise RuntimeError("refused: " + S["error key"])
    return {{}}

print(langsmith.configure(), langsmith.configure())
graph = StateGraph(State).add_node("agent", agent).add_node("tools", tools)
graph = graph.add_edge(START, "agent").add_edge("agent", "tools").add_edge("tools", END).compile()
config = {{
    "tags": ["tag " + S["email"]],
    "metadata": {{"password": S["metadata password"], "said": S["phone"]}},
    "run_name": "run for " + S["phone"],
}}
question = "订单 A1003,我的电话" + S["phone"] + "身份证" + S["id card"]
graph.invoke({{"question": question}}, config)
try:
    graph.invoke({{"question": question, "fail": True}}, config)
except RuntimeError:
    pass
langsmith.flush()
"""


class Server(ThreadingHTTPServer):
    """Receives what a LangSmith server would, and keeps every request with its body unpacked."""

    daemon_threads = True

    def __init__(self, *, compressed: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.compressed = compressed
        self.requests: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def bodies(self) -> str:
        return "\n".join(body for _, body in self.requests)


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.headers.get("Content-Encoding") == "zstd":
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        self.server.requests.append((f"{self.command} {self.path}", body.decode("utf-8", "replace")))
        answer = json.dumps(
            {
                "version": "0.12.0",
                "batch_ingest_config": {
                    "use_multipart_endpoint": True,
                    "scale_up_qsize_trigger": 1000,
                    "scale_up_nthreads_limit": 4,
                    "scale_down_nempty_trigger": 4,
                    "size_limit": 100,
                    "size_limit_bytes": 20_000_000,
                },
                "instance_flags": {"zstd_compression_enabled": self.server.compressed},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    server = Server(compressed=getattr(request, "param", "plain") == "compressed")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def run(server: Server, program: str = PROGRAM.format(secrets=SECRETS), **variables: str) -> str:
    """Run the program in a process whose only tracing variables are these."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LANGSMITH_", "LANGCHAIN_"))}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**clean, "LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "lsv2_pt_0123456789abcdef", **variables},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "variables",
    [{"LANGSMITH_PROJECT": "p"}, {"LANGSMITH_TRACING": "false"}, {"LANGCHAIN_TRACING_V2": ""}],
    ids=["only a project", "false", "empty"],
)
def test_nothing_at_all_is_sent_unless_tracing_is_asked_for(server: Server, variables: dict[str, str]) -> None:
    assert run(server, **variables) == "False False"
    assert server.requests == []


@pytest.mark.parametrize(
    ("server", "variable"),
    [("plain", "LANGSMITH_TRACING"), ("compressed", "LANGCHAIN_TRACING_V2")],
    indirect=["server"],
)
def test_what_is_sent_when_asked_for_holds_nothing_private(server: Server, variable: str) -> None:
    assert run(server, **{variable: "true"}) == "True True"

    assert any(path.startswith("POST /runs") for path, _ in server.requests)
    sent = server.bodies
    for what, secret in SECRETS.items():
        assert secret not in sent, what
    # The runs did arrive, with what is not private in them.
    for text in ("订单 A1003", "[phone]", "[email]", "[id-card]", "[bank-card]", "[secret]", "refused: [api-key]"):
        assert text in sent, text
    for part in ("run for [phone]", "tag [email]", ".inputs", ".outputs", ".extra", ".error", ".serialized"):
        assert part in sent, part
    assert "repr" not in sent


def test_variables_that_langsmith_does_not_accept_are_one_clear_sentence(server: Server) -> None:
    program = """
        from signoff.errors import ConfigError
        from signoff.telemetry import langsmith
        try:
            langsmith.configure()
        except ConfigError as error:
            print(error)
    """
    said = run(server, program, LANGSMITH_TRACING="true", LANGSMITH_TRACING_SAMPLING_RATE="7")
    assert "SAMPLING_RATE" in said and said.endswith("unset LANGSMITH_TRACING.") and "\n" not in said
