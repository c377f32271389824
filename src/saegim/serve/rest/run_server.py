"""`serve`: one process and one port for REST and MCP, until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import http.client
import json
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from saegim import __version__
from saegim.errors import BadInput, SaegimError, SettingsError, StoreBusy
from saegim.logs import logger
from saegim.mind import Mind
from saegim.serve import token
from saegim.serve.backend import LocalBackend
from saegim.serve.hooks.spool_worker import working_off_spool
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.direct_calls import DirectHttp
from saegim.serve.mcp.server import build as mcp_server
from saegim.serve.rest.asgi_app import build
from saegim.serve.rest.listening import (
    Listening,
    ListeningSocket,
    configured,
    descriptors,
    most_connections,
    most_threads,
)
from saegim.serve.rest.security import LOCAL, Security, named_host, refuse_open_bind, split_host
from saegim.serve.server_file import Served, ServerFile, refuse_shared_folder
from saegim.serve.terminal import OTHER
from saegim.settings import Settings

# whoever ends a server waits no longer than five seconds for it.
END_SECONDS = 4.5
_log = logger("serve")
_KNOCK_SECONDS = 2.0
_ENDS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServePlan:
    """Where a server is to listen, for whom, and how much of the catalogue MCP clients see."""

    home: Path
    store: Path
    host: str = "127.0.0.1"
    port: int = 8757
    hosts: tuple[str, ...] = ()
    certificate: str = ""
    key: str = ""
    profile: str = "default"
    user: str = ""
    project: str | None = None
    agent: str | None = None
    rate: float = 50.0
    burst: int = 200

    @classmethod
    def of(cls, store: Path, settings: Settings, **given: object) -> ServePlan:
        """Return the plan of the settings, with what was given instead."""
        plan: dict[str, object] = {
            "user": settings.user,
            "host": settings.serve_host,
            "port": settings.serve_port,
            "hosts": tuple(filter(None, map(str.strip, settings.serve_hosts.split(",")))),
            "certificate": settings.serve_certificate,
            "key": settings.serve_certificate_key,
            "rate": settings.serve_rate,
            "burst": settings.serve_burst,
        }
        plan |= {name: value for name, value in given.items() if value not in (None, ())}
        return cls(home=store.parent, store=store, **plan)  # type: ignore[arg-type]

    def security(self) -> Security:
        """Return who may call, after refusing what would be open to others."""
        refuse_open_bind(self.host, self.certificate, self.key)
        refuse_shared_folder(self.home)
        bound = f"[{self.host}]" if ":" in self.host else self.host
        names = {named_host(bound), *(name for each in self.hosts for name in _called(each))}
        current = token.Current(self.home)
        return Security(
            token=current(),
            current=current,
            hosts=LOCAL | (names - {"", "0.0.0.0", "[::]"}),  # noqa: S104
            rate=self.rate,
            burst=self.burst,
            hidden=(str(self.home), str(Path.home())),
            user=self.user,
        )


def serve(backend: LocalBackend, plan: ServePlan, announce: Callable[[Served], None]) -> None:
    """Serve a backend until a signal ends it; refuse what cannot be served before it is told."""
    security = plan.security()
    with ServerFile(plan.home) as server_file, _bound(plan) as door:
        server = listener(backend, plan, security, door, server_file, announce)
        try:
            # Whatever is wrong with the store is said now, not to the first caller.
            _warm_up_behind(backend.memory.mind)
            with _signals(lambda: _ending(server, server_file)):
                with working_off_spool(backend, plan.home), _learning_together(backend):
                    _run(server, door, server_file)
                server_file.remove()
                backend.close()
                _log.info("the server ended")
        finally:
            backend.close()


def _warm_up_behind(mind: Mind) -> None:
    """Load what the first text would wait for; where there is no thread to spare, that waits."""

    def warm_up() -> None:
        import_module("saegim.serve.warm_up").warm_up(mind)

    with contextlib.suppress(RuntimeError):
        # Whoever is cut off inside a library that loads aborts the process; `_cut` bounds the end.
        threading.Thread(target=warm_up, name="saegim-warm-up", daemon=False).start()


@contextlib.contextmanager
def _learning_together(backend: LocalBackend) -> Iterator[None]:
    """Take part in the swarm of this house, where a person turned that on and joined one."""
    memory = backend.memory
    if not memory.mind.settings.federation:
        yield
        return
    from saegim.federation.sharing import house_of, look_at_swarm, sharing

    house = house_of(memory)
    if house.membership is None:
        _log.warning("federation is on, and this house belongs to no swarm")
        yield
        return
    with sharing(house, memory.mind.settings, lambda: look_at_swarm(backend.memory)):
        yield


def listener(
    backend: LocalBackend,
    plan: ServePlan,
    security: Security,
    door: socket.socket,
    server_file: ServerFile,
    announce: Callable[[Served], None],
) -> Listening:
    """Return the server for a backend, ready to be run on a socket."""
    guest = ClientInfo(profile=plan.profile, project=plan.project, agent=plan.agent)
    port = int(door.getsockname()[1])
    threads = most_threads(descriptors())
    mcp = mcp_server(backend, guest, threads=threads)
    security = replace(security, port=port, access=backend.access)
    direct = DirectHttp(backend, guest)
    app = build(backend, security, mcp=mcp, direct=direct, threads=threads)
    told = Served(
        pid=os.getpid(),
        port=port,
        url=_url(plan, port),
        token_file=str(plan.home / token.FILE),
        version=__version__,
        store=str(plan.store),
        user=plan.user,
    )

    def ready() -> None:
        server_file.write(told)
        _log.info("the server listens at %s", told.url)
        announce(told)

    config = configured(app, plan.certificate, plan.key)
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise SettingsError("server.certificate_or_key_cannot_be", error=error) from error
    return Listening(config, ready)


def _called(name: str) -> tuple[str, ...]:
    """Return how a name is called that a person gave: with its port, or at our own or a usual one.

    A proxy in front of us listens at a usual one, which a client leaves out.
    """
    host, port = split_host(name)
    if not host:
        return ()
    return (f"{host}:{int(port)}",) if port else (host, f"{host}:80", f"{host}:443")


def _url(plan: ServePlan, port: int) -> str:
    host = "127.0.0.1" if plan.host in ("0.0.0.0", "::") else plan.host  # noqa: S104
    name = f"[{host}]" if ":" in host else host
    return f"{'https' if plan.certificate else 'http'}://{name}:{port}"


# -- the port -------------------------------------------------------------------------------------


@contextlib.contextmanager
def _bound(plan: ServePlan) -> Iterator[socket.socket]:
    """Take the port, or say who has it."""
    try:
        found = socket.getaddrinfo(plan.host, plan.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadInput("server.no_address", host=plan.host) from error
    # Named as TCP: asyncio lets small packets go at once only where it is told so, and an answer
    # in two of them would wait 40 ms for the other side's acknowledgement.
    most = most_connections(descriptors())
    with ListeningSocket(found[0], socket.SOCK_STREAM, socket.IPPROTO_TCP, most) as door:
        if os.name == "posix":
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(found[4])
        except OSError as error:
            raise _not_bound(plan, error) from error
        yield door


def _not_bound(plan: ServePlan, error: OSError) -> StoreBusy | SettingsError:
    if error.errno != errno.EADDRINUSE:
        return SettingsError(
            "server.port_cannot_be_used", host=plan.host, port=plan.port, reason=error.strerror
        )
    holder = _saegim_at(plan.host, plan.port)
    key = "server.port_held_by_saegim" if holder else "server.port_held"
    return StoreBusy(key, port=plan.port, holder=holder)


def _saegim_at(host: str, port: int) -> str:
    """Return the version of the Saegim server that answers there, or nothing."""
    asking = http.client.HTTPConnection(host, port, timeout=_KNOCK_SECONDS)
    try:
        asking.request("GET", "/health")
        said = json.loads(asking.getresponse().read(1000))
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    finally:
        asking.close()
    ours = isinstance(said, dict) and set(said) == {"status", "version", "ready"}
    return str(said["version"]) if ours else ""


# -- the end --------------------------------------------------------------------------------------


@contextlib.contextmanager
def _signals(end: Callable[[], None]) -> Iterator[None]:
    """Hear the signals that end a process; only its main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)]
    held = {number: signal.signal(number, lambda *_: end()) for number in known}
    try:
        yield
    finally:
        for number, before in held.items():
            signal.signal(number, before)


def _ending(server: Listening, server_file: ServerFile) -> None:
    """Begin to end; what still hangs when the time is over is left where it is.

    What was confirmed is on the disk already, so nothing of it can be lost.
    """
    if not server.should_exit:
        server.should_exit = True
        threading.Thread(target=_cut, args=(server_file,), name="saegim-end", daemon=True).start()


def _run(server: Listening, door: socket.socket, server_file: ServerFile) -> None:
    """Answer until somebody ends the server; raise if anything else did."""
    is_asked_for = False
    try:
        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            try:
                runner.run(server.serve([door]))
            finally:
                if not server.should_exit:
                    # What is left of a broken loop may never end by itself.
                    _given_up(server_file)
        is_asked_for = server.should_exit
    finally:
        if not is_asked_for:
            # Also a `sys.exit(0)` of somebody else's.
            fault = sys.exc_info()[1]
            kind = type(fault).__name__
            _log.error("the server ended by itself: %s", kind, exc_info=fault)
            raise SaegimError("server.ended_by_itself", kind=kind) from fault


def _given_up(server_file: ServerFile) -> None:
    """Say no more that there is a server, and let nothing that hangs keep its lock."""
    server_file.remove()
    if threading.current_thread() is threading.main_thread():
        threading.Thread(
            target=_cut, args=(server_file, OTHER), name="saegim-end", daemon=True
        ).start()


def _cut(server_file: ServerFile, code: int = 0) -> None:
    time.sleep(END_SECONDS)
    server_file.remove()
    sys.stderr.flush()
    os._exit(code)
