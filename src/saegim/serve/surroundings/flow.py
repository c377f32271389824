"""Everything around a store, examined: settings, clients, hooks, a server, a round trip over MCP.

Changes nothing: what is started is started in a throw-away home.
"""

from __future__ import annotations

import contextlib
import difflib
import http.client
import json
import os
import ssl
import stat
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from saegim import __version__
from saegim.doctor.findings import Finding
from saegim.errors import SaegimError, SettingsError
from saegim.memory.clock import SystemClock
from saegim.messages import HeardMessage
from saegim.serve import server_file, token
from saegim.serve.backend import prove
from saegim.serve.clients.flow import ClientPlace, state_of
from saegim.serve.clients.roster import Machine, running
from saegim.serve.hooks.deadlines import VARIABLE
from saegim.serve.surroundings import client_checks, mcp_round_trip
from saegim.serve.surroundings.outcomes import found
from saegim.settings import FILE, Settings, read_settings, written_in


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
    yield from _tried("in_force", lambda: examine_settings(home, around.environment))
    yield from _tried("clients", lambda: _clients(around, quick=quick))
    yield from _tried("spool", lambda: [client_checks.spool(home, now)])
    yield from _tried("journal", lambda: [client_checks.noted(home, now)])
    yield from _tried("token", lambda: [examine_token(home)])
    yield from _tried("server", lambda: [examine_server(home, around.store, __version__)])


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


# -- The settings that differ from their defaults

_PREFIX: Final = "SAEGIM_"
# Variables that are no settings: where the home is, how long a hook may take, the tests at night.
_OTHERS: Final = frozenset({"SAEGIM_HOME", "SAEGIM_NIGHTLY", VARIABLE})


def examine_settings(home: Path, environment: Mapping[str, str]) -> list[Finding]:
    """Say which settings differ from their defaults; that they cannot be read is told elsewhere."""
    try:
        shown = read_settings(home, environment).shown()
    except (SettingsError, OSError):
        return []
    file = home / FILE
    known = {f"{_PREFIX}{each.name.upper()}": each.name for each in fields(Settings)}
    strange = sorted(
        each
        for each in environment
        if each.startswith(_PREFIX) and each not in known.keys() | _OTHERS
    )
    if strange:
        near = difflib.get_close_matches(strange[0], [*known, *_OTHERS], 1)
        perhaps = f" ({near[0]}?)" if near else ""
        return [found("in_force.stranger", variable=strange[0], perhaps=perhaps)]
    held = _of_file(file)
    if _is_open(file) and any(name.endswith("_key") and held[name] for name in held):
        return [found("in_force.exposed", file=str(file))]
    here = {name: variable for variable, name in known.items() if variable in environment}
    told = [f"{name} = {shown[name]!r} ({here.get(name, FILE)})" for name in {**held, **here}]
    if not told:
        return [found("in_force.needless")]
    return [found("in_force.ok", settings=", ".join(told))]


def _of_file(file: Path) -> dict[str, object]:
    return written_in(file) if file.is_file() else {}


def _is_open(file: Path) -> bool:
    return os.name == "posix" and file.is_file() and bool(file.stat().st_mode & stat.S_IROTH)


# -- The server that a home says it has, and the token that opens it: is it there, is it ours?

_SECONDS: Final = 5.0
_MOST_BYTES: Final = 1 << 20
# Answers that are about the token.
_REFUSED: Final = (401, 403)


def examine_token(home: Path) -> Finding:
    """Say whether the token can be used, and by its owner alone; makes none."""
    file = home / token.FILE
    if not os.path.lexists(file):
        return found("token.needless")
    try:
        token.token_at(home)
    except SaegimError as error:
        mode = 0 if os.name != "posix" else stat.S_IMODE(file.lstat().st_mode)
        if mode & 0o077 and not file.is_symlink():
            return found("token.open", file=str(file))
        return found("token.unusable", file=str(file), why=HeardMessage(error.message))
    return found("token.ok")


def examine_server(home: Path, store: Path, version: str) -> Finding:
    """Say whether the server that is told of lives, answers, takes the token and serves this."""
    file = home / server_file.FILE
    if not os.path.lexists(file):
        return found("server.needless")
    told = server_file.read(home)
    url, pid = str(told.get("url", "")), told.get("pid")
    if not url or not isinstance(pid, int) or pid <= 0:
        return found("server.unreadable", file=str(file))
    if not _lives(pid):
        return found("server.stale", file=str(file), url=url)
    try:
        status, health = _asked(url, "/health")
    except ConnectionRefusedError:
        # The number of a process that is gone was given to another one.
        return found("server.stale", file=str(file), url=url)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return found("server.silent", url=url, pid=pid, why=str(error))
    if status != 200 or health.get("status") != "ok":
        return found("server.silent", url=url, pid=pid, why=f"{status} /health")
    other, serves = str(health.get("version", "?")), str(told.get("store", ""))
    if serves != str(store):
        return found("server.elsewhere", url=url, store=serves)
    if refused := _refused(home, url, pid):
        return refused
    if other != version:
        return found("server.version", url=url, other=other, version=version)
    return found("server.ok", url=url, pid=pid)


def _refused(home: Path, url: str, pid: int) -> Finding | None:
    """Ask something that needs the token; return what is wrong with the answer, if anything is."""
    file = home / token.FILE
    held = ""
    with contextlib.suppress(SaegimError):
        held = token.token_at(home) if os.path.lexists(file) else ""
    try:
        status, _ = _asked(url, "/v1/stats", held)
    except http.client.HTTPException:
        # It cannot show that it knows the token, so it is not told.
        status = 401
    except (OSError, ValueError) as error:
        return found("server.silent", url=url, pid=pid, why=str(error))
    if status in _REFUSED:
        return found("server.refuses", url=url, file=str(file), status=status)
    if status != 200:
        return found("server.silent", url=url, pid=pid, why=f"{status} /v1/stats")
    return None


def _asked(url: str, path: str, held: str = "") -> tuple[int, dict[str, Any]]:
    """Ask the server at its own address; its certificate is not what is examined here."""
    parts = urlsplit(url)
    host, port = parts.hostname or "127.0.0.1", parts.port
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    if parts.scheme == "https":
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=_SECONDS, context=trusting)
    try:
        if held:
            prove(connection, held)
        headers = {"Authorization": f"Bearer {held}"} if held else {}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        said = json.loads(answer.read(_MOST_BYTES) or b"{}")
    finally:
        connection.close()
    return answer.status, said if isinstance(said, dict) else {}


def _lives(pid: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
