"""`Neighbour`: a Saegim server that runs on this machine already; and the house that asks it first.

A client's stdio process then loads neither the store nor a model: one server holds them for all
(U11.3). Where the server is gone, the call is carried out here, and nothing is done twice: what
cannot be repeated safely is told to the caller as unknown. Whoever listens there shows first that
it knows the token; neither the token nor a word of anybody leaves before that (M10).
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from saegim import errors
from saegim.errors import SaegimError, Unavailable
from saegim.serve.house import AtHome, Call
from saegim.serve.mcp.doorstep import written_menu
from saegim.serve.rest import nameplate
from saegim.serve.rest import token as tokens

Json = dict[str, Any]
SERVER_FILE: Final = nameplate.FILE
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


class Gone(Exception):
    """The neighbour does not answer; `perhaps` it has done what it was asked all the same."""

    def __init__(self, why: str, *, perhaps: bool = False) -> None:
        super().__init__(why)
        self.perhaps = perhaps


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A running server: where it listens, and how it is spoken to."""

    port: int
    token: str
    store: str = ""

    @classmethod
    def find(
        cls, home: Path, store: Path | None = None, user: str | None = None
    ) -> Neighbour | None:
        """Return the server of this home, if one runs and answers; asks nobody else."""
        told = nameplate.believed(home)
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
        """Let it carry out a function; raise its error as ours, or Gone if it does not answer."""
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
            raise Gone(str(error), perhaps=reached) from error
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


def _error(status: int, told: Json) -> SaegimError | Gone:
    """Return what the server says went wrong as the error it was there."""
    kind = getattr(errors, str(told.get("kind", "")), None)
    if not (isinstance(kind, type) and issubclass(kind, SaegimError)):
        # Not an answer about the wish, but about the asking (busy, shutting down, other version).
        return Gone(f"it answered {status}", perhaps=status == _BROKE_OFF)
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


class Nearby:
    """A house that asks the neighbour first, and does the work itself where there is none."""

    def __init__(self, home: Path, store: Path, own: AtHome, user: str | None = None) -> None:
        self._home, self._store, self._own, self._user = home, store, own, user
        self._lock = threading.Lock()
        self._neighbour: Neighbour | None = None
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
        except Gone as gone:
            with self._lock:
                self._neighbour = None
            if gone.perhaps and not is_harmless_twice(wish.name):
                raise _unknown(wish.name) from gone
        return self._own.call(wish)

    def approve(self, wish: Call, yes: bool) -> Json:
        """Carry out a person's answer here: it is not a function that anyone may call."""
        return self._own.approve(wish, yes)

    def rest(self, after: float) -> bool:
        """Close what is open at home if nobody asked for so long."""
        return self._own.rest(after)

    def close(self) -> None:
        """Let go of what is held at home; next door, the session of this client is over."""
        if self._neighbour is not None and self._last is not None and self._last.session:
            last, neighbour = self._last, self._neighbour
            with contextlib.suppress(Gone, SaegimError):
                neighbour.call(
                    "session_end",
                    {"id": last.session},
                    project=last.project,
                    folder=last.folder,
                    agent=last.agent,
                    timeout=_FAREWELL_SECONDS,
                )
        self._own.close()

    def _found(self) -> Neighbour | None:
        with self._lock:
            now = time.monotonic()
            if self._neighbour is None and now - self._looked_at >= _LOOK_AGAIN_SECONDS:
                self._looked_at = now
                self._neighbour = Neighbour.find(self._home, self._store, self._user)
            return self._neighbour
