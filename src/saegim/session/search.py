"""What was said in this session first, then what is long remembered, each text once (seed B D3).

`search` is seed B's own; `session_first` puts what is in mind before an answer of the long memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from saegim.engines.embedder import cosine, embed_by_deadline
from saegim.errors import BadInput, EngineError
from saegim.memory.memory import Memory, Scope
from saegim.memory.text import canonical_key, normalise
from saegim.mind import Mind
from saegim.recall.compose.choose import reads_like_an_order
from saegim.recall.flow import InMind, Recollection, recall
from saegim.recall.gather import RecallPath, scale_of
from saegim.recall.rank import Hit, floor_among, shares_of
from saegim.recall.understand import Query
from saegim.session.graph import SessionGraph, checked_count
from saegim.session.nodes import QUERY, Node, SessionSettings, admitted, rank_of, score_of
from saegim.session.turns import is_kept
from saegim.store.rows import Where

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

# A text longer than this is a document; its beginning says what it is about.
_GLANCE: Final = 2000
# A few turns of the session are enough beside what is long remembered, and only clear ones.
_MOST_IN_MIND: Final = 3
_CLEARLY: Final = 0.2


@dataclass(frozen=True, slots=True)
class Recollected:
    """Something like the question: the id of a node (`session`) or of a memory (`agent`)."""

    id: str
    score: float
    sim: float
    text: str
    canonical_key: str
    source: Literal["session", "agent"]


def search(
    text: str,
    k: int,
    graph: SessionGraph | None,
    *,
    scope: Scope,
    mind: Mind,
    settings: SessionSettings,
) -> tuple[Recollected, ...]:
    """Return what is most like a text, best first; the session's own by a little before the rest.

    What is in both is told once, as the session's.
    """
    most = checked_count(k)
    if not isinstance(text, str) or not normalise(text):
        return ()
    words = admitted(text, "query")
    found: dict[str, Recollected] = {}
    for each in _long(words, most, scope, mind, settings):
        found.setdefault(each.canonical_key, each)
    for match in graph.search_similar_queries(words, most) if graph is not None else ():
        known = found.get(match.canonical_key)
        score = max(match.score, known.score if known else 0.0) + settings.bias
        found[match.canonical_key] = Recollected(
            match.id, score, match.sim, match.text, match.canonical_key, "session"
        )
    key = canonical_key(words)
    ranked = sorted(
        found.values(),
        key=lambda each: (each.canonical_key != key, -each.score, each.source != "session"),
    )
    return tuple(ranked[:most])


def _long(
    words: str, most: int, scope: Scope, mind: Mind, settings: SessionSettings
) -> list[Recollected]:
    """Return what the long memory holds, scored as the session's own queries are."""
    where = Where(scope=replace(scope, session=""))
    hits = recall(Query(text=words, where=where, limit=most), mind=mind).hits
    key, now = canonical_key(words), mind.now()
    found = []
    for hit, sim in zip(hits, _sims(words, hits, mind), strict=True):
        memory = hit.memory
        same = memory.canonical_key == key
        rank = rank_of(
            last_access=_last_access(memory),
            repeat=memory.worth.repeat,
            feedback=memory.worth.feedback,
            now=now,
            half_life=settings.long_half_life_minutes,
        )
        alike = 1.0 if same else max(round(sim, 6), 0.0)
        found.append(
            Recollected(
                memory.id,
                score_of(alike, rank),
                alike,
                memory.text,
                memory.canonical_key,
                "agent",
            )
        )
    return found


def _sims(words: str, hits: Sequence[Hit], mind: Mind) -> list[float]:
    """Return how like the question each hit is, measured as in the session: text against text.

    An embedder behind a server is not asked again; there the cosine of the recall stands.
    """
    if hits and mind.embedder.local:
        texts = [words, *(hit.memory.text[:_GLANCE] for hit in hits)]
        try:
            asked, *others = mind.embedder.embed(texts, "document")
            return [cosine(asked, each) for each in others]
        except EngineError:
            pass
    return [hit.vector for hit in hits]


def _last_access(memory: Memory) -> datetime:
    times = (memory.time.recorded_at, memory.worth.recalled_at, memory.worth.used_at)
    return max(each for each in times if each is not None)


# -- before an answer of the long memory ----------------------------------------------------------


def session_first(
    found: Recollection,
    *,
    question: str,
    session: str,
    working: WorkingMemory,
    mind: Mind,
    narrowed: bool = False,
) -> Recollection:
    """Return an answer with what was said in the session before it (seed B `search`).

    What was said here and is long remembered is told once, as a hit that is ahead by the bias; what
    a filter asks for is looked for among memories alone. Looking changes nothing, takes no lock.
    """
    bias, graph = mind.settings.session_bias, None
    path = RecallPath("session", False, why="it asks for memories of a kind")
    if not narrowed:
        try:
            graph = working.seen(session)
            path = RecallPath("session", True)
        except BadInput as error:
            path = RecallPath("session", False, why=error.message)
    here: set[str] = set()
    in_mind: list[tuple[InMind, str]] = []
    if graph is not None and normalise(question):
        here, in_mind = _told(found, question, graph, session, mind)
    hits = [_biased(hit, bias) if _is_of(hit, session, here) else hit for hit in found.hits]
    hits.sort(key=lambda hit: -hit.score)
    shown = {id for hit in hits for id in (hit.memory.id, hit.memory.provenance.turn) if id}
    fresh = tuple(each for each, kept in in_mind if kept not in shown)[:_MOST_IN_MIND]
    paths = (*found.paths, replace(path, found=len(fresh)))
    return replace(found, hits=tuple(hits), in_mind=fresh, paths=paths)


def _told(
    found: Recollection, question: str, graph: SessionGraph, session: str, mind: Mind
) -> tuple[set[str], list[tuple[InMind, str]]]:
    """Return which memories were said here, and what may be told of the session."""
    bias = mind.settings.session_bias
    asked = Query(text=question, where=Where(scope=found.scope)).asked
    key = canonical_key(asked)
    here: set[str] = set()
    in_mind: list[tuple[InMind, str]] = []
    for node, relevance in _relevant(asked, graph, mind):
        kept = is_kept(node, found.scope, mind)
        if kept is not None:
            here.add(kept.id)
        answers = [each.text for each in graph.answers(node.id)]
        told = next((each for each in answers if not reads_like_an_order(each)), "")
        repeats = node.canonical_key == key and not told
        # What was let go since, what only asks the same again and what orders is not shown.
        if repeats or node.chatter or (node.memory and kept is None):
            continue
        if node.origin and reads_like_an_order(node.text):
            continue
        in_mind.append(_said(node, relevance + bias, told, session, kept))
    return here, in_mind


def _said(
    node: Node, score: float, answer: str, session: str, kept: Memory | None
) -> tuple[InMind, str]:
    shown = InMind(
        id=node.id,
        session=session,
        text=node.text,
        said_at=node.last_access,
        score=round(score, 6),
        answer=answer,
        origin=node.origin,
    )
    return shown, kept.id if kept is not None else ""


def _is_of(hit: Hit, session: str, here: set[str]) -> bool:
    return hit.memory.id in here or hit.memory.scope.session == session


def _biased(hit: Hit, bias: float) -> Hit:
    return replace(hit, weighed=replace(hit.weighed, score=hit.weighed.score + bias))


def _relevant(asked: str, graph: SessionGraph, mind: Mind) -> Iterator[tuple[Node, float]]:
    """Yield the queries that belong to a question, best first, measured as a recall measures."""
    nodes = [node for node in graph.nodes(QUERY) if not node.chatter]
    meanings = _meanings(asked, graph, mind)
    analyser, shares = mind.store.words.analyser(), shares_of(mind.settings)
    terms = [set(term.tokens) for term in analyser.query(asked)]
    floor = max(floor_among(shares.floor, len(nodes)), _CLEARLY)
    found = []
    for node in nodes:
        held = set(analyser.index(node.text[:_GLANCE]))
        words = sum(term <= held for term in terms) / len(terms) if terms else 0.0
        meaning = meanings.get(node.id, words)
        relevance = shares.words * words + (1 - shares.words) * meaning
        if relevance >= floor:
            found.append((relevance, node))
    found.sort(key=lambda each: -each[0])
    yield from ((node, relevance) for relevance, node in found)


def _meanings(asked: str, graph: SessionGraph, mind: Mind) -> dict[str, float]:
    """Return what the cosine to each query says; nothing where the embedder is late or another."""
    try:
        vector, identity = embed_by_deadline(mind.embedder, asked, mind.settings.semantic_patience)
        if graph.embedder.identity != identity:
            return {}
    except EngineError:
        return {}
    says = scale_of(mind.embedder.floor, mind.embedder.ask)
    return {node.id: says(sim) for node, sim in graph.near(vector, asked)}
