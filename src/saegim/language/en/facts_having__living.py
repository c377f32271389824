"""English clauses on where people live, work and study, and what they leave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.language.en.facts_having import gerund
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late


def lives(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Lives in, moved to, grew up in; bugs that live in a tracker are kept there."""
    lemma, who = clause.lemma, scene.subject
    person = scene.is_person(clause)
    after = [text for joint, text in clause.after if joint in ("in", "at", "on", "near")]
    place = next((text for text in after if not _dwelling(text)), "")
    if lemma == "live" and not place and clause.phrase("with") in ("us", "me"):
        place = f"with {scene.me}"
    if lemma in ("live", "reside") and place and not facets(place):
        if clause.tense == "past" or clause.begun == "used":
            return
        named = who[:1].isupper() and not clause.owner and not who.endswith("s")
        if not person and place[0].isupper() and not named and clause.owner != "my":
            yield Fact(scene.me, "", bare(place), said=f"{who} tool")
            return
        name = "lives_in" if person or named else "located"
        yield Fact(who, name, bare(place), denied=clause.denied)
    elif lemma in ("move", "relocate", "settle") and not clause.denied:
        if clause.tense in ("past", "done") or clause.passive:
            yield from _moved(clause, scene)
    elif lemma in ("grow", "bear") and clause.phrase("in"):
        name = "from" if lemma == "grow" else "born_in"
        yield Fact(who, name, bare(clause.phrase("in")))


def renting(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """I rent a place in Camden; I moved out of Camden; my brother moved out."""
    who, town = scene.subject, clause.phrase("in")
    if clause.lemma == "move" and clause.tense in ("past", "done"):
        out = [text for joint, text in clause.after if joint == "out"]
        left = clause.phrase("of") if out else ""
        if left[:1].isupper():
            yield Fact(who, "lives_in", bare(left), denied=True)
        elif clause.phrase("off"):
            yield Fact(who, "lives_in", bare(clause.phrase("off")), denied=True)
        elif (
            out == [""] and who != scene.me and not clause.phrase("to") and scene.is_person(clause)
        ):
            yield Fact(who, "lives_in", f"with {scene.me}", denied=True)
    elif clause.lemma not in ("rent", "lease", "share") or clause.tense not in ("now", "ing"):
        return
    elif town[:1].isupper() and _dwelling(clause.object) and not clause.denied:
        yield Fact(who, "lives_in", town)


_DWELLINGS: Final = frozenset(
    str.split("""apartment flat house place studio dorm condo area country city town neighbourhood
    neighborhood""")
)


def _dwelling(place: str) -> bool:
    return head(place) in _DWELLINGS


def _moved(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """I moved to Denver, we moved the office to the suburbs, payroll moved to Rippling."""
    thing, goal = bare(clause.object), clause.phrase("to", "into")
    person = scene.is_person(clause)
    site = head(scene.subject) in lex.PREMISES or goal.lower() in lex.PLACES
    street = head(goal) in lex.STREETS | {"floor"}
    adverb = thing in ("", "back", "back home", "out", "in", "down", "over", "up", "inland")
    if goal and not adverb and (head(thing) in lex.PREMISES or goal.startswith(("the ", "a "))):
        yield Fact(thing, "located", bare(goal))
    elif goal[:1].isupper() and not thing and not person and not site:
        yield Fact(scene.me, "", bare(goal), said=f"{scene.subject} tool")
    elif person and goal.startswith("a ") and set(goal.lower().split()) & lex.WORKPLACES:
        yield Fact(scene.subject, "works_at", bare(goal))
    elif adverb:
        goal = goal or (clause.phrase("in") if clause.lemma == "settle" else "")
        if goal and not _dwelling(goal) and (street or not facets(f"to {goal}")):
            yield Fact(scene.subject, "moved_to" if person else "located", bare(goal))


def works(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Works at, teaches, started a job, runs a shop, was hired, is looking for work."""
    lemma, who, told = clause.lemma, scene.subject, clause.mood == "told"
    over = clause.begun == "used" or clause.denied
    looking = lemma in ("look", "search", "hunt") and clause.tense == "ing"
    past = clause.tense in ("past", "done")
    if lemma == "work":
        yield from _working(clause, scene, over)
    elif lemma == "teach":
        yield from _teaching(clause, scene, over)
    elif looking and head(clause.phrase("for")) in ("job", "work"):
        yield Fact(who, "job", "unemployed")
    elif lemma == "hire" and clause.object.startswith("me") and past:
        yield Fact(scene.me, "works_at", who)
        if role := clause.phrase("as"):
            yield Fact(scene.me, "job", bare(role))
    elif lemma in ("drive", "write", "freelance", "consult") and clause.phrase("for")[:1].isupper():
        if clause.tense in ("now", "ing"):
            yield Fact(who, "works_at", bare(clause.phrase("for")))
    elif head(clause.phrase("at")) in lex.WORKPLACES and clause.tense == "now" and told:
        if lemma not in _GUESTS and scene.is_person(clause):
            yield Fact(who, "works_at", bare(clause.phrase("at")), denied=over)
    elif lemma in ("run", "own", "open", "manage", "start") and _SHOP.search(clause.object):
        if clause.tense != "past" or lemma in ("open", "start"):
            yield Fact(who, "works_at", bare(clause.object))
    elif lemma in _TAKES and not clause.denied and past:
        yield from _hired(clause, scene)


_TAKES: Final = frozenset(str.split("join start land get take accept begin find"))
_GUESTS: Final = frozenset(
    str.split("be study have eat shop buy get meet stay like love start begin")
)
_SHOP: Final = late(
    r"shop|store|caf|bakery|restaurant|studio|company|business|agency|farm|bar\b|practice|school|firm"
)


def _working(clause: Clause, scene: Scene, over: bool) -> Iterator[Fact]:
    at, inside, role = clause.phrase("at", "for", "with"), clause.phrase("in"), clause.phrase("as")
    if clause.tense == "past" and not over:
        return
    if role:
        yield Fact(scene.subject, "job", bare(role), denied=over)
    if at and not facets(f"at {at}") and head(at) not in ("home", "night", "hours", "myself"):
        yield Fact(scene.subject, "works_at", bare(at), denied=over)
    elif inside and not role and head(inside) not in ("morning", "office", "pairs", "sprints"):
        yield Fact(scene.subject, "job", bare(inside), denied=over)


def _teaching(clause: Clause, scene: Scene, over: bool) -> Iterator[Fact]:
    stopped = over or clause.begun == "stop"
    if clause.tense == "past" and not stopped:
        return
    yield Fact(scene.subject, "job", "teacher", denied=stopped)
    if clause.phrase("at") and not stopped:
        yield Fact(scene.subject, "works_at", bare(clause.phrase("at")))


def _hired(clause: Clause, scene: Scene) -> Iterator[Fact]:
    new = re.search(r"\b(?:job|position|role|gig|work|offer)\b", clause.object)
    at = clause.phrase("at", "with", "for")
    if (
        clause.lemma == "join"
        and clause.object
        and clause.tense in ("past", "done")
        and clause.object[0].isupper()
    ):
        yield Fact(scene.subject, "works_at", bare(clause.object))
    elif (
        new
        and not at
        and not clause.phrase("as")
        and "offer" not in clause.object
        and clause.object.startswith(("a ", "the ", "my "))
    ):
        yield Fact(scene.subject, "job", "unemployed", denied=True)
    elif (
        at
        and not facets(f"at {at}")
        and (new or (clause.lemma == "start" and not clause.object))
        and "offer" not in clause.object
    ):
        yield Fact(scene.subject, "works_at", bare(at))
        if clause.lemma in ("get", "land", "find"):
            yield Fact(scene.subject, "job", "unemployed", denied=True)
    if role := clause.phrase("as"):
        if new or clause.lemma in ("start", "join"):
            yield Fact(scene.subject, "job", bare(role))
    elif (
        new
        and (
            kind := re.fullmatch(r"(?:a|the|my) (?:new )?(.+) (?:job|position|role)", clause.object)
        )
        and kind[1]
        not in ("new", "first", "great", "full-time", "part-time", "temporary", "remote", "dream")
    ):
        yield Fact(scene.subject, "job", kind[1])


def leaves(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """I quit my job at Acme, she left Google, he retired, I got laid off."""
    lemma, object = clause.lemma, clause.object
    if clause.denied or clause.tense not in ("past", "done"):
        return
    job = re.search(r"\bjob|position|role\b", object)
    if (lemma == "get" and re.match(r"(?:laid|fired|let go)", object)) or (
        lemma in ("lay", "fire") and clause.passive
    ):
        if place := clause.phrase("from", "by", "at"):
            yield Fact(scene.subject, "works_at", bare(place), denied=True)
        else:
            yield Fact(scene.subject, "works_at", "work", denied=True)
        yield Fact(scene.subject, "job", "unemployed")
        return
    if (
        (lemma == "get" and object.startswith("promoted"))
        or (lemma == "promote" and clause.passive)
    ) and clause.phrase("to"):
        yield Fact(scene.subject, "job", bare(clause.phrase("to")))
        return
    if lemma in ("quit", "leave", "resign", "lose") and (job or lemma == "resign"):
        if place := clause.phrase("at", "from", "with"):
            yield Fact(scene.subject, "works_at", bare(place), denied=True)
        elif kind := re.fullmatch(r"my (.+) job", object):
            yield Fact(scene.subject, "works_at", kind[1], denied=True)
    elif (
        lemma in ("quit", "leave")
        and object
        and (object[0].isupper() or head(object) in lex.WORKPLACES)
        and scene.is_person(clause)
    ):
        yield Fact(scene.subject, "works_at", bare(object), denied=True)
    elif lemma == "graduate" and clause.phrase("from"):
        yield Fact(scene.subject, "studies_at", bare(clause.phrase("from")), denied=True)
    elif lemma == "retire":
        if clause.phrase("to")[:1].isupper():
            yield Fact(scene.subject, "moved_to", bare(clause.phrase("to")))
        yield Fact(scene.subject, "job", "retired")
        yield Fact(scene.subject, "works_at", "work", denied=True)


def stops(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Stopped, quit, gave up, ditched, no longer use."""
    lemma, object = clause.lemma, clause.object
    if clause.begun == "stop" and not clause.denied:
        if lemma in ("use", "run") and object:
            yield Fact(scene.subject, "uses", bare(object), denied=True)
        elif lemma == "go" and clause.phrase("to"):
            yield Fact(scene.subject, "stopped", bare(clause.phrase("to")))
        elif object:
            yield Fact(scene.subject, "stopped", bare(object))
        else:
            yield Fact(scene.subject, "stopped", gerund(lemma))
    elif clause.tense in ("past", "done") and not clause.denied and object:
        if (
            lemma
            in (
                "quit",
                "stop",
                "drop",
                "abandon",
                "ditch",
                "cancel",
                "delete",
                "uninstall",
                "remove",
            )
            and not clause.passive
        ):
            if (
                lemma == "cancel"
                and not re.search(r"subscription|membership|gym", object)
                and not object[0].isupper()
            ):
                yield Fact(scene.me, "plans", bare(object), denied=True)
            elif lemma == "cancel" and object[0].isupper():
                yield Fact(scene.subject, "stopped", bare(object))
            elif lemma in ("ditch", "drop", "abandon") and clause.phrase("for"):
                yield Fact(scene.subject, "switched_to", bare(clause.phrase("for")))
                yield Fact(scene.subject, "uses", bare(object), denied=True)
            else:
                yield Fact(
                    scene.subject,
                    "stopped",
                    re.sub(r" (?:subscription|membership)$", "", bare(object)),
                )
                if lemma == "cancel":
                    yield Fact(scene.subject, "gave_up", bare(object))
        elif lemma == "give" and clause.phrase("up"):
            yield Fact(scene.subject, "stopped", bare(clause.phrase("up")))
    elif clause.tense in ("past", "done") and lemma == "give" and (left := clause.phrase("up")):
        yield Fact(scene.subject, "stopped", bare(left.removeprefix("on ")))
