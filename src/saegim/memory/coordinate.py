"""The coordinates of a memory: when, where, by whom, said how, from where, worth what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from saegim.errors import BadInput
from saegim.memory.emotion import checked_number, checked_share
from saegim.memory.tiers import Lifetime, Reason, State, Tier


class Kind(StrEnum):
    """What sort of thing is remembered (seed C's categories and seed E's memory types)."""

    FACT = "fact"
    PREFERENCE = "preference"
    EXPERIENCE = "experience"
    EMOTION = "emotion"
    TECHNICAL = "technical"
    PRINCIPLE = "principle"
    INSIGHT = "insight"
    EPISODE = "episode"
    IMAGINED = "imagined"


class Origin(StrEnum):
    """Where the words first came from; written once, never raised."""

    USER_CONFIRMED = "user_confirmed"
    USER_SAID = "user_said"
    AGENT_INFERRED = "agent_inferred"
    IMPORT = "import"
    TOOL_OUTPUT = "tool_output"
    PEER = "peer"
    WEB = "web"


# Highest first. A derived memory takes the least trusted of its sources.
TRUST: dict[Origin, float] = {
    Origin.USER_CONFIRMED: 1.0,
    Origin.USER_SAID: 0.9,
    Origin.AGENT_INFERRED: 0.6,
    Origin.IMPORT: 0.5,
    Origin.TOOL_OUTPUT: 0.4,
    Origin.PEER: 0.3,
    Origin.WEB: 0.2,
}


# What the person whose memory this is said or confirmed.
PERSON = (Origin.USER_SAID, Origin.USER_CONFIRMED)
# What nobody vouches for: it rises by being used, and by nothing it says of itself.
STRANGERS = (Origin.TOOL_OUTPUT, Origin.PEER, Origin.WEB)


def least_trusted(*origins: Origin) -> Origin:
    """Return the origin of what is derived from these: no more trusted than the least of them."""
    return min(origins, key=TRUST.__getitem__)


class Source(StrEnum):
    """Which act produced the memory (seed D `source`, widened)."""

    CONVERSATION = "conversation"
    OBSERVATION = "observation"
    DISTILLATION = "distillation"
    REFLECTION = "reflection"
    USER = "user"
    IMPORT = "import"
    # An agent says that the person said so: a claim, and found as well as the person's own words.
    REPORTED = "reported"


# What a night makes of other memories: it stands and falls with them.
BY_NIGHT = (Source.DISTILLATION, Source.REFLECTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """When it happened, when it was written down, and while it holds true."""

    happened_at: datetime
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    sequence: int | None = None
    minutes_into_session: float | None = None
    # When it was said, if that is not when it happened: "yesterday" is said today.
    said_at: datetime | None = None
    # The days and hours the words speak of, as ISO 8601 intervals, end exclusive.
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Where it belongs inside its project (the project itself is part of the scope).

    `project` is where it was said, where that is not the project it belongs to: who someone is
    belongs to all of them (seed A's `space.project` keeps the place, the scope is the wall).
    """

    project: str = ""
    domain: str = ""
    files: tuple[str, ...] = ()
    depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Which voice spoke (the agent itself is part of the scope)."""

    persona: str = ""
    persona_name: str = ""
    role: str = ""
    backend: str = ""
    phase_injection: bool = False
    error_occurred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What stands around the words: the prompt, the shorter forms, the tags."""

    type: str = "user_input"
    prompt_digest: str = ""
    brief: str | None = None
    triples: tuple[tuple[str, str, str], ...] = ()
    language: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    token_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who said it, where it came from, and how far that can be trusted."""

    origin: Origin = Origin.USER_SAID
    source: Source = Source.USER
    author: str = ""
    addressee: str = ""
    turn: str = ""

    @property
    def trust(self) -> float:
        """Return the trust that the origin earns; nothing else can raise it."""
        return TRUST[self.origin]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What it has proved to be worth so far."""

    importance: float = 0.3
    confidence: float = 0.7
    rating: int | None = None
    repeat: float = 0.0
    feedback: float = 0.0
    recalled: int = 0
    recalled_at: datetime | None = None
    used: int = 0
    used_at: datetime | None = None

    def __post_init__(self) -> None:
        checked_share("importance", self.importance)
        checked_share("confidence", self.confidence)
        if self.rating is not None:
            checked_number("rating", self.rating, low=1, high=5)


# Why something counts as used: it came back in a reply, was opened, named by its handle or id,
# said again by the person, or a reply follows the wish it holds.
BACK, OPENED, NAMED, AGAIN, FOLLOWED = USES = ("back", "opened", "named", "again", "followed")


@dataclass(frozen=True, slots=True)
class Use:
    """How a memory was used: why, after which trace, by which reply, by which of its words.

    A reply is a digest, and words are their places in the memory: none of them is a word.
    """

    because: str
    trace: str = ""
    reply: str = ""
    places: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.because not in USES:
            raise BadInput("memory.no_use", because=self.because[:40], known=", ".join(USES))

    def facts(self) -> dict[str, str]:
        """Return what the ledger keeps of it."""
        said = {
            "because": self.because,
            "trace": self.trace,
            "reply": self.reply,
            "places": " ".join(map(str, self.places)),
        }
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Where it stands between being born and being let go."""

    tier: Tier = Tier.M90
    state: State = State.ACTIVE
    expires_at: datetime | None = None
    promoted_from: str | None = None
    pinned: bool = False
    immutable: bool = False
    island: str | None = None
    leaving_since: datetime | None = None
    leaving_until: datetime | None = None
    leaving_reason: Reason | None = None
    lifetime: Lifetime = Lifetime.PASSING
    # The last day its words speak of, where they are a plan.
    last_date: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Seed A's BQI snapshot: the phase of the conversation and its emotion words."""

    phase: str = ""
    words: tuple[str, ...] = ()
    snapshot: Mapping[str, Any] = field(default_factory=dict)

    def filled(self) -> Rhythm:
        """Return it with the phase and the emotion words of its snapshot, where nobody gave any."""
        felt = self.snapshot.get("emotion")
        phase = self.snapshot.get("rhythm_phase") or ""
        words = (felt.get("keywords") if isinstance(felt, Mapping) else None) or ()
        if not isinstance(phase, str):
            raise BadInput("memory.rhythm_phase_of_snapshot_cannot", phase=phase)
        if not isinstance(words, list | tuple) or not all(isinstance(each, str) for each in words):
            raise BadInput("memory.keywords_of_snapshot_must_be", words=words)
        return replace(self, phase=self.phase or phase, words=self.words or tuple(words))
