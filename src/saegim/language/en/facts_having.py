"""English clauses on what people have, use and do again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims import is_purpose, is_tool
from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.language.en.facts_being__happening import happened
from saegim.language.en.facts_having__liking import each, to_do
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact

_HABITS: Final = {
    "drink": "drinks",
    "eat": "eats",
    "smoke": "smokes",
    "watch": "watches",
    "read": "reads",
    "listen": "listens_to",
    "play": "plays",
    "study": "studies",
    "wear": "wears",
    "take": "takes",
}


_GERUNDS: Final = frozenset(
    str.split("""run jog swim smoke drink exercise cook bake meditate
    commute volunteer""")
)


def gerund(lemma: str) -> str:
    """Return the -ing form of a verb."""
    known = (form for form, verb in lex.VERBS.items() if verb == lex.Form(lemma, "ing"))
    return next(known, f"{lemma}ing")


_ATTENDED: Final = frozenset(str.split("gym church yoga school college university therapy class"))


def does(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Habits: drinks coffee, does not eat meat, smokes; one-off things are no habits."""
    lemma, over = clause.lemma, clause.begun in ("used", "stop")
    if clause.tense in ("past", "ing", "done") and not over and clause.begun != "start":
        return
    denied = clause.denied or over
    if clause.denied and "anymore" in clause.adverbs and (lemma in _HABITS or lemma in _GERUNDS):
        for thing in scene.objects(clause) or [gerund(lemma)]:
            yield Fact(scene.subject, "stopped", thing)
        return
    if clause.mood == "can" and lemma in ("eat", "have", "drink") and denied:
        yield from each(clause, scene, "cannot_eat", False)
        return
    if clause.mood == "can":
        return
    if lemma in _HABITS and clause.object:
        regular = (
            denied
            or lemma not in ("take", "watch", "read", "eat")
            or clause.adverbs & {"only", "always", "usually", "mostly", "now", "again"}
            or clause.phrase("when")
            or clause.begun
        )
        if regular:
            yield from each(clause, scene, _HABITS[lemma], denied)
    elif lemma == "listen" and clause.phrase("to"):
        yield Fact(scene.subject, "listens_to", bare(clause.phrase("to")), denied=denied)
    elif lemma == "study" and clause.phrase("at"):
        yield Fact(scene.subject, "studies_at", bare(clause.phrase("at")), denied=denied)
    elif lemma == "speak" and clause.object:
        yield from each(clause, scene, "speaks", denied)
    elif lemma in _GERUNDS and not clause.object and scene.is_person(clause):
        yield Fact(scene.subject, "does", gerund(lemma), denied=denied)
    elif lemma == "go" and (goal := head(clause.phrase("to"))) in _ATTENDED:
        name = "studies_at" if goal in ("college", "university") else "attends"
        yield Fact(scene.subject, name, bare(clause.phrase("to")), denied=denied)
    elif lemma == "attend" and clause.object:
        school = re.search("school|university|college", clause.object.lower())
        name = "studies_at" if school else "attends"
        yield Fact(scene.subject, name, bare(clause.object), denied=denied)


_WITH: Final = frozenset(
    str.split("""deploy write code edit build test draft track manage store
    keep save organise organize draw design take read host stream order do chat talk communicate
    listen read""")
)


_WITH_OBJECT: Final = frozenset(str.split("do take keep store run"))


def uses(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Uses X (as, for), pays for X, CI runs on X, we deploy with X, I'm on X now."""
    lemma, over = clause.lemma, clause.begun in ("used", "stop")
    denied = clause.denied or over
    thing = clause.object
    if clause.tense == "past" and not over and clause.begun != "start":
        return
    if lemma == "pay" and clause.phrase("for")[:1].isupper():
        yield Fact(scene.subject, "uses", bare(clause.phrase("for")), denied=denied)
    elif lemma in ("run", "use") and is_purpose(scene.subject):
        tool = bare(clause.phrase("on", "with") or thing)
        if tool and clause.mood == "told":
            if denied:
                yield Fact(scene.subject, "uses", tool, denied=True)
            else:
                yield Fact(scene.me, "", tool, said=scene.subject)
    elif lemma == "use" or (lemma == "run" and thing[:1].isupper()):
        yield from _using(clause, scene, denied)
    elif not denied and clause.mood == "told":
        yield from _served(clause, scene)


def _using(clause: Clause, scene: Scene, denied: bool) -> Iterator[Fact]:
    if not clause.object or clause.object.lower() in lex.VAGUE:
        return
    purpose = clause.phrase("for", "as")
    fresh = not denied and (clause.adverbs & {"now", "instead"} or clause.begun == "start")
    for object in scene.objects(clause):
        yield Fact(scene.subject, "switched_to" if fresh else "uses", object, denied=denied)
        if purpose and not denied and head(purpose) not in _NO_AIM:
            yield Fact(scene.subject, "", object, said=f"{_aim(purpose)} tool")
    if (old := clause.phrase("of")) and "instead" in clause.adverbs:
        yield Fact(scene.subject, "uses", bare(old), denied=True)


_NO_AIM: Final = frozenset(str.split("work everything fun years now me us"))
_HOSTED: Final = frozenset(str.split("host deploy build write store manage"))


_SOCIAL: Final = frozenset(
    str.split("""live work play talk meet be go have agree dance study stay speak travel eat hang
    sit walk argue deal start end help share come""")
)


def _serves(clause: Clause, tool: str) -> bool:
    """Say whether something is done by means of a tool."""
    if clause.lemma in _WITH:
        return bool(clause.object) or clause.lemma not in _WITH_OBJECT
    by = clause.phrase("with", "using")
    person = tool.split()[0].lower() in lex.FIRST_NAMES
    return bool(by) and not person and clause.lemma not in _SOCIAL


def _served(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """We deploy with Ansible; the site is hosted on Vercel; I'm on Apple Music now."""
    lemma, fresh = clause.lemma, "now" in clause.adverbs
    tool = bare(clause.phrase("with", "using", "via", "in", "on", "through"))
    known = bool(tool) and (tool[0].isupper() or is_tool(tool) or tool == "paper")
    known = known and not facets(tool)
    if clause.tense not in ("now", "ing") or not known:
        return
    if clause.passive and lemma in _HOSTED:
        yield Fact(scene.me, "", tool, said=f"{scene.subject} tool")
    elif lemma == "be" and fresh and not clause.object and is_tool(tool):
        yield Fact(scene.subject, "switched_to", tool)
    elif lemma == "run" and clause.phrase("on") and clause.owner in ("my", "our"):
        yield Fact(scene.me, "", tool, said=f"{scene.subject} tool")
        yield Fact(scene.me, "uses", tool)
    elif _serves(clause, tool):
        heard = clause.phrase("to") if lemma == "listen" else ""
        aim = _aim(clause.object or heard or gerund(lemma))
        yield Fact(scene.subject, "", tool, said=f"{aim} tool")
        yield Fact(scene.subject, "switched_to" if fresh else "uses", tool)


def _aim(purpose: str) -> str:
    words = [
        word
        for word in bare(bare(purpose)).removeprefix("my ").split()
        if word not in ("taking", "writing", "all", "doing", "managing", "editing", "new")
    ]
    return " ".join(words) or bare(purpose)


_ABSTRACT: Final = frozenset(
    str.split("""idea question problem issue time feeling plan chance trouble fun doubt choice
        reason point look deadline work enough something lot bit note thought sense habit day week
        headache bug error meeting hope right access mind opinion view interest need""")
)


def owns(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Has, owns, drives, bought, adopted, sold, got rid of, lost."""
    lemma, object = clause.lemma, clause.object
    if lemma == "get" and clause.tense == "done" and object:
        lemma, clause.tense = "have", "now"  # I've got a cat
    if (
        lemma in ("have", "own")
        and object
        and clause.tense in ("now", "done")
        and clause.mood == "told"
    ):
        if clause.tense == "now":
            yield from _having(clause, scene)
    elif lemma in ("drive", "ride") and clause.tense == "now" and object and clause.mood == "told":
        yield from _driving(clause, scene)
    elif clause.tense in ("past", "done") and not clause.denied:
        if (
            lemma in ("die", "pass")
            and head(scene.subject) in lex.PETS
            and " of " not in scene.subject
        ):
            yield Fact(scene.me, "has", scene.subject, denied=True)
        elif lemma == "recover" and clause.phrase("from"):
            yield Fact(scene.subject, "ill", bare(clause.phrase("from")), denied=True)
        elif lemma == "bear" and head(scene.subject) == "baby":
            yield Fact(scene.me, "state", "had the baby")
        elif lemma == "have" and "baby" in object:
            yield Fact(scene.subject, "state", "had the baby")
        elif lemma == "give" and "away" in clause.adverbs and object:
            yield from _losing(scene, re.sub(r" away$", "", object))
        elif lemma in ("buy", "adopt", "get") and object and head(object) not in lex.VAGUE:
            if lemma != "get" or (
                re.match(r"(?:a|an|another|my first|the new|two|three) ", object)
                and not re.search(
                    r"\b(?:job|offer|call|email|message|cold|chance|lot|bit|tattoo|haircut|raise|promotion|text|letter|ticket)\b",
                    object,
                )
            ):
                yield from _getting(clause, scene)
            elif object.startswith("rid") and clause.phrase("of"):
                yield from _losing(scene, clause.phrase("of"))
            elif object.startswith("rid of "):
                yield from _losing(scene, object.removeprefix("rid of "))
        elif (
            lemma in ("sell", "lose", "scrap", "donate")
            and object
            and re.match(r"(?:my|our|the|his|her) ", object)
        ):
            if lemma != "lose":
                yield from _losing(scene, object)
            elif head(object) in lex.DEVICES:
                yield Fact(scene.subject, "has", bare(object), denied=True)
        elif lemma in ("meet", "visit", "learn", "make", "build") or lemma == "go":
            yield from happened(clause, scene)


def _having(clause: Clause, scene: Scene) -> Iterator[Fact]:
    for object in scene.objects(clause, counted=True) if not to_do(clause) else ():
        name = head(object)
        if name in lex.VAGUE or name in lex.EVENTS or name in _ABSTRACT or len(object.split()) > 4:
            if name in lex.EVENTS and clause.time() and not clause.denied:
                yield Fact(object, "schedule", clause.time())
            continue
        denied = clause.denied or object.startswith("no ")
        kind, called, title = object.partition(" named ")
        if called and not denied:
            yield Fact(kind, "name", title)
            object = kind
        if name in lex.ILLNESSES:
            yield Fact(scene.subject, "ill", name, denied=denied)
            continue
        allergy = re.fullmatch(r"(?:an? |no )?(.+) allergy", object)
        if allergy:
            yield Fact(scene.subject, "allergic", allergy[1], denied=denied)
        else:
            yield Fact(scene.subject, "has", object.removeprefix("no "), denied=denied)


def _driving(clause: Clause, scene: Scene) -> Iterator[Fact]:
    object = bare(clause.object)
    if clause.object[:2] in ("a ", "an") or clause.object.startswith(("my ", "the ")):
        named = any(word[0].isupper() or word[0].isdigit() for word in object.split())
        if named and not clause.denied:
            vehicle = "bike" if clause.lemma == "ride" else "car"
            yield Fact(scene.subject, "", object, said=vehicle)
            yield Fact(scene.subject, "has", object)
        else:
            yield Fact(scene.subject, "has", object, denied=clause.denied)


def _getting(clause: Clause, scene: Scene) -> Iterator[Fact]:
    object = re.sub(r"^(?:another|a new|the new|new) ", "", clause.object)
    yield Fact(scene.subject, "bought" if clause.lemma == "buy" else "got", bare(object))


def _losing(scene: Scene, thing: str) -> Iterator[Fact]:
    yield Fact(scene.subject, "gave_up", bare(thing))
    if head(thing) in lex.WORKPLACES:
        yield Fact(scene.subject, "works_at", bare(thing), denied=True)
