"""What the functions of the catalogue answer with: the contract of REST and of MCP's output."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from saegim.serve.catalogue import answers

Json = dict[str, Any]


class Scope(TypedDict):
    """Whose memories and which rooms an answer is about."""

    user: str
    agent: str
    project: str
    session: str


class Memory(TypedDict):
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


class Card(TypedDict):
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


class Path(TypedDict):
    """One way of finding: whether it ran, what it found, and why not if it did not."""

    name: str
    ran: bool
    found: int
    why: str


class Saved(TypedDict):
    """What became of a text: `stored`, `duplicate` or `repeated`."""

    status: str
    id: str
    kept_for: str
    kept_in: str
    duplicate_of: str | None
    indexed: str
    masked: int
    needs_confirmation: bool
    quarantined: bool
    supersedes: list[str]
    contradicts: list[str]
    similar_to: list[str]
    scope: Scope


class Corrected(Saved):
    """What became of a correction."""

    corrects: str


class Found(TypedDict):
    """Answers to a question, best first; `searched` false means that nobody could look."""

    searched: bool
    semantic: str
    in_mind: list[InMind]
    hits: list[Card]
    left_out: int
    tokens: int
    budget: int
    below_floor: int
    elsewhere: int
    paths: list[Path]
    trace: str
    scope: Scope


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
    paths: list[Path]
    trace: str
    scope: Scope


class InMind(TypedDict):
    """Something said in the session at hand that no memory holds."""

    id: str
    text: str
    answer: str
    date: str
    score: float


class Ended(TypedDict):
    """What a session left behind: memories, and what it was about."""

    session: str
    promoted: list[Json]
    checkpoint: str | None
    topic: str
    summary: str
    scope: Scope


class InSession(TypedDict):
    """A session, and what was made in it."""

    session: str
    id: str
    scope: Scope


class SessionRecord(TypedDict):
    """A session as seed B's JSON."""

    session: str
    record: Json
    scope: Scope


class Gone(TypedDict):
    """What left, or would leave, and until when it can be called back."""

    done: bool
    ids: list[str]
    until: str
    memories: list[Memory]
    scope: Scope


class Held(TypedDict):
    """Memories after something was done to them."""

    memories: list[Memory]
    scope: Scope


class LetOut(TypedDict):
    """What was let out of quarantine, or would be, and what still reads like an order."""

    done: bool
    memories: list[Memory]
    suspect: list[Memory]
    scope: Scope


class One(TypedDict):
    """One memory, whole; how often it was used, and why each use counts as one."""

    memory: Memory
    used: int
    uses: list[Json]
    scope: Scope


class Listed(TypedDict):
    """A part of a list of memories, the true total, and the cursor that goes on."""

    memories: list[Memory]
    total: int
    next: str | None
    scope: Scope


class Items(TypedDict):
    """A part of a list, the true total, and the cursor that goes on."""

    items: list[Json]
    total: int
    next: str | None
    scope: Scope


class Queue(Items):
    """A part of what is leaving, and the law by which memories are forgotten."""

    forgetting: Json


class Told(TypedDict):
    """The versions of a memory and what the ledger saw of them."""

    versions: list[Memory]
    entries: list[Json]
    uses: list[Json]
    scope: Scope


class Related(TypedDict):
    """What something is tied to, the nearest first."""

    relations: list[Json]
    scope: Scope


class Judged(TypedDict):
    """What a judgement did."""

    memory: Memory
    label: str
    importance: float
    changed: dict[str, float]
    woken: bool
    correctable: bool
    scope: Scope


class Moved(TypedDict):
    """How many memories belong to another project now, and under which name that is undone."""

    to: str
    count: int
    undo: str
    scope: Scope


class Heard(TypedDict):
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
    used: list[str]
    query: str
    unheard: str
    scope: Scope


class Decided(TypedDict):
    """What would be done with a turn and why; nothing was kept."""

    action: str
    phase: int
    salience: float
    reason: str
    why: list[str]
    asks: bool
    state: dict[str, float]
    scope: Scope


class Policy(TypedDict):
    """What decides about a turn: the rules, or what was learned."""

    policy: str
    learned: bool
    epsilon: float
    updates: int
    actions: dict[str, int]
    thresholds: dict[str, float]
    why: str
    scope: Scope


class Stats(TypedDict):
    """How many memories there are, by what; and how the indexes are."""

    total: int
    by_state: dict[str, int]
    by_category: dict[str, int]
    by_tier: dict[str, int]
    by_project: dict[str, int]
    indexed: int
    waiting: int
    warnings: list[str]
    scope: Scope


class Slept(TypedDict):
    """How a night went: `done`, `running`, `asleep` elsewhere, or `rehearsed`."""

    status: str
    night: Json | None
    steps: list[Json]
    next_step: str
    scope: Scope


class Known(TypedDict):
    """Someone or something that memories speak of."""

    entity: Json
    history: list[Json]
    memories: list[Memory]
    scope: Scope


class Self(TypedDict):
    """What a person has approved as core, in words and one by one."""

    text: str
    memories: list[Memory]
    proposals: int
    scope: Scope


class Asked(TypedDict):
    """How a proposal stands after a person was asked, or could not be."""

    status: str
    proposal: Json
    next_step: str
    scope: Scope


class Lent(TypedDict):
    """Pieces of work for the calling agent's own thinking."""

    jobs: list[Json]
    next_step: str
    scope: Scope


class HandedIn(TypedDict):
    """What was kept of an answer, and what was not and why."""

    job: str
    state: str
    kept: list[str]
    rejected: list[Json]
    scope: Scope


class Imported(TypedDict):
    """What an import read, or would read; `running` while it is still reading."""

    status: str
    report: Json
    dry_run: bool
    next_step: str
    scope: Scope


class State(TypedDict):
    """Something told in whole, such as the state of the memory or a doctor's findings."""

    told: Json
    scope: Scope


def memory(each: Any) -> Memory:
    """Return a memory in its shape."""
    shaped: Memory = answers.memory(each)  # type: ignore[assignment]
    return shaped


def scope(held: Any) -> Scope:
    """Return a scope in its shape."""
    shaped: Scope = answers.scope(held)  # type: ignore[assignment]
    return shaped
