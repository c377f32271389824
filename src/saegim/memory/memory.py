"""`Memory`: one remembered thing with scope, coordinates, feelings, tier, state; the formulas."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import exp, isfinite, log, tanh
from typing import Any, Final, NamedTuple, TypedDict

from saegim.errors import BadInput, hint
from saegim.memory.clock import checked_id
from saegim.memory.record import checked_fields
from saegim.memory.text import canonical_key, is_blank

SENTIMENT: Final = "sentiment"
# A feeling is present from here on; training moves each head so that this holds.
PRESENT: Final = 0.5


class Feeling(StrEnum):
    """What a memory feels like (seed D §2)."""

    JOY = "joy"
    SADNESS = "sadness"
    ANGER = "anger"
    FEAR = "fear"
    DISGUST = "disgust"
    ANXIETY = "anxiety"
    ENVY = "envy"
    ENNUI = "ennui"
    NOSTALGIA = "nostalgia"
    NEUTRAL = "neutral"


COLOURS: dict[Feeling, str] = {
    Feeling.JOY: "gold",
    Feeling.SADNESS: "blue",
    Feeling.ANGER: "red",
    Feeling.FEAR: "purple",
    Feeling.DISGUST: "green",
    Feeling.ANXIETY: "orange",
    Feeling.ENVY: "teal",
    Feeling.ENNUI: "indigo",
    Feeling.NOSTALGIA: "pink and blue",
    Feeling.NEUTRAL: "grey",
}

# The one blend seed D names; a blend is read from the pair, never stored in its place.
BLENDS: dict[frozenset[Feeling], Feeling] = {
    frozenset({Feeling.JOY, Feeling.SADNESS}): Feeling.NOSTALGIA,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """The emotion coordinate: feelings, how strong, and what the words said."""

    feelings: tuple[Feeling, ...] = ()
    intensity: float = 0.0
    affect: float | None = None
    sentiment: float = 0.0
    confidence: float | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_share("intensity", self.intensity)
        checked_number("sentiment", self.sentiment, low=-1.0, high=1.0)
        for what in ("affect", "confidence"):
            if (value := getattr(self, what)) is not None:
                checked_share(what, value)

    @property
    def blend(self) -> Feeling:
        """Return the one feeling that these feelings amount to."""
        held = frozenset(self.feelings)
        for pair, blended in BLENDS.items():
            if pair <= held:
                return blended
        return self.feelings[0] if self.feelings else Feeling.NEUTRAL


def checked_number(what: str, value: float, *, low: float, high: float) -> float:
    """Return the number if it lies between low and high; refuse NaN and everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadInput("memory.must_lie_between", what=what, low=low, high=high, value=value)
    return float(value)


def checked_share(what: str, value: float) -> float:
    """Return the number if it lies between 0 and 1."""
    return checked_number(what, value, low=0.0, high=1.0)


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What the heads read in one text; shares from 0 to 1, sentiment from -1 to 1."""

    sentiment: float
    intensity: float
    feelings: dict[Feeling, float]
    question: float
    # None in a language where no head beats the plain rule.
    keeping: float | None

    @property
    def felt(self) -> tuple[Feeling, ...]:
        """Return the feelings that are present, the strongest first."""
        found = [each for each, share in self.feelings.items() if share >= PRESENT]
        return tuple(sorted(found, key=lambda each: -self.feelings[each]))


# -- M30, M90, M365, M0: how long each tier keeps a memory, what for


class Tier(StrEnum):
    """How deep a memory has settled (seed D §1)."""

    M30 = "M30"
    M90 = "M90"
    M365 = "M365"
    M0 = "M0"


# The shallowest first.
DEPTH = (Tier.M30, Tier.M90, Tier.M365, Tier.M0)


class State(StrEnum):
    """Where a memory stands in its life."""

    ACTIVE = "active"
    DORMANT = "dormant"
    LEAVING = "leaving"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    FORGOTTEN = "forgotten"


class Lifetime(StrEnum):
    """What a memory is kept for, whatever its tier (decision 0012)."""

    # Who someone is, health, people, preferences, wishes, decisions: no end by age.
    LASTING = "lasting"
    # Plans, appointments, deadlines: not before their last date and a month.
    UNTIL = "until"
    # Happenings, moods, states of the day: the tier's own time.
    PASSING = "passing"


Span = tuple[Lifetime, datetime | None]
_OUTLASTS = (Lifetime.PASSING, Lifetime.UNTIL, Lifetime.LASTING)


def longer(one: Span, other: Span) -> Span:
    """Return the longer of two lifetimes, each with its last date; the first of equal ones."""

    def length(span: Span) -> tuple[int, float]:
        lifetime, last = span
        return _OUTLASTS.index(lifetime), last.timestamp() if last else 0.0

    return max(one, other, key=length)


# What recall may find; a dormant memory only when it is asked for.
FINDABLE = (State.ACTIVE, State.DORMANT)


class Reason(StrEnum):
    """Why a memory is leaving."""

    EXPIRED = "expired"
    FADED = "faded"
    PRUNED = "pruned"
    DISPLACED = "displaced"
    MANUAL = "manual"


LIFETIMES: dict[Tier, timedelta | None] = {
    Tier.M30: timedelta(days=30),
    Tier.M90: timedelta(days=90),
    Tier.M365: timedelta(days=365),
    Tier.M0: None,
}


# So long after its last date a plan may still be asked about.
GRACE = timedelta(days=30)


def expiry(tier: Tier, since: datetime, last_date: datetime | None = None) -> datetime | None:
    """Return when the time of a memory that entered the tier at `since` is over; never in M0.

    `last_date` is the last day a plan speaks of: its time is not over before that and a month.
    """
    lifetime = LIFETIMES[tier]
    if lifetime is None:
        return None
    end = since + lifetime
    return end if last_date is None else max(end, last_date + GRACE)


# -- The coordinates of a memory: when, where, by whom, said how, from where, worth what


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

    @classmethod
    def _missing_(cls, value: object) -> Kind | None:
        """Read seed C's name of a principle."""
        return cls.PRINCIPLE if value == "core_principle" else None


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


# The role of words that a person only quoted: whoever said them, it was not the person.
QUOTED: Final = "quoted"


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

    @property
    def said(self) -> datetime:
        """Return when it was said, as far as it is told."""
        return self.said_at or self.happened_at

    def said_by(self, now: datetime) -> datetime:
        """Return when it was said: no date makes it later than its writing down, nor than now."""
        return min(self.said, self.recorded_at, now)


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


# The tag of what only keeps the books of an adapter: it has a life, but nobody said or is shown it.
BOOKKEEPING = "saegim:bookkeeping"

# -- Five formulas, one page: salience, importance, rank, strength, score

SECONDS_A_DAY = 86_400.0


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Hold a number between low and high; what is not a number counts as low."""
    if value != value:
        return low
    return max(low, min(high, value))


@dataclass(frozen=True, slots=True, kw_only=True)
class SalienceWeights:
    """What makes a turn worth keeping (seed C, layer 1)."""

    personal: float = 0.40
    preference: float = 0.35
    technical: float = 0.30
    emotion: float = 0.20
    density: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """How much relevance, recency and importance count in an answer (seed E, phase 1-5).

    `sources` is given where relevance is `fused` from them and from nothing else.
    """

    relevance: float = 0.5
    recency: float = 0.3
    importance: float = 0.2
    sources: FusionWeights | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """How much each path counts in relevance (seed E, phase 2)."""

    vector: float = 0.5
    words: float = 0.3
    graph: float = 0.2


def salience(
    *,
    personal: bool = False,
    preference: bool = False,
    technical: bool = False,
    emotion: bool = False,
    density: float = 0.0,
    weights: SalienceWeights = SalienceWeights(),
) -> float:
    """Answer: is this turn worth keeping?"""
    return clamp(
        weights.personal * personal
        + weights.preference * preference
        + weights.technical * technical
        + weights.emotion * emotion
        + weights.density * clamp(density)
    )


# The importance with which what a person asked to keep is born (seed A §6.2).
EXPLICIT_START = 0.3


def observed_start(salience_score: float) -> float:
    """Return the importance with which the overheard is born, low enough to be able to fade."""
    return 0.1 + 0.4 * clamp(salience_score)


def importance(
    *, start: float, rating: int | None = None, references: int = 0, sentiment: float = 0.0
) -> float:
    """Answer: what does it mean? (seed A §6.2)"""
    rated = (rating or 0) / 5.0 * 0.3
    referenced = min(max(references, 0) * 0.05, 0.2)
    felt = abs(clamp(sentiment, -1.0, 1.0)) * 0.2
    return clamp(start + rated + referenced + felt)


_LOG_2: Final = log(2)


def recency(age_seconds: float, half_life_seconds: float) -> float:
    """Return 1 for now, one half after the half-life; the future counts as now."""
    if half_life_seconds <= 0 or not isfinite(half_life_seconds):
        raise ValueError("a half-life is a positive number of seconds")
    return exp(-_LOG_2 * max(age_seconds, 0.0) / half_life_seconds)


def rank(*, recency_score: float, repeat: float, feedback: float) -> float:
    """Answer: does it stay in mind? (seed B §4.1)"""
    return 0.5 * recency_score + 0.3 * tanh(repeat / 5) + 0.2 * tanh(feedback / 5)


def strength(
    *,
    recalled: int,
    idle_days: float,
    links: int = 0,
    intensity: float = 0.0,
    decay: float = 0.02,
    boost: float = 0.05,
) -> float:
    """Answer: is it still alive? Strong feeling slows the decay (seed C, layer 4)."""
    rate = decay / (1 + clamp(intensity))
    return (1 + max(recalled, 0)) * exp(-rate * max(idle_days, 0.0)) + boost * max(links, 0)


# How much of what someone said must hold, or fail, to weigh as much as where they began.
_ACQUAINTANCE = 12.0
# What was called wrong weighs twice what was confirmed, or merely said otherwise by the person.
_WRONG = 2.0
_LEAST_TRUST, _MOST_TRUST = 0.1, 0.95


def trust(*, start: float, confirmed: int, contradicted: int = 0, wrong: int = 0) -> float:
    """Answer: how far is someone trusted who said this much right and wrong? (seed E, phase 1)

    Slow, for a word or two says little of anyone, and bounded: nobody is believed blindly, and
    nobody is lost for good.
    """
    against = contradicted + _WRONG * wrong
    held = (_ACQUAINTANCE * start + confirmed) / (_ACQUAINTANCE + confirmed + against)
    return clamp(held, _LEAST_TRUST, _MOST_TRUST)


class Weighed(NamedTuple):
    """The score of one memory for one question, with its parts kept apart."""

    score: float
    relevance: float
    recency: float
    importance: float
    weights: ScoreWeights = ScoreWeights()


def fused(weights: FusionWeights, *, vector: float, words: float, graph: float) -> float:
    """Answer: how well does it fit, on average of the sources that found it? (seed E, phase 2)"""
    said = {"vector": vector, "words": words, "graph": graph}
    counts = {name: getattr(weights, name) for name, value in said.items() if value > 0.0}
    whole = sum(counts.values())
    return sum(counts[name] * said[name] for name in counts) / whole if whole else 0.0


def score(
    *,
    relevance: float,
    recency_score: float,
    importance_score: float,
    weights: ScoreWeights = ScoreWeights(),
) -> Weighed:
    """Answer: does it answer this question? (seed E, phase 1-5)"""
    return Weighed(
        score=weights.relevance * relevance
        + weights.recency * recency_score
        + weights.importance * importance_score,
        relevance=relevance,
        recency=recency_score,
        importance=importance_score,
        weights=weights,
    )


# -- `Scope`: whose memory this is; the wall between people and the rooms inside it

# Letters and digits of any script, inner spaces, and the marks that names of people, agents,
# folders and sessions really carry. No wildcards, no quotes, no control characters.
_NAME = re.compile(r"[\w][\w .@:+\-/#()]{0,199}")


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: `user` is the wall, the others are rooms inside it.

    An empty `agent` or `project` means the memory belongs to all of them.
    """

    user: str
    agent: str = ""
    project: str = ""
    session: str = ""

    def __post_init__(self) -> None:
        for what in ("user", "agent", "project", "session"):
            value = getattr(self, what)
            if (value != "" or what == "user") and (name := checked_name(what, value)) != value:
                object.__setattr__(self, what, name)


def checked_name(what: str, value: object) -> str:
    """Return the name if it can be a user's, agent's, project's or session's; refuse it otherwise.

    Who writes a project in syllables taken apart (NFD) means the same one; two users never become
    one, so theirs is taken as it is or not at all.
    """
    if not isinstance(value, str) or not value:
        raise BadInput("memory.missing", what=what, value=value)
    name = unicodedata.normalize("NFC", value)
    as_it_is = name == value or what in ("project", "session")
    if not (as_it_is and _NAME.fullmatch(name)) or ".." in name or name != name.strip():
        raise BadInput("memory.cannot_be_used_as_name", what=what, value=value[:60])
    return name


# What is shared by all users of an agent has an owner of its own, named after the agent.
SHARED_BY = "agent:"
_LONGEST = 200


def shared_scope(scope: Scope) -> Scope | None:
    """Return the scope of what the users of this agent share; there is none without an agent.

    It is read beside one's own; what a user keeps stays behind the user's wall.
    """
    if not scope.agent:
        return None
    owner = f"{SHARED_BY}{scope.agent}"
    if len(owner) > _LONGEST:
        owner = f"{SHARED_BY}{hashlib.sha256(scope.agent.encode()).hexdigest()}"
    return None if owner == scope.user else Scope(owner, scope.agent, scope.project)


class Rooms(TypedDict, total=False):
    """The parts of a scope that a view may have of its own; none of them may be None."""

    user: str
    agent: str
    project: str
    session: str


def narrowed(scope: Scope, rooms: Rooms) -> Scope:
    """Return the scope with other rooms; refuse a room that there is not."""
    known = Rooms.__annotations__
    if unknown := sorted(set(rooms) - set(known)):
        raise BadInput("memory.scope_has_no", unknown=unknown[0], hint=hint(unknown[0], known))
    return replace(scope, **rooms)


# -- `Memory`: one remembered thing, its words verbatim, placed by its coordinates

# Long enough for a chapter, short enough that one memory cannot fill a context or a log.
MAX_TEXT = 1_000_000
MAX_TAGS = 64
MAX_TAG = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered thing. Its words never change: a correction is a new memory."""

    id: str
    scope: Scope
    text: str
    time: Time
    kind: Kind = Kind.FACT
    visibility: str = "private"
    provenance: Provenance = field(default_factory=Provenance)
    space: Space = field(default_factory=Space)
    agent: Agent = field(default_factory=Agent)
    emotion: Emotion = field(default_factory=Emotion)
    content: Content = field(default_factory=Content)
    worth: Worth = field(default_factory=Worth)
    life: Life = field(default_factory=Life)
    rhythm: Rhythm = field(default_factory=Rhythm)

    @property
    def canonical_key(self) -> str:
        """Return the versioned key that two spellings of the same text share."""
        return canonical_key(self.text)

    @property
    def is_told(self) -> bool:
        """True of what holds and was told in earnest: not set aside, and not only imagined."""
        return self.life.state is State.ACTIVE and self.kind is not Kind.IMAGINED

    def evolve(self, **changes: Any) -> Memory:
        """Return a copy with these fields replaced."""
        return replace(self, **changes)


def said_after(one: Memory, other: Memory, *, now: datetime) -> bool:
    """Say whether one was said after the other; a date ahead of the clock counts as now.

    Where that makes two of equal trust equal, their dates are all there is to go by.
    """
    mine, theirs = one.time.said_by(now), other.time.said_by(now)
    if mine == theirs and one.provenance.trust == other.provenance.trust:
        return one.time.said > other.time.said
    return mine > theirs


def checked_text(value: object, what: str = "text", limit: int = MAX_TEXT) -> str:
    """Return the text if it can be kept word for word; say exactly why not otherwise."""
    if not isinstance(value, str):
        raise BadInput("memory.must_be_string", what=what, type=type(value).__name__)
    if len(value) > limit:
        raise BadInput("memory.characters_most", what=what, count=len(value), limit=limit)
    if is_blank(value):
        raise BadInput("memory.text_empty" if what == "text" else "memory.empty", what=what)
    if "\x00" in value:
        raise BadInput(
            "memory.contains_nul_character_at_position", what=what, index=value.index(chr(0))
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            "memory.contains_half_of_character_lone", what=what, start=error.start
        ) from error
    return value


def checked_tags(tags: object) -> tuple[str, ...]:
    """Return the tags, composed, each once; refuse what is not a list of short strings."""
    if isinstance(tags, str) or not isinstance(tags, list | tuple | set | frozenset):
        raise BadInput("memory.tags_must_be_list", tags=tags)
    if len(tags) > MAX_TAGS:
        raise BadInput("memory.tags_are_too_many", count=len(tags), most=MAX_TAGS)
    told = (checked_text(tag, "tag", MAX_TAG).strip() for tag in tags)
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", tag) for tag in told))


def checked(memory: Memory) -> Memory:
    """Return the memory if every part of it can be stored; refuse it otherwise."""
    checked_id(memory.id)
    checked_text(memory.text)
    checked_fields(memory)
    checked_tags(memory.content.tags)
    if memory.visibility not in ("private", "shared"):
        raise BadInput("memory.visibility_cannot_be", visibility=memory.visibility)
    return memory
