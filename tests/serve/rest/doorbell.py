"""A real server on a port of its own, and a client that can be as rude as a test needs."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from saegim.serve import token
from saegim.serve.backend import LocalBackend
from saegim.serve.rest import run_server
from saegim.serve.rest.listening import Listening, TimedConnection, configured
from saegim.serve.rest.run_server import ServePlan
from saegim.serve.server_file import Served, ServerFile
from stand_ins import wait_until

# What a client of MCP takes.
BOTH = "application/json, text/event-stream"
# A hang guard, not a measurement.
PATIENCE = 120.0


@dataclass(frozen=True)
class Heard:
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The document it holds."""
        return json.loads(self.body)


@dataclass
class Front:
    """A server that runs, as a client with the right token sees it."""

    house: LocalBackend
    port: int
    token: str
    home: Path
    server: Listening

    @property
    def place(self) -> str | Path:
        """Where its store is: a file, or the address of a server."""
        return self.house.memory.mind.settings.store or self.home / "saegim.db"

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: Any = None,
        **more: str | None,
    ) -> Heard:
        """Ask once; `more` are headers, with _ for -, and None leaves one out."""
        headers: dict[str, str] = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            raw, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        for name, value in more.items():
            named = name.replace("_", "-")
            headers.pop(next((each for each in headers if each.lower() == named.lower()), ""), None)
            if value is not None:
                headers[named] = value
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, raw, headers)
            response = connection.getresponse()
            said = {name.lower(): value for name, value in response.getheaders()}
            return Heard(response.status, said, response.read())
        finally:
            connection.close()

    def save(self, text: str, **more: Any) -> str:
        """Keep a text; return its id."""
        heard = self.ask("POST", "/v1/memories", {"text": text, "source": "user", **more})
        assert heard.status == 200, heard
        return str(heard.json["id"])

    def asked(self) -> int:
        """Return how often the house was asked anything: 0 means that no data was touched."""
        return sum(self.house.tally.calls.values())


@contextmanager
def front(
    home: Path,
    *,
    guarded: bool = True,
    patient: type[TimedConnection] = TimedConnection,
    rate: float = 100_000.0,
    burst: int = 100_000,
    wrong: int = 100_000,
    certificate: str = "",
    profile: str = "default",
    port: int = 0,
    server_store: str = "",
    **settings: Any,
) -> Iterator[Front]:
    """Serve a new store in a thread; without `guarded`, with nobody at the door."""
    home.mkdir(parents=True, mode=0o700, exist_ok=True)
    store = home / "saegim.db"
    tls = {"certificate": certificate, "key": certificate}
    plan = ServePlan(
        user="me", home=home, store=store, port=port, rate=rate, burst=burst, profile=profile, **tls
    )
    house = LocalBackend(server_store or store, **{"embedder": "hashed", **settings})
    security = replace(plan.security(), wrong=wrong)
    told: list[Served] = []
    with ServerFile(home) as server_file, run_server._bound(plan) as door:
        server = run_server.listener(house, plan, security, door, server_file, told.append)
        app = server.config.app
        if not guarded:
            app.user_middleware.clear()
        server.config = configured(app, **tls, protocol=patient)
        thread = threading.Thread(target=server.run, args=([door],), daemon=True)
        thread.start()
        wait_until(lambda: bool(told), PATIENCE)
        try:
            yield Front(house, told[0].port, token.token_at(home), home, server)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            house.close()
