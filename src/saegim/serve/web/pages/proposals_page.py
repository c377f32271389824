"""Proposals: what waits for a person's yes, with its story; only here and by hand is it answered.

The yes needs the cookie of a person, a typed word (pressing and holding types it), and names the
version of the words that were shown.
"""

from __future__ import annotations

import unicodedata

from starlette.responses import Response

from saegim.errors import BadInput
from saegim.serve.rest.problems import without
from saegim.serve.web.site import Json, Notice, PageRoute, Visit

# The words that the command line takes, too.
YES = frozenset({"yes", "네", "예"})
# What the undo of the night takes back by the id of the proposal.
_UNDONE = ("correction", "letting_go", "core_change")


def proposals(visit: Visit) -> Response:
    """Show what waits, and what was answered."""
    every = visit.ask("proposals_list", answered=True, limit=200)["items"]
    answered = [each for each in every if each["state"] != "open"][::-1]
    return visit.show("proposals.html", waiting=waiting(visit), answered=answered[:20])


def waiting(visit: Visit, *about: str) -> list[Json]:
    """Return what waits for a yes of these kinds, or all of it, with what would change."""
    every = visit.ask("proposals_whole", limit=100)["items"]
    found = [each for each in every if not about or each["about"] in about]
    for each in found:
        if told := each["details"].get("difference"):
            each["details"]["difference"] = without(told, visit.site.security.hidden)
    return found


def by_hand(visit: Visit) -> None:
    """Refuse what a person did not type, or hold the button for."""
    word = unicodedata.normalize("NFC", visit.given("word")).strip().casefold()
    if word not in YES:
        raise BadInput("web.yes_was_not_typed")


def answer(visit: Visit) -> Response:
    """Carry out a person's yes or no to the words they were shown."""
    yes = visit.given("answer") == "yes"
    if yes:
        by_hand(visit)
    text = visit.given("text").replace("\r\n", "\n").strip() if yes else ""
    version = visit.given("version")
    done = visit.site.backend.answer_on_page(visit.id, yes, version, text, by=visit.grant)
    asked = done["proposal"]
    said = visit.say("answered_yes" if yes else "answered_no")
    if yes and asked["about"] == "core_letting_go":
        return visit.back(Notice(said, "/memories/act/restore", (("ids", asked["memory"]),)))
    if yes and asked["about"] in _UNDONE:
        return visit.back(Notice(said, "/night/undo", (("id", visit.id),)))
    return visit.back(said)


ROUTES = (
    PageRoute("GET", "/proposals", proposals),
    PageRoute("POST", "/proposals/{id}/answer", answer),
)
