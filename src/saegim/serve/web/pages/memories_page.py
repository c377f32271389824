"""Memories: search while typing, orbs, list and timeline; one memory whole; what to do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from starlette.responses import Response

from saegim.errors import BadInput, Refused
from saegim.memory.memory import GRACE, LIFETIMES, Lifetime, Tier
from saegim.serve.web.site import Json, Notice, PageRoute, Visit, chosen_ids

_ASKED: Final = (
    "query", "project", "kind", "tier", "lifetime", "feeling", "state", "origin", "since",
    "until", "tag",
)  # fmt: skip
_VIEWS: Final = ("orbs", "list", "timeline")
_AT_ONCE: Final = 60
# Of words typed so far, the newest that hold them are enough; the rest is found by typing on.
_MATCHING: Final = 120


def browse(visit: Visit) -> Response:
    """Show the memories that were asked for; to a script, only what was found."""
    values = _found(visit)
    if visit.is_part:
        return visit.show("memories_found.html", **values)
    counts = visit.told("memory_counts")
    quarantined = counts["state"].get("quarantined", 0)
    return visit.show(
        "memories.html", projects=counts["projects"], quarantined=quarantined, **values
    )


def more(visit: Visit) -> Response:
    """Show what comes after what is shown already."""
    return visit.show("memories_more.html", **_found(visit))


def _found(visit: Visit) -> Json:
    query = visit.query
    asked = {name: query.get(name, "") for name in _ASKED}
    asked["state"] = asked["state"] or "active"
    view = query.get("view", _VIEWS[0])
    cursor = query.get("cursor") if not asked["query"] else None
    limit = _MATCHING if asked["query"] else _AT_ONCE
    narrowed = sum(bool(asked[name]) for name in _ASKED if name not in ("query", "state"))
    return {
        "asked": asked,
        "view": view if view in _VIEWS else _VIEWS[0],
        "narrowed": narrowed + (asked["state"] != "active"),
        "found": visit.ask("memory_browse", limit=limit, cursor=cursor, **asked),
        "last_day": query.get("last_day", ""),
        "cursor": cursor or "",
    }


def one(visit: Visit) -> Response:
    """Show everything about one memory."""
    return _one(visit, visit.told("memory_whole", id=visit.id), editing="edit" in visit.query)


def _one(
    visit: Visit, told: Json, *, status: int = 200, editing: bool, draft: str = ""
) -> Response:
    each = told["memory"]
    values: Json = {"whole": told, "each": each, "kept_for": _kept_for(each, visit)}
    if draft:
        # Who looks away comes back to where the draft is kept.
        values["here_and_now"] = f"/memories/{each['id']}?edit=1"
    return visit.show("memory.html", status, **values, editing=editing, draft=draft)


def _kept_for(each: Json, visit: Visit) -> str:
    """Say how long a memory is kept, in the reader's language."""
    time = LIFETIMES[Tier(each["tier"])]
    if each["pinned"] or each["lifetime"] == Lifetime.LASTING or time is None:
        return visit.speech("life lasting")
    if each["lifetime"] == Lifetime.UNTIL and each["last_date"]:
        return visit.speech("life until", day=each["last_date"], grace=GRACE.days)
    return visit.speech("life passing", days=time.days)


def new(visit: Visit) -> Response:
    """Keep what a person writes on the page, in their own words."""
    if not (text := visit.given("text").strip()):
        raise BadInput("web.no_words_were_given")
    done = visit.ask("memory_save", text=text, source="user")
    said = "remembered" if done["status"] == "stored" else "known_already"
    if done["quarantined"]:
        said = "kept_apart"
    return visit.back(visit.say(said))


# -- what a person does with memories -------------------------------------------------------------


def edit(visit: Visit) -> Response:
    """Let new words hold in the place of these, if nobody changed them meanwhile."""
    told = visit.told("memory_whole", id=visit.id)
    text = visit.given("text").replace("\r\n", "\n").strip()
    if told["current"] != visit.id:
        newer = visit.told("memory_whole", id=told["current"])
        return _one(visit, newer, status=409, editing=True, draft=text)
    if not text:
        raise BadInput("web.no_words_were_given")
    if told["memory"]["tier"] == Tier.M0:
        # What carries the self changes by a yes that no slip of a finger gives.
        if visit.memory.proposals.correct(visit.id, text).proposal:
            return visit.back(visit.say("proposed"), to="/proposals")
        return visit.back(visit.say("is_so_already"))
    done = visit.ask("memory_update", id=visit.id, text=text)
    said = "edited_masked" if done["masked"] else "edited"
    return visit.back(visit.say(said), to=f"/memories/{done['id']}")


def rate(visit: Visit) -> Response:
    """Keep how good a memory is, from one star to five."""
    stars = int(visit.given("rating", "0") or 0)
    label = "up" if stars >= 3 else "down"
    visit.ask("memory_feedback", id=visit.id, label=label, rating=stars)
    return visit.back(visit.say("rated", count=stars))


def judge(visit: Visit) -> Response:
    """Keep whether a memory helped."""
    visit.ask("memory_feedback", id=visit.id, label=visit.given("label"))
    return visit.back(visit.say("judged"))


def tag(visit: Visit) -> Response:
    """Let a memory be filed under these tags: a new version holds."""
    tags = [each.strip() for each in visit.given("tags").split(",") if each.strip()]
    done = visit.ask("memory_update", id=visit.id, tags=tags)
    return visit.back(visit.say("tagged"), to=f"/memories/{done['id']}")


def propose(visit: Visit) -> Response:
    """Put a memory among what could be kept for ever; the yes is given on another page."""
    visit.ask("proposal_ask", id=visit.id)
    return visit.back(visit.say("proposed"), to="/proposals")


def _pin(visit: Visit, ids: list[str]) -> Notice:
    return _held(visit, ids, fast=True)


def _unpin(visit: Visit, ids: list[str]) -> Notice:
    return _held(visit, ids, fast=False)


def _held(visit: Visit, ids: list[str], *, fast: bool) -> Notice:
    """Pin or unpin; what was so before stays so when that is taken back."""
    held = [visit.memory.get(each, counts=False) for each in ids]
    changed = [each.id for each in held if each.life.pinned is not fast]
    visit.for_all("memory_pin" if fast else "memory_unpin", ids)
    said = visit.say("pinned_many" if fast else "unpinned_many", count=len(ids))
    if not changed:
        return Notice(said)
    return Notice(said, f"/memories/act/{'unpin' if fast else 'pin'}", _named(changed))


def _keep(visit: Visit, ids: list[str]) -> Notice:
    until = visit.given("until")
    visit.for_all("memory_keep", ids, until=until, passing=visit.given("passing") == "yes")
    return Notice(visit.say("kept_many", count=len(ids)))


def _forget(visit: Visit, ids: list[str]) -> Notice:
    """Let memories go; core memories wait for the yes that only they need."""
    core = [each for each in ids if visit.memory.get(each, counts=False).life.tier is Tier.M0]
    others = [each for each in ids if each not in core]
    if core:
        visit.memory.proposals.let_go(*core)
    if not others:
        return Notice(visit.say("proposed"), to="/proposals")
    gone: list[str] = visit.for_all("memory_delete", others)["ids"]
    said = visit.say("let_go", count=len(gone))
    if core:
        said = f"{said} {visit.say('core_waits', count=len(core))}"
    to = "/proposals" if core else ""
    return Notice(said, "/memories/act/restore", _named(gone), to=to)


def _restore(visit: Visit, ids: list[str]) -> Notice:
    visit.for_all("memory_restore", ids)
    return Notice(visit.say("restored", count=len(ids)))


def _move(visit: Visit, ids: list[str]) -> Notice:
    to = visit.given("to").strip()
    if not to:
        raise BadInput("web.no_project_was_named")
    done = visit.for_all("memory_move", ids, to=to)
    said = visit.say("moved", count=done["count"], to=to)
    return Notice(said, "/night/undo", (("id", done["undo"]),)) if done["undo"] else Notice(said)


def _release(visit: Visit, ids: list[str]) -> Notice:
    suspects = visit.given("suspects") == "yes"
    done = visit.for_all("quarantine_release", ids, confirm=True, suspects=suspects)
    out, held = len(done["memories"]), len(done["suspect"])
    return Notice(visit.say("released", count=out, held=held), wrong=bool(held and not out))


def _named(ids: list[str]) -> tuple[tuple[str, str], ...]:
    """Return the ids as a form names them, in one field."""
    return (("ids", " ".join(ids)),)


ACTS: Final[dict[str, Callable[[Visit, list[str]], Notice]]] = {
    "pin": _pin,
    "unpin": _unpin,
    "keep": _keep,
    "forget": _forget,
    "restore": _restore,
    "move": _move,
    "release": _release,
}


def act(visit: Visit) -> Response:
    """Do with memories what the address says."""
    return _done(visit, str(visit.request.path_params["act"]))


def bulk(visit: Visit) -> Response:
    """Do with all chosen memories what the pressed button says."""
    return _done(visit, visit.given("act"))


def _done(visit: Visit, name: str) -> Response:
    if (carry_out := ACTS.get(name)) is None:
        raise Refused("web.no_such_act", name=name[:40])
    return visit.back(carry_out(visit, chosen_ids(visit)))


# -- what deserves a look -------------------------------------------------------------------------


def review(visit: Visit) -> Response:
    """Show pairs of memories that say nearly the same, or contradict each other."""
    what = str(visit.request.path_params["what"])
    pairs = visit.ask("review_list", what=what)
    return visit.show("review.html", what=what, pairs=pairs["items"])


def settle(visit: Visit) -> Response:
    """Keep that both memories of a pair hold."""
    done = visit.told("review_settle", one=visit.given("one"), two=visit.given("two"))
    return visit.back(Notice(visit.say("both_hold_now"), "/night/undo", (("id", done["undo"]),)))


def quarantine(visit: Visit) -> Response:
    """Show what is kept apart, by where it came from, and let it out."""
    found = visit.ask("quarantine_list", limit=200)
    sources: dict[str, list[Json]] = {}
    for each in found["items"]:
        sources.setdefault(each["origin"], []).append(each)
    reasons = Counter(each["reason"] for each in found["items"])
    return visit.show(
        "quarantine.html", sources=sources, reasons=reasons.most_common(), total=found["total"]
    )


ROUTES = (
    PageRoute("GET", "/memories", browse),
    PageRoute("GET", "/memories/more", more),
    PageRoute("GET", "/memories/quarantine", quarantine),
    PageRoute("GET", "/memories/review/{what}", review),
    PageRoute("POST", "/memories/review", settle),
    PageRoute("POST", "/memories/new", new),
    PageRoute("POST", "/memories/bulk", bulk),
    PageRoute("POST", "/memories/act/{act}", act),
    PageRoute("GET", "/memories/{id}", one),
    PageRoute("POST", "/memories/{id}/edit", edit),
    PageRoute("POST", "/memories/{id}/rate", rate),
    PageRoute("POST", "/memories/{id}/judge", judge),
    PageRoute("POST", "/memories/{id}/tag", tag),
    PageRoute("POST", "/memories/{id}/propose", propose),
)
