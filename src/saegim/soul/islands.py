"""Islands of personality (seed D §4): founded by core memories, held up by them, lost with them.

An island is a page. It is founded when a core memory of a new theme is approved. When all its
founders are gone it shakes; seven days later it collapses and what it stood for leaves the self;
core memories of the same theme rebuild it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from math import exp
from typing import Any, Final

from saegim.errors import BadInput, NotFound, Refused
from saegim.guard.injection import suspicion
from saegim.language.claims import claims
from saegim.language.tell import is_pale
from saegim.language.word_lists import WordLists, read_lists
from saegim.memory.changes import Change, IslandSet, Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import REFERS_TO, Page
from saegim.memory.memory import STRANGERS, Memory, Scope, State, Tier
from saegim.memory.text import normalise
from saegim.messages import filled
from saegim.mind import Mind
from saegim.perceive.build import SELF, hear
from saegim.soul.consent import Consent
from saegim.soul.proposals import ASKED, ISLAND, Proposal, called, put, waiting
from saegim.store.rows import Where

KIND: Final = "island"
# A founder counts half a point, what is tied to the island a tenth; each use as much again. Both
# fade by half in a season: an island nobody visits grows faint, and one visit brings it back.
_FOUNDER, _TIED, _HALF_LIFE_DAYS = 0.5, 0.1, 90.0
# What one theme and another must share: the kind of theme alone is enough, or someone and a word.
_SAME, _NAME, _WORD, _LINKED, _FELT = 0.75, 0.5, 0.25, 0.5, 0.1
_MOST_WORDS: Final = 12
_MOST_TIES: Final = 2000
LONGEST_NAME: Final = 60
LONGEST_DESCRIPTION: Final = 300
# A smaller move of strength is not worth a version.
_MOVED: Final = 0.05
# What a claim is about, where no word of a theme is said.
_SLOTS: Final = {
    "family": "family", "partner": "family", "child": "family", "pet": "nature",
    "does": "making", "knows": "curiosity", "friend": "friendship",
}  # fmt: skip


class Status(StrEnum):
    """How an island stands."""

    ACTIVE = "active"
    SHAKING = "shaking"
    COLLAPSED = "collapsed"
    REBUILDING = "rebuilding"


@dataclass(frozen=True, slots=True)
class IslandTheme:
    """What an island or a memory is about: its kind, who is named, what it speaks of and feels."""

    kind: str = ""
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    feelings: tuple[str, ...] = ()

    def closeness(self, other: IslandTheme) -> float:
        """Return how near two themes are; from `_SAME` on they are one."""
        if self.kind and other.kind:
            return float(self.kind == other.kind)
        shared = len(set(self.words) & set(other.words))
        named = bool(set(self.names) & set(other.names))
        felt = bool(set(self.feelings) & set(other.feelings) - {"neutral"})
        # Three words in common are enough, or all that the shorter of the two says.
        fewest = min(3, len(self.words), len(other.words))
        words = _SAME if shared >= max(2, fewest) else _WORD * shared
        return _NAME * named + words + _FELT * felt


@dataclass(frozen=True, slots=True, kw_only=True)
class Island:
    """One island: what it is called and means, what founded it, how it stands since when."""

    id: str
    name: str
    emoji: str
    description: str
    founders: tuple[str, ...]
    status: Status
    strength: float
    since: datetime
    language: str = "en"
    theme: IslandTheme = field(default_factory=IslandTheme)
    # Founders that were let go; one that is called back holds the island up again.
    lost: tuple[str, ...] = ()
    page: int = 0


# -- reading and writing --------------------------------------------------------------------------


def islands(scope: Scope, mind: Mind) -> list[Island]:
    """Return every island there is or was, the oldest first."""
    newest: dict[str, Page] = {}
    born: dict[str, str] = {}
    for page in mind.store.pages.of(scope, kind=KIND):
        newest[page.key] = page
        born.setdefault(page.key, str(page.written_at))
    # Of one whose every founder was erased nothing is left.
    found = [page for page in newest.values() if page.data]
    return [_read(page) for page in sorted(found, key=lambda each: (born[each.key], each.key))]


def island(id: str, scope: Scope, mind: Mind) -> Island:
    """Return an island by its id, its short name or what it is called."""
    every = islands(scope, mind)
    found = called(id, every) or next((each for each in every if each.name == id), None)
    if found is None:
        raise NotFound("soul.no_island", id=id[:60])
    return found


def _read(page: Page) -> Island:
    data: Mapping[str, Any] = page.data
    theme: Mapping[str, Any] = data["theme"]
    return Island(
        id=page.key.partition(":")[2],
        name=page.title,
        emoji=data["emoji"],
        description=page.body,
        founders=tuple(data["founders"]),
        status=Status(data["status"]),
        strength=data["strength"],
        since=parse_instant(data["since"], "since"),
        language=data["language"],
        theme=IslandTheme(
            theme["kind"], *(tuple(theme[name]) for name in ("names", "words", "feelings"))
        ),
        lost=tuple(data.get("lost", ())),
        page=page.version,
    )


def written(each: Island) -> Written:
    """Return the Change that writes the next version of an island."""
    page = Page(
        key=f"{KIND}:{each.id}",
        kind=KIND,
        title=each.name,
        body=each.description,
        data={
            "emoji": each.emoji,
            "founders": list(each.founders),
            "status": each.status.value,
            "strength": each.strength,
            "since": iso(each.since),
            "language": each.language,
            "theme": asdict(each.theme),
            "lost": list(each.lost),
        },
        derived_from=(*each.founders, *each.lost),
    )  # fmt: skip
    return Written(page, after=each.page)


# -- themes ---------------------------------------------------------------------------------------


@cache
def lists(language: str) -> WordLists:
    """Return the themes and beliefs of a language."""
    return read_lists(f"{language}/themes")


@cache
def pattern(language: str, section: str) -> re.Pattern[str]:
    """Return the words that a section of the lists stands for."""
    return re.compile(lists(language).pattern(section), re.IGNORECASE)


@cache
def rows(language: str, section: str) -> tuple[tuple[str, ...], ...]:
    """Return the lines of a section, each as its cells."""
    found = (line.split("|") for line in lists(language).lines(section))
    return tuple(tuple(cell.strip() for cell in line) for line in found)


def language_of(memory: Memory) -> str:
    """Return the language of a memory's words."""
    return "ko" if re.search("[가-힣]", memory.text) else "en"


def theme_of(memory: Memory, mind: Mind) -> IslandTheme:
    """Return what a memory is about, read from its words, claims, names and feelings."""
    language = language_of(memory)
    kinds = [row[0] for row in rows(language, "themes")]
    counts = {kind: len(pattern(language, kind).findall(memory.text)) for kind in kinds}
    kind = max(counts, key=lambda each: counts[each])
    if not counts[kind]:
        slots = (each.slot.partition(":")[0] for each in claims(memory.content.triples))
        kind = next((_SLOTS[slot] for slot in slots if slot in _SLOTS), "")
    links = mind.store.links.of(memory.scope, [memory.id], (REFERS_TO,))
    keys = [each.target for each in links if each.source == memory.id and each.target != SELF.key]
    named = (each for key in sorted(keys) for each in mind.store.entities.of(memory.scope, key))
    names = tuple(each.display_name or each.name for each in named if each.type == "person")
    words = _words(memory, names, mind)
    return IslandTheme(kind, names, words, tuple(map(str, memory.emotion.feelings)))


def _words(memory: Memory, names: Sequence[str], mind: Mind) -> tuple[str, ...]:
    """Return what a memory speaks of, without particles, apart from whom: no name is said twice."""
    called = tuple(normalise(each) for each in names)
    known = memory.content.keywords or hear(memory.text[:600], mind).signs.keywords
    found: dict[str, None] = {}
    for word in map(normalise, known):
        theirs = called and word.startswith(called)
        if len(word) > 1 and word[0].isalpha() and not theirs and not is_pale(word, word):
            found[word] = None
    return tuple(found)[:_MOST_WORDS]


def _named(theme: IslandTheme, language: str) -> tuple[str, str, str]:
    """Return the emoji, the name and the meaning of an island of this theme."""
    for kind, emoji, name, meaning, _ in rows(language, "themes"):
        if kind == theme.kind:
            return emoji, name, meaning
    people, story = rows(language, "other")
    _, emoji, name, meaning = people if theme.names else story
    # An English sentence names what it is about last, a Korean one before its verb.
    word = theme.words[-1 if language == "en" else 0] if theme.words else "…"
    values = {"name": theme.names[0] if theme.names else "", "word": word}
    title = filled(name, values, language)
    return emoji, title[:1].upper() + title[1:], filled(meaning, values, language)


def nearest(
    theme: IslandTheme, among: Iterable[Island], ties: Mapping[str, bool] | None = None
) -> Island | None:
    """Return the island whose theme this is; `ties` says to which founders a memory is linked."""
    best: tuple[float, Island] | None = None
    for each in among:
        linked = any((ties or {}).get(id) for id in each.founders)
        near = each.theme.closeness(theme) + _LINKED * linked
        if near >= _SAME and (best is None or near > best[0]):
            best = near, each
    return best[1] if best else None


# -- founding, shaking, collapsing, rebuilding ----------------------------------------------------


def founded(source: Memory, core: str, scope: Scope, mind: Mind) -> Island:
    """Return the island that a core memory, made of this source, founds, joins or rebuilds."""
    now, theme, language = mind.now(), theme_of(source, mind), language_of(source)
    emoji, name, meaning = _named(theme, language)
    every = islands(scope, mind)
    # What would be called the same is about the same.
    known = nearest(theme, every) or next((each for each in every if each.name == name), None)
    if known is None:
        made = Island(
            id=mind.new_id(KIND), name=name, emoji=emoji, description=meaning, founders=(core,),
            status=Status.ACTIVE, strength=0.0, since=now, language=language, theme=theme,
        )  # fmt: skip
        return replace(made, strength=_strength([source], [], now))
    # One more founder, not used yet; the night reckons the whole of it anew.
    strength = round(1 - (1 - known.strength) * exp(-_FOUNDER), 2)
    grown = replace(known, founders=(*known.founders, core), strength=strength)
    if known.status in (Status.SHAKING, Status.COLLAPSED):
        grown = replace(grown, status=Status.REBUILDING, since=now)
    return _rebuilt(grown, now, mind)


def _rebuilt(each: Island, at: datetime, mind: Mind) -> Island:
    """Return an island that stands again once enough holds it up."""
    if each.status is Status.REBUILDING and len(each.founders) >= mind.settings.island_founders:
        return replace(each, status=Status.ACTIVE, since=at)
    return each


def stood(each: Island, scope: Scope, mind: Mind, *, gone: frozenset[str] = frozenset()) -> Island:
    """Return how an island stands by its founders: those that are here, and those just let go."""
    at = mind.now()
    every = (*each.founders, *each.lost)
    here = [id for id in every if id not in gone and _holds(id, scope, mind)]
    each = replace(each, founders=tuple(here), lost=tuple(id for id in every if id not in here))
    if not here and each.status in (Status.ACTIVE, Status.REBUILDING):
        return replace(each, status=Status.SHAKING, since=at)
    if here and each.status is Status.SHAKING:
        return replace(each, status=Status.ACTIVE, since=at)
    if here and each.status is Status.COLLAPSED:
        return _rebuilt(replace(each, status=Status.REBUILDING, since=at), at, mind)
    if each.status is Status.SHAKING and at - each.since >= timedelta(
        days=mind.settings.island_days
    ):
        return replace(each, status=Status.COLLAPSED, since=at)
    return _rebuilt(each, at, mind)


def _holds(id: str, scope: Scope, mind: Mind) -> bool:
    found = mind.store.memories.get(scope, id)
    return (
        found is not None
        and bool(found.text)
        and found.life.tier is Tier.M0
        and found.life.state in (State.ACTIVE, State.DORMANT)
    )


def held_up_by(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Island]:
    """Return the islands that stand on any of these memories."""
    gone = frozenset(ids)
    standing = (each for each in islands(scope, mind) if each.status is not Status.COLLAPSED)
    return [each for each in standing if gone & set(each.founders)]


def shaken_by(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Island]:
    """Return the islands that would begin to shake if these memories went: no founder is left."""
    gone = frozenset(ids)
    return [each for each in held_up_by(gone, scope, mind) if gone.issuperset(each.founders)]


def without(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Island]:
    """Return the islands that change when these memories are let go."""
    gone = frozenset(ids)
    return [stood(each, scope, mind, gone=gone) for each in held_up_by(gone, scope, mind)]


def handed_on(old: str, new: str, scope: Scope, mind: Mind) -> list[Island]:
    """Return the islands of a core memory that is corrected, held up by its new version."""
    swap = {old: new}
    return [
        replace(each, founders=tuple(swap.get(id, id) for id in each.founders))
        for each in held_up_by([old], scope, mind)
    ]


def unsaid(ids: Iterable[str], scope: Scope, mind: Mind) -> list[Island]:
    """Return the islands of memories that are erased, without anything their words lent them.

    One that only they gave its name is not among them: nothing is left of it.
    """
    gone = frozenset(ids)
    found = []
    for each in islands(scope, mind):
        if not gone & {*each.founders, *each.lost}:
            continue
        left = replace(each, lost=tuple(id for id in each.lost if id not in gone))
        left = stood(left, scope, mind, gone=gone)
        left = replace(left, lost=tuple(id for id in left.lost if id not in gone))
        held = [mind.store.memories.get(scope, id) for id in left.founders]
        themes = [theme_of(memory, mind) for memory in held if memory is not None]
        theme = themes[0] if themes else IslandTheme(each.theme.kind)
        if theme.kind or themes:
            emoji, name, meaning = _named(theme, each.language)
            called = {"name": name, "emoji": emoji, "description": meaning}
            found.append(replace(left, theme=theme, **called))  # type: ignore[arg-type]
    return found


# -- strength, and what belongs to an island ------------------------------------------------------


def _strength(founders: Sequence[Memory], tied: Sequence[Memory], at: datetime) -> float:
    """Return how strong an island is: 1 − e^−heat, of use that fades by half in a season."""
    weighed = [*((_FOUNDER, each) for each in founders), *((_TIED, each) for each in tied)]
    heat = 0.0
    for weight, each in weighed:
        last = each.worth.used_at or each.time.recorded_at
        days = max((at - last) / timedelta(days=1), 0.0)
        heat += weight * (1 + each.worth.used) * 0.5 ** (days / _HALF_LIFE_DAYS)
    return round(1 - exp(-heat), 2)


@dataclass(frozen=True, slots=True)
class Tended:
    """What a night finds about an island: how it stands now, and what belongs to it."""

    island: Island
    before: Island
    tied: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return the Changes of it; none where it stands as it did."""
        moved = abs(self.island.strength - self.before.strength) >= _MOVED
        stands = replace(self.island, strength=self.before.strength) != self.before
        ties = tuple(IslandSet(id, self.island.id) for id in self.tied)
        return (*([written(self.island)] if moved or stands else []), *ties)


def tended(scope: Scope, mind: Mind) -> list[Tended]:
    """Look after every island: how it stands, how strong it is, which memories are of its theme."""
    every = [stood(each, scope, mind) for each in islands(scope, mind)]
    before = {each.id: each for each in islands(scope, mind)}
    standing = [each for each in every if each.status is not Status.COLLAPSED]
    loose, tied = _of_themes(standing, scope, mind) if standing else ({}, {})
    found = []
    for each in every:
        store = mind.store.memories
        founders = [held for id in each.founders if (held := store.get(scope, id)) is not None]
        mine = [*tied.get(each.id, ()), *loose.get(each.id, ())]
        now = replace(each, strength=_strength(founders, mine, mind.now()))
        ids = tuple(held.id for held in loose.get(each.id, ()))
        found.append(Tended(now, before[each.id], ids))
    return found


def _of_themes(
    standing: Sequence[Island], scope: Scope, mind: Mind
) -> tuple[dict[str, list[Memory]], dict[str, list[Memory]]]:
    """Return the M90 and M365 memories that belong to islands: newly found, and known before."""
    where = Where(scope=scope, tiers=(Tier.M90, Tier.M365), everywhere=True)
    numbers = mind.store.memories.latest(where, limit=_MOST_TIES)
    held = mind.store.memories.by_numbers(scope, numbers)
    founders = {id for each in standing for id in each.founders}
    links = mind.store.links.of(scope, founders)
    ties: dict[str, dict[str, bool]] = {}
    for link in links:
        for end, founder in ((link.source, link.target), (link.target, link.source)):
            if founder in founders:
                ties.setdefault(end, {})[founder] = True
    known = {each.id for each in standing}
    loose: dict[str, list[Memory]] = {}
    tied: dict[str, list[Memory]] = {}
    for memory in held.values():
        if memory.life.island in known:
            tied.setdefault(str(memory.life.island), []).append(memory)
        elif not memory.life.island and memory.provenance.origin not in STRANGERS:
            near = nearest(theme_of(memory, mind), standing, ties.get(memory.id))
            if near is not None:
                loose.setdefault(near.id, []).append(memory)
    return loose, tied


# -- a person renames an island -------------------------------------------------------------------


def proposed(
    each: Island,
    scope: Scope,
    mind: Mind,
    *,
    name: str = "",
    emoji: str = "",
    description: str = "",
    why: str = ASKED,
) -> Written | None:
    """Return the proposal to call an island something else; None where it is called so already."""
    wanted = {"name": name, "emoji": emoji, "description": description}
    new = {what: value.strip() for what, value in wanted.items() if value.strip()}
    new = {what: value for what, value in new.items() if value != getattr(each, what)}
    if not new:
        return None
    for what, value in new.items():
        if (
            len(value) > (LONGEST_DESCRIPTION if what == "description" else LONGEST_NAME)
            or "\n" in value
        ):
            raise BadInput("soul.too_long", what=what)
        if suspicion(value):
            raise Refused("soul.reads_like_an_order")
    for other in waiting(ISLAND, scope, mind):
        if (other.target, dict(other.details)) == (each.id, new):
            return None
    text = f"{new.get('emoji', each.emoji)} {new.get('name', each.name)}"
    return put(
        Proposal(
            id=mind.new_id(ISLAND), about=ISLAND, text=text, target=each.id, details=new,
            reasons=(why,), sources=each.founders,
        )
    )  # fmt: skip


def renamed(consent: Consent) -> Island:
    """Return an island as a yes to another name, emoji or meaning calls it."""
    each = island(consent.proposal.target, consent.scope, consent.mind)
    wanted = {what: str(value) for what, value in consent.proposal.details.items()}
    return replace(each, **wanted)  # type: ignore[arg-type]
