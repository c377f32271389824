"""`Node` and the contents of a session graph: rank, limits, which queries are near a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.embedder import Sparse, Vector, cosine
from saegim.errors import BadInput, NotFound
from saegim.guard.guard import screen
from saegim.language.amounts import amounts, foreign
from saegim.language.en.ground import denials as english_denials
from saegim.language.ko.ground import denials as korean_denials
from saegim.language.ko.word_forms import noun_and_part, tokens
from saegim.language.language import script_of
from saegim.language.names import named
from saegim.language.words import Basic
from saegim.memory.clock import new_id
from saegim.memory.entities import HAS_FEEDBACK, RESPONDED_WITH, SIMILAR_TO, Link
from saegim.memory.memory import Scope, checked_text, rank, recency
from saegim.memory.text import fold, normalise
from saegim.settings import Settings
from saegim.store.store import Store

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


# -- Which queries are near a text, by scanning or by the pieces they share

# Up to this dimension a question is spread out once and every node reads from it; 4 MB.
_SPREAD_OUT: Final = 1 << 20
# Parts in a clause that cannot be exchanged: who does it, and to whom or what it is done.
_PARTS: Final = ("가", "를", "에게")
# Equal to six digits is equal: sums of the same numbers in another order differ beyond them.
_DIGITS: Final = 6
# A text longer than this is a document: its beginning says whom it is about.
_GLANCE: Final = 4000
# A Korean name of three syllables is often used without its surname.
_FULL_NAME: Final = 3


class PackedVectors:
    """Many vectors of one space, laid side by side so that one product compares them all."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        held = [(node.id, node.vector) for node in nodes if node.vector is not None]
        self._ids = [id for id, _ in held]
        vectors = [vector for _, vector in held]
        self._sparse = [each for each in vectors if isinstance(each, Sparse)]
        self._dense = [each for each in vectors if not isinstance(each, Sparse)]
        if self._sparse:
            self._indices = np.concatenate([each.indices for each in self._sparse])
            self._values = np.concatenate([each.values for each in self._sparse])
            sizes = [len(each.indices) for each in self._sparse]
            self._starts = np.cumsum([0, *sizes[:-1]])
        elif self._dense:
            self._rows = np.stack(self._dense)

    def nearest(self, vector: Vector) -> list[tuple[str, float]]:
        """Return the ids with their cosine to a vector, the nearest first, then as they came."""
        if not self._ids:
            return []
        cosines = np.round(self._cosines(vector), _DIGITS)
        order = np.argsort(-cosines, kind="stable")
        return [(self._ids[at], float(cosines[at])) for at in order]

    def _cosines(self, vector: Vector) -> npt.NDArray[np.float64]:
        if not isinstance(vector, Sparse):
            # Not `@`: BLAS adds up in blocks, and equal rows in two blocks may round apart.
            found: npt.NDArray[np.float64] = np.einsum("ij,j->i", self._rows, vector).astype(float)
            return found
        if vector.dimension > _SPREAD_OUT:
            return np.array([cosine(vector, each) for each in self._sparse])
        wide = np.zeros(vector.dimension)
        wide[vector.indices] = vector.values
        summed: npt.NDArray[np.float64] = np.add.reduceat(
            wide[self._indices] * self._values, self._starts
        )
        return summed


class Postings:
    """The inverted index: which queries hold a piece.

    Of a sparse vector the pieces are its buckets, and none that is near can be missed. A dense
    one has no pieces; there the words of the text stand in, and what shares no word is missed.
    """

    def __init__(self) -> None:
        self._ids: dict[int | str, dict[str, None]] = {}
        self._pieces: dict[str, tuple[int | str, ...]] = {}
        self._words = Basic()

    def put(self, node: Node) -> None:
        """Note the pieces of a query; forget those of its former vector."""
        self.drop(node.id)
        if node.vector is None:
            return
        self._pieces[node.id] = pieces = tuple(self._cut(node.vector, node.text))
        for piece in pieces:
            self._ids.setdefault(piece, {})[node.id] = None

    def drop(self, id: str) -> None:
        """Forget a node."""
        for piece in self._pieces.pop(id, ()):
            held = self._ids[piece]
            held.pop(id, None)
            if not held:
                del self._ids[piece]

    def candidates(self, vector: Vector, text: str) -> list[str]:
        """Return the queries that share a piece with a text."""
        found: dict[str, None] = {}
        for piece in self._cut(vector, text):
            found |= self._ids.get(piece, {})
        return list(found)

    def _cut(self, vector: Vector, text: str) -> Iterable[int | str]:
        if isinstance(vector, Sparse):
            return (int(each) for each in vector.indices)
        return dict.fromkeys(self._words.index(text))


def may_be_one(text: str, other: str) -> bool:
    """Say whether two near texts may be taken for one: same numbers, same no, same roles (U5.2).

    A table of meanings does not read word order, and one digit weighs little in a long sentence.
    """
    one, two = fold(text).lower(), fold(other).lower()
    told, known = amounts(one), amounts(two)
    if foreign(told, known) is not None or foreign(known, told) is not None:
        return False
    for denials in (korean_denials, english_denials):
        if denials(one) % 2 != denials(two) % 2:
            return False
    parts = _parts(two)
    if any(parts.get(noun, part) != part for noun, part in _parts(one).items()):
        return False
    told_by, known_by = _order(one), _order(two)
    return told_by == known_by or sorted(told_by) != sorted(known_by)


def _parts(text: str) -> dict[str, str]:
    """Return which Korean nouns do something and to which something is done."""
    read = (noun_and_part(token.word) for token in tokens(text))
    return {noun: part for noun, part in read if part in _PARTS}


def _order(text: str) -> list[str]:
    """Return the words in their order, which tells roles in English; particles do in Korean."""
    korean = any("가" <= letter <= "힣" for letter in text)
    return [] if korean else Basic().index(text)


# -- names ----------------------------------------------------------------------------------------


def refer(contents: Contents, node: Node, at: datetime) -> list[str]:
    """Tie a node to the entities in mind that it names; return the keys of the ties."""
    met = {
        entity.id
        for name in names_in(node.text, contents.names)
        if (entity := contents.called(name)) is not None
    }
    return [contents.join(node.id, REFERS_TO_ENTITY, id, 1.0, at).key for id in sorted(met)]


def names_in(text: str, known: Iterable[str]) -> list[str]:
    """Return those of the known names, normalised, that stand in a text as names."""
    plain = normalise(text[:_GLANCE])
    likely = [name for name in known if name in plain or _given(name) in plain]
    if not likely:
        return []
    found = {normalise(each) for each in all_names(text, likely)}
    return [name for name in likely if name in found]


def acquainted(text: str, scope: Scope, store: Store) -> list[list[str]]:
    """Return the names of those in a text whom the long memory knows, the main name first."""
    names = [normalise(name) for name in all_names(text)]
    found = store.entities.named(scope, names) if names else {}
    entities = {entity.key: entity for each in found.values() for entity in each}
    return [
        [entity.name, *filter(None, (entity.display_name, *entity.aliases))]
        for entity in entities.values()
        if entity.type != "self"
    ]


def all_names(text: str, known: Iterable[str] = ()) -> list[str]:
    """Return every name that the rules find in a text, and the known ones among them."""
    glance = fold(text[:_GLANCE])
    language = "ko" if script_of(glance) == "ko" else "en"
    found = named(glance, (), language=language, me="", known=list(known))
    return [name for each in found for name in (each.name, *each.aliases)]


def _given(name: str) -> str:
    """Return a full Korean name without its surname, any other name as it is."""
    hangul = len(name) == _FULL_NAME and all("가" <= letter <= "힣" for letter in name)
    return name[1:] if hangul else name


# -- `Contents`: the nodes and edges of a graph with the indexes over them; no rule, no lock

_PREFIXES: Final = {QUERY: "qry", ANSWER: "ans", FEEDBACK: "fbk", ENTITY: "ent"}


class Contents:
    """What a graph holds. An edge is a `Link`: its key `from::type::to` is there once."""

    def __init__(self, *, indexed: bool = False) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Link] = {}
        self._ties: dict[str, dict[str, None]] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._names: dict[str, str] = {}
        self.postings = Postings() if indexed else None
        # Made when it is first needed, dropped when a vector comes or goes.
        self._packed: PackedVectors | None = None

    # -- nodes ------------------------------------------------------------------------------------

    def put(self, node: Node) -> Node:
        """Add a node, or put a new form of one in its place."""
        known = self.nodes.get(node.id)
        self.nodes[node.id] = node
        self._ties.setdefault(node.id, {})
        if known is None or known.canonical_key != node.canonical_key:
            self._keys[node.type, node.canonical_key] = node.id
        if node.type == ENTITY and (known is None or known.aliases != node.aliases):
            for name in (node.text, *node.aliases):
                self._names.setdefault(normalise(name), node.id)
        if node.type == QUERY and (known is None or known.vector is not node.vector):
            self._packed = None
            if self.postings is not None:
                self.postings.put(node)
        return node

    def drop(self, id: str) -> None:
        """Take a node out, and every edge that touches it."""
        node = self.nodes.pop(id)
        for key in list(self._ties[id]):
            self.cut(key)
        del self._ties[id]
        if self._keys.get((node.type, node.canonical_key)) == id:
            del self._keys[node.type, node.canonical_key]
        if node.type == ENTITY:
            self._names = {name: of for name, of in self._names.items() if of != id}
        if node.type == QUERY:
            self._packed = None
            if self.postings is not None:
                self.postings.drop(id)

    def born(self, type: str, text: str, key: str, at: datetime, **more: Any) -> Node:
        """Add a new node of these words."""
        id = more.pop("id", None) or new_id(at, _PREFIXES[type])
        return self.put(
            Node(
                id=id,
                type=type,
                text=text,
                canonical_key=key,
                created_at=at,
                last_access=at,
                **more,
            )
        )

    def once(self, type: str, text: str, key: str, at: datetime, **more: Any) -> Node:
        """Return the node of these words, in mind again, or a new one."""
        known = self.keyed(type, key)
        return self.born(type, text, key, at, **more) if known is None else self.touched(known, at)

    def touched(self, node: Node, at: datetime, *, again: float = 0.0) -> Node:
        """Put a node in mind again; what is asked again is also counted."""
        return self.put(replace(node, last_access=at, repeat=node.repeat + again))

    def weigh(self, id: str, *, feedback: float = 0.0, repeat: float = 0.0) -> None:
        """Add to the weights of a node."""
        node = self.nodes[id]
        self.put(replace(node, feedback=node.feedback + feedback, repeat=node.repeat + repeat))

    def keyed(self, type: str, canonical_key: str) -> Node | None:
        """Return the node of this type whose words have that key."""
        id = self._keys.get((type, canonical_key))
        return None if id is None else self.nodes[id]

    def of_type(self, type: str) -> list[Node]:
        """Return the nodes of a type, in the order in which they came."""
        return [node for node in self.nodes.values() if node.type == type]

    def called(self, name: str) -> Node | None:
        """Return the entity that goes by a name."""
        id = self._names.get(normalise(name))
        return None if id is None else self.nodes[id]

    @property
    def names(self) -> list[str]:
        """Return every name of every entity, normalised."""
        return list(self._names)

    # -- edges ------------------------------------------------------------------------------------

    def join(self, source: str, type: str, target: str, weight: float, at: datetime) -> Link:
        """Tie two nodes; a tie that is there grows by the weight. Similarity has no direction."""
        link = Link(
            source=source, type=type, target=target, weight=weight, created_at=at, touched_at=at
        )
        known = self.edges.get(link.key)
        if known is None and type == SIMILAR_TO:
            known = self.edges.get(f"{target}::{type}::{source}")
        if known is not None:
            link = replace(known, weight=known.weight + weight, touched_at=at)
        self.edges[link.key] = link
        self._ties[link.source][link.key] = None
        self._ties[link.target][link.key] = None
        return link

    def reweigh(self, link: Link, weight: float) -> None:
        """Give an edge another weight."""
        self.edges[link.key] = replace(link, weight=weight)

    def cut(self, key: str) -> None:
        """Take an edge away."""
        link = self.edges.pop(key)
        self._ties[link.source].pop(key, None)
        self._ties[link.target].pop(key, None)

    def degree(self, id: str) -> int:
        """Count the edges of a node."""
        return len(self._ties[id])

    def ties(self, id: str) -> Iterator[tuple[Link, Node]]:
        """Yield each edge of a node with the node at its other end."""
        for key in list(self._ties[id]):
            link = self.edges[key]
            yield link, self.nodes[link.target if link.source == id else link.source]

    # -- queries ----------------------------------------------------------------------------------

    def near(self, vector: Vector, text: str) -> list[tuple[Node, float]]:
        """Return the queries with their cosine to a text, the nearest first."""
        if self.postings is not None:
            likely = set(self.postings.candidates(vector, text))
            packed = PackedVectors(node for id, node in self.nodes.items() if id in likely)
        else:
            packed = self._packed = self._packed or PackedVectors(self.of_type(QUERY))
        return [(self.nodes[id], sim) for id, sim in packed.nearest(vector)]

    def without_vectors(self, most: int) -> list[Node]:
        """Return queries that still lack their vector, at most so many."""
        lacking = (
            node for node in self.nodes.values() if node.type == QUERY and node.vector is None
        )
        return [node for node, _ in zip(lacking, range(most), strict=False)]

    def absorb(self, other: Contents) -> None:
        """Take in what another holds of the same session; of what both have, the more counts.

        Vectors of another space are left to be made anew.
        """
        moved: dict[str, str] = {}
        for node in other.nodes.values():
            known = self.keyed(node.type, node.canonical_key)
            moved[node.id] = known.id if known else node.id
            if known is None:
                self.put(node)
                continue
            carried = max(filter(None, (known.carried, node.carried)), default=None)
            self.put(
                replace(
                    known,
                    repeat=max(known.repeat, node.repeat),
                    feedback=max(known.feedback, node.feedback, key=abs),
                    last_access=max(known.last_access, node.last_access),
                    carried=carried,
                    memory=known.memory or node.memory,
                )
            )
        for link in other.edges.values():
            source, target = moved[link.source], moved[link.target]
            there = f"{source}::{link.type}::{target}" in self.edges
            if link.type == SIMILAR_TO:
                there = there or f"{target}::{link.type}::{source}" in self.edges
            if source != target and not there:
                at = link.touched_at or self.nodes[source].last_access
                self.join(source, link.type, target, link.weight, at)


# -- How much a mind holds, when two questions are one, and what outlives a session (seed B)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """The bounds and thresholds of one graph; the defaults are seed B's for a session."""

    max_nodes: int = 1000
    max_edges: int = 4000
    half_life_minutes: float = 240.0
    tau_dup: float = 0.96
    tau_sim: float = 0.75
    protect_min_degree: int = 3
    inverted_index: bool = False

    def __post_init__(self) -> None:
        # One act adds at most 4 similar questions and 12 names; they must find room together.
        _at_least("max_nodes", self.max_nodes, 8)
        _at_least("max_edges", self.max_edges, 32)
        _at_least("protect_min_degree", self.protect_min_degree, 1)
        if not 0.001 <= self.half_life_minutes <= 1e8:
            raise BadInput(
                "session.half_life_minutes_cannot_be", half_life_minutes=self.half_life_minutes
            )
        if not 0.0 < self.tau_sim <= self.tau_dup <= 1.0:
            raise BadInput(
                "session.tau_sim_and_tau_dup", tau_sim=self.tau_sim, tau_dup=self.tau_dup
            )

    @property
    def most_pinned(self) -> int:
        """Return how many nodes may be pinned: the other half must be able to make room."""
        return self.max_nodes // 2


def _at_least(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise BadInput("session.cannot_be", name=name, value=value, low=low)


# Seed B's graph of an agent. The store takes its place and has no bounds; what applies there is
# the half-life, with which long memories are ranked beside those of the session.
AGENT = GraphSettings(
    max_nodes=1000,
    max_edges=12_000,
    half_life_minutes=1440.0,
    tau_dup=0.96,
    tau_sim=0.78,
    protect_min_degree=4,
    inverted_index=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Everything a working memory goes by; seed B's recommended configuration by default."""

    graph: GraphSettings = field(default_factory=GraphSettings)
    long_half_life_minutes: float = AGENT.half_life_minutes
    min_rank: float = 0.55
    max_promotions: int = 20
    min_degree: int = 2
    checkpoint_top: int = 30
    checkpoint_pretty: bool = True
    bias: float = 0.05
    # None: what is in mind is written by checkpoints alone.
    save_every: timedelta | None = timedelta(seconds=30)
    # None: weights fade when someone calls `decay`, and not by themselves.
    decay_every: timedelta | None = timedelta(minutes=60)
    most_open: int = 64


def session_settings(settings: Settings) -> SessionSettings:
    """Return what a person's settings say about working memory."""
    every, fades = settings.session_save_seconds, settings.session_decay_minutes
    return SessionSettings(
        graph=GraphSettings(
            max_nodes=settings.session_nodes,
            max_edges=settings.session_edges,
            half_life_minutes=settings.session_half_life_minutes,
            tau_dup=settings.session_same_from,
            tau_sim=settings.session_similar_from,
            protect_min_degree=settings.session_protect_degree,
            inverted_index=settings.session_index,
        ),
        long_half_life_minutes=settings.long_half_life_minutes,
        min_rank=settings.promote_min_rank,
        max_promotions=settings.promote_most,
        min_degree=settings.promote_min_degree,
        checkpoint_top=settings.checkpoint_top,
        checkpoint_pretty=settings.checkpoint_pretty,
        bias=settings.session_bias,
        save_every=timedelta(seconds=every) if every else None,
        decay_every=timedelta(minutes=fades) if fades else None,
        most_open=settings.session_open_most,
    )


# -- What stays in mind: rank, how praise and blame spread, and who makes room for whom

# What a label adds to (feedback, repeat). Who tries again was not helped, but means the question.
LABELS: Final[dict[str, tuple[float, float]]] = {
    "up": (1.0, 0.0),
    "down": (-1.0, 0.0),
    "retry": (-0.5, 1.0),
}
# Half as much at each hop, two hops far: a neighbour's neighbour hears a quarter of it.
_FAINTER: Final = 0.5
_HOPS: Final = 2
# Similarity leads; rank moves the score of a query by a quarter at most, so that among near ones
# the one that matters comes first and no stranger ever does.
_BY_RANK: Final = 0.2


def rank_of(
    *, last_access: datetime, repeat: float, feedback: float, now: datetime, half_life: float
) -> float:
    """Answer: does it stay in mind? (seed B §4.1; the half-life in minutes)"""
    age = (now - last_access).total_seconds()
    return rank(recency_score=recency(age, half_life * 60), repeat=repeat, feedback=feedback)


def node_rank(node: Node, now: datetime, half_life: float) -> float:
    """Return the rank of a node."""
    return rank_of(
        last_access=node.last_access,
        repeat=node.repeat,
        feedback=node.feedback,
        now=now,
        half_life=half_life,
    )


def score_of(sim: float, held_rank: float) -> float:
    """Return how well something answers: similarity, nudged by its rank."""
    return round(sim * (1 - _BY_RANK + _BY_RANK * held_rank), 6)


def least_score(sim: float) -> float:
    """Return the least similarity with which a better rank could still reach a score of `sim`."""
    return sim * (1 - 1.2 * _BY_RANK)


def spread(contents: Contents, start: str) -> dict[str, float]:
    """Return which share of a judgement reaches each node: all of it here, less at each hop."""
    shares = {start: 1.0}
    edge = [start]
    for _ in range(_HOPS):
        reached: dict[str, float] = {}
        for id in edge:
            for link, other in contents.ties(id):
                if link.type == HAS_FEEDBACK or other.id in shares:
                    continue
                share = shares[id] * _FAINTER * min(max(link.weight, 0.0), 1.0)
                reached[other.id] = max(share, reached.get(other.id, 0.0))
        shares |= reached
        edge = list(reached)
    return shares


def fade(contents: Contents, factor: float) -> None:
    """Lower every weight to a share of itself."""
    less = factor - 1.0
    for node in list(contents.nodes.values()):
        contents.weigh(node.id, repeat=node.repeat * less, feedback=node.feedback * less)
    for edge in list(contents.edges.values()):
        contents.reweigh(edge, edge.weight * factor)


# -- making room ----------------------------------------------------------------------------------


def make_room(
    contents: Contents,
    settings: GraphSettings,
    now: datetime,
    *,
    spare: Collection[str] = (),
    fresh: Collection[str] = (),
) -> list[str]:
    """Let nodes and edges go until the graph is within its bounds; return the nodes that went.

    Pinned nodes never go, nor those of `spare`, which were touched by this very act. The lowest
    rank goes first; what has many ties goes only when nothing else can, because a graph that
    protects everything would grow without end. `fresh` edges were made by this act and stay.
    """
    gone = _nodes_out(contents, settings, now, frozenset(spare))
    over = len(contents.edges) - settings.max_edges
    if over > 0:
        old = (link for key, link in contents.edges.items() if key not in fresh)
        for link in nsmallest(over, old, key=lambda each: (each.weight, each.touched_at or now)):
            contents.cut(link.key)
    return gone


def _nodes_out(
    contents: Contents, settings: GraphSettings, now: datetime, spare: Collection[str]
) -> list[str]:
    gone: list[str] = []
    if len(contents.nodes) <= settings.max_nodes:
        return gone
    order = sorted(
        (node for node in contents.nodes.values() if not node.pinned and node.id not in spare),
        key=lambda node: (node_rank(node, now, settings.half_life_minutes), node.last_access),
    )
    waiting = [node.id for node in order]
    while len(contents.nodes) > settings.max_nodes and waiting:
        free = (id for id in waiting if contents.degree(id) < settings.protect_min_degree)
        victim = next(free, waiting[0])
        out = [victim, *_orphans(contents, victim, spare)]
        for id in out:
            contents.drop(id)
            waiting.remove(id)
        gone += out
    return gone


def _orphans(contents: Contents, id: str, spare: Collection[str]) -> Iterable[str]:
    """Return the answers to, and the feedback on, a query alone: without it they say nothing."""
    return [
        other.id
        for _, other in contents.ties(id)
        if other.type in (ANSWER, FEEDBACK)
        and contents.degree(other.id) == 1
        and not other.pinned
        and other.id not in spare
    ]
