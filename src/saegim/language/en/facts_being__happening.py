"""English clauses on what came to pass: bonds, whereabouts, things done, events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact


def happened(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Things that happened once."""
    lemma, object = clause.lemma, clause.object
    if (
        lemma == "go"
        and (goal := clause.phrase("to"))
        and head(goal) not in ("bed", "sleep", "work", "school")
    ):
        yield Fact(scene.subject, "went_to", bare(goal))
    elif lemma == "visit" and object:
        yield Fact(scene.subject, "went_to", bare(object))
    elif lemma == "meet" and object and object.lower() not in lex.VAGUE:
        yield Fact(scene.subject, "met", bare(object))
    elif lemma == "meet" and clause.phrase("with"):
        yield Fact(scene.subject, "met", bare(clause.phrase("with")))
    elif lemma == "learn" and object == "how":
        yield Fact(scene.subject, "learned", clause.phrase("to"))
    elif lemma == "learn" and object and object.lower() not in lex.VAGUE and object != "that":
        yield Fact(scene.subject, "learned", bare(object))
    elif (
        lemma in ("make", "build")
        and object
        and head(object) not in lex.VAGUE
        and re.match(r"(?:a|an|the|my|our) ", object)
        and "mistake" not in object
    ):
        yield Fact(scene.subject, "made", bare(object))


def bonds(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Married, engaged, broke up, dating."""
    lemma = clause.lemma
    done = clause.tense in ("past", "done")
    partner = bare(clause.phrase("to", "with"))
    if (
        lemma == "get"
        and done
        and clause.object.split()[:1]
        and clause.object.split()[0] in lex.STATUS
        and not clause.denied
    ):
        status = lex.STATUS[clause.object.split()[0]]
        if status == "married" and partner and not facets(partner):
            yield Fact(scene.subject, "married_to", partner)
        yield Fact(scene.subject, "status", status)
    elif lemma == "marry" and done and not clause.denied:
        yield (
            Fact(scene.subject, "married_to", bare(clause.object))
            if clause.object
            else Fact(scene.subject, "status", "married")
        )
    elif (
        lemma == "break"
        and done
        and "up" in f"{clause.object} {' '.join(p for p, _ in clause.after)}"
    ):
        if partner:
            yield Fact(scene.subject, "dating", partner, denied=True)
        yield Fact(scene.subject, "status", "single")
    elif lemma in ("divorce", "separate") and done:
        yield Fact(scene.subject, "status", "divorced")
    elif (
        lemma in ("date", "see")
        and (clause.tense == "ing" or clause.begun == "start")
        and not clause.denied
    ):
        who = bare(clause.object)
        if lemma == "date" or who.lower() in ("someone", "somebody"):
            if who and who.lower() not in lex.VAGUE and who not in ("someone", "somebody"):
                yield Fact(scene.subject, "dating", who)
            else:
                yield Fact(scene.subject, "status", "dating")


def whereabouts(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Dad came home, the patient was discharged."""
    if scene.subject == scene.me or clause.denied or clause.tense not in ("past", "done"):
        return
    home = clause.object.split()[:1] in (["home"], ["back"]) or clause.phrase("back") == "home"
    if clause.lemma in ("come", "get", "return", "go", "be") and home and scene.is_person(clause):
        yield Fact(scene.subject, "located", "home")
    elif (
        clause.lemma in ("come", "arrive")
        and not scene.is_person(clause)
        and head(scene.subject) in _AWAITED
    ):
        yield Fact(scene.subject, "state", "done")
    elif clause.lemma == "discharge" or (
        clause.lemma == "get" and clause.object.startswith("discharged")
    ):
        yield Fact(scene.subject, "located", "home")


_AWAITED: Final = frozenset(
    str.split("""results result package parcel visa passport offer
    delivery order letter refund""")
)


_FINISHING: Final = frozenset(
    str.split("""renew heal repair fix resolve solve finish complete
    merge close ship approve pass submit release sign repair get deliver pay deploy""")
)


def state(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """We fixed the login bug; the PR got merged; still have not finished the report."""
    if clause.lemma not in _FINISHING or clause.mood not in ("told",):
        return
    thing = clause.object if not clause.passive and scene.subject == scene.me else ""
    if (clause.passive or clause.lemma == "heal") and scene.subject != scene.me:
        thing = scene.subject
    if (
        clause.lemma == "get"
        and clause.object.split()[-1:]
        and clause.object.split()[-1] in lex.DONE
    ):
        thing = scene.subject if scene.subject != scene.me else ""
    elif clause.lemma == "get":
        return
    if not thing or head(thing) in lex.VAGUE or len(thing.split()) > 5:
        return
    if clause.denied and (clause.tense in ("past", "done") or clause.mood == "can"):
        yield Fact(bare(thing), "state", "not done")
    elif clause.tense in ("past", "done"):
        yield Fact(bare(thing), "state", "done")
