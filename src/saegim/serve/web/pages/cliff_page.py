"""The forgetting cliff: what is about to leave, how long it stays, the way back; the archive."""

from __future__ import annotations

from starlette.responses import Response

from saegim.serve.catalogue.browse_functions import orb
from saegim.serve.web.site import Json, PageRoute, Visit, chosen_ids, orb_class

# What goes first is shown; the badge says how many there are.
_SHOWN = 40


def cliff(visit: Visit) -> Response:
    """Show what leaves, what goes first first, and what lies in the archive."""
    queue = visit.ask("forgetting_queue", limit=_SHOWN)
    ids = [each["memory"]["id"] for each in queue["items"]]
    held = visit.memory.mind.store.memories.of_ids(visit.memory.scope, ids)
    items = [
        {**each, "memory": orb(held[each["memory"]["id"]])}
        for each in queue["items"]
        if each["memory"]["id"] in held
    ]
    return visit.show(
        "cliff.html",
        items=items,
        edge=on_the_edge(items),
        total=queue["total"],
        law=visit.speech.law(queue["forgetting"]["law"]),
        archive=visit.ask("archive_list", limit=50),
    )


# The drawing: how wide the land is, where it ends, how many days reach over it, and its turf.
_EDGE, _LEFT, _DAYS, _TURF = 700, 50, 7, 96
_MOST = 24


def on_the_edge(items: list[Json]) -> list[Json]:
    """Return where each orb stands on the cliff: the less time it has, the nearer to the edge."""
    placed: list[Json] = []
    for each in items[:_MOST]:
        share = min(1.0, each["left_seconds"] / (_DAYS * 86_400))
        x = round(_EDGE - 14 - share * (_EDGE - 14 - _LEFT))
        radius = 9 + round(9 * each["memory"]["importance"])
        # Who would stand in another stands a little higher, as if they were piled up.
        near = [one for one in placed if abs(one["x"] - x) < one["r"] + radius]
        y = min((one["y"] - one["r"] for one in near), default=_TURF + 4) - radius
        placed.append(
            {
                "x": x,
                "y": max(radius + 2, y),
                "r": radius,
                "id": each["memory"]["id"],
                "text": each["memory"]["text"],
                "soon": each["left_seconds"] < 86_400,
                "feeling": orb_class(each["memory"]).split()[0],
            }
        )
    return placed


def forget_now(visit: Visit) -> Response:
    """Erase what is leaving at once, after its word was typed; nothing of it can come back."""
    word = visit.given("word").strip().casefold()
    if word not in {visit.say("erase_word").casefold(), "erase", "지우기"}:
        return visit.back(visit.say("type_erase", word=visit.say("erase_word")))
    ids = chosen_ids(visit)
    memory = visit.memory
    done = memory.forgetting.erase(*ids, confirm=True, by=memory.scope.user)
    return visit.back(visit.say("erased", count=len(done.ids)))


ROUTES = (
    PageRoute("GET", "/cliff", cliff),
    PageRoute("POST", "/cliff/forget", forget_now),
)
