"""What an English clause with "be" says of a thing: its name, time, place, state, version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from saegim.language.claims import is_purpose
from saegim.language.claims__slots import is_attribute
from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.language.en.facts_being__people import PLACES, is_job, is_place
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact
from saegim.language.predicates__versions import version_in
from saegim.memory.late import late

_FAVOURITE: Final = late(
    r"(?:all[- ]time )?(?:favou?rite|fave|go-to|best|preferred) (?:comfort )?"
    r"(.+?)(?: ever| of all time)?",
    re.IGNORECASE,
)
_MINE: Final = ("my thing", "my jam", "my cup of tea", "my favourite", "my favorite")
# The last word of a subject that says what is told of it.
HEADS: Final = {
    "first name": "name",
    "full name": "name",
    "name": "name",
    "nickname": "nickname",
    "job": "job",
    "occupation": "job",
    "profession": "job",
    "employer": "works_at",
    "age": "age",
    "birthday": "birthday",
    "hometown": "from",
    "diet": "diet",
    "deadline": "deadline",
    "due date": "deadline",
    "version": "version",
    "team": "supports",
}
_HEADED: Final = late(
    rf"(?:^|\s|'s )(?:(?:current |latest )?(?:{'|'.join(HEADS)}))$", re.IGNORECASE
)
_RECORDS: Final = frozenset(
    str.split("""docs notes files photos tickets code passwords tasks recipes documents bookmarks
    slides designs invoices backups logs""")
)
_SET: Final = frozenset(str.split("scheduled set planned booked every moved expected slated held"))
_HOMES: Final = frozenset(str.split("apartment place house flat home"))
_PASSING: Final = frozenset(str.split("closed open down live ready over late"))
_NUMBER: Final = late(r"v?[0-9]+(?:\.[0-9]+)+")
_COMMENT: Final = late(r"(?!(?:a|an|the|my|our) |[A-Z0-9\"'$€£])")


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause about a thing, with what follows "be"."""

    clause: Clause
    scene: Scene
    about: str
    said: str
    when: str

    @property
    def plain(self) -> str:
        return self.said.lower()

    @property
    def first(self) -> str:
        return self.plain.split()[0] if self.said else ""

    @property
    def mine(self) -> bool:
        return self.clause.owner in ("my", "our")

    @property
    def denied(self) -> bool:
        return self.clause.denied

    @property
    def particles(self) -> set[str]:
        return {joint for joint, text in self.clause.after if not text}

    def after(self, *prepositions: str) -> str:
        """Return the phrase after a preposition."""
        return self.clause.phrase(*prepositions)


def _when(clause: Clause) -> str:
    times = [
        text if joint == "when" else f"{joint} {text}".strip()
        for joint, text in clause.after
        if joint not in ("clause", "since", "of")
    ]
    return " ".join(text for text in times if facets(text))


def thing_is(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Yield what a thing is, by the first reading that fits."""
    about = scene.subject
    if clause.owner in ("my", "our"):
        about = re.sub(r"^(?:new|current|brand new) ", "", about)
    told = _Said(clause, scene, about, bare(clause.object), _when(clause))
    for reading in _READINGS:
        if found := list(reading(told)):
            yield from found
            return
        if reading is _state and told.first in _PASSING:
            return


def _favourite(told: _Said) -> Iterator[Fact]:
    """My favourite colour is blue; Dune is my favourite book; pizza is my thing."""
    object = told.clause.object.lower()
    mine = _FAVOURITE.fullmatch(told.about)
    other = (
        _FAVOURITE.fullmatch(told.said) if object.startswith(("my ", "our ", "the best")) else None
    )
    place = told.after("at")
    if mine and told.said:
        yield Fact(told.scene.me, "", told.said, said=f"favourite {mine[1]}")
    elif object in _MINE:
        yield Fact(told.scene.me, "likes", told.about, denied=told.denied)
    elif other:
        yield Fact(told.scene.me, "", told.about, said=f"favourite {other[1]}")
    elif mine and place and not facets(f"at {place}"):
        yield Fact(told.scene.me, "", place, said=f"favourite {mine[1]}")


def _called(told: _Said) -> Iterator[Fact]:
    if told.first in ("called", "named") and " " in told.said:
        yield Fact(told.about, "name", told.said.split(" ", 1)[1])


def _version(told: _Said) -> Iterator[Fact]:
    """The firmware is 2.1; version 4.3 of the app is out; plugin 1.4 is live."""
    out = "out" in told.particles or told.plain in ("out", "live")
    of = re.fullmatch(r"(?:version |v)([0-9.]+) of (?:the |our )?(.+)", told.about)
    shipped = version_in(told.about)
    if of and (out or not told.said):
        yield Fact(of[2], "version", of[1])
    elif shipped and out:
        yield Fact(shipped[0], "version", shipped[1])
    elif _NUMBER.fullmatch(told.plain) and not told.denied:
        name = re.sub(r"^(?:latest|current|newest) | version$", "", told.about)
        yield Fact(name or told.about, "version", told.said)


def _key(about: str) -> str:
    plain = about.lower()
    if plain.endswith(("last name", "middle name")):
        return ""
    for words, name in HEADS.items():
        if plain == words or plain.endswith(f" {words}"):
            return name
    return "deadline" if plain.startswith("deadline for ") else ""


def _headed(told: _Said) -> Iterator[Fact]:
    """Say what a name, job, birthday, deadline or version is, and whose."""
    key = _key(told.about)
    value = told.said or told.when or bare(told.after("in", "at", "on"))
    owner = _HEADED.sub("", told.about)
    owner = re.sub(r"^deadline for (?:the |our |my )?", "", owner, flags=re.IGNORECASE)
    owner = owner.removesuffix("'s").strip()
    if key == "deadline":
        yield Fact(owner or "deadline", "deadline", told.when or value)
    elif key == "birthday":
        yield Fact(owner or told.scene.me, "birthday", told.when or value)
    elif key == "supports" and owner and owner.lower() not in ("favourite", "favorite"):
        yield Fact(told.about, "is", value, denied=told.denied)
    elif key == "job" and told.clause.object.startswith(("a ", "an ")) and not is_job(value):
        return  # my job is a dead end
    elif key and value:
        yield Fact(owner or told.scene.me, key, value, denied=told.denied)


def _state(told: _Said) -> Iterator[Fact]:
    """Due on Friday; fixed; down; back up; in progress."""
    up = told.plain in ("back up", "back online", "online") or "up" in told.particles
    down = told.plain == "offline" or "down" in told.particles
    if told.first == "due" or head(told.about) in lex.DEADLINES:
        if told.when and head(told.about) != "baby":
            owner = re.sub(r"\s*(?:deadline|submission)(?: for)?\s*", "", told.about)
            yield Fact(owner or told.about, "deadline", told.when)
    elif (up or down) and not told.when:
        yield Fact(told.about, "state", "not done" if down is not told.denied else "done")
    elif told.first in _PASSING and (told.when or len(told.clause.after) > 1):
        return
    elif told.first in lex.DONE | lex.OPEN:
        broken = told.first in lex.OPEN
        yield Fact(told.about, "state", "not done" if broken is not told.denied else "done")
    elif not told.said and told.after("in", "under", "on") in _UNDER_WAY:
        yield Fact(told.about, "state", "not done")


_UNDER_WAY: Final = ("progress", "review", "hold", "way", "development")


def _time(told: _Said) -> Iterator[Fact]:
    known = not told.said or facets(told.said) or told.first in _SET
    if told.when and known and not told.denied:
        yield Fact(told.about, "schedule", told.when)


def _place(told: _Said) -> Iterator[Fact]:
    """Our office is on Baker Street; CI is on GitHub Actions; my flat is in Leeds."""
    tool = told.after("on", "with", "in")
    place = told.after(*PLACES)
    if told.mine and told.first == "back":
        yield Fact(told.about, "located", "home")
    elif told.first in ("located", "based") and place:
        yield Fact(told.about, "located", bare(place), denied=told.denied)
    elif head(told.about) in lex.PREMISES and told.plain in ("downtown", "uptown", "abroad"):
        yield Fact(told.about, "located", told.said, denied=told.denied)
    elif told.said or not place or facets(place):
        return
    elif is_purpose(told.about) and tool and not told.denied:
        yield Fact(told.scene.me, "", bare(tool), said=told.about)
    elif told.mine and head(told.about) in _HOMES and told.after("in")[:1].isupper():
        yield Fact(told.scene.me, "lives_in", told.after("in"), denied=told.denied)
    elif version := version_in(place):
        yield Fact(version[0], "version", version[1])
    elif head(told.about) in _RECORDS and place[0].isupper():
        yield Fact(told.scene.me, "", bare(place), said=f"{told.about} tool")
    elif is_place(place):
        yield Fact(told.about, "located", bare(place), denied=told.denied)


def _property(told: _Said) -> Iterator[Fact]:
    """My shoe size is eleven; Python is a language; an adjective is no fact to keep."""
    words = len(told.said.split())
    named = not _COMMENT.match(told.clause.object) or (is_attribute(head(told.about)) and words < 3)
    if not told.said or words > 5 or not named or _key(told.about):
        return
    if told.mine and not told.denied:
        yield Fact(told.scene.me, "", told.said, said=told.about)
    else:
        yield Fact(told.about, "is", told.said, denied=told.denied)


_READINGS: Final[tuple[Callable[[_Said], Iterator[Fact]], ...]] = (
    _favourite,
    _called,
    _version,
    _headed,
    _state,
    _time,
    _place,
    _property,
)
