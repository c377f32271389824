"""Which triples claim something that has one answer at a time, and when two claims clash.

A later claim on the slot of an earlier one replaces it. Triples that claim no slot stand side by
side for ever. `predicates` holds the predicates, `slots` what tells apart what they speak of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, Protocol

from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern, normalise

_LISTS: Final = read_lists("both/predicates")

Shape = Literal["one", "each", "when", "none"]

_TABLE: Final = _LISTS.text("table")
_ALSO: Final = _LISTS.text("also")


@dataclass(frozen=True, slots=True)
class Predicate:
    """One row of the table; `words` are Korean, Korean denied, English, English denied."""

    name: str
    slot: str
    shape: Shape
    denies: bool
    words: tuple[str, str, str, str]


def _rows() -> Iterator[Predicate]:
    shapes: dict[str, Shape] = {"one": "one", "each": "each", "when": "when", "none": "none"}
    for line in _TABLE.strip().splitlines():
        name, slot, shape, korean, english = [cell.strip() for cell in line.split("|")]
        ko, not_ko = korean.split(", ")
        en, not_en = english.split(", ")
        denies = name.startswith("-")
        yield Predicate(name.lstrip("-"), slot, shapes[shape], denies, (ko, not_ko, en, not_en))


PREDICATES: Final = {row.name: row for row in _rows()}


def _written() -> dict[str, tuple[Predicate, bool]]:
    """Map each way to write a predicate to its row and whether it denies."""
    known: dict[str, tuple[Predicate, bool]] = {}
    for row in PREDICATES.values():
        for at, word in enumerate(row.words):
            known.setdefault(word, (row, (at % 2 == 1) is not row.denies))
        known.setdefault(row.name.replace("_", " "), (row, row.denies))
    for line in _ALSO.strip().splitlines():
        name, words = line.split(": ")
        row, denied = PREDICATES[name.lstrip("-")], name.startswith("-")
        for word in words.split():
            known.setdefault(word.replace("_", " "), (row, denied is not row.denies))
    return known


_WRITTEN: Final = _written()


def predicate(name: str, language: str, *, denied: bool = False) -> str:
    """Return how a predicate of the table is written in Korean ("ko") or English."""
    return PREDICATES[name].words[(0 if language == "ko" else 2) + denied]


def plain(text: str) -> str:
    """Return a text in the one form in which predicates and values are compared."""
    return normalise(text).replace("_", " ").strip(" .,!?~'\"“”‘’()")


def known_predicate(written: str) -> tuple[Predicate, bool] | None:
    """Return the row of a written predicate and whether it denies, None if it is in no table."""
    return _WRITTEN.get(plain(written))


# ---- `Fact`: one thing that is said, before it is written in the words of a language.

Triple = tuple[str, str, str]

# What is longer is a clause that was not understood.
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is said: by a predicate of the table, or in words of its own (`said`)."""

    subject: str
    name: str
    value: str
    denied: bool = False
    said: str = ""


def written(fact: Fact, language: str) -> Triple | None:
    """Return a fact as a triple, None if a part of it is missing."""
    subject, value = fact.subject.strip(), fact.value.strip()
    if not subject or not value or subject == value or len(value) > LONGEST:
        return None
    return subject, fact.said or predicate(fact.name, language, denied=fact.denied), value


# ---- Names that stand with a version number: Python 3.12, 노드 20, 앱 2.5, but not port 3000.

_VERSIONED: Final = _LISTS.words("versioned")
_NUMBERED: Final = lazy_pattern(
    r"(?:(?P<owner>.*) )?(?P<name>[A-Za-z가-힣.][\w.+#]*?)(?: (?:version|버전|ver\.?))?"
    r"[ -]?(?P<v>v)?(?P<number>[0-9]+(?P<dot>(?:\.[0-9x]+)+)?)(?: (?:버전|기반))?"
)
_LONGEST: Final = 60
_MAC: Final = frozenset(str.split("ventura sonoma sequoia monterey tahoe"))
_OWNED: Final = lazy_pattern(
    r"^(?:the|our|my|a|new|to|on|우리|내|제|지금|현재|최신)\b ?|\b(?:OS|운영체제)$"
)
_WORD: Final = lazy_pattern(r" (?:version|버전|ver\.?) ")
_NO_NAMES: Final = _LISTS.words("no_names")


def version_in(text: str, *, sure: bool = False) -> tuple[str, str] | None:
    """Return (name, version) if the text ends in a name and its version, else None.

    With `sure`, the verb has told already that it is a version.
    """
    if len(text) > _LONGEST:
        return None
    match = _NUMBERED.fullmatch(_WORD.sub(" ", text.strip()))
    if not match:
        return None
    name, number = match["name"], match["number"]
    plain = name.lower()
    if plain in _NO_NAMES:
        return None
    owner = _OWNED.sub("", match["owner"] or "").strip()
    if plain in _MAC:
        name = "macOS"
    if plain in ("version", "release", "v", "버전"):
        return (owner or "release"), number
    if match["dot"] or match["v"] or plain in _VERSIONED or plain in _MAC or sure:
        return (f"{owner} {name}" if owner and owner.isascii() is name.isascii() else name), number
    return None


def is_versioned(name: str) -> bool:
    """Say whether a name is known to come in versions."""
    return name.lower() in _VERSIONED


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Someone or something a text names; type: person place organisation thing topic self."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()


# -- Which triples claim something that has one answer at a time, and when two claims clash

_CLAIM_WORDS: Final = read_lists("both/claims")

# ---- Words that decide whether two claims speak of one thing: owners, tools, properties, manners.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _grouped(name: str) -> dict[str, str]:
    """Map each word of a line to the first word of the line."""
    rows = map(str.split, _CLAIM_WORDS.lines(name))
    return {form: row[0] for row in rows for form in row}


_ATTRIBUTES: Final = _CLAIM_WORDS.words("attributes")
ME: Final = _words("사용자 user i me my myself 나 저 내 제 본인 우리 저희 we us our the_user 화자")
OURS: Final = _CLAIM_WORDS.words("ours")
KIN: Final = _grouped("kin")
SAME: Final = _grouped("same")
_KINDS: Final = _CLAIM_WORDS.text("kinds")


def _kinds() -> tuple[dict[str, str], dict[str, str]]:
    purposes: dict[str, str] = {}
    tools: dict[str, str] = {}
    for line in _KINDS.replace("\n    ", " ").splitlines():
        names, members = line.split(": ")
        purposes |= dict.fromkeys(names.split(), names.split()[0])
        tools |= dict.fromkeys(members.split(), names.split()[0])
    return purposes, tools


# Purpose by any of its names; purpose by tool.
PURPOSES, TOOLS = _kinds()
RIVALS: Final = _grouped("rivals")
_STYLES: Final[dict[str, dict[str, frozenset[str]]]] = {}
for _measure, _pole, *_marks in map(str.split, _CLAIM_WORDS.lines("styles")):
    _STYLES.setdefault(_measure, {})[_pole] = frozenset(_marks)
_MANNERS: Final = frozenset().union(
    *(words for poles in _STYLES.values() for words in poles.values())
)
# Values that mean the same, by slot.
SAID_AS: Final[dict[str, dict[str, str]]] = {
    slot: _grouped(slot) for slot in ("diet", "status", "state", "job")
}
PHASES: Final = _CLAIM_WORDS.pairs("phases")
_LAST_WORD: Final = lazy_pattern(r"\S+$")


def is_attribute(phrase: str) -> bool:
    """Say whether a phrase names a property or a role, of which there is one at a time."""
    last = _LAST_WORD.search(phrase.lower())
    word = last[0] if last else phrase.lower()
    if word in _ATTRIBUTES or word in PURPOSES:
        return True
    tails = (word[cut:] for cut in range(1, len(word) - 1) if "가" <= word[cut] <= "힣")
    return any(tail in _ATTRIBUTES for tail in tails)


def style_of(words: list[str]) -> tuple[list[str], str, str] | None:
    """Return (what, measure, pole) of a manner: long answers, 짧은 답변."""
    for measure, poles in _STYLES.items():
        for pole, marks in poles.items():
            if marks & set(words) and (rest := [word for word in words if word not in _MANNERS]):
                return rest, measure, pole
    return None


# ---- The parts of a time as people say it: weekday, day, month, hour, rhythm; no calendar needed.

_KO_DAYS: Final = dict(zip("월화수목금토일", str.split("mon tue wed thu fri sat sun"), strict=True))
_DAY: Final = lazy_pattern(
    r"([월화수목금토일])요일|\b(mon|tue|wed|thu|fri|sat|sun)(?:s|day|sday|nesday|rsday|urday)?s?\b"
    r"|(?<![가-힣])([월화수목금토일]{2,3})(?=에|마다|로|\s|$)"
)
_MONTHS: Final = str.split("jan feb mar apr may jun jul aug sep oct nov dec")
_MONTH_NAME: Final = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_NAMED_MONTH: Final = lazy_pattern(rf"\b{_MONTH_NAME}")
_MONTH: Final = lazy_pattern(r"([0-9]{1,2})\s?월(?!요일)|\b(?:[0-9]{4}-)([0-9]{1,2})-[0-9]{1,2}\b")
_SLASHED: Final = lazy_pattern(r"\b([0-9]{1,2})/([0-9]{1,2})\b")
_DATE: Final = lazy_pattern(
    r"(?<![0-9])([0-9]{1,2})\s?일(?!\s?(?:동안|만에|간|째|전|후|뒤|에 한))"
    r"|\b([0-9]{1,2})(?:st|nd|rd|th)\b"
    r"|\b[0-9]{4}-[0-9]{1,2}-([0-9]{1,2})\b"
    rf"|\b(?:{_MONTH_NAME[1:-3]})\b\.? ([0-9]{{1,2}})\b(?!:)"
    rf"|\b([0-9]{{1,2}}) (?:of )?(?:{_MONTH_NAME[1:-3]})\b"
)
_ORDINALS: Final = _CLAIM_WORDS.numbers("ordinals")
_ORDINAL: Final = lazy_pattern(rf"\bthe ({'|'.join(_ORDINALS)})\b(?! \w*day)")
_YEAR: Final = lazy_pattern(r"\b((?:19|20)[0-9]{2})(?=년|\b)")
_HOURS: Final = str.split("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두")
_EN_HOURS: Final = str.split("one two three four five six seven eight nine ten eleven twelve")
_TIME: Final = lazy_pattern(
    r"(?<![0-9])([0-9]{1,2})\s?시(?!간)\s?(?:([0-9]{1,2})\s?분|(반))?"
    r"|(?<![0-9])([0-9]{1,2}):([0-9]{2})(?![0-9])|\b([0-9]{1,2})\s?[ap]\.?m\b"
    r"|(?<![가-힣])(열두|열한|열|한|두|세|네|다섯|여섯|일곱|여덟|아홉)\s?시(?!간)\s?(반)?"
    rf"|\b(?:at |to |(?=[a-z]+ o'clock))({'|'.join(_EN_HOURS)})(?:[- ](thirty))?\b"
    r"|\bat ([0-9]{1,2})\b(?![/:.])"
    r"|(정오|\bnoon\b)|(자정|\bmidnight\b)"
)
_HALF: Final = lazy_pattern(
    r"오전|아침|새벽|오후|저녁|밤|[0-9]\s?a\.?m|[0-9]\s?p\.?m|morning|afternoon|evening"
)
_EARLY: Final = ("오전", "아침", "새벽", "morning")
_WEEK: Final = lazy_pattern(_CLAIM_WORDS.pattern("week"))
_OCCASION: Final = lazy_pattern(_CLAIM_WORDS.pattern("occasion"))
_AWAY: Final = _CLAIM_WORDS.numbers("weeks_away")
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RHYTHM: Final = (
    (
        "biweekly",
        lazy_pattern(
            r"격주|2주(?:에 한 번|마다)|이주에 한 번|bi-?weekly"
            rf"|every (?:other|two|second) (?:weeks?|{_WEEKDAY})"
        ),
    ),
    ("weekly", lazy_pattern(rf"매주|주 ?1회|일주일에 한 번|\bweekly|every (?:week|{_WEEKDAY})")),
    ("monthly", lazy_pattern(r"매달|매월|한 달에 한 번|\bmonthly|every month")),
    ("daily", lazy_pattern(r"매일|날마다|\bdaily|every ?day|every (?:morning|evening|night)")),
)

Facets = tuple[tuple[str, str], ...]


@lru_cache(maxsize=2048)
def facets(text: str) -> Facets:
    """Return (part, value) for each part of a time that the text names, times of day modulo 12."""
    plain = normalise(text)
    found: dict[str, str] = {}
    plain = _ORDINAL.sub(lambda found: f"the {_ORDINALS[found[1]]}th", plain)
    if days := _days(plain):
        found["day"] = ",".join(days)
    found |= _calendar(plain)
    if hour := _hour(plain):
        found["time"] = hour
    if half := _HALF.search(plain):
        early = half[0] in _EARLY or half[0].replace(".", "").endswith("am")
        found["half"] = "am" if early else "pm"
    if week := _WEEK.search(plain):
        found["week"] = re.sub(r"\s", "", week[0])
    for name, rhythm in _RHYTHM:
        if rhythm.search(plain):
            found["rhythm"] = name
            break
    return tuple(found.items())


def is_occasion(text: str) -> bool:
    """Say whether a time tells one of several events from the others: 아침, 다음 주."""
    return _OCCASION.fullmatch(text) is not None


def _days(plain: str) -> list[str]:
    days: dict[str, None] = {}
    for korean, english, several in _DAY.findall(plain):
        for day in several or korean:
            days[_KO_DAYS[day]] = None
        if english:
            days[english] = None
    return sorted(days, key=list(_KO_DAYS.values()).index)


def _calendar(plain: str) -> dict[str, str]:
    """Return year, month and day of the month."""
    found: dict[str, str] = {}
    if year := _YEAR.search(plain):
        found["year"] = year[1]
    if month := _MONTH.search(plain):
        found["month"] = str(int(month[1] or month[2]))
    elif named := _NAMED_MONTH.search(plain):
        found["month"] = str(_MONTHS.index(named[1][:3]) + 1)
    if date := _DATE.search(plain):
        found["date"] = str(int(next(filter(None, date.groups()))))
    if not found and (slashed := _SLASHED.search(plain)):
        found |= {"month": str(int(slashed[1])), "date": str(int(slashed[2]))}
    return found


def _hour(plain: str) -> str:
    match = _TIME.search(plain)
    if not match:
        return ""
    ko, ko_minute, ko_half, clock, minute, twelve, word, word_half, en, en_half, at, noon, night = (
        match.groups()
    )
    if noon or night:
        return "0:00"
    if word:
        hour = _HOURS.index(word) + 1
    elif en:
        hour = _EN_HOURS.index(en) + 1
    else:
        hour = int(ko or clock or twelve or at)
    minutes = 30 if ko_half or word_half or en_half else int(ko_minute or minute or 0)
    return f"{hour % 12}:{minutes:02}"


_DENIAL: Final = lazy_pattern(_CLAIM_WORDS.pattern("denial"))
_ARTICLE: Final = lazy_pattern(
    r"^(?:(?:a|an|the|my|our|his|her|their|some|any|내|제|우리|저희)\s+)+"
)
_AGED: Final = lazy_pattern(r"^(?:old|new|current|another) (?=\S)")
# Liking to use emoticons is liking emoticons.
_DOING: Final = lazy_pattern(r"(?:을|를)? (?:쓰|사용하|먹|마시|보|읽|듣|하|타|치)는 (?:것|거)$")
_PLACE_END: Final = lazy_pattern(
    r"(?:특별자치시|특별자치도|특별시|광역시|시|도)(?=\s|$)|(?:에서|으로|에)$|,? city$"
)
_QUANTITY: Final = lazy_pattern(
    r"(?:약|한|about)?\s*[$€£]?([0-9][0-9,.]*)\s*([^\s0-9.,]*(?:\s원)?)"
)
# Open predicates: what a purpose is served with, and when something is liked to be.
_SERVED: Final = lazy_pattern(
    r"(.+) (?:(도구)|선호(?: 시간)?)|(.+) (tool|preference|preferred time)"
)
_FAVOURITE: Final = lazy_pattern(r"(?:가장 좋아하는|제일 좋아하는|가장|단골|favou?rite) (.+)")
_LINKS: Final = frozenset(str.split("to for of with on at in the a our my next this"))
_SESSIONS: Final = _CLAIM_WORDS.words("sessions")
_COUNTED: Final = lazy_pattern(
    r"(?P<en>one|two|three|four|five|six|[0-9]+) (?P<en_thing>.+)"
    r"|(?P<ko_thing>.+?) ?(?P<ko>한|두|세|네|다섯|여섯|[0-9]+)"
    r" ?(?:마리|대|개|명|권|채|벌)(?P<more> 더)?"
)
_NUMBERS: Final = _CLAIM_WORDS.pairs("numbers")


_PLAIN: Final = OURS | frozenset(str.split("main primary default current 메인 주 현재"))
_MODEL: Final = lazy_pattern(r"s?[0-9]+(?:pro|max|plus|ultra|mini)*$")
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


def _occasion(text: str) -> str:
    found = _OCCASION.match(text)
    return found[0] if found and found[0] != text else ""


def _of_which(occasion: str, when: str = "=") -> str:
    """Add to a time which of several events it is told of."""
    known = f"of={occasion.replace(' ', '')} {when}" if occasion and "=" in when else when
    return known.removesuffix("=").strip()


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
        occasion = "" if row.name == "birthday" else _occasion(who)
        about = who if row.name == "birthday" else _event(who.removeprefix(occasion))
        moved = " moved=yes" if row.name.endswith("moved") else ""
        slots = ("schedule", "deadline") if moved else (row.slot,)
        when = _of_which(occasion, _moment(value)) + moved
        yield from (Claim(f"{slot}:{about}", when, negative) for slot in slots)
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
    if row.slot == "plans" and negative:
        occasion = _occasion(value)
        event = _event(value.removeprefix(occasion))
        yield Claim(f"schedule:{event}", _of_which(occasion), True)
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


def is_dated(triple: Triple) -> bool:
    """Say whether a triple tells when something takes place: what it names last is a time."""
    return any(each.slot.startswith("schedule:") for each in claims([triple]))


def _says_more(claim: Claim, held: Claim) -> bool:
    """Say whether a claim should stand for its slot: what is so before what is not, then values."""
    if held.negative != claim.negative:
        return held.negative
    return bool(claim.value) and not held.value


def _is_one(one: str, other: str, weeks: int) -> bool:
    """Say whether two words tell of one occasion, the first said so many weeks after the other."""
    if one in _AWAY and other in _AWAY:
        return _AWAY[one] + weeks == _AWAY[other]
    return {one, other} == {"아침", "오전"}


def _clash(one: str, other: str, weeks: int) -> bool:
    """Say whether two times differ in a part that both name, or one was moved to quite another."""
    parts = dict(part.split("=", 1) for part in one.split())
    others = dict(part.split("=", 1) for part in other.split())
    moved = parts.pop("moved", "") or others.pop("moved", "")
    others.pop("moved", "")
    one, other = parts.pop("of", ""), others.pop("of", "")
    if one and other and one != other and not (moved and _is_one(one, other, weeks)):
        return False
    shared = parts.keys() & others.keys()
    return any(parts[part] != others[part] for part in shared) or bool(moved and not shared)


def opposed(one: Claiming, other: Claiming, *, weeks: int = 0) -> bool:
    """Say whether two claims cannot both be true now, the first said so many weeks later."""
    if one.slot != other.slot:
        return False
    if one.value == other.value:
        return one.negative != other.negative
    if one.negative or other.negative:
        # A denial without a value denies them all: a car that was sold is no Civic any more. One
        # with a value denies that alone: not living in Seoul goes well with living in Busan.
        denial, held = (one, other) if one.negative else (other, one)
        denied = set(denial.value.split()) <= set(held.value.split())
        once = "rhythm=" not in held.value  # one meeting that is cancelled ends no weekly one
        return one.negative != other.negative and denied and once
    if not one.value or not other.value:
        return False
    if "=" in one.value and "=" in other.value:
        return _clash(one.value, other.value, weeks)
    # 서울 and 서울 마포구 are one place told twice.
    mine, theirs = set(one.value.split()), set(other.value.split())
    return not (mine <= theirs or theirs <= mine)


# -- Values in two languages

Compared = Literal["same", "unsure", "other"]
# Of forty pairs of words that mean the same in Korean and English the static table puts 26 above
# the first and five between the two, of 35 that mean different things none.
_MEANS_THE_SAME, _MAY_MEAN_THE_SAME = 0.72, 0.6
_HANGUL: Final = lazy_pattern("[가-힣]")
_FIRSTS, _VOWELS, _LASTS = map(str.split, _CLAIM_WORDS.lines("sounds"))
_LATIN: Final = _CLAIM_WORDS.pairs("latin_sounds")
_LETTERS: Final = lazy_pattern("|".join(sorted(_LATIN, key=len, reverse=True)))
_UNHEARD: Final = lazy_pattern(r"(.)(?=\1)|r(?![aeiouy])|h(?![aeiouy])|y(?=[aeou])|[^a-z]")


def compared(one: str, other: str, cosine: Callable[[str, str], float | None]) -> Compared:
    """Say whether a Korean and an English value are one; two of one language are as they differ.

    What only sounds alike, or of whose meaning little is known, is left open.
    """
    if not one or not other or (not _HANGUL.search(one)) == (not _HANGUL.search(other)):
        return "other"
    korean, latin = (one, other) if _HANGUL.search(one) else (other, one)
    heard, words = _sound(korean), latin.split()
    sounds = [_latin_sound("".join(each)) for each in (words, words[::-1])]
    near = cosine(one, other)
    if heard in sounds or (near or 0.0) >= _MEANS_THE_SAME:
        return "same"
    alike = any(_begin_alike(heard, each) for each in sounds)
    return "unsure" if near is None or near >= _MAY_MEAN_THE_SAME or alike else "other"


def _sound(korean: str) -> str:
    codes = (ord(each) - 0xAC00 for each in korean if "가" <= each <= "힣")
    return _once(_FIRSTS[n // 588] + _VOWELS[n // 28 % 21] + _LASTS[n % 28] for n in codes)


def _latin_sound(word: str) -> str:
    return _once(_LATIN[each] for each in _LETTERS.findall(_UNHEARD.sub("", word.casefold())))


def _once(sounds: Iterable[str]) -> str:
    return re.sub(r"(.)\1", r"\1", "".join(sounds).replace("-", ""))


def _begin_alike(one: str, other: str) -> bool:
    one, other = (re.sub("[aiu]", "", each) for each in (one, other))
    short, long = sorted((one, other), key=len)
    return len(short) > 1 and long.startswith(short) and len(long) - len(short) < 2
