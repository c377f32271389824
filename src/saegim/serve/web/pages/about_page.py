"""About: what is known of the person and of everyone else, how feeling moved, and the graph."""

from __future__ import annotations

from datetime import datetime

from starlette.responses import Response

from saegim.errors import NotFound
from saegim.serve.web.site import Json, PageRoute, Visit


def about(visit: Visit) -> Response:
    """Show whom memories speak of; what is known of the person comes when it is read."""
    people = visit.ask("entity_list", limit=100)
    return visit.show(
        "about.html",
        people=people["items"],
        total=people["total"],
    )


def portrait(visit: Visit) -> Response:
    """Show what is known of the person, slot by slot; what is new is read first: it takes time."""
    return visit.show("portrait.html", portrait=_portrait(visit.ask("about")))


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
    known_of = _portrait(visit.ask("about", name=name))
    return visit.show(
        "person.html",
        known=known["entity"],
        portrait=known_of,
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


def graph(visit: Visit) -> Response:
    """Show the knowledge graph."""
    return visit.show("graph.html", center=visit.query.get("center", ""))


def graph_data(visit: Visit) -> Response:
    """Give a script the part of the graph that it draws."""
    limit = visit.query.get("limit", "400")
    count = min(5_000, int(limit)) if limit.isdecimal() else 400
    return visit.json(visit.told("graph_slice", center=visit.query.get("center", ""), limit=count))


ROUTES = (
    PageRoute("GET", "/about", about),
    PageRoute("GET", "/about/me", portrait),
    PageRoute("GET", "/about/graph", graph),
    PageRoute("GET", "/about/graph/data", graph_data),
    PageRoute("GET", "/about/entity", entity),
    PageRoute("GET", "/about/named/{name:path}", person),
)
