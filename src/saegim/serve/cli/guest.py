"""Commands of other processes, carried out where the memory is open already.

`serve.front` asks for them. The same functions run as in a process of their own, with the words,
the folder and the terminal of who asks; what needs more of them than that is left to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import saegim
from saegim.errors import BadInput
from saegim.serve.cli.plain import carried_out
from saegim.serve.cli.talk import Talk, handles_in
from saegim.serve.front import COMMANDS, ENVIRONMENT, NEEDED
from saegim.serve.terminal import SEAT, Seat
from saegim.settings import read_settings

Json = dict[str, Any]


class NotHere(Exception):
    """Only the process that asks can do this."""


class _Wanted(Exception):
    """The command reads what is piped into the process that asks."""


class _Written(StringIO):
    """One stream of a guest: what is written goes behind what both have written before."""

    def __init__(self, name: str, parts: list[list[str]], *, is_terminal: bool) -> None:
        super().__init__()
        self._name, self._parts, self._is_terminal = name, parts, is_terminal

    def write(self, text: str) -> int:
        self._parts.append([self._name, text])
        return len(text)

    def isatty(self) -> bool:
        return self._is_terminal


class GuestSeat(Seat):
    """Where a command is asked in another process, as that process says."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.parts: list[list[str]] = []
        self._asked = asked
        self._out = _Written("out", self.parts, is_terminal=asked["terminals"][1])
        self._err = _Written("err", self.parts, is_terminal=asked["terminals"][2])
        self.size = tuple(asked["size"]) if asked["size"] else None

    @property
    def environment(self) -> Mapping[str, str]:
        """Return what was told of the environment."""
        told: Mapping[str, str] = self._asked["environment"]
        return told

    @property
    def folder(self) -> Path | None:
        """Return the folder of who asks."""
        return Path(self._asked["folder"]) if self._asked["folder"] else None

    @property
    def program(self) -> tuple[str, str]:
        """Return how our program is called there."""
        script, python = self._asked["program"]
        return script, python

    def stream(self, *, error: bool = False) -> StringIO:
        """Return what is written on behalf of who asks."""
        return self._err if error else self._out

    @property
    def is_typed_at(self) -> bool:
        """Say whether somebody types there."""
        return bool(self._asked["terminals"][0])

    def piped(self) -> bytes:
        """Return what is piped in there; where it was not told yet, who asks is asked for it."""
        if self.is_typed_at:
            raise NotHere
        if self._asked["input"] is None:
            raise _Wanted
        return str(self._asked["input"]).encode("latin-1")


@dataclass(slots=True)
class GuestTalk(Talk):
    """An exchange with a command elsewhere, about the memory that is open here."""

    lent: saegim.Saegim | None = None

    def begin(self, command: str | None, log_level: str) -> None:  # noqa: ARG002
        """Begin one of the commands for guests; how much is logged, the server has settled."""
        if command not in COMMANDS:
            self.refuse_guests()

    def refuse_guests(self) -> None:
        """Leave it to the process that asks."""
        raise NotHere

    @property
    def file(self) -> Path | None:
        """Return the store that is served."""
        return self._served.mind.store.path

    @property
    def home(self) -> Path:
        """Return the folder of what is served."""
        return self._served.home

    @property
    def person(self) -> bool:
        """Say that nobody can be asked from here."""
        return False

    @property
    def _served(self) -> saegim.Saegim:
        assert self.lent is not None
        return self.lent

    @contextmanager
    def memory(
        self,
        *,
        new: bool = False,  # noqa: ARG002
        here: bool = False,
        trial: bool = False,
    ) -> Iterator[saegim.Saegim]:
        """Lend the open memory, as the process that asks would see it; it stays open."""
        memory, set = self._served, read_settings(self.home)
        plain = (memory.scope.project, memory.scope.agent) == (set.project, set.agent)
        if trial or self.user or self.agent or not plain:
            self.refuse_guests()
        if self.project is not None:
            memory = memory.within(project=self.project)
        if not self.ids:
            self.speech = replace(self.speech, handle=handles_in(memory))
        yield self._placed(memory) if here else memory


def carried_out_for(memory: saegim.Saegim, asked: Json) -> Json:
    """Carry out a command for a process that asks; return what it writes and how it ends."""
    seat = GuestSeat(_checked(asked))
    held = SEAT.set(seat)
    try:
        code = carried_out(asked["words"], GuestTalk(lent=memory))
    except NotHere:
        return {"declined": True}
    except _Wanted:
        return {"wanted": "input"}
    finally:
        SEAT.reset(held)
    return {"code": code, "written": seat.parts}


def _checked(asked: Json) -> Json:
    """Return what a process says about itself; refuse what is not said as ours says it."""
    if set(asked) != NEEDED or not isinstance(asked["environment"], dict):
        raise BadInput("server.request_not_understood")
    environment: dict[Any, Any] = asked["environment"]
    texts = (asked["words"], asked["program"], [*environment, *environment.values()])
    well = all(_are(str, each) for each in texts) and len(asked["program"]) == 2
    well = well and _are(bool, asked["terminals"]) and len(asked["terminals"]) == 3
    well = well and (
        asked["size"] is None or (_are(int, asked["size"]) and len(asked["size"]) == 2)
    )
    well = well and all(isinstance(asked[name], str | None) for name in ("folder", "input"))
    # A clock of another place reads other days in the same words.
    here = well and environment.get("TZ") == os.environ.get("TZ")
    if not here or not set(environment) <= ENVIRONMENT:
        raise BadInput("server.request_not_understood")
    return asked


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(isinstance(each, kind) for each in values)
