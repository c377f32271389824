"""English clauses in which something takes a new value: a date, a version, a tool, a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims import Fact, facets, is_attribute, is_tool, is_versioned, version_in
from saegim.language.en import lexicon as lex
from saegim.language.en.scene import EnglishScene, bare, head
from saegim.language.en.word_forms import EnglishClause
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/facts_changing")

_MOVING: Final = _LISTS.words("moving")


_SWITCHING: Final = _LISTS.words("switching")


_RAISING: Final = _LISTS.words("raising")


_PASSIVE: Final = re.compile(
    r"(?:re)?(?:scheduled|booked|moved|named|postponed|pushed|delayed|shifted|bumped|changed|set"
    r"|extended|raised|lowered|cut|upgraded|cancell?ed)\b"
)


_REPLACES: Final = re.compile(r"replace (.+)")


_AMOUNT: Final = re.compile(
    r"(?:about )?[$€£]?[0-9][0-9,.]*k?"
    r"(?: ?(?:%|percent|dollars|euros|pounds|won|people|hours|a month|per month))?"
)


def changed(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Yield what takes a new value: moved to Tuesday, bumped to 21, switched to X, renamed to Y."""
    if clause.denied or clause.begun in ("stop", "used"):
        return
    for frame in (_versions, _named, _dated, _switched, _amount):
        found = list(frame(clause, scene))
        if found:
            yield from found
            return


def _happening(clause: EnglishClause) -> bool:
    return (
        clause.tense in ("past", "done")
        or clause.passive
        or clause.begun == "decide"
        or "now" in clause.adverbs
    )


def _versions(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Needs Java 11, bumped the app to Java 21, is pinned at 18, released 1.5.0."""
    lemma, subject = clause.lemma, scene.subject
    if clause.tense == "past" and lemma in ("use", "run", "need", "be", "require"):
        return
    goal = clause.phrase("to", "at", "on", "onto", "with")
    updated = version_in(re.sub(r" (?:update|upgrade|release)$", "", bare(clause.object)))
    if lemma == "get" and updated and clause.tense in ("past", "done"):
        yield Fact(updated[0], "version", updated[1])
    elif of := _VERSION_OF.fullmatch(clause.object):
        if clause.tense in ("past", "done"):
            yield Fact(of[2], "version", of[1])
    elif lemma == "have" and updated and clause.tense == "now":
        yield from _owned_version(scene, clause, *updated)
    elif lemma == "go" and "live" in clause.object and (live := version_in(subject)):
        yield Fact(live[0], "version", live[1])
    elif _NUMBER.fullmatch(clause.object) and lemma in _SHIPPING:
        yield Fact("release", "version", clause.object.lstrip("v"))
    elif _NUMBER.fullmatch(subject) and lemma in _SHIPPING | {"go", "be", "land"}:
        yield Fact("release", "version", subject.lstrip("v"))
    elif lemma in _RAISING or (version_in(goal) and clause.tense in ("past", "done")):
        yield from _raised(clause, scene, goal)


_NUMBER: Final = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
_VERSION_OF: Final = re.compile(r"(?:version )?v?([0-9.]+) of (?:the |our )?(.+)")
_SHIPPING: Final = frozenset(str.split("release ship deploy launch"))


def _raised(clause: EnglishClause, scene: EnglishScene, goal: str) -> Iterator[Fact]:
    """Read the version a verb like "bump" leads to."""
    for text in (goal, clause.object):
        if found := version_in(bare(text)):
            yield from _owned_version(scene, clause, *found)
            return
    number = re.fullmatch(r"(?:version |v)?([0-9]+(?:\.[0-9]+)*)", goal)
    told = clause.lemma in ("upgrade", "bump", "update", "downgrade", "pin")
    if number and (told or "." in goal or "v" in goal or is_versioned(scene.subject)):
        about = clause.object if scene.subject == scene.me else scene.subject
        if about and head(about) not in lex.EVENTS:
            yield Fact(bare(about), "version", number[1])


_OURS: Final = _LISTS.words("ours")


def _owned_version(
    scene: EnglishScene, clause: EnglishClause, name: str, number: str
) -> Iterator[Fact]:
    """Say whose version it is, if it is not simply ours."""
    owner = bare(clause.object) if clause.phrase("to") else ""
    owner = scene.subject if scene.subject != scene.me else owner
    if name == "release" and owner and not version_in(owner):
        yield Fact(owner, "version", number)
    elif not owner or owner.lower() in _OURS or owner.lower() == name.lower() or version_in(owner):
        yield Fact(name, "version", number)
    else:
        yield Fact(f"{owner} {name}", "version", number)


def _named(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Renamed, called, named, goes by, changed the name to."""
    lemma, object, goal = clause.lemma, clause.object, clause.phrase("to", "as")
    about = scene.subject if clause.passive and scene.subject != scene.me else bare(object)
    if lemma == "get" and object.startswith("renamed") and goal:
        yield Fact(scene.subject, "name", bare(goal))
    elif lemma in ("rename", "rebrand") and goal and about:
        yield Fact(about, "name", bare(goal))
    elif (
        lemma == "be"
        and clause.subject in ("it", "this", "that")
        and scene.subject.endswith(" name")
        and object
    ):
        yield Fact(scene.subject.removesuffix(" name"), "name", bare(object))
    elif lemma == "go" and (name := clause.phrase("by")) and name[0].isupper():
        yield Fact(scene.subject, "name", name)
    elif (
        lemma in ("call", "name", "rename")
        and clause.tense in ("past", "done", "now")
        and " " in object
        and not clause.passive
    ):
        words = object.split()
        capital = next((at for at, word in enumerate(words) if at and word[0].isupper()), 0)
        if capital and words[0].lower() in ("my", "our", "the", "him", "her", "it"):
            thing = bare(" ".join(words[:capital])) or scene.thing
            thing = scene.object if thing.lower() in ("him", "her", "it") else thing
            if thing:
                yield Fact(thing, "name", " ".join(words[capital:]))
    elif lemma == "change" and goal and head(object) in ("name", "nickname", "surname"):
        owner = re.sub(r"\s?(?:last |first )?(?:name|nickname|surname)$", "", bare(object))
        owner = "" if owner in ("its", "his", "her", "their") else owner
        if "last name" in object:
            yield Fact(scene.me, "", bare(goal), said="last name")
        else:
            yield Fact(owner or scene.subject, "name", bare(goal))


def _dated(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """The standup moved to 10; they pushed the launch to May; the flight got rebooked."""
    got = clause.lemma == "get" and _PASSIVE.match(clause.object)
    if (clause.lemma not in _MOVING and not got) or not (
        _happening(clause) or got or clause.tense == "future"
    ):
        return
    goal = next(
        (
            text
            for joint, text in clause.after
            if joint in ("to", "for", "until", "till", "on", "forward", "up", "at", "back")
            and facets(f"{'at' if joint == 'to' and text[:1].isdigit() else joint} {text}")
        ),
        "",
    )
    later = " ".join(
        f"at {text}" if joint == "at" else text
        for joint, text in clause.after
        if joint in ("at",) and text != goal
    )
    if not goal or head(goal) in lex.STREETS | {"floor"}:
        return
    if clause.phrase("to") == goal or clause.phrase("at") == goal:
        goal = f"at {goal}" if re.fullmatch(r"[0-9]{1,2}(?::[0-9]{2})?", goal) else goal
    about = scene.subject if scene.subject != scene.me else bare(clause.object)
    about = re.sub(r"\s+(?:back|forward|up|out|date|time)$", "", about)
    if (
        not about
        or about.lower() in lex.VAGUE
        or (scene.subject != scene.me and scene.is_person(clause) and head(about) in lex.KIN)
    ):
        return
    when = f"{goal} {later}".strip()
    moved = (
        "schedule"
        if clause.lemma in ("plan", "set", "schedule", "book", "expect", "slate")
        else "moved"
    )
    if "deadline" in about.lower() or "due date" in about.lower():
        owner = re.sub(
            r"\s*(?:deadline|due date)(?: for)?\s*(?:the )?", "", about, flags=re.IGNORECASE
        )
        yield Fact(owner or "deadline", "due_moved", when)
    else:
        yield Fact(about, moved, when)


def _switched(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Switched (from A) to B; replaced A with B; traded A for B; changed my bank to B."""
    lemma, object = clause.lemma, bare(clause.object)
    goal, source = bare(clause.phrase("to")), bare(clause.phrase("from", "off"))
    if not _happening(clause):
        return
    if lemma == "replace" and (kind := re.fullmatch(r"my favou?rite (.+)", clause.phrase("as"))):
        yield Fact(scene.me, "", scene.subject, said=f"favourite {kind[1]}")
        return
    if lemma in ("replace", "swap", "trade", "ditch", "drop", "leave"):
        new = bare(clause.phrase("with", "for"))
        object = object or bare(clause.phrase("in"))
        if object and new and not facets(new):
            yield from _exchange(scene, object, new)
        return
    if lemma in ("buy", "get") and (old := _REPLACES.match(clause.phrase("to"))):
        yield from _exchange(scene, bare(old[1]), bare(object))
        return
    if lemma not in _SWITCHING or not goal or facets(f"to {goal}") or not scene.subject:
        return
    if lemma in ("move", "go", "jump", "change") and object in ("", "over", "back", "back over"):
        if is_tool(goal) or is_tool(source) or object == "over":
            yield Fact(scene.subject, "switched_to", goal)
            if source:
                yield Fact(scene.subject, "uses", source, denied=True)
        elif lemma == "change" and scene.subject != scene.me:
            yield Fact(scene.subject, "changed_to", goal)
        return
    if lemma == "move" and head(object) in lex.PREMISES:
        return
    if object and object.lower() not in lex.VAGUE and object not in ("over", "back"):
        yield from _device(scene, object, goal)
        return
    if head(goal) in lex.TEAMS:
        yield Fact(scene.subject, "supports", goal)
        return
    yield Fact(scene.subject, "switched_to", goal)
    if source:
        yield Fact(scene.subject, "uses", source, denied=True)


def _exchange(scene: EnglishScene, old: str, new: str) -> Iterator[Fact]:
    last = head(old)
    if last in lex.DEVICES:
        yield Fact(scene.subject, "", new, said=last)
    yield Fact(scene.subject, "switched_to", new)
    yield Fact(scene.subject, "gave_up", old)


def _device(scene: EnglishScene, object: str, goal: str) -> Iterator[Fact]:
    last = head(object)
    last = last if is_attribute(last) else last.removesuffix("s")
    if last in ("allegiance", "team") or head(goal) in lex.TEAMS:
        yield Fact(scene.subject, "supports", goal)
    elif last in lex.DEVICES or is_attribute(last) or last in ("major", "gym"):
        yield Fact(scene.subject, "", goal, said=last)
        if is_tool(goal):
            yield Fact(scene.subject, "switched_to", goal)
    elif last in ("job", "jobs", "company", "companies"):
        yield Fact(scene.subject, "works_at", goal)
    else:
        aim = re.sub(r"\s(?:app|tool|software|service)$", "", object)
        yield Fact(scene.subject, "", goal, said=f"{aim} tool")
        yield Fact(scene.subject, "switched_to", goal)


_RESETS: Final = frozenset(
    str.split("go raise lower increase reduce drop cut rise fall get change set")
)


def _amount(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """The rent went up to $1,300; they raised the rent to 900."""
    goal = clause.phrase("to")
    if clause.lemma not in _RESETS or not _AMOUNT.fullmatch(goal):
        return
    about = scene.subject if scene.subject != scene.me else bare(clause.object)
    about = re.sub(r"\s(?:up|down)$", "", about)
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)+", goal) and about:
        yield Fact(about, "version", goal)
        return
    if about and about.lower() not in lex.VAGUE and _happening(clause):
        yield Fact(about, "changed_to", goal)


_TAKES_PLACE: Final = _LISTS.words("takes_place")


def scheduled(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """The show starts at 8; the gym opens at 6; we do retro on Fridays."""
    when = clause.time()
    if not when or clause.denied or clause.tense not in ("now", "ing") or clause.mood != "told":
        return
    if scene.subject == scene.me:
        if clause.lemma == "meet" and not clause.object:
            yield Fact("meeting", "schedule", when)
        elif clause.lemma in ("do", "hold", "attend") and head(clause.object) in lex.EVENTS:
            yield Fact(bare(clause.object), "schedule", when)
    elif scene.is_person(clause):
        return
    elif clause.lemma in _TAKES_PLACE:
        yield Fact(scene.subject, "schedule", when)
    elif clause.lemma in ("open", "close"):
        what = "opening" if clause.lemma == "open" else "closing"
        yield Fact(f"{scene.subject} {what}", "schedule", when)
