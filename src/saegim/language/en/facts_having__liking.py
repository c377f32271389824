"""English clauses on tastes: likes, preferences, standing wishes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late


def rather(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """I'd rather take the train than fly."""
    wanted = f"{clause.lemma} {clause.object}".strip()
    if clause.lemma in ("have", "be", "get"):
        wanted = clause.object
    yield Fact(scene.subject, "prefers", wanted, denied=clause.denied)
    if than := clause.phrase("than"):
        yield Fact(scene.subject, "prefers", than, denied=not clause.denied)


_LONG_SHORT: Final = late(r"\b(short|shorter|brief|concise|long|longer|detailed|formal|casual)\b")


_STANDING: Final = late(r"\bnow on\b|\balways\b|\bnever\b|\bfrom now\b|\bgoing forward\b|\bnow\b")


def asked_for(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Take a standing wish as a preference: keep answers short from now on."""
    said = " ".join(f"{prep} {text}" for prep, text in clause.after)
    if clause.lemma == "call" and clause.object.startswith("me ") and not clause.denied:
        yield Fact(scene.me, "nickname", clause.object.removeprefix("me ").strip())
        return
    standing = bool(_STANDING.search(said) or clause.adverbs & {"always", "never", "anymore"})
    manner = _LONG_SHORT.search(clause.object)
    unwanted = clause.denied or clause.begun == "stop"
    if manner and clause.lemma in _REPLYING and (standing or clause.lemma == "keep"):
        thing = re.sub(r"\b(?:your|the|me|it)\b", "", _LONG_SHORT.sub("", clause.object)).strip()
        yield Fact(scene.me, "prefers", f"{manner[1]} {thing}" if thing else "")
    elif clause.lemma in _REPLYING - {"keep", "make"} and not manner and (standing or unwanted):
        yield Fact(scene.me, "prefers", bare(clause.object.removeprefix("me ")), denied=unwanted)


_REPLYING: Final = frozenset(str.split("keep make give write use include add put"))
_LIKED: Final = {
    "like": False,
    "love": False,
    "enjoy": False,
    "adore": False,
    "fancy": False,
    "appreciate": False,
    "prefer": False,
    "dislike": True,
    "hate": True,
    "despise": True,
    "detest": True,
    "loathe": True,
}


def likes(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Likes, loves, hates, prefers, cannot stand."""
    lemma = clause.lemma
    if to_do(clause):
        return
    if lemma in ("stand", "tolerate", "bear") and clause.denied and clause.mood == "can":
        yield from each(clause, scene, "likes", True)
    elif lemma not in _LIKED:
        yield from _tastes(clause, scene)
        return
    over = clause.begun in ("used", "stop")
    if lemma not in _LIKED or (clause.tense == "past" and not over and clause.begun != "start"):
        return
    denied = _LIKED[lemma] is not (clause.denied or over)
    than = clause.phrase("over", "to", "than")
    better = re.fullmatch(r"(.+) (?:more|better)", clause.object)
    kind = lex.KINDS_OF.get(better[1].lower()) if better else None
    if better and kind and not denied:
        yield Fact(scene.subject, "", better[1], said=f"favourite {kind}")
    elif than and (lemma == "prefer" or better):
        first = better[1] if better else clause.object
        yield Fact(scene.subject, "prefers", bare(first), denied=denied)
        yield Fact(scene.subject, "prefers", bare(than), denied=not denied)
    else:
        yield from each(clause, scene, "prefers" if lemma == "prefer" else "likes", denied)


def _tastes(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Came around to, went off, grew on me, fed up with, into, roots for."""
    lemma, who = clause.lemma, scene.subject
    gone = clause.denied or clause.begun in ("used", "stop")
    around = any(joint == "around" for joint, _ in clause.after)
    kind = re.fullmatch(r"my favou?rite (.+)", clause.phrase("as"))
    if lemma == "come" and around and clause.phrase("to"):
        yield Fact(who, "prefers", bare(clause.phrase("to")))
    elif lemma == "want" and head(clause.phrase("in")) in _REPLIES:
        yield Fact(who, "prefers", bare(clause.object), denied=clause.denied)
    elif lemma == "go" and clause.phrase("off") and clause.tense in ("past", "done"):
        yield Fact(who, "likes", bare(clause.phrase("off")), denied=True)
    elif lemma == "grow" and clause.phrase("on") == "me":
        yield Fact(scene.me, "likes", who, denied=clause.denied)
    elif lemma == "be" and clause.object.startswith("fedupwith"):
        thing = bare(clause.object.removeprefix("fedupwith").strip())
        yield Fact(who, "likes", " ".join([thing, *_more(clause)]), denied=True)
    elif lemma == "be" and clause.phrase("into") and not clause.object:
        yield Fact(who, "likes", bare(clause.phrase("into")), denied=clause.denied)
    elif lemma in ("root", "cheer") and clause.phrase("for"):
        yield Fact(who, "supports", bare(clause.phrase("for")), denied=gone)
    elif lemma == "support" and clause.object[:1].isupper() and clause.tense != "past":
        yield Fact(who, "supports", bare(clause.object), denied=gone)
    elif lemma in ("take", "become", "be") and kind:
        yield Fact(scene.me, "", who, said=f"favourite {kind[1]}")


_REPLIES: Final = frozenset(str.split("answers replies responses messages emails"))


def _more(clause: Clause) -> list[str]:
    """Return the phrases after the object, with their prepositions."""
    after = clause.after[1:]
    return [f"{joint} {text}" for joint, text in after if joint in lex.PREPOSITIONS and text]


def to_do(clause: Clause) -> bool:
    """Say whether what is liked or had is only half told: meetings to end early."""
    goal = clause.phrase("to").split()
    form = lex.VERBS.get(goal[0].lower()) if goal else None
    return form is not None and form.kind == "base"


def each(clause: Clause, scene: Scene, name: str, denied: bool) -> Iterator[Fact]:
    """Yield one fact for each thing of a list."""
    for object in scene.objects(clause):
        if object.split()[0].endswith("ing") and clause.after[0][0] == "" and len(clause.after) > 1:
            object = " ".join([object, *_more(clause)])
        yield Fact(scene.subject, name, object, denied=denied)
