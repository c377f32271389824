"""About: what is known of the person and of everyone else, how feeling moved, and the graph."""

from __future__ import annotations

from datetime import datetime

from starlette.responses import Response

from saegim.errors import NotFound
from saegim.serve.web.site import Json, Notice, PageRoute, Visit, chosen_ids, with_query


def about(visit: Visit) -> Response:
    """Show whom memories speak of; what is known of the person comes when it is read."""
    known = visit.ask("entity_list", limit=200)
    people = [each for each in known["items"] if each["type"] in _PEOPLE]
    things = [each for each in known["items"] if each["type"] not in _PEOPLE]
    return visit.show("about.html", people=people, things=things, total=known["total"])


_PEOPLE = ("person", "bot")


def portrait(visit: Visit) -> Response:
    """Show what is known of someone, slot by slot; what is new is read first: it takes time."""
    name = visit.query.get("name")
    return visit.show("portrait.html", portrait=_portrait(visit.ask("about", name=name)))


def person(visit: Visit) -> Response:
    """Show what is known of someone or something, by name."""
    return _person(visit, str(visit.request.path_params["name"]))


def entity(visit: Visit) -> Response:
    """Show someone or something by its key in the graph."""
    wanted = visit.query.get("key", "")
    for each in visit.memory.entities.all():
        if each.key == wanted:
            return _person(visit, each.name)
    raise NotFound("web.nobody_has_this_key", key=wanted[:60])


def _person(visit: Visit, name: str) -> Response:
    known = visit.ask("entity_profile", name=name, limit=20)
    points = known["history"]
    drawn = [
        [datetime.fromisoformat(each["at"]).timestamp() for each in points],
        [each["score"] for each in points],
    ]
    memories = [
        visit.told("memory_whole", id=each["id"])["memory"] for each in known["memories"][:12]
    ]
    names = visit.ask("entity_list", limit=200)["items"]
    return visit.show(
        "person.html",
        known=known["entity"],
        others=[each for each in names if each["key"] != known["entity"]["key"]],
        points=drawn if len(points) > 1 else None,
        memories=memories,
    )


def _portrait(told: Json) -> Json:
    """Gather what holds by slot, and apart from it what held once."""
    slots: dict[str, list[Json]] = {}
    for each in told["traits"]:
        if each["until"] is None:
            slots.setdefault(each["slot"], []).append(each)
    past = [each for each in told["traits"] if each["until"] is not None]
    return {**told, "slots": slots, "past": past}


def merge(visit: Visit) -> Response:
    """Let two names be one, told under the other one's name."""
    wanted, key = visit.given("into").strip(), visit.given("key")
    into = visit.memory.entities.key_of(wanted)
    done = visit.told("entity_merge", key=key, into=into)
    told = Notice(visit.say("made_one", name=wanted), "/night/undo", (("id", done["undo"]),))
    return visit.back(told, to=with_query("/about/entity", {"key": into}))


def unmerge(visit: Visit) -> Response:
    """Let who was said to be somebody else be themselves again."""
    done = visit.told("entity_unmerge", key=visit.given("key"))
    return visit.back(Notice(visit.say("made_two"), "/night/undo", (("id", done["undo"]),)))


def split(visit: Visit) -> Response:
    """Let the chosen memories speak of somebody else of the same name."""
    key, name = visit.given("key"), visit.given("name").strip()
    made = visit.told("entity_split", key=key, ids=chosen_ids(visit), name=name)["entity"]
    fields = (("key", made["key"]), ("into", visit.given("was")))
    told = Notice(visit.say("was_split", name=name), "/about/merge", fields)
    return visit.back(told, to=with_query("/about/entity", {"key": made["key"]}))


def graph(visit: Visit) -> Response:
    """Show the knowledge graph."""
    return visit.show("graph.html", center=visit.query.get("center", ""), limit=_points(visit))


def graph_data(visit: Visit) -> Response:
    """Give a script the part of the graph that it draws."""
    center = visit.query.get("center", "")
    return visit.json(visit.told("graph_slice", center=center, limit=_points(visit)))


def _points(visit: Visit) -> int:
    limit = visit.query.get("limit", "")
    return min(5_000, max(1, int(limit))) if limit.isdecimal() and len(limit) < 6 else 400


ROUTES = (
    PageRoute("GET", "/about", about),
    PageRoute("GET", "/about/me", portrait),
    PageRoute("POST", "/about/merge", merge),
    PageRoute("POST", "/about/unmerge", unmerge),
    PageRoute("POST", "/about/split", split),
    PageRoute("GET", "/about/graph", graph),
    PageRoute("GET", "/about/graph/data", graph_data),
    PageRoute("GET", "/about/entity", entity),
    PageRoute("GET", "/about/named/{name:path}", person),
)
