"""Who gets in, and whose threads there are, over real HTTP."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from dev_server import CHEN, GRAPH, LIN, MAYA, OSCAR, Parked, Server, ask, park, said, shared
from httpx import HTTPStatusError
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import APIStatusError, AuthenticationError

pytestmark = pytest.mark.xdist_group("studio")

# `runs.wait` raises httpx's own error where the SDK's other methods raise theirs.
REFUSALS = (APIStatusError, HTTPStatusError)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return shared(tmp_path_factory, pytestconfig)


@pytest.fixture(scope="module")
def parked(server: Server) -> Parked:
    """A thread of Lin's that waits."""
    return park(server)


def status(server: Server, method: str, path: str, body: Any = None, **headers: str) -> int:
    """The status of a bare request, with the path as it is."""
    request = urllib.request.Request(
        f"{server.url}{path}",
        data=json.dumps(body).encode() if body is not None else None,
        headers={"content-type": "application/json", **headers},
        method=method,
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {LIN}x"},
        {"authorization": f"Bearer {LIN[:-1]}"},
        {"authorization": LIN},
        {"authorization": f"Basic {LIN}"},
        {"authorization": "Bearer acme/u-17"},
        {"authorization": "Bearer schlüssel"},
        {"x-api-key": LIN},
        {"x-auth-scheme": "langsmith"},
        {"x-auth-scheme": "langsmith", "x-api-key": "lsv2_any", "x-tenant-id": "any"},
        {"x-auth-scheme": "langsmith", "authorization": "Bearer wrong"},
        {"x-auth-scheme": "langsmith", "origin": "https://smith.langchain.com"},
    ],
    ids=str,
)
def test_nobody_gets_in_with(headers: dict[str, str], server: Server) -> None:
    for method, path, body in (
        ("POST", "/threads", {}),
        ("POST", "/runs/wait", said("hi")),
        ("POST", "/assistants/search", {}),
    ):
        assert status(server, method, path, body, **headers) == 401


def test_a_refusal_says_what_to_send(server: Server) -> None:
    with pytest.raises(AuthenticationError, match="bearer token"):
        server.client(None).threads.create()


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER  "])
def test_a_known_token_gets_in_however_its_scheme_is_written(scheme: str, server: Server) -> None:
    assert status(server, "POST", "/threads", {}, authorization=f"{scheme}{LIN}") == 200


OTHERS: dict[str, Callable[[SyncLangGraphClient, str], Any]] = {
    "its record": lambda c, t: c.threads.get(t),
    "its state": lambda c, t: c.threads.get_state(t),
    "its history": lambda c, t: c.threads.get_history(t),
    "its runs": lambda c, t: c.runs.list(t),
    "its copy": lambda c, t: c.http.post(f"/threads/{t}/copy", json={}),
    "its storage": lambda c, t: c.http.get(f"/threads/{t}/storage"),
    "a bare resume of it": lambda c, t: c.runs.wait(t, GRAPH, input=None),
    "a resume of it": lambda c, t: c.runs.wait(t, GRAPH, command={"resume": True}),
    "a streamed resume of it": lambda c, t: list(c.runs.stream(t, GRAPH, input=None)),
    "a resume of it in the background": lambda c, t: c.runs.create(t, GRAPH, input=None),
    "a question on it": lambda c, t: c.runs.wait(t, GRAPH, input=said("hi"), if_not_exists="create"),
    "a post to its state": lambda c, t: c.threads.update_state(t, {"status": "done"}),
    "a post to its metadata": lambda c, t: c.threads.update(t, metadata={"owner": "acme/u-42"}),
    "making it again": lambda c, t: c.threads.create(thread_id=t, if_exists="do_nothing"),
    "deleting it": lambda c, t: c.threads.delete(t),
    "pruning it": lambda c, t: c.threads.prune([t]),
}


@pytest.mark.parametrize("token", [MAYA, CHEN, OSCAR])
@pytest.mark.parametrize("what", OTHERS)
def test_somebody_elses_thread_does_not_give(what: str, token: str, server: Server, parked: Parked) -> None:
    with pytest.raises(REFUSALS) as refused:
        OTHERS[what](server.client(token), parked.thread)
    assert refused.value.response.status_code in (403, 404, 409)
    assert parked.order not in str(refused.value)


@pytest.mark.parametrize("token", [MAYA, CHEN, OSCAR])
def test_somebody_elses_streams_say_that_there_is_no_thread(token: str, parked: Parked, server: Server) -> None:
    client, run = server.client(token), parked.client.runs.list(parked.thread)[0]["run_id"]
    for told in (client.threads.join_stream(parked.thread), client.runs.join_stream(parked.thread, run)):
        assert [(part.event, part.data["message"]) for part in told] == [("error", "404: Thread not found")]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("run.start", {"assistant_id": GRAPH, "input": None}),
        ("run.start", {"assistant_id": GRAPH, "input": said("hi")}),
        ("input.respond", {"interrupt_id": "any", "response": True, "goto": "write_tools"}),
    ],
)
def test_protocol_commands_on_somebody_elses_thread_do_nothing(
    method: str, params: dict[str, Any], parked: Parked, server: Server
) -> None:
    runs = len(parked.client.runs.list(parked.thread))
    told = server.client(MAYA).http.post(
        f"/threads/{parked.thread}/commands", json={"id": 1, "method": method, "params": params}
    )
    assert told["type"] == "error"
    assert len(parked.client.runs.list(parked.thread)) == runs


@pytest.mark.parametrize("token", [MAYA, CHEN, OSCAR])
def test_somebody_elses_threads_are_not_listed_or_counted(token: str, server: Server, parked: Parked) -> None:
    client, owner = server.client(token), {"owner": "acme/u-17"}
    # By values alone the development server fails (500) on a thread of one's own that has none yet.
    values = {"values": {"status": "waiting"}, "metadata": owner}
    for how in ({}, {"metadata": owner}, {"ids": [parked.thread]}, values):
        found = client.threads.search(limit=100, **how)
        assert all(t["metadata"]["owner"] != "acme/u-17" for t in found)
    assert client.threads.count(metadata=owner) == 0


def test_the_thread_is_still_its_owners_after_all_that(server: Server, parked: Parked) -> None:
    assert [t["thread_id"] for t in parked.client.threads.search(ids=[parked.thread])] == [parked.thread]
    assert parked.client.threads.get_state(parked.thread)["next"] == ["write_tools"]
    assert server.refunds(parked.order) == 0


def test_an_owner_does_not_give_a_thread_away(server: Server, parked: Parked) -> None:
    for metadata in ({"owner": "acme/u-42"}, {"owner": None}, {"owner": {"$or": []}}):
        kept = parked.client.threads.update(parked.thread, metadata=metadata)
        assert kept["metadata"]["owner"] == "acme/u-17"
    made = parked.client.threads.create(metadata={"owner": "acme/u-42"})
    assert made["metadata"]["owner"] == "acme/u-17"
    named = "99999999-2222-4333-8444-555555555555"
    client = server.client(OSCAR)
    ask(client, "hello", named, if_not_exists="create", metadata={"owner": "acme/u-17"})
    assert client.threads.get(named)["metadata"]["owner"] == "globex/u-17"


def test_one_name_in_two_tenants_is_two_people(server: Server) -> None:
    _, ended = ask(server.client(OSCAR), "What is the status of order A1001?")
    assert "299" not in ended["answer"]


DENIED: dict[str, Callable[[SyncLangGraphClient, Parked], Any]] = {
    "writing to the store": lambda c, p: c.store.put_item(["memories"], "k", {"v": 1}),
    "reading the store": lambda c, p: c.store.get_item(["memories"], "k"),
    "searching the store": lambda c, p: c.store.search_items(["memories"]),
    "listing the store": lambda c, p: c.store.list_namespaces(),
    "a cron": lambda c, p: c.crons.create(GRAPH, schedule="* * * * *", input=said("hi")),
    "a cron on an own thread": lambda c, p: c.crons.create_for_thread(
        p.thread, GRAPH, schedule="* * * * *", input=None
    ),
    "looking for crons": lambda c, p: c.crons.search(),
    "making an assistant": lambda c, p: c.assistants.create(GRAPH, config={"configurable": {"user": "s-02"}}),
    "changing the assistant": lambda c, p: c.assistants.update(
        c.assistants.search()[0]["assistant_id"], config={"recursion_limit": 1}
    ),
    "another version of the assistant": lambda c, p: c.assistants.set_latest(
        c.assistants.search()[0]["assistant_id"], 1
    ),
    "deleting the assistant": lambda c, p: c.assistants.delete(c.assistants.search()[0]["assistant_id"]),
    "a run without a thread": lambda c, p: c.runs.wait(None, GRAPH, input=said("hi")),
    "a streamed run without a thread": lambda c, p: list(c.runs.stream(None, GRAPH, input=said("hi"))),
    "a batch": lambda c, p: c.runs.create_batch([{"assistant_id": GRAPH, "input": said("hi")}]),
    "a webhook": lambda c, p: c.runs.create(p.thread, GRAPH, input=said("hi"), webhook="http://93.184.215.14/x"),
    "the MCP endpoint": lambda c, p: c.http.post("/mcp/", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    "the A2A endpoint": lambda c, p: c.http.post(f"/a2a/{c.assistants.search()[0]['assistant_id']}", json={}),
}


@pytest.mark.parametrize("token", [LIN, CHEN])
@pytest.mark.parametrize("what", DENIED)
def test_no_token_is_good_for(what: str, token: str, server: Server, parked: Parked) -> None:
    with pytest.raises(REFUSALS) as refused:
        DENIED[what](server.client(token), parked)
    assert refused.value.response.status_code in (403, 404, 405)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/internal/debug/thread/{thread}"),
        ("GET", "//internal/debug/thread/{thread}"),
        ("GET", "/INTERNAL/debug/thread/{thread}"),
        ("GET", "/%69nternal/debug/thread/{thread}"),
        ("POST", "/internal/truncate"),
        ("POST", "/internal/truncate/"),
        ("GET", "/deploy"),
        ("POST", "/deploy"),
        ("GET", "/deploy/x/stream"),
    ],
)
def test_the_development_servers_own_doors_are_closed(method: str, path: str, server: Server, parked: Parked) -> None:
    body = {} if method == "POST" else None
    for headers in ({}, {"authorization": f"Bearer {LIN}"}):
        assert status(server, method, path.format(thread=parked.thread), body, **headers) in (401, 404)
    assert parked.client.threads.get(parked.thread)["thread_id"] == parked.thread


def test_no_token_is_in_the_servers_log(server: Server) -> None:
    assert not [token for token in (LIN, MAYA, CHEN, OSCAR) if token in server.log]
