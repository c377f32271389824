"""Every function of the catalogue as an address, and the addresses beside them."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import anyio
import anyio.to_thread
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from saegim.errors import BadInput, Refused, SaegimError, StoreError
from saegim.importers.formats import unknown
from saegim.importers.intake import OWN
from saegim.serve.access import READ as READS
from saegim.serve.access import Grant, seen_by
from saegim.serve.backend import LocalBackend
from saegim.serve.catalogue.catalogue import CATALOGUE, entry_of
from saegim.serve.catalogue.entry import CatalogueEntry, Door, Effect
from saegim.serve.front import ADDRESS as COMMAND
from saegim.serve.hooks import flow as hooks
from saegim.serve.hooks.hook_main import ADDRESS as HOOK
from saegim.serve.rest import openapi
from saegim.serve.rest.caller import Caller, caller_of, grant_of
from saegim.serve.rest.idempotency import HEADER, DurableReplays, Replays, checked_key, print_of
from saegim.serve.rest.problems import problem, speech_for
from saegim.serve.rest.security import READ, Security
from saegim.serve.terminal import json_text

Json = dict[str, Any]
ROOT = "/v1"
# What an address takes a name from, if more follows by which it ends.
_BEFORE_MORE = re.compile(r"{(\w+)}(?=/)")
# What is asked all day, each with an address of its own that takes nothing from it.
OFTEN = ("memory_search", "auto_search", "memory_save", "memory_observe")


@dataclass(slots=True)
class Desk:
    """Takes requests in and carries them into the backend, each in a thread."""

    backend: LocalBackend
    security: Security
    limiter: anyio.CapacityLimiter
    replays: Replays = field(default_factory=Replays)

    async def serve(
        self, entry: CatalogueEntry, request: Request, read: Callable[[], Json]
    ) -> Response:
        """Answer a request for a function of the catalogue."""
        try:
            caller, arguments = caller_of(request), read()
            return await self.carried(entry, request, caller, arguments)
        except SaegimError as error:
            return self.failed(request, error)

    async def named(self, request: Request) -> Response:
        """Answer a request that names its function: what other processes of ours use."""
        try:
            entry = entry_of(request.path_params["name"])
            _refuse_query(entry.name, request)
            body = _object(request)
            if unknown := sorted(set(body) - set(openapi.CALL["properties"])):
                raise BadInput("server.call_takes_no", unknown=unknown[0])
            caller = caller_of(request).told_by(body)
            return await self.carried(entry, request, caller, body.get("arguments", {}))
        except SaegimError as error:
            return self.failed(request, error)

    async def hook(self, request: Request) -> Response:
        """Answer the event of an agent's hook: what our own program asks here, and nobody else."""
        try:
            grant_of(request).refuse_people()
            _refuse_query("hook", request)
            answer = partial(hooks.for_neighbour, _object(request))
            told = await self.in_thread(partial(self.backend.attend, answer))
            return Response(json_text(told).encode("utf-8"), media_type="application/json")
        except SaegimError as error:
            return self.failed(request, error)

    async def command(self, request: Request) -> Response:
        """Carry out a command for a process of our own program that has no memory open."""
        try:
            grant_of(request).refuse_people()
            _refuse_query("command", request)
            told = await self.in_thread(partial(self.backend.command, _object(request)))
            return Response(json_text(told).encode("utf-8"), media_type="application/json")
        except SaegimError as error:
            return self.failed(request, error)

    async def carried(
        self, entry: CatalogueEntry, request: Request, caller: Caller, arguments: Any
    ) -> Response:
        """Carry out a function, once for each key."""
        caller.refuse_people(entry)
        caller.by.refuse(entry)
        if not isinstance(arguments, dict):
            raise BadInput("server.arguments_is_not_object")
        key = request.headers.get(HEADER)
        if key is None or request.method == "GET":
            return await self._answered(entry, caller, arguments)
        path, query = request.url.path, request.url.query
        known_by = print_of(checked_key(key), request.method, path, query, repr(caller), arguments)
        saves = entry.name == "memory_save"
        if saves and arguments.get("key") is None:
            # What is kept once stays kept once, also after this process has ended.
            arguments = {**arguments, "key": checked_key(key)}

        async def carry() -> Response:
            try:
                return await self._answered(entry, caller, arguments)
            except SaegimError as error:
                return self.failed(request, error)

        user, durable = caller.by.user, None
        if entry.effect is not Effect.READS:
            durable = DurableReplays(self.backend, saves, user)
        return await self.replays.once(key, known_by, carry, durable, user)

    async def _answered(
        self, entry: CatalogueEntry, caller: Caller, given: Mapping[str, Any]
    ) -> Response:
        told = await self.in_thread(partial(caller.ask, self.backend, entry, given))
        return Response(json_text(told).encode("utf-8"), media_type="application/json")

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Do what may wait where it holds up nobody."""
        return await anyio.to_thread.run_sync(work, limiter=self.limiter)

    async def export(self, request: Request) -> Response:
        """Answer with everything this user has, as our JSONL or as seed D's orbs."""
        try:
            caller = caller_of(request)
            if caller.door is not Door.REST:
                raise Refused("server.export_is_for_people")
            _refuse_query("export", request, "form")
            if not caller.by.is_admin:
                caller.by.refuse_without(READS, "export")
            form = request.query_params.get("form", OWN)
            parts = await self.in_thread(partial(exported, self.backend, form, caller.by))
        except SaegimError as error:
            return self.failed(request, error)
        return StreamingResponse(parts, media_type=openapi.MEDIA[form])

    def failed(self, request: Request, error: SaegimError) -> Response:
        """Return the answer to a request that could not be carried out."""
        speech = speech_for(request.headers.get("accept-language", ""))
        return problem(error, request.url.path, speech, self.security.hidden)


def add_routes(app: FastAPI, desk: Desk) -> None:
    """Add every address under /v1."""
    for name in OFTEN:
        # Answered before all other addresses are looked through; those below describe them.
        entry = CATALOGUE[name]
        endpoint = _endpoint(desk, entry, partial(_given, entry))
        app.router.routes.append(Route(f"{ROOT}{entry.route[1]}", endpoint, methods=["POST"]))
    for entry in CATALOGUE.values():
        _add(app, desk, entry, entry.route, partial(_given, entry), entry.name)
    gone = CATALOGUE["memory_delete"]
    _add(app, desk, gone, ("DELETE", "/memories/{id}"), _one_id, openapi.ONE)
    app.add_api_route(
        f"{ROOT}/call/{{name}}",
        desk.named,
        methods=["POST"],
        operation_id=openapi.CALLED,
        tags=["any"],
        description="Carry out any function of the catalogue by its name.",
    )
    # Not for others: it changes with the program that asks, which is the one beside it.
    app.add_api_route(HOOK, desk.hook, methods=["POST"], include_in_schema=False)
    app.add_api_route(COMMAND, desk.command, methods=["POST"], include_in_schema=False)
    app.add_api_route(
        f"{ROOT}/export",
        desk.export,
        methods=["GET"],
        operation_id=openapi.EXPORT,
        tags=["upkeep"],
        description="Stream everything this user has as JSONL, or with form=orbs as seed D's "
        "memories and forgetting queue; `saegim import` reads it back.",
    )


def _add(
    app: FastAPI,
    desk: Desk,
    entry: CatalogueEntry,
    route: tuple[str, str],
    read: Callable[[Request], Json],
    name: str,
) -> None:
    method, path = route

    app.add_api_route(
        # A session may be named by whoever holds it: "a/b", sent as a%2Fb, is one name.
        ROOT + _BEFORE_MORE.sub(r"{\1:path}", path),
        _endpoint(desk, entry, read),
        methods=[method],
        operation_id=name,
        tags=[entry.call.__module__.rpartition(".")[2]],
        description=entry.description,
    )


def _endpoint(
    desk: Desk, entry: CatalogueEntry, read: Callable[[Request], Json]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await desk.serve(entry, request, partial(read, request))

    return endpoint


# -- what a request asks for ----------------------------------------------------------------------


def _given(entry: CatalogueEntry, request: Request) -> Json:
    """Return the arguments of a request: from its address, and from its query or its body."""
    path = dict(request.path_params)
    if entry.route[0] == "GET":
        rest = _query(entry, request)
    else:
        _refuse_query(entry.name, request)
        rest = _object(request)
    for name in path:
        if name in rest:
            raise BadInput("server.takes_no", name=entry.name, other_name=name)
    return {**path, **rest}


def _one_id(request: Request) -> Json:
    _refuse_query("memory_delete", request)
    if _object(request):
        raise BadInput("server.memory_delete_takes_no_body")
    return {"ids": [request.path_params["id"]]}


def _query(entry: CatalogueEntry, request: Request) -> Json:
    counted = Counter(name for name, _ in request.query_params.multi_items())
    for name, count in counted.items():
        if count > 1:
            raise BadInput("server.given_twice_give_once", name=entry.name, other_name=name)
    return dict(request.query_params)


def _refuse_query(name: str, request: Request, *known: str) -> None:
    """Refuse what nobody would read, and what is said twice (U30.1)."""
    seen = [each for each, _ in request.query_params.multi_items()]
    for each in seen:
        if each not in known:
            raise BadInput("server.takes_no_in_address", name=name, each=each)
        if seen.count(each) > 1:
            raise BadInput("server.given_twice_2", name=name, each=each)


def _object(request: Request) -> Json:
    body = request.scope.get(READ, {})
    if not isinstance(body, dict):
        raise BadInput("server.body_is_not_json_object")
    return body


_PART = 64 * 1024


def exported(backend: LocalBackend, form: str = OWN, by: Grant = Grant()) -> Iterator[bytes]:
    """Write an export and return its parts; no file is left, whatever becomes of the reader."""
    if form not in openapi.MEDIA:
        raise unknown(form, tuple(openapi.MEDIA))
    memory = seen_by(backend.memory, by)
    try:
        with tempfile.TemporaryDirectory(prefix="saegim-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / "export"
            memory.export_to(file, form=form)
            held = file.open("rb")
    except OSError as error:
        raise StoreError("server.export_could_not_be_written", reason=error.strerror) from error
    return _parts(held)


def _parts(held: BinaryIO) -> Iterator[bytes]:
    with held:
        while part := held.read(_PART):
            yield part
