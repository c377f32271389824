"""Clients: what would be written into their files, shown before a button writes exactly that."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path

from starlette.responses import Response

from saegim.errors import Refused
from saegim.serve.clients import roster
from saegim.serve.clients.flow import (
    ClientPlace,
    InstallPlan,
    carry_out,
    hooks_file,
    one,
    to_install,
    to_uninstall,
)
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.transcript_position import PROJECTS, watch
from saegim.serve.rest.problems import without
from saegim.serve.web.site import Json, Notice, PageRoute, Visit
from saegim.settings import STORE, data_directory, read_settings


def all_clients(visit: Visit) -> list[Json]:
    """Return every client as it stands; whose machine this is, their clients are here."""
    if not visit.grant.is_own:
        return []
    where = ClientPlace(roster.Machine.here())
    return [_told(visit, each, where) for each in roster.CLIENTS]


def _told(visit: Visit, each: roster.Client, where: ClientPlace) -> Json:
    hidden, state = visit.site.security.hidden, one(each, where)
    return {
        "name": each.name,
        "title": each.title,
        "found": state.found,
        "connected": state.installed,
        "problem": without(visit.speech.translated(state.problem), hidden),
    }


def client(visit: Visit) -> Response:
    """Show what connecting or disconnecting a client would change, line by line."""
    visit.grant.refuse_people()
    chosen, where = roster.named(visit.id), ClientPlace(roster.Machine.here())
    told = _told(visit, chosen, where)
    plan = _plan(visit, chosen, where, leave=told["connected"])
    hidden = visit.site.security.hidden
    return visit.show(
        "client.html",
        client=told,
        changes=plan.changes,
        version=version_of(plan),
        edits=[without(each.diff(), hidden) for each in plan.edits if each.changes],
    )


def _plan(visit: Visit, chosen: roster.Client, where: ClientPlace, *, leave: bool) -> InstallPlan:
    if leave:
        return to_uninstall(chosen, where, visit.memory.home)
    words = (*roster.running(), *_front(visit))
    return to_install(chosen, where, words, ("mcp",), hook=True)


def _store(visit: Visit) -> Path | None:
    """Return the file that a client must be told of; nothing where it finds it by itself."""
    file = Path(visit.memory.mind.store.path).absolute()
    usual = data_directory(os.environ | {"SAEGIM_HOME": ""}).absolute() / STORE
    return None if file == usual else file


def _front(visit: Visit) -> list[str]:
    """Return what says whose memory this is, where a client would not find out by itself."""
    memory, file = visit.memory, _store(visit)
    user = memory.scope.user
    named = {
        "--path": None if file is None else str(file),
        "--user": None if user == read_settings(memory.home, {}).user else user,
    }
    return [word for name, each in named.items() if each for word in (name, each)]


def version_of(plan: InstallPlan) -> str:
    """Return a digest of what would be written where, and over what."""
    made = hashlib.sha256()
    for each in plan.edits:
        for part in (str(each.path).encode(), each.before or b"", each.after or b""):
            made.update(len(part).to_bytes(8, "big") + part)
    return made.hexdigest()


def write(visit: Visit) -> Response:
    """Write exactly what was shown; if a file changed meanwhile, nothing is written."""
    visit.grant.refuse_people()
    chosen, where = roster.named(visit.id), ClientPlace(roster.Machine.here())
    leave = visit.given("act") == "disconnect"
    plan = _plan(visit, chosen, where, leave=leave)
    if visit.given("version") != version_of(plan):
        raise Refused("web.files_changed_meanwhile", client=chosen.title)
    memory, now = visit.memory, datetime.now().astimezone()
    copies = carry_out(plan, memory.home, now, install=not leave)
    if not leave and (settings := hooks_file(chosen, where)) is not None:
        # Sessions are heard from now on, also those that a hook did not reach.
        given = HookCall(
            home=memory.home,
            file=_store(visit),
            user=memory.scope.user,
            environment=dict(os.environ),
        )
        watch(memory.home, str(settings.parent / PROJECTS), given.owner, now)
    said = [visit.speech("was disconnected" if leave else "was connected", client=chosen.title)]
    hidden = visit.site.security.hidden
    said += [
        visit.speech("lies as it was", path=without(str(each), hidden)) for each in copies.values()
    ]
    if not leave:
        said.append(visit.speech("start it anew", client=chosen.title))
    return visit.back(Notice(" ".join(said)), to="/status")


ROUTES = (
    PageRoute("GET", "/status/clients/{id}", client),
    PageRoute("POST", "/status/clients/{id}", write),
)
