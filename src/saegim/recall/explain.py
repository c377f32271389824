"""Why each memory came back, in one line and in numbers; and what an answer once showed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from saegim.language.words import Term
from saegim.memory.memory import Memory, Scope, State
from saegim.mind import FEATURES, Mind
from saegim.recall.flow import Recollection
from saegim.recall.handle import handle_of
from saegim.recall.rank import Hit, features
from saegim.recall.understand import Query
from saegim.recall.usage import Used, uses_after
from saegim.store.rows import ALL_STATES, Where
from saegim.store.store import Store

Sign = tuple[str, dict[str, Any]]

# Each sign in English; the command line says the same signs in the reader's language.
SAID: Final = {
    "words": "shares {words}",
    "vector": "reads alike ({cosine})",
    "context": "stands beside a hit",
    "tie": "{hops} tie away: {via}",
    "ties": "{hops} ties away: {via}",
    "negative": "through a negative tie",
    "during": "in the time asked for",
    "seed": "{by_relevance} × relevance {relevance} + {by_recency} × recency {recency} + "
    "{by_importance} × importance {importance}",
    "sources": "relevance averages {sources}",
    "conflict": "contradicted by {others}",
    "superseded": "superseded",
    "superseded since": "superseded since {day:%Y-%m-%d}",
    "old": "old and asleep",
    "below": "below the floor",
    "weak": "weak match",
}


def numbers(hit: Hit) -> dict[str, Any]:
    """Return everything that brought a memory back, ready for JSON."""
    return {
        "score": round(hit.score, 4),
        "relevance": round(hit.weighed.relevance, 4),
        "recency": round(hit.weighed.recency, 4),
        "importance": round(hit.weighed.importance, 4),
        "words": round(hit.words, 4),
        "vector": round(hit.vector, 4),
        "context": round(hit.context, 4),
        "graph": round(hit.graph, 4),
        "hops": hit.hops,
        "via": list(hit.via),
        "negative": hit.negative,
        "during": hit.during,
        "fit": round(hit.fit, 4),
        "weak": hit.weak,
        "matched": list(hit.matched),
        "paths": list(hit.paths),
        "conflicts": list(hit.conflicts),
    } | ({"weights": asdict(hit.weighed.weights)} if hit.weighed.weights.sources else {})


def signs(hit: Hit, *, short: bool = False) -> Iterator[Sign]:
    """Yield what speaks for a memory, then what speaks against believing it: a name and values.

    In `short`, what neighbours and ties lend is told only where it is more than the memory's own.
    """
    lent = not short or max(hit.context, hit.graph) > max(hit.words, hit.vector)
    told = [*_own(hit), *(_lent(hit) if lent else ())]
    told += [("during", {})] if hit.during else []
    told += _against(hit)
    yield from told or [("weak", {})]
    if not short:
        yield from _by_the_seed(hit)


def reason(hit: Hit) -> str:
    """Return one line that a person understands."""
    return "; ".join(SAID[name].format(**_joined(values)) for name, values in signs(hit))


def _joined(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: ", ".join(value) if isinstance(value, tuple) else value
        for name, value in values.items()
    }


def _own(hit: Hit) -> Iterator[Sign]:
    if hit.matched:
        yield "words", {"words": tuple(dict.fromkeys(hit.matched))}
    if hit.vector > 0:
        yield "vector", {"cosine": f"{hit.vector:.2f}"}


def _lent(hit: Hit) -> Iterator[Sign]:
    if hit.context > 0:
        yield "context", {}
    if hit.hops:
        name = "tie" if hit.hops == 1 else "ties"
        yield name, {"hops": hit.hops, "via": tuple(dict.fromkeys(hit.via))}


def _by_the_seed(hit: Hit) -> Iterator[Sign]:
    if weights := hit.weighed.weights.sources:
        factors = ("relevance", "recency", "importance")
        said = {name: f"{getattr(hit.weighed, name):.2f}" for name in factors}
        by = {f"by_{name}": f"{getattr(hit.weighed.weights, name):g}" for name in factors}
        found = ((name, weight, getattr(hit, name)) for name, weight in asdict(weights).items())
        shares = tuple(f"{name} {value:.2f} × {weight:g}" for name, weight, value in found if value)
        yield "seed", said | by
        if shares:
            yield "sources", {"sources": shares}


def _against(hit: Hit) -> Iterator[Sign]:
    if hit.negative:
        yield "negative", {}
    if hit.conflicts:
        yield "conflict", {"others": hit.conflicts}
    if hit.memory.life.state is State.SUPERSEDED:
        until = hit.memory.time.valid_to
        yield ("superseded since", {"day": until}) if until else ("superseded", {})
    if hit.memory.life.state is State.DORMANT:
        yield "old", {}
    if hit.weak:
        yield "below", {}


def features_of(found: Recollection, question: str, *, mind: Mind) -> list[dict[str, float]]:
    """Return the eleven features of each hit by their names, as a reranker would see them."""
    asked = Query(text=question, where=Where(scope=found.scope)).asked
    terms = _terms(found, asked, mind.store)
    rows = features(found.hits, asked, terms, scope=found.scope, store=mind.store)
    return [
        {name: round(float(value), 4) for name, value in zip(FEATURES, row, strict=True)}
        for row in rows
    ]


def _terms(found: Recollection, asked: str, store: Store) -> tuple[Term, ...]:
    """Return the words of the question that were looked for."""
    if not any(path.name == "words" and path.ran for path in found.paths):
        return ()
    analyser = store.words.analyser()
    where = Where(scope=found.scope)
    return store.words.matching(analyser.query(asked), where, limit=1, analyser=analyser.name).terms


def handles(ids: Iterable[str], *, scope: Scope, store: Store) -> dict[str, str]:
    """Return the handle of each of these memories that is still here."""
    where = Where(scope=scope, states=ALL_STATES, everywhere=True, imagined=True)
    return {id: handle_of(number, id) for id, number in store.memories.rows_of(where, ids).items()}


@dataclass(frozen=True, slots=True)
class Replay:
    """What an answer showed, best first; of what was forgotten since, only the id is left."""

    trace: str
    at: datetime
    shown: tuple[tuple[str, Memory | None], ...]
    # How what was shown was used because of it.
    used: tuple[Used, ...] = ()


def replayed(trace: str, *, scope: Scope, store: Store) -> Replay:
    """Return what the answer with this trace showed, in the same order (U32.2)."""
    ids = store.traces.shown(scope, trace)
    at = next(entry.at for entry in store.ledger.entries(scope, subject=trace))
    held = [(id, store.memories.get(scope, id)) for id in ids]
    used = uses_after(trace, [memory for _, memory in held if memory], scope=scope, store=store)
    shown = tuple((id, memory if memory and memory.text else None) for id, memory in held)
    return Replay(trace, at, shown, tuple(used))
