"""`Site`: the pages as one application: who may see them, in which language, from which template.

A page is a module in `pages/` with `ROUTES`, a template, and a line in `NAVIGATION`. Its functions
take a `Visit` and ask the catalogue, as every other door does.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlencode

import anyio
import anyio.to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

import saegim
from saegim.errors import BadInput, Forbidden, SaegimError, StoreError
from saegim.memory.clock import day_ended_by, from_micros
from saegim.memory.memory import COLOURS, Feeling, Kind, Lifetime, Origin, Tier
from saegim.serve.access import OWN, Grant, seen_by
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.catalogue.entry import MOST_IDS
from saegim.serve.rest.problems import Trouble, problem, speech_for, status_of, without
from saegim.serve.rest.rate_limit import Bucket
from saegim.serve.rest.security import Security
from saegim.serve.speech import Speech
from saegim.serve.terminal import json_text
from saegim.serve.web.door import Visits, is_page, is_token_for, token_for

if TYPE_CHECKING:
    from saegim.serve.web.pages.transfer_page import Transfer

Json = dict[str, Any]
COOKIE, LANGUAGE, THEME = "saegim", "saegim_language", "saegim_theme"
_HERE = Path(__file__).parent
_YEAR = 365 * 86_400
# As many memories as are held or let go of at once (`sleep.forget`).
MOST_CHOSEN = 1000
# Of more than can be chosen it is still read that they are too many.
_MOST_FIELDS = 20 * MOST_CHOSEN
_HTML = "text/html; charset=utf-8"
# What a program is told that comes to an address of the pages.
_REFUSED = {
    401: ("NoLink", "server.pages_need_link"),
    404: ("Http", "server.nothing_here"),
    405: ("Http", "server.no_such_method"),
    429: ("TooMany", "server.too_many_strangers"),
}


class NavLine(NamedTuple):
    """One line of the navigation: the name of its module, template and words, and its address."""

    name: str
    address: str


# A page that is added to the house is one more line here.
NAVIGATION = (
    NavLine("today", "/"),
    NavLine("memories", "/memories"),
    NavLine("about", "/about"),
    NavLine("recall", "/recall"),
    NavLine("cliff", "/cliff"),
    NavLine("proposals", "/proposals"),
    NavLine("self", "/self"),
    NavLine("islands", "/islands"),
    NavLine("imagination", "/imagination"),
    NavLine("voices", "/voices"),
    NavLine("learning", "/learning"),
    NavLine("night", "/night"),
    NavLine("ledger", "/ledger"),
    NavLine("status", "/status"),
)


class PageRoute(NamedTuple):
    """An address of a page: its method, its path, and the function that answers."""

    method: str
    path: str
    answer: Callable[[Visit], Response]


@dataclass(frozen=True, slots=True)
class Notice:
    """What is told on the next page, and a form that takes it back, if there is one."""

    text: str
    undo: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    wrong: bool = False
    # Where it is told, if not where the form stood.
    to: str = ""


@dataclass
class Visit:
    """One request of a person who is in: what they ask for, and how they are answered."""

    site: Site
    request: Request
    cookie: str
    speech: Speech
    fields: Mapping[str, list[str]] = field(default_factory=dict)
    # Whose cookie it is; nothing for who is not in.
    by: Grant | None = None

    def ask(self, function: str, /, **arguments: Any) -> Json:
        """Let the catalogue carry out a function; what is None or empty was not asked for."""
        given = {name: each for name, each in arguments.items() if each not in (None, "")}
        return self.site.backend.call(Call(name=function, arguments=given, by=self.grant))

    @property
    def grant(self) -> Grant:
        """Return what the cookie opens; who is not in has none."""
        if self.by is None:
            raise Forbidden("server.pages_need_link")
        return self.by

    @property
    def memory(self) -> saegim.Saegim:
        """Return the memory of who is in, and no other."""
        return seen_by(self.site.backend.memory, self.grant)

    def told(self, function: str, /, **arguments: Any) -> Json:
        """Return what a function tells that answers with one document."""
        held: Json = self.ask(function, **arguments)["told"]
        return held

    def for_all(self, function: str, ids: list[str], **arguments: Any) -> Json:
        """Let a function be carried out for all that was chosen, in one go: for all or for none."""
        given = {name: each for name, each in arguments.items() if each not in (None, "")}
        given["ids"] = ids[:MOST_IDS]
        wish = Call(name=function, arguments=given, by=self.grant, chosen=tuple(ids))
        return self.site.backend.call(wish)

    @property
    def query(self) -> dict[str, str]:
        """Return what the address asks for."""
        return {name: value.strip() for name, value in self.request.query_params.items()}

    @property
    def id(self) -> str:
        """Return the id in the address."""
        return str(self.request.path_params["id"])

    def given(self, name: str, default: str = "") -> str:
        """Return a field of the form."""
        return self.fields.get(name, [default])[0]

    @property
    def is_part(self) -> bool:
        """Say whether a script asks for a part of the page."""
        return self.request.headers.get("hx-request") == "true"

    def say(self, key: str, /, **values: object) -> str:
        """Return a sentence of the pages."""
        return self.speech(f"web.{key}", **values)

    def show(self, template: str, status: int = 200, /, **values: Any) -> Response:
        """Answer with a template."""
        return self.site.page(self, template, status, values)

    def json(self, document: Any) -> Response:
        """Answer a script with data."""
        return Response(json_text(document), media_type="application/json")

    def back(self, notice: Notice | str | None = None, to: str = "") -> Response:
        """Lead back to the page that the form stood on, and tell there what was done."""
        told = Notice(notice) if isinstance(notice, str) else notice
        place = to or (told and told.to) or self.given("back", "/")
        if not is_page(re.split("[?#]", place, maxsplit=1)[0]) or place.startswith("//"):
            place = "/"
        if told is not None:
            self.site.notices[self.cookie] = told
        if self.is_part:
            return Response(status_code=204, headers={"HX-Redirect": place})
        return RedirectResponse(place, 303)


class Site:
    """The pages of one memory."""

    def __init__(self, backend: LocalBackend, security: Security, threads: int) -> None:
        settings = backend.memory.mind.settings
        self.backend, self.security = backend, security
        self.visits = Visits(
            backend.memory.home,
            link_minutes=settings.page_link_minutes,
            visit_days=settings.page_visit_days,
        )
        self.notices: dict[str, Notice] = {}
        # What is on its way in or out, by whose it is.
        self.transfers: dict[str, Transfer] = {}
        self._language = settings.language
        self._limiter = anyio.CapacityLimiter(threads)
        self._strangers = Bucket(security.wrong / 60, security.wrong)
        self._static = {
            path.relative_to(_HERE / "static").as_posix(): path.read_bytes()
            for path in sorted((_HERE / "static").rglob("*.*"))
        }
        print_of = hashlib.sha256(b"".join(self._static.values())).hexdigest()
        self.static_at = f"/static/{print_of[:16]}"
        self._router = Router(routes=list(self._routes()), redirect_slashes=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say in a page why not."""
        request = Request(scope, receive)
        try:
            await self._router(scope, receive, send)
        except HTTPException as error:
            cookie = self._cookie(request)
            visit = Visit(self, request, cookie, self._speech(request), by=await self._who(cookie))
            given = error.status_code, dict(error.headers or {})
            told = self._for_program(visit, *given) or self._wrong(visit, *given)
            await told(scope, receive, send)

    def _routes(self) -> Iterator[Route]:
        yield Route("/in", self._let_in, methods=["GET"])
        yield Route("/static/{print}/{name:path}", self._file, methods=["GET"])
        yield Route("/out", self._behind_door(_out), methods=["POST"])
        yield Route("/look", self._behind_door(_look), methods=["POST"])
        yield Route("/pulse", self._behind_door(_pulse), methods=["GET"])
        yield Route("/docs", self._behind_door(_docs), methods=["GET"])
        for line in NAVIGATION:
            module = import_module(f"saegim.serve.web.pages.{line.name}_page")
            for method, path, answer in module.ROUTES:
                yield Route(path, self._behind_door(answer), methods=[method])

    # -- getting in -------------------------------------------------------------------------------

    def _cookie(self, request: Request) -> str:
        return request.cookies.get(self.cookie_name(request), "")

    def cookie_name(self, request: Request) -> str:
        """Return the name of our cookie: other servers of this machine have other ports."""
        return f"{COOKIE}_{(request.scope.get('server') or ('', 0))[1]}"

    async def _who(self, cookie: str) -> Grant | None:
        """Return what a cookie opens; those of people are looked up in the store each time."""
        if not cookie or self.visits.knows(cookie):
            return OWN if cookie else None
        try:
            return await anyio.to_thread.run_sync(
                self.backend.access.by_cookie, cookie, limiter=self._limiter
            )
        except StoreError:
            # Nobody comes in while it cannot be asked whose a cookie is.
            return None

    async def _let_in(self, request: Request) -> Response:
        code = request.query_params.get("code", "")
        cookie = self.visits.admit(code)
        if cookie is None and code:
            cookie = await anyio.to_thread.run_sync(
                self.backend.access.admit, code, limiter=self._limiter
            )
        if cookie is None:
            visit = Visit(self, request, "", self._speech(request))
            return self.page(visit, "closed.html", 403, {"used": True})
        response = RedirectResponse("/", 303)
        response.set_cookie(
            self.cookie_name(request),
            cookie,
            max_age=self.visits.seconds,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    def _behind_door(self, answer: Callable[[Visit], Response]) -> Callable[[Request], Any]:
        """Return an endpoint that only a person who is in reaches, and only by our own forms."""

        async def endpoint(request: Request) -> Response:
            cookie, speech = self._cookie(request), self._speech(request)
            visit = Visit(self, request, cookie, speech, by=await self._who(cookie))
            if visit.by is None:
                if wait := self._strangers.take():
                    later = {"Retry-After": str(wait)}
                    told = self._for_program(visit, 429, later, wait=wait)
                    return told or self._wrong(visit, 429, later)
                told = self._for_program(visit, 401)
                return told or self.page(visit, "closed.html", 401, {"used": False})
            if request.method == "POST":
                body = (await request.body()).decode("utf-8", "replace")
                try:
                    visit.fields = parse_qs(
                        body, keep_blank_values=True, max_num_fields=_MOST_FIELDS
                    )
                except ValueError:
                    return self._wrong(visit, 400)
                given = request.headers.get("saegim-form") or visit.given("form")
                if not is_token_for(cookie, given):
                    return self._wrong(visit, 403)
            return await anyio.to_thread.run_sync(
                lambda: self._answered(visit, answer), limiter=self._limiter
            )

        return endpoint

    def _answered(self, visit: Visit, answer: Callable[[Visit], Response]) -> Response:
        try:
            return answer(visit)
        except SaegimError as error:
            message, step = (
                without(each, self.security.hidden) for each in visit.speech.trouble(error)
            )
            if visit.request.method == "POST" and not visit.is_part and visit.given("back"):
                return visit.back(Notice(f"{message} {step}".strip(), wrong=True))
            template = "error_part.html" if visit.is_part else "error.html"
            return visit.show(template, status_of(error), message=message, next_step=step)

    def _for_program(
        self, visit: Visit, status: int, headers: Mapping[str, str] = {}, wait: int = 0
    ) -> Response | None:
        """Return a problem document where no person reads a page; nothing where one does."""
        accepted = visit.request.headers.get("accept", "")
        if visit.is_part or "text/html" in accepted.lower() or visit.by is not None:
            return None
        kind, key = _REFUSED.get(status, _REFUSED[404])
        trouble = Trouble(status, kind, SaegimError(key, wait=wait), headers)
        return problem(trouble, visit.request.url.path, visit.speech, self.security.hidden)

    def _wrong(self, visit: Visit, status: int, headers: Mapping[str, str] = {}) -> Response:
        known = {400: "bad_form", 403: "foreign_form", 404: "no_page", 429: "too_often"}
        message = visit.say(known.get(status, "no_page"))
        values = {"message": message, "next_step": ""}
        response = self.page(visit, "error.html", status, values)
        response.headers.update(headers)
        return response

    # -- what is shown ----------------------------------------------------------------------------

    def _speech(self, request: Request) -> Speech:
        chosen = request.cookies.get(LANGUAGE, "")
        if chosen in ("ko", "en"):
            return Speech(chosen)
        if self._language in ("ko", "en"):
            return Speech(self._language)
        return speech_for(request.headers.get("accept-language", ""))

    @cached_property
    def _templates(self) -> Environment:
        made = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        made.globals |= {
            "FEELINGS": tuple(map(str, Feeling)),
            "KINDS": tuple(map(str, Kind)),
            "TIERS": tuple(map(str, Tier)),
            "LIFETIMES": tuple(map(str, Lifetime)),
            "ORIGINS": tuple(map(str, Origin)),
            # What nights and imagination file by; nobody reads it.
            "OWN_TAGS": ("imagination", "insight:", "trigger:", "theme:", "made_by:"),
            "STATES": ("active", "dormant", "leaving", "superseded", "quarantined"),
            "static": lambda name: f"{self.static_at}/{name}",
            "orb_class": orb_class,
            "with_query": with_query,
        }
        return made

    def page(self, visit: Visit, template: str, status: int, values: Mapping[str, Any]) -> Response:
        """Return a template filled for a visit; nothing in it is markup but the template itself."""
        request, speech = visit.request, visit.speech
        is_in = visit.by is not None
        notice = None if visit.is_part else self.notices.pop(visit.cookie, None)
        path = request.url.path
        query = f"?{request.url.query}" if request.url.query else ""
        here = path + query
        if request.method == "POST":
            # What a form is answered with has no address of its own to come back to.
            here = visit.given("back") or "/"
        told = {
            "t": visit.say,
            "word": speech.word,
            "sentence": speech,
            "moment": lambda at: speech.moment(datetime.fromisoformat(at)) if at else "",
            "day": lambda at: at[:10] if at else "",
            "changed": speech.change,
            "facts_of": lambda entry: facts_of(entry, speech),
            "time_left": lambda seconds: time_left(seconds, visit),
            "language": speech.language,
            "theme": _theme(request),
            "form_token": token_for(visit.cookie) if is_in else "",
            "is_in": is_in,
            "navigation": _navigation(visit.by),
            "notice": notice,
            "path": path,
            "here_and_now": here,
            "is_part": visit.is_part,
        }
        shown = self._templates.get_template(template).render({**told, **values})
        return Response(shown, status, media_type=_HTML)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if (held := self._static.get(name)) is None or name.endswith(".toml"):
            raise HTTPException(404)
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
        headers = {"Cache-Control": f"public, max-age={_YEAR}, immutable"}
        return Response(held, headers=headers, media_type=kind)


def _navigation(by: Grant | None) -> tuple[NavLine, ...]:
    """Return the pages that somebody may open: how the machine is, its owner alone sees."""
    shared = by is not None and not by.is_own
    return tuple(each for each in NAVIGATION if not (shared and each.name == "status"))


def _theme(request: Request) -> str:
    chosen = request.cookies.get(THEME, "")
    return chosen if chosen in ("light", "dark") else "auto"


def _out(visit: Visit) -> Response:
    """Let this browser's cookie hold no more."""
    if visit.grant.is_own:
        visit.site.visits.end(visit.cookie)
    else:
        visit.site.backend.access.end(visit.cookie)
    response = visit.back(to="/")
    response.delete_cookie(visit.site.cookie_name(visit.request))
    return response


def _look(visit: Visit) -> Response:
    """Keep which language and which light this browser likes."""
    response = visit.back()
    choices = {LANGUAGE: ("ko", "en"), THEME: ("auto", "light", "dark")}
    for cookie, field_name in ((LANGUAGE, "language"), (THEME, "theme")):
        if (chosen := visit.given(field_name)) in choices[cookie]:
            response.set_cookie(cookie, chosen, max_age=_YEAR, httponly=True, samesite="strict")
    return response


def _pulse(visit: Visit) -> Response:
    """Tell how long the ledger is: a page that is open sees that something happened."""
    return visit.json({"ledger": visit.ask("ledger_list", limit=1)["total"]})


def _docs(visit: Visit) -> Response:
    """Show every function of the catalogue with its address and its arguments."""
    from saegim.serve.catalogue.catalogue import CATALOGUE

    return visit.show("docs.html", functions=CATALOGUE.values())


# -- how things are drawn -------------------------------------------------------------------------

_SIZES, _GLOWS = 6, 4


def orb_class(each: Mapping[str, Any]) -> str:
    """Return the classes of an orb: its feelings by colour, its weight by size, its heat by glow.

    Two feelings are two colours in one orb. Styles in attributes are refused by our own policy.
    """
    felt = [name for name in each["feelings"] if name in COLOURS]
    first = felt[0] if felt else "neutral"
    second = next((name for name in felt[1:] if name != first), "")
    size = 1 + min(_SIZES - 1, int(each["importance"] * _SIZES))
    glow = min(_GLOWS, round(each["intensity"] * _GLOWS))
    classes = [f"f-{first}", f"size-{size}", f"glow-{glow}"]
    return " ".join([*classes, *([f"with-{second}"] if second else [])])


def with_query(address: str, values: Mapping[str, Any], **more: Any) -> str:
    """Return an address with a query; what is empty is left out."""
    asked = {name: each for name, each in {**values, **more}.items() if each not in (None, "")}
    return f"{address}?{urlencode(asked)}" if asked else address


# What a line of the ledger keeps as microseconds (`memory.changes`).
_MOMENTS = frozenset({"at", "since", "until", "expires_at"})


def facts_of(entry: Mapping[str, Any], speech: Speech) -> Iterator[tuple[str, object]]:
    """Yield what a line of the ledger tells beside its word; what is not so is not told."""
    for name, value in entry["facts"].items():
        if name == "memories" or value is None or value is False or value == "":
            continue
        if name in _MOMENTS:
            yield name, speech.moment(from_micros(value))
        elif name == "last_date":
            yield name, day_ended_by(from_micros(value))
        else:
            yield name, round(value, 4) if isinstance(value, float) else value


def time_left(seconds: int, visit: Visit) -> str:
    """Say how long something still is there, in the largest unit that tells it."""
    for unit, length in (("days", 86_400), ("hours", 3_600)):
        if seconds >= length:
            return visit.say(f"left_{unit}", count=seconds // length)
    return visit.say("left_soon")


_ID = re.compile(r"[A-Za-z0-9_:.-]{1,200}")


def chosen_ids(visit: Visit) -> list[str]:
    """Return the ids that a form names, each once; refuse a form that names none."""
    named = " ".join(visit.fields.get("ids", [])).split()
    ids = [each for each in dict.fromkeys(named) if _ID.fullmatch(each)]
    if not ids:
        raise BadInput("web.nothing_was_chosen")
    if len(ids) > MOST_CHOSEN:
        raise BadInput("web.too_many_were_chosen", count=len(ids), most=MOST_CHOSEN)
    return ids
