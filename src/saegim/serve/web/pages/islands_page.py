"""Islands: the personality as a map: how strong each island is, how it stands, what founded it."""

from __future__ import annotations

from zlib import crc32

from starlette.responses import Response

from saegim.serve.web.pages.proposals_page import waiting
from saegim.serve.web.site import Json, PageRoute, Visit, orb_class

_SHAPES = 3
_MOST_ORBS = 5
# The faintest island is drawn so large, as a share of the strongest.
_LEAST = 0.55
# An island that stands on nothing is drawn as rocks; one that is rebuilt, as half of itself.
_REBUILT = 0.7


def islands(visit: Visit) -> Response:
    """Show the map, and below it each island with its founders and how it stands."""
    told = visit.told("self_whole")
    every = sorted(told["islands"], key=lambda each: -each["strength"])
    return visit.show(
        "islands.html",
        islands=[{**each, "drawn": drawn(each)} for each in every],
        believed=_believed(told["beliefs"]),
        waiting=waiting(visit, "island"),
    )


def _believed(beliefs: list[Json]) -> dict[str, list[Json]]:
    """Return what is believed of oneself by the island it stands on."""
    found: dict[str, list[Json]] = {}
    for each in beliefs:
        found.setdefault(each["personality_island"], []).append(each)
    return found


def drawn(island: Json) -> Json:
    """Return how an island is drawn: its size by its strength, its shape, its founders as orbs."""
    scale = _LEAST + (1 - _LEAST) * min(1.0, island["strength"])
    if island["status"] == "rebuilding":
        scale *= _REBUILT
    founders = island["founders"][:_MOST_ORBS]
    wide = 30
    left = 120 - wide * (len(founders) - 1) / 2
    return {
        "scale": f"{scale:.2f}",
        "shape": crc32(island["id"].encode()) % _SHAPES,
        "orbs": [
            {
                "x": f"{left + wide * at:.0f}",
                # A little up and down, as if they lay in the grass.
                "y": 86 + 7 * (at % 2),
                "feeling": orb_class(each).split()[0],
            }
            for at, each in enumerate(founders)
        ],
    }


def rename(visit: Visit) -> Response:
    """Propose to call an island something else."""
    told = visit.told(
        "island_propose",
        id=visit.id,
        **{name: visit.given(name).strip() for name in ("name", "emoji", "description")},
    )
    return visit.back(visit.say("proposed" if told["proposal"] else "is_so_already"))


ROUTES = (
    PageRoute("GET", "/islands", islands),
    PageRoute("POST", "/islands/{id}/rename", rename),
)
