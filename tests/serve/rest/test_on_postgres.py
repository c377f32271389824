"""REST, MCP and schemathesis once more, over PostgreSQL: a tenth by day, all of it by night."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import test_fuzz
import test_routes
from child_server import process, seen, set_to
from doorbell import Front, front
from schemathesis.core.failures import FailureGroup
from sharing import moved_in
from test_mcp_sessions import opened, said
from test_routes import furnished as furnished

import servers
from saegim import Saegim
from saegim.serve.backend import written_menu
from saegim.serve.catalogue.catalogue import CATALOGUE
from stand_ins import NIGHTLY, rounds

TENTH = 10 // rounds(10)
# What is no answer of a store: no place for SOUL.md, a job that is not there.
REFUSED = ("distil_submit", "soul_write")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server on PostgreSQL; it takes the place of the one on a file."""
    dsn = servers.server(15).fresh()
    with front(tmp_path_factory.mktemp("served"), server_store=dsn) as served:
        assert served.house.memory.mind.store.database.is_server
        yield served


def test_a_token_that_another_replica_revoked_opens_nothing_a_moment_later(shared: Front) -> None:
    """Nothing is believed from before; nor of a person whom another replica removed."""
    minji, hana, other = moved_in(shared, "minji"), moved_in(shared, "hana"), moved_in(shared, "o")
    people = (minji, hana, other)
    assert [each.ask("GET", "/v1/stats").status for each in people] == [200] * 3
    with Saegim.open(shared.house.memory.mind.settings.store, background=False) as replica:
        store = replica.mind.store
        store.tokens.revoke(minji.id, None, replica.mind.now())
        assert [each.ask("GET", "/v1/stats").status for each in people] == [401, 200, 200]
        store.people.remove("hana")
        assert [each.ask("GET", "/v1/stats").status for each in people] == [401, 401, 200]


@pytest.mark.parametrize("name", list(CATALOGUE)[::TENTH])
def test_every_function_answers_from_a_server(
    name: str, shared: Front, furnished: dict[str, Any]
) -> None:
    """The same addresses, the same shapes."""
    test_routes.test_every_function_answers_at_its_address(name, shared, furnished)


@pytest.mark.parametrize(
    "name", sorted(each["name"] for each in written_menu("default"))[:: min(TENTH, 4)]
)
def test_every_tool_answers_from_a_server(
    name: str, shared: Front, furnished: dict[str, Any]
) -> None:
    """MCP over HTTP: the tools of the menu are listed, and carried out without an error."""
    session = opened(shared)
    listed = _answer(shared, session, "tools/list", {})
    names = {each["name"] for each in listed["tools"]}
    assert names == {each["name"] for each in written_menu("default")}
    wish = {"name": name, "arguments": test_routes.given(name, furnished)}
    told = _answer(shared, session, "tools/call", wish)
    assert bool(told.get("isError")) is (name in REFUSED), told


def test_a_tool_that_fails_is_seen(shared: Front) -> None:
    """Control: an id that is not there is an error, and the test above would fail."""
    wish = {"name": "memory_get", "arguments": {"id": "mem_nowhere"}}
    assert _answer(shared, opened(shared), "tools/call", wish)["isError"]


def _answer(served: Front, session: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask over MCP, and read what comes as a document or as the one event of a stream."""
    body = {"jsonrpc": "2.0", "id": 3, "method": method, "params": params}
    heard = said(served, body, session)
    assert heard.status == 200, heard
    text = heard.body.decode()
    lines = [each[5:] for each in text.splitlines() if each.startswith("data:")]
    told: dict[str, Any] = json.loads(lines[-1] if lines else text)["result"]
    return told


def test_the_api_keeps_its_promises_on_a_server(shared: Front, tmp_path: Path) -> None:
    """No 5xx, no undocumented status or type, no answer out of shape."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    found = test_fuzz.fuzzed(shared, tmp_path, test_fuzz.PROMISES, each=TENTH)
    assert found.total() >= (2_000 if NIGHTLY else 12), found
    assert found[200] >= 3
    assert {403, 429, 500} & set(found) == set()


def test_a_broken_promise_is_seen_on_a_server(
    shared: Front, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: an answer without its scope is out of shape."""
    real = type(shared.house).call

    def careless(house: Any, wish: Any) -> Any:
        return {name: value for name, value in real(house, wish).items() if name != "scope"}

    monkeypatch.setattr(type(shared.house), "call", careless)
    with pytest.raises(FailureGroup, match="violates schema"):
        test_fuzz.fuzzed(shared, tmp_path, test_fuzz.PROMISES, each=TENTH)


@pytest.mark.nightly
def test_every_phase_of_schemathesis_finds_nothing_on_a_server(tmp_path: Path) -> None:
    """R-28: all phases against a process on PostgreSQL, at least 10,000 cases, no 5xx."""
    folder = tmp_path / "empty"
    folder.mkdir()
    home = set_to(tmp_path / "served", serve_rate=100_000.0, serve_burst=100_000)
    store = f"\nos.environ['SAEGIM_STORE'] = {servers.server(15).fresh()!r}"
    with process(home, f"import os; os.chdir({str(folder)!r}){store}") as (_, told):
        served = seen(told)
        served.save("A memory to find.")
        sent = test_fuzz.schemathesis_of(served, folder, "examples,coverage,stateful", 5)
        sent += test_fuzz.schemathesis_of(served, folder, "fuzzing", 130)
    assert sent >= 10_000
