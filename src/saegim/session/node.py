"""`Node`: one thing in mind, a query, an answer, feedback or an entity; and how nodes are tied."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from saegim.engines.vectors import Vector
from saegim.errors import BadInput, NotFound
from saegim.guard.guard import screen
from saegim.memory.links import HAS_FEEDBACK, RESPONDED_WITH, SIMILAR_TO
from saegim.memory.memory import checked_text

QUERY: Final = "query"
ANSWER: Final = "answer"
FEEDBACK: Final = "feedback"
ENTITY: Final = "entity"
NODE_TYPES: Final = (QUERY, ANSWER, FEEDBACK, ENTITY)
REFERS_TO_ENTITY: Final = "refers_to_entity"
# Which nodes each edge ties, from and to.
ENDS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    SIMILAR_TO: ((QUERY,), (QUERY,)),
    RESPONDED_WITH: ((QUERY,), (ANSWER,)),
    HAS_FEEDBACK: ((QUERY,), (FEEDBACK,)),
    REFERS_TO_ENTITY: ((QUERY, ANSWER), (ENTITY,)),
}
EDGE_TYPES: Final = tuple(ENDS)
# A thousand of the longest make a hundred megabytes; an answer of a model has a twentieth of it.
MAX_WORDS: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node of the graph; its degree is counted from its edges, never stored.

    `aliases` are an entity's other names, `label` is that of feedback, `vector` a query's own.
    Of a query that was overheard, `memory` is the turn as it was kept, if it was; `origin` says
    how far its words are trusted where they are not the person's own; `chatter` is never carried
    over into the long memory.
    """

    id: str
    type: str
    text: str
    canonical_key: str
    created_at: datetime
    last_access: datetime
    repeat: float = 0.0
    feedback: float = 0.0
    pinned: bool = False
    aliases: tuple[str, ...] = ()
    label: str = ""
    # The weights (repeat, feedback) that the long memory has of it already; None: it has nothing.
    carried: tuple[float, float] | None = None
    memory: str = ""
    origin: str = ""
    chatter: bool = False
    vector: Vector | None = field(default=None, compare=False, repr=False)


def admitted(text: str, what: str) -> str:
    """Return a text as it may enter the graph: whole letters, not endless, its secrets masked."""
    return screen(checked_text(text, what, MAX_WORDS)).text


def not_in_mind(id: str) -> NotFound:
    """Return the error for a node that is not, or no longer, in mind."""
    return NotFound("session.not_in_mind_may_have", id=str(id)[:80])


def check_ends(type: str, source: Node, target: Node) -> None:
    """Refuse an edge that ties what its type does not tie."""
    if type not in ENDS:
        raise BadInput("session.no_edge", type=type, known=", ".join(EDGE_TYPES))
    wanted = ENDS[type]
    if source.type not in wanted[0] or target.type not in wanted[1] or source.id == target.id:
        raise BadInput(
            "session.cannot_tie",
            type=type,
            type2=source.type,
            id=source.id,
            type3=target.type,
            id2=target.id,
            wanted=" or ".join(wanted[0]),
            wanted2=wanted[1][0],
        )
