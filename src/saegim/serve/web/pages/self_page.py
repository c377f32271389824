"""Sense of self: what is believed, what would change, what could be kept for ever, SOUL.md.

Nothing here writes the self but a person's yes, and going back to an earlier version by hand.
"""

from __future__ import annotations

from starlette.responses import Response

from saegim.errors import BadInput
from saegim.serve.rest.problems import without
from saegim.serve.web.pages.proposals_page import by_hand, waiting
from saegim.serve.web.site import Json, PageRoute, Visit

_SHOWN = 50


def self_now(visit: Visit) -> Response:
    """Show the self as it was approved, what waits, and how it came to be."""
    told = visit.told("self_whole")
    asked, hidden = waiting(visit, "belief", "soul_file", "core"), visit.site.security.hidden
    file = told["file"]
    file["difference"] = without(file["difference"], hidden)
    return visit.show(
        "self.html",
        told=told,
        islands={each["id"]: each for each in told["islands"]},
        waiting=[each for each in asked if each["about"] != "core"],
        candidates=[each for each in asked if each["about"] == "core"],
        versions=_told_versions(visit.ask("self_history", limit=_SHOWN + 1)["items"]),
        file=file,
        file_said=visit.speech(
            f"soul file {file['status']}", path=without(file["path"] or "", hidden)
        ),
    )


def _told_versions(versions: list[Json]) -> list[Json]:
    """Add to each version, the latest first, which words came and which went."""
    said = [[each["statement"] for each in one["beliefs"]] for one in versions]
    before: list[list[str]] = [*said[1:], []]
    return [
        {
            **each,
            "came": [text for text in now if text not in then],
            "went": [text for text in then if text not in now],
        }
        for each, now, then in zip(versions[:_SHOWN], said, before, strict=False)
    ]


def believe(visit: Visit) -> Response:
    """Propose a belief, or other words for one."""
    statement = visit.given("statement").strip()
    return _laid(visit, "belief_propose", statement=statement, instead_of=visit.given("belief"))


def doubt(visit: Visit) -> Response:
    """Propose to believe something no longer."""
    return _laid(visit, "belief_remove", id=visit.given("belief"))


def write(visit: Visit) -> Response:
    """Propose to write SOUL.md as the self is now."""
    return _laid(visit, "soul_write")


def _laid(visit: Visit, function: str, **arguments: str) -> Response:
    told = visit.told(function, **arguments)
    return visit.back(visit.say("proposed" if told["proposal"] else "is_so_already"))


def edits(visit: Visit) -> Response:
    """Propose what a person changed in SOUL.md by hand."""
    count = len(visit.told("soul_edits")["proposals"])
    return visit.back(visit.say("edits_laid", count=count) if count else visit.say("no_edits"))


def roll_back(visit: Visit) -> Response:
    """Make an earlier self the current one, as a person said who saw which one is."""
    by_hand(visit)
    numbers = visit.given("version"), visit.given("current")
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in numbers):
        raise BadInput("web.no_such_version")
    version, current = map(int, numbers)
    visit.site.backend.roll_back_on_page(version, current, by=visit.grant)
    return visit.back(visit.speech("self was rolled back", version=version))


ROUTES = (
    PageRoute("GET", "/self", self_now),
    PageRoute("POST", "/self/believe", believe),
    PageRoute("POST", "/self/doubt", doubt),
    PageRoute("POST", "/self/write", write),
    PageRoute("POST", "/self/edits", edits),
    PageRoute("POST", "/self/back", roll_back),
)
