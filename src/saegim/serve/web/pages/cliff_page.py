"""The forgetting cliff: what is about to leave, how long it stays, the way back; the archive."""

from __future__ import annotations

from starlette.responses import Response

from saegim.serve.web.site import PageRoute, Visit, chosen_ids


def cliff(visit: Visit) -> Response:
    """Show what leaves, what goes first first, and what lies in the archive."""
    queue = visit.ask("forgetting_queue", limit=100)
    leaving = visit.ask("memory_browse", state="leaving", limit=200)
    drawn = {each["id"]: each for each in leaving["items"]}
    items = [
        {**each, "memory": drawn[each["memory"]["id"]]}
        for each in queue["items"]
        if each["memory"]["id"] in drawn
    ]
    return visit.show(
        "cliff.html",
        items=items,
        total=queue["total"],
        law=visit.speech.law(queue["forgetting"]["law"]),
        archive=visit.ask("archive_list", limit=50),
    )


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
