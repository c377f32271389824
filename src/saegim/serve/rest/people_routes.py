"""What the administrator's token opens: people, their tokens and links, and nobody's memory.

They stand in no description of the catalogue, which is for programs of people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

import saegim
from saegim.errors import BadInput, Forbidden, SaegimError
from saegim.serve import access
from saegim.serve.access import person_json, token_json
from saegim.serve.rest.caller import grant_of
from saegim.serve.rest.routes import ROOT, Desk
from saegim.serve.rest.security import READ
from saegim.serve.terminal import json_text
from saegim.store.tables.people_table import QUOTAS

Json = dict[str, Any]
_LIMITS = {each: (int, type(None)) for each in QUOTAS}
_PERSON = {"name": (str,), "with_memories": (bool,), **_LIMITS}
_TOKEN = {"label": (str,), "rights": (list,), "days": (int, type(None))}


def add_people_routes(app: FastAPI, desk: Desk) -> None:
    """Add every address of the administrator under /v1/users."""
    person, tokens = f"{ROOT}/users/{{name}}", f"{ROOT}/users/{{name}}/tokens"
    for method, path, work in (
        ("GET", f"{ROOT}/users", _people),
        ("POST", f"{ROOT}/users", _add),
        ("PUT", person, _limit),
        ("DELETE", person, _remove),
        ("GET", tokens, _tokens),
        ("POST", tokens, _new_token),
        ("DELETE", f"{tokens}/{{id}}", _revoke),
        ("POST", f"{person}/links", _link),
        ("POST", f"{person}/move", _move),
    ):
        app.add_api_route(path, _endpoint(desk, work), methods=[method], include_in_schema=False)


def _endpoint(desk: Desk, work: Callable[[saegim.Saegim, Request], Json]) -> Callable[..., Any]:
    async def endpoint(request: Request) -> Response:
        try:
            if not grant_of(request).is_admin:
                raise Forbidden("people.only_administrator")
            told = await desk.in_thread(partial(_carried, desk, work, request))
            return Response(json_text(told).encode("utf-8"), media_type="application/json")
        except SaegimError as error:
            return desk.failed(request, error)

    return endpoint


def _carried(desk: Desk, work: Callable[[saegim.Saegim, Request], Json], request: Request) -> Json:
    return work(desk.backend.memory, request)


def _body(request: Request, known: Mapping[str, tuple[type, ...]], *needed: str) -> Json:
    """Return the fields of a body; refuse one that is unknown, missing or of another kind."""
    body, names = request.scope.get(READ, {}), ", ".join(known)
    if not isinstance(body, dict):
        raise BadInput("server.body_is_not_json_object")
    if unknown := sorted(set(body) - set(known)):
        raise BadInput("people.body_takes_no", name=unknown[0], known=names)
    for name in (*needed, *body):
        kinds, value = known[name], body.get(name)
        is_number = isinstance(value, bool) and bool not in kinds
        if name not in body or not isinstance(value, kinds) or is_number:
            raise BadInput("people.body_needs", name=name, known=names)
    return body


def _name(request: Request) -> str:
    return str(request.path_params["name"])


def _people(memory: saegim.Saegim, _: Request) -> Json:
    people, where = memory.mind.store.people.all(), memory.maintenance.placement.where
    return {"users": [{**person_json(each), "store": where(each.name)} for each in people]}


def _add(memory: saegim.Saegim, request: Request) -> Json:
    body = _body(request, _PERSON, "name")
    quota = access.quota_of(**{each: body.get(each) for each in QUOTAS})
    with_memories = bool(body.get("with_memories", False))
    made = access.add_person(memory, body["name"], quota, with_memories=with_memories)
    return {"user": person_json(made)}


def _limit(memory: saegim.Saegim, request: Request) -> Json:
    body = _body(request, _LIMITS)
    people = memory.mind.store.people
    held = asdict(people.named(_name(request)).quota)
    made = people.limit(_name(request), access.quota_of(**{**held, **body}))
    return {"user": person_json(made)}


def _remove(memory: saegim.Saegim, request: Request) -> Json:
    memory.mind.store.people.remove(_name(request))
    return {"removed": _name(request)}


def _tokens(memory: saegim.Saegim, request: Request) -> Json:
    store = memory.mind.store
    store.people.named(_name(request))
    return {"tokens": [token_json(each) for each in store.tokens.all(_name(request))]}


def _new_token(memory: saegim.Saegim, request: Request) -> Json:
    body = _body(request, _TOKEN)
    if not all(isinstance(each, str) for each in body.get("rights", ())):
        raise BadInput("people.body_needs", name="rights", known=", ".join(_TOKEN))
    token, row = access.new_token(memory, _name(request), **body)
    return {"token": token, **token_json(row)}


def _revoke(memory: saegim.Saegim, request: Request) -> Json:
    store = memory.mind.store
    row = store.tokens.revoke(str(request.path_params["id"]), _name(request), memory.mind.now())
    return token_json(row)


def _move(memory: saegim.Saegim, request: Request) -> Json:
    body = _body(request, {"to": (str,)}, "to")
    return access.move_person(memory, _name(request), body["to"])


def _link(memory: saegim.Saegim, request: Request) -> Json:
    _body(request, {})
    code = access.new_link(memory, _name(request))
    return {"link": f"{str(request.base_url).rstrip('/')}/in?code={code}"}
