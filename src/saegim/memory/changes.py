"""`Change`: the closed list of everything that can happen; each is one line of the ledger.

Everyone may propose Changes; only the store commits them.
`facts` is what the ledger keeps of a Change: ids, numbers and names of states, never words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import xxhash

from saegim.memory.clock import micros
from saegim.memory.entities import TYPES, Entity, Link, Page
from saegim.memory.memory import (
    Lifetime,
    Memory,
    Reason,
    State,
    Tier,
    Use,
    checked_name,
    checked_number,
    checked_share,
)

Facts = Mapping[str, str | int | float | bool | None]


class _Plain:
    """A Change of which the ledger keeps nothing but its name and its subject."""

    __slots__ = ()

    def facts(self) -> Facts:
        """Return nothing more; the name says it."""
        return {}


@dataclass(frozen=True, slots=True)
class Saved:
    """A new memory is kept."""

    memory: Memory

    def facts(self) -> Facts:
        """Return the state it was born in."""
        life = self.memory.life
        return {
            "kind": self.memory.kind.value,
            "origin": self.memory.provenance.origin.value,
            "tier": life.tier.value,
            "state": life.state.value,
            "lifetime": life.lifetime.value,
            "pinned": life.pinned,
            "immutable": life.immutable,
            "project": of_project(self.memory.scope.project),
            **({"island": of_island(life.island)} if life.island else {}),
        }


@dataclass(frozen=True, slots=True)
class Superseded:
    """A newer memory holds in its place; this one stays, with an end of validity."""

    memory: str
    by: str
    at: datetime

    def facts(self) -> Facts:
        """Return what holds now, and since when."""
        return {"by": self.by, "at": micros(self.at)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reweighed:
    """Its worth changed: counts are added, values are set."""

    memory: str
    at: datetime
    recalled: int = 0
    used: int = 0
    repeat: float = 0.0
    feedback: float = 0.0
    importance: float | None = None
    confidence: float | None = None
    rating: int | None = None
    # How much of the importance references now lend it.
    lent: float | None = None
    # Of a use that nobody reported: what it was seen by.
    use: Use | None = None

    def __post_init__(self) -> None:
        for what in ("recalled", "used", "repeat", "feedback"):
            checked_number(what, getattr(self, what), low=-1e9, high=1e9)
        for what in ("importance", "confidence"):
            if (value := getattr(self, what)) is not None:
                checked_share(what, value)
        if self.rating is not None:
            checked_number("rating", self.rating, low=1, high=5)

    def facts(self) -> Facts:
        """Return every number that moved."""
        numbers = {
            "recalled": self.recalled or None,
            "used": self.used or None,
            "repeat": self.repeat or None,
            "feedback": self.feedback or None,
            "importance": self.importance,
            "confidence": self.confidence,
            "rating": self.rating,
            "lent": self.lent,
        }
        moved = {name: value for name, value in numbers.items() if value is not None}
        return {**moved, **self.use.facts()} if self.use else moved


@dataclass(frozen=True, slots=True)
class Retold:
    """Its shorter forms were written anew; its words stay as they are."""

    memory: str
    brief: str | None
    triples: tuple[tuple[str, str, str], ...]

    def facts(self) -> Facts:
        """Return how many triples there are now."""
        return {"triples": len(self.triples), "brief": self.brief is not None}


@dataclass(frozen=True, slots=True)
class Interpreted:
    """What was kept at once was read: kind, feeling, short forms, weight and lifetime.

    Its words stay. Of what differs between `before` and `after` that is taken over which nobody
    has moved since; the line vouches for the memory anew, since its kind is part of the oath.
    """

    memory: str
    before: Memory
    after: Memory

    def facts(self) -> Facts:
        """Return what it was read as."""
        after = self.after
        return {"kind": after.kind.value, "lifetime": after.life.lifetime.value}


@dataclass(frozen=True, slots=True)
class Pinned:
    """It is held fast, or let loose again."""

    memory: str
    pinned: bool

    def facts(self) -> Facts:
        """Return which of the two."""
        return {"pinned": self.pinned}


@dataclass(frozen=True, slots=True)
class Tiered:
    """It settles in another tier and its time starts anew."""

    memory: str
    tier: Tier
    expires_at: datetime | None

    def facts(self) -> Facts:
        """Return the tier and its end."""
        return {"tier": self.tier.value, "expires_at": _micros(self.expires_at)}


@dataclass(frozen=True, slots=True)
class LifetimeSet:
    """It is kept for something else now: for good, until a date, or for its tier's time."""

    memory: str
    lifetime: Lifetime
    last_date: datetime | None
    expires_at: datetime | None

    def facts(self) -> Facts:
        """Return what it is kept for, and the end of its time."""
        return {
            "lifetime": self.lifetime.value,
            "last_date": _micros(self.last_date),
            "expires_at": _micros(self.expires_at),
        }


@dataclass(frozen=True, slots=True)
class Shrunk:
    """It has faded, and prompts are offered its short form; or it is offered whole again."""

    memory: str
    shrunk: bool

    def facts(self) -> Facts:
        """Return which of the two."""
        return {"shrunk": self.shrunk}


@dataclass(frozen=True, slots=True)
class Tagged:
    """It is filed under more tags; its words stay."""

    memory: str
    tags: tuple[str, ...]

    def facts(self) -> Facts:
        """Return how many: a tag is a word, and the ledger holds none."""
        return {"tags": len(self.tags)}


@dataclass(frozen=True, slots=True)
class IslandSet:
    """It belongs to an island of the self, or to none any more."""

    memory: str
    island: str | None

    def __post_init__(self) -> None:
        if self.island is not None:
            checked_name("island", self.island)

    def facts(self) -> Facts:
        """Return a digest of which: one that was imported may be a word."""
        return {"island": of_island(self.island)}


@dataclass(frozen=True, slots=True)
class Dozed(_Plain):
    """It has faded so far that default recall leaves it out."""

    memory: str


@dataclass(frozen=True, slots=True)
class Woken(_Plain):
    """It was asked for again and is active."""

    memory: str


@dataclass(frozen=True, slots=True)
class Leaving:
    """It is on its way out; until `until` it can be restored."""

    memory: str
    reason: Reason
    since: datetime
    until: datetime

    def facts(self) -> Facts:
        """Return why it goes and how long it can be called back."""
        return {
            "reason": self.reason.value,
            "since": micros(self.since),
            "until": micros(self.until),
        }


@dataclass(frozen=True, slots=True)
class Restored:
    """It was called back: active again, its tier kept, its time reset."""

    memory: str
    expires_at: datetime | None
    # Where it stands now; the store knows, for what was in quarantine returns there.
    state: State | None = None

    def facts(self) -> Facts:
        """Return the new end of its time, and where it stands."""
        stands = {"state": self.state.value} if self.state is not None else {}
        return {"expires_at": _micros(self.expires_at), **stands}


@dataclass(frozen=True, slots=True)
class Quarantined(_Plain):
    """It looks like an instruction from a stranger; recall will not show it."""

    memory: str


@dataclass(frozen=True, slots=True)
class Released(_Plain):
    """A person has looked at it and let it out of quarantine."""

    memory: str


@dataclass(frozen=True, slots=True)
class Archived:
    """Its words have left the live store for the compressed archive."""

    memory: str
    at: datetime

    def facts(self) -> Facts:
        """Return when."""
        return {"at": micros(self.at)}


@dataclass(frozen=True, slots=True)
class Erased(_Plain):
    """Nothing is left of it but its id and its lines in the ledger."""

    memory: str


@dataclass(frozen=True, slots=True)
class Rehomed:
    """It belongs to another project now, or to all of them; so does a place that was seen."""

    # The id of a memory, or the digest of a place (`saegim.store.tables.project_table`).
    memory: str
    project: str

    def __post_init__(self) -> None:
        if self.project:
            checked_name("project", self.project)

    def facts(self) -> Facts:
        """Return a digest of the project's name."""
        return {"project": of_project(self.project)}


@dataclass(frozen=True, slots=True)
class Linked:
    """A tie was made, or grew stronger by its weight."""

    link: Link

    def facts(self) -> Facts:
        """Return how strong the tie is."""
        return {"weight": self.link.weight, "negative": self.link.negative}


@dataclass(frozen=True, slots=True)
class Unlinked(_Plain):
    """A tie was taken away."""

    link: Link


@dataclass(frozen=True, slots=True)
class Met:
    """Someone or something was met, for the first time or again, perhaps in a memory.

    `again` joins this meeting to what is known; otherwise the entity is kept as it is given.
    Without `felt` it is no meeting, but what is known is put right.
    """

    entity: Entity
    memory: str = ""
    again: bool = False
    felt: bool = True

    def facts(self) -> Facts:
        """Return the numbers of the acquaintance."""
        return {
            "memory": self.memory or None,
            "interactions": self.entity.interactions,
            "sentiment_score": self.entity.sentiment_score,
            "trust": self.entity.trust,
        }


@dataclass(frozen=True, slots=True)
class Portrayed:
    """What is known of someone or something was summed up anew; nobody was met."""

    entity: str
    summary: str
    personality_notes: str
    sources: int = 0

    def facts(self) -> Facts:
        """Return from how many memories."""
        return {"sources": self.sources}


@dataclass(frozen=True, slots=True)
class Trusted:
    """How far someone is trusted moved with how what they said held."""

    entity: str
    trust: float
    confirmed: int = 0
    doubted: int = 0

    def facts(self) -> Facts:
        """Return where it stands now, and on how much of either it rests."""
        return {"trust": self.trust, "confirmed": self.confirmed, "doubted": self.doubted}


@dataclass(frozen=True, slots=True)
class Written:
    """A page has a new version."""

    page: Page
    # The version it was thought out from; where another stands by now, nothing is written.
    after: int | None = None

    def facts(self) -> Facts:
        """Return what kind of page it is."""
        return {"kind": self.page.kind, "sources": len(self.page.derived_from)}


@dataclass(frozen=True, slots=True)
class Recalled:
    """These memories were shown, in this order, and each was recalled once more."""

    trace: str
    memories: tuple[str, ...]
    # The session it was for, by its mark, where one is known.
    session: str = ""
    # Of each of the first: the places of those of its words that the question said itself.
    said: tuple[tuple[int, ...], ...] = ()

    def facts(self) -> Facts:
        """Return which memories, best first, for which session, and what was asked of them."""
        more = {"session": self.session, "said": written_places(self.said)}
        return {"memories": " ".join(self.memories)} | {
            name: value for name, value in more.items() if value
        }


Change = (
    Saved
    | Superseded
    | Reweighed
    | Retold
    | Interpreted
    | Pinned
    | Tiered
    | LifetimeSet
    | Shrunk
    | Tagged
    | IslandSet
    | Dozed
    | Woken
    | Leaving
    | Restored
    | Quarantined
    | Released
    | Archived
    | Erased
    | Rehomed
    | Linked
    | Unlinked
    | Met
    | Portrayed
    | Trusted
    | Written
    | Recalled
)


def subject(change: Change) -> str:
    """Return the key of what the Change happened to."""
    match change:
        case Saved(memory=memory):
            return memory.id
        case Linked(link=link) | Unlinked(link=link):
            type = link.type if link.type in TYPES else _nameless("tie", link.type)
            return "::".join((without_name(link.source), type, without_name(link.target)))
        case Met(entity=entity):
            return without_name(entity.key)
        case Portrayed(entity=key) | Trusted(entity=key):
            return without_name(key)
        case Written(page=page):
            return page.key
        case Recalled(trace=trace):
            return trace
        case _:
            return change.memory


def without_name(key: str) -> str:
    """Return the key of a memory as it is, and that of an entity without its name."""
    return _nameless("entity", key) if key.startswith("entity:") else key


def _nameless(what: str, words: str) -> str:
    """Name a thing by a digest: names and predicates are words, and the ledger holds none."""
    return f"{what}#{xxhash.xxh3_64_hexdigest(words.encode('utf-8', 'surrogatepass'))}"


def of_project(name: str) -> str:
    """Return what stands for a project where no name may stand; nothing for everywhere."""
    return _nameless("project", name) if name else ""


def of_island(id: str | None) -> str:
    """Return what stands for an island where no name may stand; nothing for none."""
    return _nameless("island", id) if id else ""


def written_places(said: tuple[tuple[int, ...], ...]) -> str:
    """Write places in several memories as one line; nothing where there are none."""
    written = "|".join(" ".join(map(str, places)) for places in said)
    return written if written.strip("|") else ""


def read_places(written: str) -> tuple[tuple[int, ...], ...]:
    """Read what `written_places` wrote."""
    lines = written.split("|") if written else []
    return tuple(tuple(map(int, each.split())) for each in lines)


def session_mark(session: str) -> str:
    """Return what stands for a session where no name may stand; nothing where none is known."""
    return _nameless("session", session) if session else ""


def _micros(at: datetime | None) -> int | None:
    return None if at is None else micros(at)
