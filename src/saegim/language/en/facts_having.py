"""English clauses on what people have, use, like and do, and where they live and work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims import Fact, facets, is_purpose, is_tool
from saegim.language.en import lexicon as lex
from saegim.language.en.facts_being import happened
from saegim.language.en.scene import EnglishScene, bare, head
from saegim.language.en.word_forms import EnglishClause
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/facts_having")

# ---- English clauses on tastes: likes, preferences, standing wishes.


def rather(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """I'd rather take the train than fly."""
    wanted = f"{clause.lemma} {clause.object}".strip()
    if clause.lemma in ("have", "be", "get"):
        wanted = clause.object
    yield Fact(scene.subject, "prefers", wanted, denied=clause.denied)
    if than := clause.phrase("than"):
        yield Fact(scene.subject, "prefers", than, denied=not clause.denied)


_LONG_SHORT: Final = re.compile(
    r"\b(short|shorter|brief|concise|long|longer|detailed|formal|casual)\b"
)


_STANDING: Final = re.compile(
    r"\bnow on\b|\balways\b|\bnever\b|\bfrom now\b|\bgoing forward\b|\bnow\b"
)


def asked_for(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def likes(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def _tastes(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def _more(clause: EnglishClause) -> list[str]:
    """Return the phrases after the object, with their prepositions."""
    after = clause.after[1:]
    return [f"{joint} {text}" for joint, text in after if joint in lex.PREPOSITIONS and text]


def to_do(clause: EnglishClause) -> bool:
    """Say whether what is liked or had is only half told: meetings to end early."""
    goal = clause.phrase("to").split()
    form = lex.VERBS.get(goal[0].lower()) if goal else None
    return form is not None and form.kind == "base"


def each(clause: EnglishClause, scene: EnglishScene, name: str, denied: bool) -> Iterator[Fact]:
    """Yield one fact for each thing of a list."""
    for object in scene.objects(clause):
        if object.split()[0].endswith("ing") and clause.after[0][0] == "" and len(clause.after) > 1:
            object = " ".join([object, *_more(clause)])
        yield Fact(scene.subject, name, object, denied=denied)


# ---- English clauses on what people have, use and do again and again.

_HABITS: Final = _LISTS.pairs("habits")


_GERUNDS: Final = _LISTS.words("gerunds")


def gerund(lemma: str) -> str:
    """Return the -ing form of a verb."""
    known = (form for form, verb in lex.VERBS.items() if verb == lex.VerbForm(lemma, "ing"))
    return next(known, f"{lemma}ing")


_ATTENDED: Final = frozenset(str.split("gym church yoga school college university therapy class"))


def does(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


_WITH: Final = _LISTS.words("with")


_WITH_OBJECT: Final = frozenset(str.split("do take keep store run"))


def uses(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def _using(clause: EnglishClause, scene: EnglishScene, denied: bool) -> Iterator[Fact]:
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


_SOCIAL: Final = _LISTS.words("social")


def _serves(clause: EnglishClause, tool: str) -> bool:
    """Say whether something is done by means of a tool."""
    if clause.lemma in _WITH:
        return bool(clause.object) or clause.lemma not in _WITH_OBJECT
    by = clause.phrase("with", "using")
    person = tool.split()[0].lower() in lex.FIRST_NAMES
    return bool(by) and not person and clause.lemma not in _SOCIAL


def _served(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


_ABSTRACT: Final = _LISTS.words("abstract")


def owns(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def _having(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def _driving(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    object = bare(clause.object)
    if clause.object[:2] in ("a ", "an") or clause.object.startswith(("my ", "the ")):
        named = any(word[0].isupper() or word[0].isdigit() for word in object.split())
        if named and not clause.denied:
            vehicle = "bike" if clause.lemma == "ride" else "car"
            yield Fact(scene.subject, "", object, said=vehicle)
            yield Fact(scene.subject, "has", object)
        else:
            yield Fact(scene.subject, "has", object, denied=clause.denied)


def _getting(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    object = re.sub(r"^(?:another|a new|the new|new) ", "", clause.object)
    yield Fact(scene.subject, "bought" if clause.lemma == "buy" else "got", bare(object))


def _losing(scene: EnglishScene, thing: str) -> Iterator[Fact]:
    yield Fact(scene.subject, "gave_up", bare(thing))
    if head(thing) in lex.WORKPLACES:
        yield Fact(scene.subject, "works_at", bare(thing), denied=True)


# ---- English clauses on where people live, work and study, and what they leave.


def lives(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def renting(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


_DWELLINGS: Final = _LISTS.words("dwellings")


def _dwelling(place: str) -> bool:
    return head(place) in _DWELLINGS


def _moved(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def works(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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
_GUESTS: Final = _LISTS.words("guests")
_SHOP: Final = re.compile(
    r"shop|store|caf|bakery|restaurant|studio|company|business|agency|farm|bar\b|practice|school|firm"
)


def _working(clause: EnglishClause, scene: EnglishScene, over: bool) -> Iterator[Fact]:
    at, inside, role = clause.phrase("at", "for", "with"), clause.phrase("in"), clause.phrase("as")
    if clause.tense == "past" and not over:
        return
    if role:
        yield Fact(scene.subject, "job", bare(role), denied=over)
    if at and not facets(f"at {at}") and head(at) not in ("home", "night", "hours", "myself"):
        yield Fact(scene.subject, "works_at", bare(at), denied=over)
    elif inside and not role and head(inside) not in ("morning", "office", "pairs", "sprints"):
        yield Fact(scene.subject, "job", bare(inside), denied=over)


def _teaching(clause: EnglishClause, scene: EnglishScene, over: bool) -> Iterator[Fact]:
    stopped = over or clause.begun == "stop"
    if clause.tense == "past" and not stopped:
        return
    yield Fact(scene.subject, "job", "teacher", denied=stopped)
    if clause.phrase("at") and not stopped:
        yield Fact(scene.subject, "works_at", bare(clause.phrase("at")))


def _hired(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def leaves(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


_CEASES: Final = frozenset(str.split("quit stop drop abandon ditch cancel delete uninstall remove"))


def stops(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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
        if lemma in _CEASES and not clause.passive:
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
