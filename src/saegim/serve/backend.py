"""Carry out calls of the catalogue: in this process, or by a server that runs here already.

`LocalBackend` holds one open memory that many callers share. `ServerBackend` asks a running server
first: a client's stdio process then loads neither the store nor a model, since one server holds
them for all (U11.3). Where the server is gone, the call is carried out here, and nothing is done
twice: what cannot be repeated safely is told to the caller as unknown. Whoever listens there shows
first that it knows the token; neither the token nor a word of anybody leaves before that (M10).
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import json
import logging
import os
import secrets
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import saegim
from saegim import errors
from saegim.errors import (
    BadInput,
    EngineError,
    Forbidden,
    NotFound,
    SaegimError,
    StoreError,
    Unavailable,
)
from saegim.logs import logger
from saegim.serve import server_file
from saegim.serve import token as tokens
from saegim.serve.access import OWN, Access, Grant, seen_by
from saegim.serve.long_calls import LongCalls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from saegim.projects import Resolved
    from saegim.serve.catalogue.entry import CallContext, CatalogueEntry
    from saegim.sleep import scheduler

Json = dict[str, Any]
_MOST_FOLDERS = 1000
_IMPORTS = "memory_import"
# What adds a version to what is there.
_GROWS = ("memory_update", "session_import")
_log = logger("serve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One wish: which function, with what, from which project and through which door."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    # Without a project, the folder the caller stands in says which.
    project: str | None = None
    folder: str | None = None
    agent: str | None = None
    # The client's own: it is over when the client is gone.
    session: str | None = None
    door: str = "rest"
    tell: Any = None
    # Whose memory it is: what was shown at the door says it, and nothing else in a request.
    by: Grant = OWN
    # What a person chose on a page, by id, all of it or nothing: no model may name so many.
    chosen: tuple[str, ...] = ()


class Backend(Protocol):
    """Whatever can carry out a function of the catalogue."""

    def call(self, wish: Call) -> Json:
        """Carry out a function; raise an error of ours if it cannot be."""
        ...

    def approve(self, wish: Call, yes: bool, version: str) -> Json:
        """Carry out what a person whom a client asked has answered; `version` says to what."""
        ...

    def rest(self, after: float) -> bool:
        """Let go of what is held if nobody asked for so many seconds; the next call takes it up."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


@dataclass(slots=True)
class Tally:
    """What was asked of a backend, counted: calls, failures and seconds by function."""

    calls: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, name: str, seconds: float, trouble: str = "") -> None:
        """Count one call."""
        with self._lock:
            self.calls[name] += 1
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
            if trouble:
                self.failures[name, trouble] += 1


def _weight(error: SaegimError) -> int:
    """Return how loud an error is: what a caller can correct is no trouble of this machine."""
    return logging.WARNING if isinstance(error, EngineError | StoreError) else logging.INFO


class LocalBackend:
    """A memory of this machine in this process."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        user: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        watch: bool = False,
        heartbeat: Callable[[saegim.Saegim], None] | None = None,
        commands: Callable[[saegim.Saegim, Json], Json] | None = None,
        **settings: Any,
    ) -> None:
        self._file, self._watches = file, watch
        self._commands = commands
        # Told of the memory when it is opened and before it is closed: who keeps no watch may see
        # to it that what is due is slept elsewhere.
        self._heartbeat = heartbeat
        self._given: dict[str, Any] = {"user": user, "agent": agent, "project": project, **settings}
        self._lock = threading.RLock()
        self._memory: saegim.Saegim | None = None
        self._watch: scheduler.Scheduler | None = None
        self._busy = 0
        self._asked_at = time.monotonic()
        self._projects: dict[str, Resolved] = {}
        self._greeted: set[str] = set()
        # The last wish of each client that has a session of its own.
        self._guests: dict[tuple[str, str], Call] = {}
        self.long_calls = LongCalls()
        self.tally = Tally()
        self.access = Access(lambda: self.memory)
        # Set when a hook was answered, whose words are still to be heard.
        self.stirred = threading.Event()

    def call(self, wish: Call) -> Json:
        """Carry out a function of the catalogue in the caller's scope."""
        from saegim.serve.catalogue import catalogue

        entry = catalogue.entry_of(wish.name)
        began, trouble = time.perf_counter(), ""
        try:
            wish.by.refuse(entry)
            given = entry.read(wish.arguments)
            if wish.chosen:
                given["ids"] = [*wish.chosen]
            with self._lent() as memory, span_of(entry, memory.home) as span:
                place = self._place(memory, wish)
                if entry.effect == "adds" or entry.name in _GROWS:
                    self.access.refuse_full(wish.by, given)
                if wish.session:
                    self._guests[wish.by.user, wish.session] = wish
                told = entry.call(place, **given)
                span(told)
                return told
        except SaegimError as error:
            trouble = type(error).__name__
            _log.log(_weight(error), "%s (%s) failed: %s", entry.name, wish.door, trouble)
            raise
        finally:
            seconds = time.perf_counter() - began
            self.tally.note(entry.name, seconds, trouble)
            _log.info("%s (%s) took %d ms", entry.name, wish.door, 1000 * seconds)

    def approve(self, wish: Call, yes: bool, version: str) -> Json:
        """Carry out what a person whom a client asked has answered.

        `version` says to what: the version of a proposal's words, or the path that may be read.
        Of people who share a machine nobody approves by a token: a program has that.
        """
        from saegim.serve.catalogue import catalogue, night_functions

        if not wish.by.is_own:
            raise Forbidden("people.approving_needs_cookie")
        with self._lent() as memory:
            here = self._place(memory, wish)
            if wish.name == _IMPORTS:
                entry = catalogue.entry_of(wish.name)
                here = replace(here, allowed=version)
                return entry.call(here, **entry.read(wish.arguments))
            id = str(wish.arguments["id"])
            return dict(night_functions.asked(here, id, answer=yes, version=version))

    def answer_on_page(
        self, id: str, yes: bool, version: str, text: str = "", *, by: Grant = OWN
    ) -> Json:
        """Carry out what a person answered on a page to the words they were shown there.

        `text` are words of their own, to stand in the place of those.
        """
        from saegim.serve.catalogue import night_functions
        from saegim.soul.consent import Channel

        with self._lent() as memory:
            here = self._place(memory, Call(name="proposal_ask", by=by))
            page = Channel.PAGE
            said = night_functions.asked(
                here, id, answer=yes, version=version, channel=page, text=text
            )
            return dict(said)

    def roll_back_on_page(self, version: int, after: int, *, by: Grant = OWN) -> None:
        """Make an earlier self the current one, as a person said who was shown `after`."""
        with self._lent() as memory:
            theirs = seen_by(memory, by)
            theirs.soul.roll_back(version, by=theirs.scope.user, after=after)

    def attend(self, answer: Callable[[saegim.Saegim], Json]) -> Json:
        """Answer the event of an agent's hook; the spool worker hears what it leaves."""
        with self._lent() as memory:
            told = answer(memory)
        self.stirred.set()
        return told

    def command(self, asked: Json) -> Json:
        """Carry out a command for another process of this person's."""
        if self._commands is None:
            raise NotFound("server.nothing_here")
        with self._lent() as memory:
            return self._commands(memory, asked)

    def _seen(self, memory: saegim.Saegim, wish: Call) -> saegim.Saegim:
        """Return the memory as the caller sees it: from their project, as their agent."""
        found = self._found_at(wish, memory)
        project = wish.project if found is None else found.project
        rooms = {"project": project, "agent": wish.agent}
        named = {name: value for name, value in rooms.items() if value is not None}
        theirs = seen_by(memory, wish.by)
        return theirs.within(**named) if named else theirs

    def _place(self, memory: saegim.Saegim, wish: Call) -> CallContext:
        """Return where a call is carried out."""
        from saegim.serve.catalogue import entry as entries

        found = self._found_at(wish, memory)
        if len(self._greeted) >= _MOST_FOLDERS:
            self._greeted.clear()
        return entries.CallContext(
            self._seen(memory, wish),
            entries.Door(wish.door),
            wish.tell or (lambda *_: None),
            self.long_calls,
            wish.session or "",
            wish.folder,
            found.claims if found else "",
            greeted=self._greeted,
            is_own=wish.by.is_own,
        )

    def _found_at(self, wish: Call, memory: saegim.Saegim) -> Resolved | None:
        """Return which project the caller's folder is; a folder that is sure is looked at once."""
        import saegim.projects as resolve

        if wish.folder is not None and not wish.by.is_own:
            # It would be looked for on this machine's disk, which is not theirs.
            raise BadInput("people.folder_is_elsewhere")
        if wish.project is not None or wish.folder is None or memory.scope.project:
            return None
        known = self._projects.get(wish.folder)
        if known is None:
            if len(self._projects) >= _MOST_FOLDERS:
                self._projects.clear()
            store, user = memory.mind.store, memory.scope.user
            known = resolve.project_of(Path(wish.folder), {}, store=store, user=user)
            if not known.claims:
                self._projects[wish.folder] = known
        return known

    @property
    def memory(self) -> saegim.Saegim:
        """Return the open memory, opening it now if nobody has yet."""
        with self._lock:
            if self._memory is None:
                self._memory = self._opened()
                if self._watches:
                    from saegim.sleep import scheduler

                    care = self._memory.maintenance
                    home, idle = care.placement.home, care.close_idle_sessions
                    self._watch = scheduler.Scheduler(home, beside=idle, minds=care.placement.all)
                if self._heartbeat is not None:
                    # Whoever asks does not wait for it.
                    threading.Thread(target=self._beat, args=(self._memory,), daemon=True).start()
            return self._memory

    @property
    def is_open(self) -> bool:
        """Say whether the memory is open now."""
        return self._memory is not None

    @property
    def damage(self) -> str:
        """Say what is broken in the open store, if that was seen."""
        held = self._memory
        return held.mind.store.damage if held is not None else ""

    def is_there(self) -> bool:
        """Say whether a server under the open store answers; a file always does."""
        held = self._memory
        return held is None or held.mind.store.database.answers()

    def rest(self, after: float) -> bool:
        """Close the memory if nobody asked for so many seconds; the next call opens it again.

        What a model or a dictionary takes is given back (U11.2).
        """
        with self._lock:
            idle = time.monotonic() - self._asked_at
            if self._memory is None or self._busy or idle < after or self.long_calls.busy:
                return False
            if self._watches:
                # Nobody else would begin the night.
                return False
            self._shut()
            from saegim.engines.brain import model

            # Memories that are opened side by side share the model, so it outlives them.
            model.think.cache_clear()
            return True

    def close(self) -> None:
        """Let go of the memory; the clients are gone, and so their sessions are over."""
        self.long_calls.close()
        with self._lock:
            if self._memory is not None:
                with suppress(SaegimError):
                    self.access.flush()
            if self._guests and self._memory is not None:
                # What cannot be done in time is done by the night.
                with suppress(SaegimError):
                    self._end_sessions(self._memory)
            self._shut()

    def _beat(self, memory: saegim.Saegim) -> None:
        if self._heartbeat is not None:
            # What is wrong with the store is told to whoever asks.
            with suppress(SaegimError):
                self._heartbeat(memory)

    def _end_sessions(self, memory: saegim.Saegim) -> None:
        guests, self._guests = self._guests, {}
        for (_, session), wish in guests.items():
            self._seen(memory, wish).working.finalize_session(session)

    def _shut(self) -> None:
        memory, self._memory = self._memory, None
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        if memory is not None:
            self._beat(memory)
            memory.close()

    @contextmanager
    def _lent(self) -> Iterator[saegim.Saegim]:
        with self._lock:
            memory = self.memory
            self._busy += 1
        try:
            yield memory
        finally:
            with self._lock:
                self._busy -= 1
                self._asked_at = time.monotonic()

    def _opened(self) -> saegim.Saegim:
        try:
            return saegim.Saegim.open(self._file, **self._given)
        except OSError as error:
            raise StoreError(
                "server.cannot_be_used",
                filename=error.filename or self._file,
                reason=error.strerror,
            ) from error


SERVER_FILE: Final = server_file.FILE
_HEALTH_SECONDS: Final = 0.5
_PROOF_SECONDS: Final = 2.0
# Several times as long as the answer of a server.
_PROOF_BYTES: Final = 1000
# No call of the catalogue lasts longer: what does is told so (U6.3).
_CALL_SECONDS: Final = 30.0
# A client that is gone waits for nothing; the night does what is left.
_FAREWELL_SECONDS: Final = 2.0
# After a server did not answer, it is looked for again, but not at every call.
_LOOK_AGAIN_SECONDS: Final = 5.0
# Asked twice by accident, these would do twice: they carry a key that makes them one.
_KEYED: Final = ("memory_save",)
# Other refusals come before anything is done.
_BROKE_OFF: Final = 500
_UNHEARD: Final = (OSError, http.client.HTTPException, ValueError, RecursionError)


class ServerGone(Exception):
    """The neighbour does not answer; `perhaps` it has done what it was asked all the same."""

    def __init__(self, why: str, *, perhaps: bool = False) -> None:
        super().__init__(why)
        self.perhaps = perhaps


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A running server: where it listens, and how it is spoken to."""

    port: int
    token: str
    store: str = ""

    @classmethod
    def find(
        cls, home: Path, store: Path | None = None, user: str | None = None
    ) -> RunningServer | None:
        """Return the server of this home, if one runs and answers; asks nobody else."""
        told = server_file.believed(home)
        token = tokens.held_at(home) if told else ""
        pid, port = told.get("pid"), told.get("port")
        if not token or not isinstance(pid, int) or not isinstance(port, int):
            return None
        if store is not None and told.get("store") != str(store):
            # It serves another file of this folder.
            return None
        if user is not None and told.get("user") != user:
            return None
        found = cls(port, token, str(told.get("store", "")))
        return found if 0 < port < 65_536 and _alive(pid) and found.answers() else None

    def answers(self) -> bool:
        """Say whether it is well, and the one that knows our token."""
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_HEALTH_SECONDS)
        try:
            prove(asking, self.token)
        except _UNHEARD:
            return False
        finally:
            asking.close()
        return True

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        project: str | None = None,
        folder: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        door: str = "mcp",
        timeout: float = _CALL_SECONDS,
    ) -> Json:
        """Let it carry out a function; raise its error as ours, or ServerGone."""
        rooms = {"project": project, "folder": folder, "agent": agent, "session": session}
        body = {"arguments": dict(arguments), **rooms}
        path, more = f"/v1/call/{name}", {"Saegim-Door": door}
        status, told = self._asked(path, body, more, timeout)
        if status == 200:
            return told
        raise _error(status, told)

    def _asked(
        self, path: str, body: Json, more: Mapping[str, str], timeout: float
    ) -> tuple[int, Json]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        patience = min(timeout, _PROOF_SECONDS)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        reached = False
        try:
            # Each time: since the last call, the server may have gone and another come.
            prove(connection, self.token)
            connection.sock.settimeout(timeout)
            reached = True
            connection.request("POST", path, json.dumps(body).encode(), {**headers, **more})
            answer = connection.getresponse()
            told = json.loads(answer.read() or b"{}")
        except _UNHEARD as error:
            raise ServerGone(str(error), perhaps=reached) from error
        finally:
            connection.close()
        return answer.status, told if isinstance(told, dict) else {}


def prove(connection: http.client.HTTPConnection, token: str) -> None:
    """Connect, and let who listens show that it knows the token; raise HTTPException if not.

    What is sent afterwards goes to the same one: the connection is never made anew.
    """
    connection.connect()
    connection.auto_open = 0
    end = "{}:{}".format(*connection.sock.getpeername()[:2])
    nonce = secrets.token_hex(32)
    connection.request("GET", f"/health?nonce={nonce}")
    answer = connection.getresponse()
    told = json.loads(answer.read(_PROOF_BYTES) or b"{}")
    said = told.get("proof", "") if isinstance(told, dict) and answer.status == 200 else ""
    known = tokens.proof_of(token, nonce, end)
    if not hmac.compare_digest(str(said).encode("utf-8", "replace"), known.encode()):
        raise http.client.HTTPException("it does not know the token")
    if connection.sock is None or not answer.isclosed():
        raise http.client.HTTPException("it does not stay")


def _error(status: int, told: Json) -> SaegimError | ServerGone:
    """Return what the server says went wrong as the error it was there."""
    kind = getattr(errors, str(told.get("kind", "")), None)
    if not (isinstance(kind, type) and issubclass(kind, SaegimError)):
        # Not an answer about the wish, but about the asking (busy, shutting down, other version).
        return ServerGone(f"it answered {status}", perhaps=status == _BROKE_OFF)
    made: SaegimError = kind(str(told.get("detail", "")), next_step=str(told.get("next_step", "")))
    return made


def is_harmless_twice(name: str) -> bool:
    """Say whether a function does no more when it is asked twice; the menu says so to clients."""
    if name in _KEYED:
        return True
    known = {each["name"]: each["annotations"] for each in written_menu("full")}
    hints = known.get(name, {})
    return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))


def _keyed(wish: Call) -> Call:
    """Return the wish with a key, where it could be carried out here after it was next door."""
    if wish.name not in _KEYED or wish.arguments.get("key"):
        return wish
    return replace(wish, arguments={**wish.arguments, "key": f"once:{secrets.token_hex(8)}"})


def _unknown(name: str) -> Unavailable:
    return Unavailable("server.server_went_away_during_may", name=name)


def _alive(pid: int) -> bool:
    if os.name == "nt":
        return True
    with contextlib.suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


class ServerBackend:
    """A backend that asks a running server first, and does the work itself where there is none."""

    def __init__(self, home: Path, store: Path, own: LocalBackend, user: str | None = None) -> None:
        self._home, self._store, self._own, self._user = home, store, own, user
        self._lock = threading.Lock()
        self._neighbour: RunningServer | None = None
        self._looked_at = -_LOOK_AGAIN_SECONDS
        self._last: Call | None = None

    def call(self, wish: Call) -> Json:
        """Carry out a function next door or at home."""
        neighbour = self._found()
        if neighbour is None:
            return self._own.call(wish)
        wish = _keyed(wish)
        self._last = wish
        try:
            return neighbour.call(
                wish.name,
                wish.arguments,
                project=wish.project,
                folder=wish.folder,
                agent=wish.agent,
                session=wish.session,
                door=wish.door,
            )
        except ServerGone as gone:
            with self._lock:
                self._neighbour = None
            if gone.perhaps and not is_harmless_twice(wish.name):
                raise _unknown(wish.name) from gone
        return self._own.call(wish)

    def approve(self, wish: Call, yes: bool, version: str) -> Json:
        """Carry out a person's answer here: it is not a function that anyone may call."""
        return self._own.approve(wish, yes, version)

    def rest(self, after: float) -> bool:
        """Close what is open at home if nobody asked for so long."""
        return self._own.rest(after)

    def close(self) -> None:
        """Let go of what is held at home; next door, the session of this client is over."""
        if self._neighbour is not None and self._last is not None and self._last.session:
            last, neighbour = self._last, self._neighbour
            with contextlib.suppress(ServerGone, SaegimError):
                neighbour.call(
                    "session_end",
                    {"id": last.session},
                    project=last.project,
                    folder=last.folder,
                    agent=last.agent,
                    timeout=_FAREWELL_SECONDS,
                )
        self._own.close()

    def _found(self) -> RunningServer | None:
        with self._lock:
            now = time.monotonic()
            if self._neighbour is None and now - self._looked_at >= _LOOK_AGAIN_SECONDS:
                self._looked_at = now
                self._neighbour = RunningServer.find(self._home, self._store, self._user)
            return self._neighbour


Told = Callable[[dict[str, Any]], None]
# The conventions are in development and have no constants yet; these are their names.
_OPERATION = "gen_ai.operation.name"
_STORE = "gen_ai.memory.store.id"
_RECORD = "gen_ai.memory.record.id"
_COUNT = "gen_ai.memory.record.count"
_ERROR = "error.type"
_LISTS = ("hits", "ids", "memories", "items", "versions")


@contextmanager
def span_of(entry: CatalogueEntry, home: Path) -> Iterator[Told]:
    """Open a span around a call and close it; without an SDK nothing is done at all."""
    # The API without an SDK makes spans that go nowhere: not even they are made.
    if "opentelemetry.sdk.trace" not in sys.modules:
        yield lambda _: None
        return
    from opentelemetry import trace

    tracer = trace.get_tracer("saegim")
    # What an error says may quote someone: only its kind is told.
    with tracer.start_as_current_span(
        f"{entry.operation} {entry.name}", record_exception=False, set_status_on_exception=False
    ) as span:
        span.set_attribute(_OPERATION, entry.operation)
        span.set_attribute(_STORE, str(home))

        def told(answer: dict[str, Any]) -> None:
            if isinstance(id := answer.get("id"), str):
                span.set_attribute(_RECORD, id)
            for name in _LISTS:
                if isinstance(held := answer.get(name), list):
                    span.set_attribute(_COUNT, len(held))
                    break

        try:
            yield told
        finally:
            if (trouble := sys.exc_info()[0]) is not None:
                span.set_attribute(_ERROR, trouble.__name__)
                span.set_status(trace.StatusCode.ERROR)


def handshake() -> Json:
    """Return what the SDK says to the first questions."""
    text = files("saegim.serve.mcp").joinpath("handshake.json").read_text(encoding="utf-8")
    told: Json = json.loads(text)
    return told


def written_menu(profile: str) -> list[Json]:
    """Return the tools that a profile shows, as they were written down."""
    told = handshake()
    return [told["tools"][name] for name in told["profiles"][profile]]
