"""Proposals: what waits for a person's yes, with its story; only here and by hand is it answered.

The yes needs the cookie of a person, a typed word (pressing and holding types it), and names the
version of the words that were shown.
"""

from __future__ import annotations

import unicodedata

from starlette.responses import Response

from saegim.errors import BadInput
from saegim.serve.web.site import Json, Notice, PageRoute, Visit

# The words that the command line takes, too.
YES = frozenset({"yes", "네", "예"})


def proposals(visit: Visit) -> Response:
    """Show what waits, and what was answered."""
    every = visit.ask("proposals_list", answered=True, limit=100)["items"]
    waiting = [_told(each, visit) for each in every if each["state"] == "open"]
    answered = [each for each in every if each["state"] != "open"][::-1]
    return visit.show("proposals.html", waiting=waiting, answered=answered[:20])


def _told(each: Json, visit: Visit) -> Json:
    """Add to a proposal the memories it is about: what is proposed, and what it would replace."""
    memories = [
        visit.told("memory_whole", id=id)["memory"]
        for id in (each["memory"], each["replaces"])
        if id and each["text"] is not None
    ]
    return {**each, "memories": memories}


def answer(visit: Visit) -> Response:
    """Carry out a person's yes or no to the words they were shown."""
    yes = visit.given("answer") == "yes"
    word = unicodedata.normalize("NFC", visit.given("word")).strip().casefold()
    if yes and word not in YES:
        raise BadInput("web.yes_was_not_typed")
    done = visit.site.backend.answer_on_page(visit.id, yes, visit.given("version"))
    said = visit.say("answered_yes" if yes else "answered_no")
    if yes and done["proposal"]["about"] != "core":
        return visit.back(Notice(said, "/night/undo", (("id", visit.id),)))
    return visit.back(said)


ROUTES = (
    PageRoute("GET", "/proposals", proposals),
    PageRoute("POST", "/proposals/{id}/answer", answer),
)
