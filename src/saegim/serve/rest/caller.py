"""Who calls, from where and through which door: what the headers of a request say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from saegim.errors import BadInput, Refused
from saegim.memory.memory import checked_name
from saegim.serve.access import GRANT, OWN, Grant
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.catalogue.entry import CatalogueEntry, Door, Profile

Json = dict[str, Any]
PROJECT, FOLDER, AGENT, DOOR = "Saegim-Project", "Saegim-Folder", "Saegim-Agent", "Saegim-Door"
_MOST_PATH = 4096


@dataclass(frozen=True, slots=True)
class Caller:
    """What a request says about who makes it; whose memory it is, only its token says."""

    project: str | None = None
    folder: str | None = None
    agent: str | None = None
    door: Door = Door.REST
    session: str | None = None
    # Not part of what makes two requests the same: a token may be renewed between them.
    by: Grant = field(default=OWN, repr=False)

    def refuse_people(self, entry: CatalogueEntry) -> None:
        """Refuse what is for people and their own programs when a model or a hook asks."""
        if entry.profile is Profile.PEOPLE and self.door is not Door.REST:
            raise Refused("server.people_not_for_agents", name=entry.name, command=entry.command)

    def ask(
        self, backend: LocalBackend, entry: CatalogueEntry, arguments: Mapping[str, Any]
    ) -> Json:
        """Carry out a function in the caller's scope; it may wait, so it is called in a thread."""
        wish = Call(
            name=entry.name,
            arguments=arguments,
            project=self.project,
            folder=self.folder,
            agent=self.agent,
            session=self.session,
            door=self.door.value,
            by=self.by,
        )
        return backend.call(wish)

    def told_by(self, body: Mapping[str, Any]) -> Caller:
        """Return who calls after what the body says about it, which goes before the headers."""
        rooms: dict[str, str | None] = {}
        for name in ("project", "folder", "agent", "session"):
            value = body.get(name)
            if value is not None and not isinstance(value, str):
                raise BadInput("server.call_is_not_text", name=name)
            rooms[name] = value if value is not None else getattr(self, name)
        if rooms["session"] is not None:
            checked_name("session", rooms["session"])
        return Caller(
            rooms["project"],
            _folder(rooms["folder"]),
            rooms["agent"],
            self.door,
            rooms["session"],
            self.by,
        )


def caller_of(request: Request) -> Caller:
    """Read who calls from the headers."""
    door = _header(request, DOOR)
    if door is not None and door not in tuple(Door):
        raise BadInput("server.no_door", door=door, known=", ".join(Door))
    return Caller(
        project=_header(request, PROJECT),
        folder=_folder(_header(request, FOLDER)),
        agent=_header(request, AGENT),
        door=Door(door) if door else Door.REST,
        by=grant_of(request),
    )


def grant_of(request: Request) -> Grant:
    """Return what the guard found that the token of a request opens."""
    grant: Grant = request.scope.get(GRANT, OWN)
    return grant


def _folder(folder: str | None) -> str | None:
    if folder is not None and (len(folder) > _MOST_PATH or not Path(folder).is_absolute()):
        raise BadInput("server.cannot_be_give_whole", folder=FOLDER, given=folder)
    return folder


def _header(request: Request, name: str) -> str | None:
    """Return a header as text: UTF-8 as it is, or percent-encoded after UTF-8''."""
    given = request.headers.getlist(name)
    if not given:
        return None
    if len(given) > 1:
        raise BadInput("server.given_twice", name=name)
    raw = given[0].encode("latin-1")
    try:
        if raw.lower().startswith(b"utf-8''"):
            return unquote(raw[7:].decode("ascii"), errors="strict")
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput("server.not_utf_8", name=name) from error
