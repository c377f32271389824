"""English sentences as triples, in the words of the predicate table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims import Fact, Triple, facets, version_in, written
from saegim.language.en import lexicon as lex
from saegim.language.en.clauses import clauses
from saegim.language.en.facts_being import bonds, is_what, state, whereabouts
from saegim.language.en.facts_changing import changed, scheduled
from saegim.language.en.facts_having import (
    asked_for,
    does,
    leaves,
    likes,
    lives,
    owns,
    rather,
    renting,
    stops,
    uses,
    works,
)
from saegim.language.en.scene import EnglishScene, bare, head
from saegim.language.en.word_forms import EnglishClause
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/triples")

_SILENT: Final = frozenset(("asked", "supposed", "reported", "reports", "wish", "must"))


_OVER: Final = re.compile(
    r"(?:[Dd]efinitely |[Aa]lways )?(\S+) (?:over|not) (\S+?)(?: for me| any day| always)?[.!]?"
)


_SHORT_NOTE: Final = re.compile(r"\S+(?: \S+)? v?[0-9][0-9.]*(?: (?:in|on|for) .*)?")
_NO_FAN: Final = re.compile(
    r"[Nn]ot (?:really |exactly )?(?:a |the )?(?:big |huge )?fan of ([a-zA-Z ]{2,20}?)"
    r"(?: lol.*| haha.*|,.*| to be honest| tbh| tastes.*| it .*)?[.!]?"
)
_NOTED: Final = re.compile(
    r"(?P<thing>[A-Za-z][\w ]{1,30}?),? (?P<when>(?:every|each|on|at) .{2,40}?)[.!]?"
)


_BACK: Final = re.compile(
    r"(?:[Mm]oved |[Ll]iving |[Nn]ow )?[Bb]ack in ([A-Z]\w+)(?: for good)?(?: now)?[.!]?"
)


_NO_MORE: Final = re.compile(
    r"(?:[Pp]lease,? )?[Nn]o more ([a-z][a-z ]{2,30}?)"
    r"(?:,? please| from now on| anymore| for me| in (?:your )?answers)?[.!]?"
)


# What was almost cancelled, or cancelled long ago, is no plan that ends now.
_NOT_THIS_ONE: Final = re.compile(
    r"(?i)\b(?:almost|had(?! to)|back in|in (?:19|20)\d\d|(?:month|year)s? ago"
    r"|last (?:year|month|spring|summer|autumn|fall|winter|time))\b"
)


_TURNS: Final = _LISTS.words("turns")


_FRAMES: Final = (
    changed,
    scheduled,
    bonds,
    is_what,
    renting,
    lives,
    leaves,
    stops,
    works,
    likes,
    uses,
    does,
    whereabouts,
    owns,
    state,
)


def triples(sentences: list[str], speaker: str) -> list[Triple]:
    """Return what a few sentences of one speaker say, each triple once."""
    scene = EnglishScene(me=speaker or "user")
    found: dict[Triple, None] = {}
    for sentence in sentences:
        for fact in _verbless(sentence, scene):
            if (triple := written(fact, "en")) is not None:
                found[triple] = None
        for clause in clauses(sentence):
            scene.enter(clause)
            for fact in _read(clause, scene):
                dropped = fact.name == "plans" and fact.denied and _NOT_THIS_ONE.search(sentence)
                if dropped or fact.value.lower() in lex.VAGUE:
                    continue
                if (triple := written(fact, "en")) is not None:
                    found[triple] = None
            scene.leave(clause)
    return list(found)


def _verbless(sentence: str, scene: EnglishScene) -> Iterator[Fact]:
    """Tabs over spaces for me. No more bullet points please."""
    if over := _OVER.fullmatch(sentence.strip()):
        yield Fact(scene.me, "prefers", over[1])
        yield Fact(scene.me, "prefers", over[2], denied=True)
    elif (
        (noted := _NOTED.fullmatch(sentence.strip()))
        and head(noted["thing"]) in lex.EVENTS
        and facets(noted["when"])
    ):
        if not clauses(sentence):
            yield Fact(bare(noted["thing"]), "schedule", noted["when"])
    elif back := _BACK.fullmatch(sentence.strip()):
        yield Fact(scene.me, "moved_to", back[1])
    elif _SHORT_NOTE.fullmatch(sentence.strip(" .!")) and (
        version := version_in(re.sub(r" (?:in|on|for) .*", "", sentence.strip(" .!")))
    ):
        yield Fact(version[0], "version", version[1])
    elif fan := _NO_FAN.fullmatch(sentence.strip()):
        yield Fact(scene.me, "likes", fan[1], denied=True)
    elif no_more := _NO_MORE.fullmatch(sentence.strip()):
        yield Fact(scene.me, "prefers", no_more[1], denied=True)


def _read(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Yield the facts of one clause by the first frame that fits it."""
    if not scene.subject:
        return
    if scene.subject in ("someone", "somebody", "people", "everyone"):
        yield from _by_others(clause, scene)
        return
    if "rather" in clause.adverbs and clause.mood == "wish":
        yield from rather(clause, scene)
        return
    if clause.mood == "ordered":
        yield from asked_for(clause, scene)
        return
    if clause.mood == "reported" and scene.thinking:
        yield from (fact for fact in is_what(clause, scene) if fact.said.startswith("favourite"))
        return
    if clause.mood in _SILENT:
        return
    if clause.tense == "future" or clause.mood == "plan" or _coming(clause):
        yield from _planned(clause, scene)
        return
    found: list[Fact] = []
    for frame in _FRAMES:
        if found := list(frame(clause, scene)):
            break
    yield from found
    if _turned(clause) and not found:
        who = scene.subject if scene.is_person(clause) else scene.me
        yield from (Fact(who, "turned", noun) for noun in scene.nouns(clause))


def _turned(clause: EnglishClause) -> bool:
    """Say whether something is no longer as it was: by its verb, or by "now" and "anymore"."""
    if clause.mood not in ("told", "can"):
        return False
    done = clause.tense in ("past", "done") or clause.passive
    if clause.lemma in _TURNS and done and not clause.denied:
        return True
    return "anymore" in clause.adverbs or clause.begun == "stop"


def _by_others(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """They moved the exam to Monday; someone stole my bike; people call me Bo."""
    if (
        clause.mood == "told"
        and clause.lemma == "steal"
        and clause.object.startswith(("my ", "our "))
    ):
        yield Fact(scene.me, "has", bare(clause.object), denied=True)
    elif clause.mood == "told" and clause.lemma == "call" and clause.object.startswith("me "):
        yield Fact(scene.me, "nickname", clause.object.removeprefix("me "))
    elif (
        clause.mood == "told"
        and clause.lemma == "give"
        and clause.phrase("until")
        and clause.phrase("for")
    ):
        yield Fact(bare(clause.phrase("for")), "due_moved", clause.phrase("until"))
    elif clause.mood == "told" and clause.object:
        scene.subject = scene.me
        moved = [fact for fact in lives(clause, scene) if fact.name == "located"]
        yield from moved
        yield from (
            fact
            for fact in changed(clause, scene)
            if fact.name in ("schedule", "deadline", "moved", "due_moved")
        )


_TRAVELS: Final = frozenset(str.split("move fly go get visit travel relocate leave start"))


def _coming(clause: EnglishClause) -> bool:
    """Say whether a move or a visit under way is still to come: I'm moving to Berlin."""
    return clause.tense == "ing" and clause.lemma in _TRAVELS


def _planned(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    moved = list(changed(clause, scene)) if clause.passive or clause.subject != "me" else []
    if moved:
        yield from moved
        return
    words = [
        clause.lemma,
        *(f"{prep} {text}".strip() for prep, text in clause.after if prep != "clause"),
    ]
    if not clause.denied:
        yield Fact(
            scene.subject, "plans", " ".join(words).replace("when ", "").replace("and ", "and ")
        )
