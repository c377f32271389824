"""Which triples claim something that has one answer at a time, and when two claims clash.

A later claim on the slot of an earlier one replaces it. Triples that claim no slot stand side by
side for ever. `predicates` holds the predicates, `slots` what tells apart what they speak of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from saegim.language.claims__slots import (
    KIN,
    ME,
    OURS,
    PHASES,
    PURPOSES,
    RIVALS,
    SAID_AS,
    SAME,
    TOOLS,
    is_attribute,
    style_of,
)
from saegim.language.claims__timetable import facets
from saegim.language.predicates import Predicate, known_predicate, plain
from saegim.memory.late import late

Triple = tuple[str, str, str]

_DENIAL: Final = late(
    r"(?:^|[\s_])(?:not|no longer|never|no|cannot|can't|[a-z]+n't|dislikes?|hates?|stopped|quit"
    r"|left|lacks?|against|avoids?|안|못)(?:[\s_]|$)"
    r"|지[\s_]?(?:않|못|아니)|싫|혐오|미워|증오|없[음다]|아님|중단|그만|끊[음다]|반대|기피|퇴사|헤어|이혼|처분|취소"
)
_ARTICLE: Final = late(r"^(?:(?:a|an|the|my|our|his|her|their|some|any|내|제|우리|저희)\s+)+")
_AGED: Final = late(r"^(?:old|new|current|another) (?=\S)")
# Liking to use emoticons is liking emoticons.
_DOING: Final = late(r"(?:을|를)? (?:쓰|사용하|먹|마시|보|읽|듣|하|타|치)는 (?:것|거)$")
_PLACE_END: Final = late(
    r"(?:특별자치시|특별자치도|특별시|광역시|시|도)(?=\s|$)|(?:에서|으로|에)$|,? city$"
)
_QUANTITY: Final = late(r"(?:약|한|about)?\s*[$€£]?([0-9][0-9,.]*)\s*([^\s0-9.,]*(?:\s원)?)")
# Open predicates: what a purpose is served with, and when something is liked to be.
_SERVED: Final = late(r"(.+) (?:(도구)|선호(?: 시간)?)|(.+) (tool|preference|preferred time)")
_FAVOURITE: Final = late(r"(?:가장 좋아하는|제일 좋아하는|가장|단골|favou?rite) (.+)")
_LINKS: Final = frozenset(str.split("to for of with on at in the a our my next this"))
# A yoga class is yoga, 치과 예약 is 치과.
_SESSIONS: Final = frozenset(
    str.split("""class session lesson appointment meeting 수업 예약 레슨
    시간""")
)
_COUNTED: Final = late(
    r"(?P<en>one|two|three|four|five|six|[0-9]+) (?P<en_thing>.+)"
    r"|(?P<ko_thing>.+?) ?(?P<ko>한|두|세|네|다섯|여섯|[0-9]+)"
    r" ?(?:마리|대|개|명|권|채|벌)(?P<more> 더)?"
)
_NUMBERS: Final = {
    word: str(at)
    for row in ("one two three four five six", "한 두 세 네 다섯 여섯")
    for at, word in enumerate(row.split(), 1)
}


_PLAIN: Final = OURS | frozenset(str.split("main primary default current 메인 주 현재"))
_MODEL: Final = late(r"s?[0-9]+(?:pro|max|plus|ultra|mini)*$")
_PHONES: Final = frozenset(tool for tool, purpose in TOOLS.items() if purpose == "phone")


_WORK: Final = frozenset(str.split("직장 회사 일 job work"))


class Claiming(Protocol):
    """A claim, fresh or stored."""

    @property
    def slot(self) -> str:
        """Return what it is about."""
        ...

    @property
    def value(self) -> str:
        """Return the answer it gives."""
        ...

    @property
    def negative(self) -> bool:
        """Say whether it denies."""
        ...


@dataclass(frozen=True, slots=True)
class Claim:
    """What one triple says about one slot; `negative` says that it is not, or no longer, so."""

    slot: str
    value: str
    negative: bool


def is_negative(predicate: str) -> bool:
    """Say whether a predicate says that something is not, or no longer, so."""
    known = known_predicate(predicate)
    return known[1] if known else bool(_DENIAL.search(plain(predicate)))


def _bare(text: str) -> str:
    """Return a phrase without articles and owners."""
    said = plain(text)
    return _ARTICLE.sub("", said) or said


def _singular(word: str) -> str:
    plural = word.isascii() and len(word) > 3 and word.endswith("s")
    return word[:-1] if plural and word[-2:] not in ("ss", "us", "is", "os") else word


def _thing(text: str) -> str:
    """Return the key of a thing: no articles, no plural, no gaps, one name for one tool."""
    words = _DOING.sub("", _bare(text)).split()
    for last in (words[-1:], [_singular(word) for word in words[-1:]]):
        key = re.sub(r"[\s_.:'-]", "", "".join([*words[:-1], *last]))
        if key in SAME or key in TOOLS:
            break
    brand = _MODEL.sub("", key)
    if SAME.get(brand, brand) in _PHONES:
        return SAME.get(brand, brand)  # an iPhone 15 is an iPhone
    return SAME.get(key, key)


def _key_of(text: str) -> str:
    """Return the key of a thing with its model: iphone15."""
    key = re.sub(r"\s", "", _bare(text))
    brand = _MODEL.sub("", key)
    return SAME.get(brand, brand) + key[len(brand) :]


def _who(text: str) -> str:
    """Return the key of a subject: the speaker is `me`, a relative is one word in any language."""
    said = plain(text)
    if said in ME or said.replace(" ", "_") in ME:
        return "me"
    bare = _bare(said).removeprefix("집 ")
    return KIN.get(bare, bare.replace(":", " "))


def _place(text: str) -> str:
    """Return a place without 시, 도 and particles: 서울시 is 서울."""
    short = " ".join(_PLACE_END.sub("", _bare(text)).split())
    return short or _bare(text)


def _quantity(text: str) -> tuple[str, str] | None:
    """Return (number, unit) if that is all the text says."""
    match = _QUANTITY.fullmatch(plain(text))
    return (match[1].replace(",", ""), match[2].replace(" ", "")) if match else None


def _value(text: str) -> str:
    counted = _quantity(text)
    return "".join(counted) if counted else _bare(text)


def _event(text: str) -> str:
    """Return the key of an event: the Malta flight is the flight to Malta."""
    words = _bare(text).split()
    words = [word for word in words if word not in _SESSIONS] or words
    if all(word.isascii() for word in words):
        return " ".join(sorted(_singular(word) for word in words if word not in _LINKS))
    return "".join(words)


def _moment(text: str) -> str:
    """Return a time by its parts, so that times can be compared part by part."""
    return " ".join(f"{part}={what}" for part, what in facets(text)) or plain(text)


def _counted(text: str) -> tuple[str, str]:
    """Return how many and of what: "two cats", "고양이 두 마리"."""
    match = _COUNTED.fullmatch(_bare(text))
    if not match:
        return "", text
    number = match["en"] or match["ko"]
    number = _NUMBERS.get(number, number)
    return f"+{number}" if match["more"] else number, match["en_thing"] or match["ko_thing"]


def is_tool(text: str) -> bool:
    """Say whether a text names a tool that has rivals, one of which takes the place of another."""
    return _thing(text) in TOOLS


def is_purpose(text: str) -> bool:
    """Say whether a text names what tools are for: a database, an editor."""
    return _thing(text) in PURPOSES


def _purpose(text: str) -> str:
    key = _thing(text)
    return PURPOSES.get(key, key)


def _named(topic: str, value: str, negative: bool, *, fresh: bool = False) -> Iterator[Claim]:
    """Claim "X is Y" where X is a property or a role, or Y a quantity; else claim nothing."""
    topic = _bare(topic)
    key = KIN.get(topic, re.sub(r"[\s:]", "", topic))
    times = facets(value)
    last = _thing(" ".join(word for word in topic.split() if word not in _PLAIN) or topic)
    if last in PURPOSES:
        said = _key_of(value) if PURPOSES[last] == "phone" else _thing(value)
        yield Claim(f"tool:me:{PURPOSES[last]}", said, negative)
    elif is_attribute(topic) or (fresh and not times):
        yield Claim(f"is:{key}", _value(value), negative)
    elif times:
        yield Claim(f"schedule:{_event(topic)}", _moment(value), negative)
    elif counted := _quantity(value):
        number, unit = counted
        yield Claim(f"is:{key}:{unit}", number, negative)


def _of(row: Predicate, subject: str, value: str, negative: bool) -> Iterator[Claim]:
    """Yield what a predicate of the table claims."""
    who = _who(subject)
    if row.slot == "uses" and who in OURS:
        who = "me"
    if row.slot == "is":
        rival = RIVALS.get(_thing(value))
        if rival:
            yield Claim(f"is:{who}:{rival}", _thing(value), negative)
        elif who != "me":
            yield from _named(subject, value, negative, fresh=row.name == "changed_to")
    elif row.name == "version":
        words = _bare(subject).split()
        about = " ".join(word for word in words if word not in OURS) or "release"
        about = "release" if about == "버전" else about
        key = _event(about) if about.isascii() and " " in about else _thing(about)
        yield Claim(f"version:{key}", plain(value).lstrip("v"), negative)
    elif row.shape == "when":
        about = who if row.name == "birthday" else _event(who)
        moved = " moved=yes" if row.name.endswith("moved") else ""
        slots = ("schedule", "deadline") if moved else (row.slot,)
        yield from (Claim(f"{slot}:{about}", _moment(value) + moved, negative) for slot in slots)
    elif row.shape == "each":
        yield from _each(row, who, value, negative)
    elif row.shape == "one":
        yield from _one(row, who, value, negative)


def _each(row: Predicate, who: str, value: str, negative: bool) -> Iterator[Claim]:
    """Yield what is true or not of one object, and what it takes the place of."""
    if row.name == "gave_up" and _AGED.match(_bare(value)):
        return  # whoever sold the old couch may sit on a new one
    if row.slot in ("likes", "prefers") and (style := style_of(_bare(value).split())):
        about, measure, pole = style
        yield Claim(f"prefers:{who}:{_thing(' '.join(about))}:{measure}", pole, negative)
        return
    number, bare = _counted(value) if row.slot == "has" else ("", value)
    thing = _thing(_AGED.sub("", _bare(bare)))
    if row.slot in ("likes", "prefers", "uses") and thing in RIVALS:
        yield Claim(f"prefers:{who}:{RIVALS[thing]}", thing, negative)
        return
    if row.name == "turned":
        yield from (
            Claim(f"{slot}:{who}:{thing}", "", negative) for slot in ("has", "uses", "does")
        )
        return
    yield Claim(f"{row.slot}:{who}:{thing}", number, negative)
    if row.slot == "prefers" and not negative:
        yield Claim(f"likes:{who}:{thing}", "", False)  # whoever prefers a thing likes it
    if row.name in ("gave_up", "stopped"):
        yield Claim(f"uses:{who}:{thing}", "", negative)
        yield Claim(f"does:{who}:{thing}", "", negative)
    if row.name == "stopped":
        yield Claim(f"likes:{who}:{thing}", "", negative)
    if row.name == "gave_up" and is_attribute(thing):
        yield Claim(f"is:{thing}", "", True)
    phone = TOOLS.get(thing) == "phone" and not negative
    if phone and (row.name in ("bought", "got") or (row.name == "uses" and _MODEL.search(bare))):
        yield Claim(f"tool:{who}:phone", _key_of(bare), False)
    if row.name == "switched_to" and not negative and (purpose := TOOLS.get(thing)):
        yield Claim(f"tool:{who}:{purpose}", _key_of(bare) if purpose == "phone" else thing, False)
        others = sorted(tool for tool, what in TOOLS.items() if what == purpose and tool != thing)
        yield from (Claim(f"uses:{who}:{other}", "", True) for other in others)


def _one(row: Predicate, who: str, value: str, negative: bool) -> Iterator[Claim]:
    """Yield the one value of a slot."""
    bare = _bare(value)
    said = SAID_AS.get(row.slot, {}).get(bare.replace(" ", "_"), bare)
    if row.slot == "diet":
        yield Claim(f"diet:{who}", said, negative)
        if said in ("vegetarian", "vegan", "anything") and not negative:
            yield Claim(f"does:{who}:meat", "", said != "anything")
    elif row.slot == "partner":
        if value:
            yield Claim(f"partner:{who}", bare, negative)
        states = ("divorced", "married") if row.name == "married_to" else ("single", "dating")
        yield Claim(f"status:{who}", states[not negative], False)
    elif row.slot == "state":
        phase = PHASES.get(bare)
        slot = f"state:{who}:{phase}" if phase else f"state:{_event(who)}"
        yield Claim(slot, said, negative)
    elif row.slot in ("lives_in", "located"):
        about = who.removeprefix("회사 ").removeprefix("company ").replace(" ", "")
        yield Claim(f"{row.slot}:{about}", _place(value), negative)
    elif row.slot in ("works_at", "job") and negative and bare in _WORK:
        yield Claim(f"{row.slot}:{who}", "", True)
    else:
        yield Claim(f"{row.slot}:{who}", said if row.slot in SAID_AS else _value(value), negative)


def _in_own_words(subject: str, written: str, value: str) -> Iterator[Claim]:
    """Yield what a predicate claims that carries a word of its own."""
    who = _who(subject)
    if favourite := _FAVOURITE.fullmatch(written):
        yield Claim(f"favourite:{who}:{_thing(favourite[1])}", _bare(value), False)
    elif served := _SERVED.fullmatch(written):
        about = _purpose(served[1] or served[3])
        tool = bool(served[2]) or served[4] == "tool"
        if tool and about not in PURPOSES.values() and is_attribute(about) and who == "me":
            yield Claim(f"is:{about}", _value(value), False)
            return
        said = _thing(value) if tool else _moment(value)
        yield Claim(f"{'tool' if tool else 'prefers_time'}:{who}:{about}", said, False)
    elif is_attribute(written):
        topic = written if who == "me" else f"{_bare(subject)} {written}"
        yield from _named(topic, value, False)
    elif who == "me" and (not written.isascii() or value[:1].isupper()):
        yield from _named(written, value, False, fresh=True)  # my comfort film is Amelie


def claims(triples: Iterable[Triple]) -> list[Claim]:
    """Return what the triples claim, one claim for each slot, what is so before what is not."""
    found: dict[str, Claim] = {}
    for subject, written, value in triples:
        known = known_predicate(written)
        made = (
            _of(known[0], subject, value, known[1])
            if known
            else _in_own_words(subject, plain(written), value)
        )
        for claim in made:
            held = found.get(claim.slot)
            if held is None or _says_more(claim, held):
                found[claim.slot] = claim
    return list(found.values())


def _says_more(claim: Claim, held: Claim) -> bool:
    """Say whether a claim should stand for its slot: what is so before what is not, then values."""
    if held.negative != claim.negative:
        return held.negative
    return bool(claim.value) and not held.value


def _clash(one: str, other: str) -> bool:
    """Say whether two times differ in a part that both name, or one was moved to quite another."""
    parts = dict(part.split("=", 1) for part in one.split())
    others = dict(part.split("=", 1) for part in other.split())
    moved = parts.pop("moved", "") or others.pop("moved", "")
    others.pop("moved", "")
    shared = parts.keys() & others.keys()
    return any(parts[part] != others[part] for part in shared) or bool(moved and not shared)


def opposed(one: Claiming, other: Claiming) -> bool:
    """Say whether two claims cannot both be true now."""
    if one.slot != other.slot:
        return False
    if one.value == other.value:
        return one.negative != other.negative
    if one.negative or other.negative:
        # A denial without a value denies them all: a car that was sold is no Civic any more. One
        # with a value denies that alone: not living in Seoul goes well with living in Busan.
        denial, held = (one, other) if one.negative else (other, one)
        denied = set(denial.value.split()) <= set(held.value.split())
        return one.negative != other.negative and denied
    if not one.value or not other.value:
        return False
    if "=" in one.value and "=" in other.value:
        return _clash(one.value, other.value)
    # 서울 and 서울 마포구 are one place told twice.
    mine, theirs = set(one.value.split()), set(other.value.split())
    return not (mine <= theirs or theirs <= mine)
