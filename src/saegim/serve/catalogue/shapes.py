"""What the functions of the catalogue answer with: the contract of REST and of MCP's output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from saegim.serve.catalogue import answers

if TYPE_CHECKING:
    from saegim.recall.mood import Mood

Json = dict[str, Any]


class ScopeAnswer(TypedDict):
    """Whose memories and which rooms an answer is about."""

    user: str
    agent: str
    project: str
    session: str


class MemoryAnswer(TypedDict):
    """A memory: its id, its words, its coordinates."""

    id: str
    text: str
    kind: str
    tier: str
    state: str
    happened_at: str
    recorded_at: str
    lifetime: str
    last_date: str | None
    expires_at: str | None
    leaving_until: str | None
    session: str
    sequence: int | None
    project: str
    agent: str
    author: str
    origin: str
    trust: float
    tags: list[str]
    importance: float
    pinned: bool


class Feelings(TypedDict):
    """The one feeling that several amount to, how strong, and the share of each."""

    feeling: str
    intensity: float
    feelings: dict[str, float]


class MoodAnswer(TypedDict):
    """The mood of now, if there is one."""

    mood: Feelings | None
    scope: ScopeAnswer


class ImaginationAnswer(TypedDict):
    """What was imagined, and how many more may be today."""

    imagination: Json
    left: int
    scope: ScopeAnswer


class ImaginationsAnswer(TypedDict):
    """What was imagined today, and how patterns were taken."""

    day: str
    imaginations: list[Json]
    most: int
    left: int
    patterns: dict[str, float]
    scope: ScopeAnswer


class PatternAnswer(TypedDict):
    """How a pattern of imagination was taken so far."""

    pattern: str
    weight: float
    liked: int
    ignored: int
    refused: int
    rests_until: str | None
    scope: ScopeAnswer


class CardAnswer(TypedDict):
    """A memory in short, as an answer to a question."""

    id: str
    handle: str
    text: str
    cut: bool
    kind: str
    date: str
    project: str
    origin: str
    trust: float
    score: float
    weak: bool
    why: str


class PathAnswer(TypedDict):
    """One way of finding: whether it ran, what it found, and why not if it did not."""

    name: str
    ran: bool
    found: int
    why: str


class SavedAnswer(TypedDict):
    """What became of a text: `stored`, `duplicate` or `repeated`.

    `masked` and `needs_confirmation` tell that words were replaced, `next_step` what can be done.
    """

    status: str
    id: str
    kept_for: str
    kept_in: str
    duplicate_of: str | None
    added_tags: list[str]
    indexed: str
    masked: int
    needs_confirmation: bool
    quarantined: bool
    supersedes: list[str]
    contradicts: list[str]
    similar_to: list[str]
    scope: ScopeAnswer
    next_step: str


class Corrected(SavedAnswer):
    """What became of a correction: `proposed` means that the user's own words still hold.

    `proposal` waits for the user, `confirmed_by` is the turn in which they said the same, `undo`
    the name under which it is taken back.
    """

    corrects: str
    proposal: str
    confirmed_by: str
    undo: str


class FoundAnswer(TypedDict):
    """Answers to a question, best first; `searched` false means that nobody could look."""

    searched: bool
    semantic: str
    in_mind: list[InMindAnswer]
    hits: list[CardAnswer]
    feelings: Feelings | None
    left_out: int
    tokens: int
    budget: int
    below_floor: int
    elsewhere: int
    paths: list[PathAnswer]
    trace: str
    scope: ScopeAnswer


class Composed(TypedDict):
    """A block of quoted memories for a prompt, and what it costs."""

    context: str
    searched: bool
    semantic: str
    ids: list[str]
    in_mind: list[str]
    tokens: int
    budget: int
    left_out: int
    paths: list[PathAnswer]
    trace: str
    scope: ScopeAnswer


class InMindAnswer(TypedDict):
    """Something said in the session at hand that no memory holds."""

    id: str
    text: str
    answer: str
    date: str
    score: float


class EndedAnswer(TypedDict):
    """What a session left behind: memories, and what it was about."""

    session: str
    promoted: list[Json]
    checkpoint: str | None
    topic: str
    summary: str
    scope: ScopeAnswer


class InSession(TypedDict):
    """A session, and what was made in it."""

    session: str
    id: str
    scope: ScopeAnswer


class SessionRecord(TypedDict):
    """A session as seed B's JSON."""

    session: str
    record: Json
    scope: ScopeAnswer


class Gone(TypedDict):
    """What left, or would leave, and until when it can be called back."""

    done: bool
    ids: list[str]
    until: str
    memories: list[MemoryAnswer]
    # What is the user's own waits for the user's yes.
    proposals: list[str]
    next_step: str
    scope: ScopeAnswer


class HeldAnswer(TypedDict):
    """Memories after something was done to them."""

    memories: list[MemoryAnswer]
    scope: ScopeAnswer


class LetOut(TypedDict):
    """What was let out of quarantine, or would be, and what still reads like an order."""

    done: bool
    memories: list[MemoryAnswer]
    suspect: list[MemoryAnswer]
    scope: ScopeAnswer


class One(TypedDict):
    """One memory, whole; how often it was used, and why each use counts as one."""

    memory: MemoryAnswer
    used: int
    uses: list[Json]
    scope: ScopeAnswer


class Listed(TypedDict):
    """A part of a list of memories, the true total, and the cursor that goes on."""

    memories: list[MemoryAnswer]
    total: int
    next: str | None
    scope: ScopeAnswer


class Items(TypedDict):
    """A part of a list, the true total, and the cursor that goes on."""

    items: list[Json]
    total: int
    next: str | None
    scope: ScopeAnswer


class QueueAnswer(Items):
    """A part of what is leaving, and the law by which memories are forgotten."""

    forgetting: Json


class ToldAnswer(TypedDict):
    """The versions of a memory and what the ledger saw of them."""

    versions: list[MemoryAnswer]
    entries: list[Json]
    uses: list[Json]
    scope: ScopeAnswer


class Related(TypedDict):
    """What something is tied to, the nearest first."""

    relations: list[Json]
    scope: ScopeAnswer


class JudgedAnswer(TypedDict):
    """What a judgement did."""

    memory: MemoryAnswer
    label: str
    importance: float
    changed: dict[str, float]
    woken: bool
    correctable: bool
    scope: ScopeAnswer


class MovedAnswer(TypedDict):
    """How many memories belong to another project now, and under which name that is undone."""

    to: str
    count: int
    undo: str
    scope: ScopeAnswer


class HeardAnswer(TypedDict):
    """What became of a turn of conversation, and why."""

    action: str
    phase: int
    salience: float
    reason: str
    why: list[str]
    asks: bool
    kept: list[str]
    facts: list[str]
    masked: int
    needs_confirmation: int
    quarantined: str
    also: str | None
    forgotten: list[str]
    restored: list[str]
    perhaps: list[str]
    used: list[str]
    feedback: str
    reward: float
    query: str
    unheard: str
    scope: ScopeAnswer


class Decided(TypedDict):
    """What would be done with a turn and why; nothing was kept."""

    action: str
    phase: int
    salience: float
    reason: str
    why: list[str]
    asks: bool
    state: dict[str, float]
    policy: Json
    scope: ScopeAnswer


class PolicyAnswer(TypedDict):
    """What decides about a turn: the rules, or what was learned."""

    policy: str
    learned: bool
    epsilon: float
    updates: int
    actions: dict[str, int]
    thresholds: dict[str, float]
    why: str
    learning: Json
    scope: ScopeAnswer


class StatsAnswer(TypedDict):
    """How many memories there are, by what; and how the indexes are."""

    total: int
    by_state: dict[str, int]
    by_category: dict[str, int]
    by_tier: dict[str, int]
    by_project: dict[str, int]
    indexed: int
    waiting: int
    warnings: list[str]
    scope: ScopeAnswer


class Slept(TypedDict):
    """How a night went: `done`, `running`, `asleep` elsewhere, or `rehearsed`."""

    status: str
    night: Json | None
    steps: list[Json]
    next_step: str
    scope: ScopeAnswer


class DebateAnswer(TypedDict):
    """A debate: `open`, `running`, `done`, or `no_model` with what would be asked."""

    status: str
    debate: Json | None
    prompts: list[Json]
    next_step: str
    scope: ScopeAnswer


class KnownAnswer(TypedDict):
    """Someone or something that memories speak of."""

    entity: Json
    history: list[Json]
    memories: list[MemoryAnswer]
    scope: ScopeAnswer


class PortraitAnswer(TypedDict):
    """What is known of someone, in the person's own words, each with its memory."""

    name: str
    is_self: bool
    names: list[str]
    traits: list[Json]
    unread: int
    scope: ScopeAnswer


class Self(TypedDict):
    """What a person has approved, in words and one by one."""

    text: str
    beliefs: list[Json]
    islands: list[Json]
    memories: list[MemoryAnswer]
    proposals: int
    scope: ScopeAnswer


class AskedAnswer(TypedDict):
    """How a proposal stands after a person was asked, or could not be."""

    status: str
    proposal: Json
    question: str
    next_step: str
    scope: ScopeAnswer


class LentAnswer(TypedDict):
    """Pieces of work for the calling agent's own thinking."""

    jobs: list[Json]
    next_step: str
    scope: ScopeAnswer


class HandedInAnswer(TypedDict):
    """What was kept of an answer, and what was not and why."""

    job: str
    state: str
    kept: list[str]
    rejected: list[Json]
    scope: ScopeAnswer


class Imported(TypedDict):
    """What an import read, or would read; `running` while it is still reading."""

    status: str
    report: Json
    dry_run: bool
    next_step: str
    scope: ScopeAnswer


class StateAnswer(TypedDict):
    """Something told in whole, such as the state of the memory or a doctor's findings."""

    told: Json
    scope: ScopeAnswer


def memory(each: Any) -> MemoryAnswer:
    """Return a memory in its shape."""
    shaped: MemoryAnswer = answers.memory(each)  # type: ignore[assignment]
    return shaped


def scope(held: Any) -> ScopeAnswer:
    """Return a scope in its shape."""
    shaped: ScopeAnswer = answers.scope(held)  # type: ignore[assignment]
    return shaped


def feelings(found: Mood | None) -> Feelings | None:
    """Return feelings as data, if there are any."""
    return found.as_dict() if found else None  # type: ignore[return-value]
