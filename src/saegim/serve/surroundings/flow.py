"""Everything around a store, examined: settings, clients, hooks, a server, a round trip over MCP.

Changes nothing: what is started is started in a throw-away home.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from saegim import __version__
from saegim.doctor.findings import Finding
from saegim.errors import SaegimError
from saegim.memory.clock import SystemClock
from saegim.messages import HeardMessage
from saegim.serve.clients.flow import ClientPlace, state_of
from saegim.serve.clients.roster import Machine, running
from saegim.serve.surroundings import client_checks, mcp_round_trip, server_checks
from saegim.serve.surroundings.outcomes import found


@dataclass(frozen=True, slots=True)
class Around:
    """Where a store lies and what is around it."""

    home: Path
    store: Path
    # The folder one stands in, whose configuration counts as well.
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    machine: Machine = field(default_factory=Machine.here)
    now: datetime = field(default_factory=lambda: SystemClock().now())


def examine(around: Around, *, quick: bool = False) -> list[Finding]:
    """Return one finding for each thing looked at; `quick` starts no other program."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        # It takes longest, and needs nothing of the rest.
        trip = None if quick else pool.submit(_tried, "mcp", _mcp)
        told = [*_looked_at(around, quick=quick)]
        return [*told, *([found("mcp.unasked")] if trip is None else trip.result())]


def _mcp() -> list[Finding]:
    return [mcp_round_trip.examine(running())]


def _looked_at(around: Around, *, quick: bool) -> Iterator[Finding]:
    home, now = around.home, around.now
    yield from _tried("in_force", lambda: server_checks.examine(home, around.environment))
    yield from _tried("clients", lambda: _clients(around, quick=quick))
    yield from _tried("spool", lambda: [client_checks.spool(home, now)])
    yield from _tried("journal", lambda: [client_checks.noted(home, now)])
    yield from _tried("token", lambda: [server_checks.examine_token(home)])
    yield from _tried(
        "server", lambda: [server_checks.examine_server(home, around.store, __version__)]
    )


def _clients(around: Around, *, quick: bool) -> list[Finding]:
    """Look at every client and run its hooks; then at what this folder configures."""
    machine, folder = around.machine, around.folder
    # What lies in the home folder itself holds for everything already.
    project = None if folder == machine.home else folder
    mine = state_of(machine)
    here = [] if project is None else state_of(machine, project)
    start = not quick
    return [
        *client_checks.examine_clients(
            mine, ClientPlace(machine), running(), __version__, start=start
        ),
        *client_checks.examine_here(here, ClientPlace(machine, project)),
        *client_checks.examine_hooks(mine, here, run=start),
    ]


def _tried(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """Look; that this cannot be done is a finding too."""
    try:
        return look()
    except (SaegimError, OSError) as error:
        why = error.message if isinstance(error, SaegimError) else str(error)
        return [found("error", name=name, why=HeardMessage(why))]
