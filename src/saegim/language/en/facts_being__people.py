"""What an English clause with "be" says of a person: age, job, bond, diet, home, health."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact
from saegim.language.predicates__versions import version_in
from saegim.memory.late import late

_AGE: Final = late(r"(?P<age>[0-9]{1,3}|[a-z]+(?:[- ][a-z]+)?)(?: years? old)?")
NUMBER_WORDS: Final = late(
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|[0-9]{1,3})"
)
_DOER: Final = late(r".{3,}(?:er|or|ist|eer|man|woman|maker)")
_NO_DOER: Final = frozenset(
    str.split("""member owner lover beginner teenager foreigner neighbor neighbour brother sister
    mother father swimmer runner hiker gamer smoker drinker eater reader believer supporter
    survivor number winner loser leader newcomer stranger monster partner mentor minor senior
    junior person human woman dancer fighter sleeper introvert pacifist feminist optimist
    pessimist minimalist perfectionist realist computer laptop trailer cluster server poster
    letter after better other another""")
)
PLACES: Final = ("in", "on", "at", "near", "under", "above", "behind", "next")
_NO_PLACES: Final = frozenset(str.split("love trouble charge mood bed rush touch moment cast"))
_SITES: Final = frozenset(str.split("hospital home school work bed jail town storage"))
_TEMPERS: Final = frozenset(str.split("nice good bad morning night shy happy"))
_OUT_OF_WORK: Final = ("retired", "unemployed", "self-employed", "between jobs")


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause about a person, with what follows "be"."""

    clause: Clause
    scene: Scene
    said: str
    plain: str

    @property
    def who(self) -> str:
        return self.scene.subject

    @property
    def denied(self) -> bool:
        return self.clause.denied

    @property
    def first(self) -> str:
        return self.plain.split()[0] if self.plain else ""

    @property
    def fresh(self) -> bool:
        return "now" in self.clause.adverbs

    def after(self, *prepositions: str) -> str:
        """Return the phrase after a preposition."""
        return self.clause.phrase(*prepositions)


def is_job(text: str) -> bool:
    """Say whether a noun names what someone works as."""
    plain = text.lower()
    return head(plain) in lex.JOBS or plain.endswith(lex.JOB_ENDS)


def is_place(text: str) -> bool:
    """Say whether a phrase after in, on or at can be a place."""
    return bool(re.match(r"(?:the|a|an|my|our|his|her) |[A-Z]", text)) or text in _SITES


def person_is(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Yield what a person is, by the first reading that fits."""
    said = bare(clause.object)
    told = _Said(clause, scene, said, said.lower())
    for reading in _READINGS:
        if found := list(reading(told)):
            yield from found
            return


def _body(told: _Said) -> Iterator[Fact]:
    """Age, allergies, diet, pregnancy, an illness that is over."""
    age = _AGE.fullmatch(told.plain)
    if age and NUMBER_WORDS.fullmatch(age["age"]) and not told.denied:
        yield Fact(told.who, "age", age["age"])
    elif told.first == "allergic" and told.after("to"):
        more = (text for joint, text in told.clause.after if joint == "and")
        for each in (told.after("to"), *more):
            yield Fact(told.who, "allergic", bare(each), denied=told.denied)
    elif told.plain.split()[-1:] and told.plain.split()[-1] in lex.DIETS:
        yield Fact(told.who, "diet", told.plain.split()[-1], denied=told.denied)
    elif told.plain in ("pregnant", "expecting"):
        yield Fact(told.who, "state", "pregnant", denied=told.denied)
    elif not told.said and (gone := head(told.after("over"))) in lex.ILLNESSES:
        yield Fact(told.who, "ill", gone, denied=True)


def _bond(told: _Said) -> Iterator[Fact]:
    """Single, married to, in a relationship."""
    if told.first in lex.STATUS:
        partner = bare(told.after("to"))
        if told.first == "married" and partner and not told.denied and not facets(partner):
            yield Fact(told.who, "married_to", partner)
        yield Fact(told.who, "status", lex.STATUS[told.first], denied=told.denied)
    elif told.after("in") == "a relationship":
        yield Fact(told.who, "status", "dating", denied=told.denied)


def _pending(told: _Said) -> Iterator[Fact]:
    """Waiting for results, on leave, back at work, in tech now."""
    if told.plain == "waiting" and told.who == told.scene.me and (thing := told.after("on", "for")):
        yield Fact(bare(thing), "state", "not done")
    elif not told.said and told.after("on").endswith("leave"):
        yield Fact(told.who, "state", "on leave", denied=told.denied)
    elif told.plain.startswith("back") and "work" in (told.after("at", "to"), told.plain[-4:]):
        yield Fact(told.who, "state", "back at work")
    elif not told.said and told.fresh and told.after("in") in lex.INDUSTRIES:
        yield Fact(told.who, "job", told.after("in"))


def _taste(told: _Said) -> Iterator[Fact]:
    """A dog person, a Lakers fan."""
    words = told.plain.split()
    if words[1:] == ["person"] and told.clause.object.startswith("a "):
        if words[0] not in _TEMPERS and not is_job(told.plain):
            yield Fact(told.who, "prefers", words[0], denied=told.denied)
    elif head(told.plain) == "fan" or told.plain.endswith((" fan", " supporter")):
        _, of, team = told.clause.object.partition(" of ")
        team = bare(team) if of else told.said.rpartition(" ")[0]
        team = re.sub(r"^(?:big|huge|massive|lifelong) ", "", team)
        if team:
            one = told.fresh or team.lower().split()[-1] in lex.TEAMS
            yield Fact(told.who, "supports" if one else "likes", team, denied=told.denied)


def _origin(told: _Said) -> Iterator[Fact]:
    """Based in, born in, from, called."""
    place = bare(told.after("in", "at", "on"))
    moved = told.scene.moving and not told.said and told.fresh and told.after("in")[:1].isupper()
    if place and (told.first in ("based", "living") or moved):
        yield Fact(told.who, "lives_in", place, denied=told.denied)
    elif told.first in ("born", "raised") and told.after("in"):
        yield Fact(told.who, "born_in", bare(told.after("in")))
    elif not told.said and told.after("from"):
        yield Fact(told.who, "from", bare(told.after("from")), denied=told.denied)
    elif told.first in ("called", "named") and " " in told.said:
        yield Fact(told.who, "name", told.said.split(" ", 1)[1])


def _is_doer(told: _Said) -> bool:
    last = head(told.said)
    article = told.clause.object.lower().startswith(("a ", "an "))
    short = len(told.said.split()) < 3 and last not in _NO_DOER
    made = bool(_DOER.fullmatch(last)) or (told.fresh and last not in lex.KIN)
    return article and short and made


def _work(told: _Said) -> Iterator[Fact]:
    if not (told.plain in _OUT_OF_WORK or is_job(told.plain) or _is_doer(told)):
        return
    never = told.denied and "anymore" not in told.clause.adverbs
    yield Fact(told.who, "is" if never else "job", told.said, denied=told.denied)
    place = told.after("at", "for")
    if place and not facets(f"at {place}") and not told.denied:
        pupil = head(told.said) in ("student", "freshman", "sophomore", "undergrad")
        yield Fact(told.who, "studies_at" if pupil else "works_at", bare(place))


def _whereabouts(told: _Said) -> Iterator[Fact]:
    """My sister is in London; Dad is in hospital; we are on Oak Avenue now."""
    if told.said:
        return
    if version := version_in(told.after("on")):
        yield Fact(version[0], "version", version[1])
    elif told.who == told.scene.me and head(told.after("on")) in lex.STREETS:
        yield Fact(told.who, "lives_in", bare(told.after("on")), denied=told.denied)
    elif told.who == told.scene.me:
        return
    elif (place := told.after("in"))[:1].isupper() and not facets(place):
        yield Fact(told.who, "lives_in", place, denied=told.denied)
    elif is_place(place := told.after(*PLACES)) and head(place) not in _NO_PLACES:
        if facets(f"at {place}"):
            return
        yield Fact(told.who, "located", bare(place), denied=told.denied)


def _nature(told: _Said) -> Iterator[Fact]:
    """An introvert, an only child."""
    article = told.clause.object[:2].lower() in ("a ", "an")
    if article and len(told.said.split()) < 5 and not told.denied and told.clause.owner != "we":
        yield Fact(told.who, "is", told.said)


_READINGS: Final[tuple[Callable[[_Said], Iterator[Fact]], ...]] = (
    _body,
    _bond,
    _pending,
    _taste,
    _origin,
    _work,
    _whereabouts,
    _nature,
)
