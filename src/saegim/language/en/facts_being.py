"""What an English clause with "be" or "become" says of a person or a thing, and what happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from saegim.language.claims import Fact, facets, is_attribute, is_purpose, version_in
from saegim.language.en import lexicon as lex
from saegim.language.en.scene import EnglishScene, bare, head
from saegim.language.en.word_forms import EnglishClause
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/facts_being")

# ---- What an English clause with "be" says of a person: age, job, bond, diet, home, health.

_AGE: Final = re.compile(r"(?P<age>[0-9]{1,3}|[a-z]+(?:[- ][a-z]+)?)(?: years? old)?")
NUMBER_WORDS: Final = re.compile(
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|[0-9]{1,3})"
)
_DOER: Final = re.compile(r".{3,}(?:er|or|ist|eer|man|woman|maker)")
_NO_DOER: Final = _LISTS.words("no_doer")
PLACES: Final = ("in", "on", "at", "near", "under", "above", "behind", "next")
_NO_PLACES: Final = frozenset(str.split("love trouble charge mood bed rush touch moment cast"))
_SITES: Final = frozenset(str.split("hospital home school work bed jail town storage"))
_TEMPERS: Final = frozenset(str.split("nice good bad morning night shy happy"))
_OUT_OF_WORK: Final = ("retired", "unemployed", "self-employed", "between jobs")


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause about a person, with what follows "be"."""

    clause: EnglishClause
    scene: EnglishScene
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


def person_is(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


# ---- What an English clause with "be" says of a thing: its name, time, place, state, version.

_FAVOURITE: Final = re.compile(
    r"(?:all[- ]time )?(?:favou?rite|fave|go-to|best|preferred) (?:comfort )?"
    r"(.+?)(?: ever| of all time)?",
    re.IGNORECASE,
)
_MINE: Final = ("my thing", "my jam", "my cup of tea", "my favourite", "my favorite")
HEADS: Final = _LISTS.pairs("heads")
_HEADED: Final = re.compile(
    rf"(?:^|\s|'s )(?:(?:current |latest )?(?:{'|'.join(HEADS)}))$", re.IGNORECASE
)
_RECORDS: Final = _LISTS.words("records")
_SET: Final = frozenset(str.split("scheduled set planned booked every moved expected slated held"))
_HOMES: Final = frozenset(str.split("apartment place house flat home"))
_PASSING: Final = frozenset(str.split("closed open down live ready over late"))
_NUMBER: Final = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
_COMMENT: Final = re.compile(r"(?!(?:a|an|the|my|our) |[A-Z0-9\"'$€£])")


@dataclass(frozen=True, slots=True)
class _ThingReader:
    """A clause about a thing, with what follows "be"."""

    clause: EnglishClause
    scene: EnglishScene
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


def _when(clause: EnglishClause) -> str:
    times = [
        text if joint == "when" else f"{joint} {text}".strip()
        for joint, text in clause.after
        if joint not in ("clause", "since", "of")
    ]
    return " ".join(text for text in times if facets(text))


def thing_is(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Yield what a thing is, by the first reading that fits."""
    about = scene.subject
    if clause.owner in ("my", "our"):
        about = re.sub(r"^(?:new|current|brand new) ", "", about)
    told = _ThingReader(clause, scene, about, bare(clause.object), _when(clause))
    for reading in _THING_READINGS:
        if found := list(reading(told)):
            yield from found
            return
        if reading is _state and told.first in _PASSING:
            return


def _favourite(told: _ThingReader) -> Iterator[Fact]:
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


def _called(told: _ThingReader) -> Iterator[Fact]:
    if told.first in ("called", "named") and " " in told.said:
        yield Fact(told.about, "name", told.said.split(" ", 1)[1])


def _version(told: _ThingReader) -> Iterator[Fact]:
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


def _headed(told: _ThingReader) -> Iterator[Fact]:
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


def _state(told: _ThingReader) -> Iterator[Fact]:
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


def _time(told: _ThingReader) -> Iterator[Fact]:
    known = not told.said or facets(told.said) or told.first in _SET
    if told.when and known and not told.denied:
        yield Fact(told.about, "schedule", told.when)


def _place(told: _ThingReader) -> Iterator[Fact]:
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


def _property(told: _ThingReader) -> Iterator[Fact]:
    """My shoe size is eleven; Python is a language; an adjective is no fact to keep."""
    words = len(told.said.split())
    named = not _COMMENT.match(told.clause.object) or (is_attribute(head(told.about)) and words < 3)
    if not told.said or words > 5 or not named or _key(told.about):
        return
    if told.mine and not told.denied:
        yield Fact(told.scene.me, "", told.said, said=told.about)
    else:
        yield Fact(told.about, "is", told.said, denied=told.denied)


_THING_READINGS: Final[tuple[Callable[[_ThingReader], Iterator[Fact]], ...]] = (
    _favourite,
    _called,
    _version,
    _headed,
    _state,
    _time,
    _place,
    _property,
)


# ---- English clauses with "be", "turn" or "become": what someone or something is.

_BE_FAVOURITE: Final = re.compile(r"(?:my|our) favou?rite\b|the best\b", re.IGNORECASE)


def is_what(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    """Yield what a clause with "be", "turn" or "become" says."""
    if clause.lemma in ("turn", "become") and clause.tense in ("past", "done"):
        yield from _became(clause, scene)
        return
    if clause.lemma != "be" or clause.begun in ("stop", "used") or clause.mood != "told":
        return
    if clause.tense == "past" and clause.object == "born" and head(scene.subject) == "baby":
        yield Fact(scene.me, "state", "had the baby")
    elif clause.tense == "past" and clause.object.lower().split(" ")[0] not in lex.DONE:
        return
    elif _BE_FAVOURITE.match(clause.object):
        yield from thing_is(clause, scene)
    elif scene.is_person(clause) and head(scene.subject) not in HEADS:
        yield from person_is(clause, scene)
    else:
        yield from thing_is(clause, scene)


def _became(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
    said = bare(clause.object)
    if clause.lemma == "turn" and NUMBER_WORDS.fullmatch(said.lower()):
        yield Fact(scene.subject, "age", said)
    elif clause.lemma == "become" and is_job(said):
        yield Fact(scene.subject, "job", said)
    elif clause.lemma == "become" and said.lower() in lex.DIETS:
        yield Fact(scene.subject, "diet", said)


# ---- English clauses on what came to pass: bonds, whereabouts, things done, events.


def happened(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def bonds(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


def whereabouts(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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


_AWAITED: Final = _LISTS.words("awaited")


_FINISHING: Final = _LISTS.words("finishing")


def state(clause: EnglishClause, scene: EnglishScene) -> Iterator[Fact]:
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
