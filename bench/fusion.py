"""Which fusion? Words, meaning, spelling and context weighed in many ways over the same scores.

    python bench/fusion.py --data FOLDER [--embedder static] [--only shares,walk] [--json out.json]

Every set is kept in a real store once: BM25 and its bound are the store's, vectors the embedder's.
What recall makes of them is then worked out again in numpy for each way of fusing, a second each.
The first line proves it: for the shipped way, the first ten are compared with recall's own answers.
LoCoMo conversations 1-5 are for choosing, 6-10 for reporting; the other columns are hit@1, x100.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from recall_quality import PILES, K, load, moment, recall_at, session_order
from saegim import Saegim
from saegim.engines.embedder import Embedder, Role, Sparse
from saegim.engines.hashed import Hashed
from saegim.recall.gather import BOTH, ENOUGH_KNOWN, FROM_TURNS, GIVES, NEAREST, STEPS
from saegim.recall.understand import Query
from saegim.settings import Settings
from saegim.store.rows import Where

Scores = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Wording = Literal["asked", "meaning"]
Scale = Literal["raw", "cut", "ramp"]

# Sessions are ranked from more turns than an answer shows, as in recall_quality.py.
DEEP = 50
LOCOMO = "locomo"
WORDINGS: dict[Wording, str] = {"asked": "whole", "meaning": "stripped"}
ROLES: tuple[Role, ...] = ("query", "document")
SCALES: dict[Scale, str] = {"raw": "cosine itself", "cut": "cut at floor", "ramp": "ramp"}
COLUMNS = [f"{what} {part}" for what in ("turn", "session") for part in ("1-5", "6-10", "all")]
COLUMNS += PILES
NARROW = ((-1, 0.25), (1, 0.5), (2, 0.25))


@dataclass(slots=True)
class Corpus:
    """What is searched and asked: one pile of documents, and the sessions they may stand in."""

    name: str
    digest: str
    documents: list[dict[str, Any]]
    questions: list[tuple[str, set[int]]]
    limit: int = K
    part: str = ""
    sessions: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Pile:
    """Every score between the questions (down) and the documents (across) of one set."""

    corpus: Corpus
    words: Scores
    # How much of the question's weight lies in words that any memory holds.
    known: Scores
    cosines: dict[tuple[Wording, Role], Scores]
    spelling: Scores
    real: list[list[int]]
    floor: float
    ask: float
    lexical: bool


@dataclass(frozen=True, slots=True)
class Way:
    """One way of fusing; the defaults are what recall ships."""

    share: float = Settings().words_share
    scale: Scale = "ramp"
    wording: Wording = "asked"
    role: Role = "query"
    spelling: float = 0.0
    known: float = ENOUGH_KNOWN
    both: int = BOTH
    nearest: int = NEAREST
    gives: tuple[tuple[int, float], ...] = tuple(GIVES.items())
    sources: int = FROM_TURNS
    walk_meaning: float = 1.0
    session: float = 0.0
    shuffled: bool = False


def conversations(folder: Path) -> Iterator[Corpus]:
    """Read LoCoMo: one pile per conversation, its turns in order."""
    talks, digest = load(folder, "locomo10")
    for number, talk in enumerate(talks):
        corpus = Corpus(LOCOMO, digest, [], [], DEEP, "1-5" if number < 5 else "6-10")
        place: dict[str, int] = {}
        for session in talk["sessions"]:
            start = moment(session["date"])
            for at, turn in enumerate(session["turns"]):
                place[turn["dia_id"]] = len(place)
                corpus.sessions.append(session["n"])
                about = {"session": f"s{session['n']}", "sequence": at, "author": turn["speaker"]}
                about |= {"happened_at": start + timedelta(minutes=at)}
                corpus.documents.append({"text": turn["text"] or "(nothing)"} | about)
        for qa in talk["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", [])))
            if right := {place[each] for each in named if each in place}:
                corpus.questions.append((qa["question"], right))
        yield corpus


def everything(folder: Path) -> Iterator[Corpus]:
    """Read every corpus."""
    yield from conversations(folder)
    for name, read in PILES.items():
        pile = read(folder)
        when = datetime(2026, 1, 1, tzinfo=UTC)
        documents = [{"text": text, "happened_at": when} for text in pile.documents]
        yield Corpus(name, pile.digest, documents, list(pile.questions))


def by_words(memory: Saegim, questions: Sequence[Query], across: int) -> tuple[Scores, Scores]:
    """Return BM25 over its bound where words find, and how much of each question is known."""
    store = memory.mind.store
    analyser = store.words.analyser()
    words = np.zeros((len(questions), across), np.float32)
    known = np.zeros(len(questions), np.float32)
    for at, query in enumerate(questions):
        terms = analyser.query(query.asked)
        pool = max(Settings().pool, 2 * query.limit)
        hits = store.words.matching(terms, query.where, limit=pool, analyser=analyser.name)
        for hit in hits.hits:
            # A new store numbers its memories from 1 in the order they were written.
            words[at, hit.number - 1] = min(hit.bm25 / hits.bound, 1.0)
        known[at] = hits.known
    return words, known


def rows(embedder: Embedder, texts: Sequence[str], role: Role) -> Scores:
    """Return vectors as dense rows, rounded as the store keeps them."""
    made = embedder.embed(texts, role)
    if not isinstance(made[0], Sparse):
        return np.asarray(made, np.float16).astype(np.float32)
    dense = np.zeros((len(made), made[0].dimension), np.float32)
    for at, each in enumerate(made):
        assert isinstance(each, Sparse)
        dense[at, each.indices] = each.values
    return dense


def alike(embedder: Embedder, asked: Sequence[str], role: Role, told: Sequence[str]) -> Scores:
    """Return all cosines; documents in blocks, for sparse vectors are wide."""
    questions = rows(embedder, asked, role)
    blocks = (told[at : at + 500] for at in range(0, len(told), 500))
    return np.concatenate([questions @ rows(embedder, b, "document").T for b in blocks], axis=1)


def scored(corpus: Corpus, path: Path, embedder: str) -> Pile:
    """Keep one set in a store and take every score from it, and recall's own answers."""
    texts = [each["text"] for each in corpus.documents]
    with Saegim.open(path, embedder=embedder) as memory:
        place = {memory.remember(**each).id: at for at, each in enumerate(corpus.documents)}
        where = Where(scope=memory.scope)
        asked = [Query(text=q, where=where, limit=corpus.limit) for q, _ in corpus.questions]
        words, known = by_words(memory, asked, len(texts))
        real = [
            [place[hit.memory.id] for hit in memory.recall(each.text, limit=corpus.limit).hits]
            for each in asked
        ]
        used = memory.mind.embedder
    cosines = {
        (wording, role): alike(used, [getattr(each, wording) for each in asked], role, texts)
        for wording in WORDINGS
        for role in ROLES
    }
    spelling = alike(Hashed(), [each.meaning for each in asked], "query", texts)
    scales = (used.floor, used.ask, used.lexical)
    return Pile(corpus, words, known, cosines, spelling, real, *scales)


def best(scores: Scores, count: int, among: Mask) -> Mask:
    """Mark the best of each row among those allowed."""
    found = np.zeros(scores.shape, np.bool_)
    if count:
        held = np.where(among, scores, -np.inf)
        order = np.argsort(-held, axis=1, kind="stable")[:, :count]
        np.put_along_axis(found, order, True, axis=1)
    return found & among


def ramp(x: Scores) -> Scores:
    """Return log(1 + e^x), as `likeness` does."""
    return np.logaddexp(0.0, x).astype(np.float32)


def likeness(cosines: Scores, scale: Scale, pile: Pile) -> Scores:
    """Return what cosines say, on one of the scales."""
    if scale == "raw":
        return np.maximum(cosines, 0.0)
    if scale == "cut":
        return np.clip((cosines - pile.floor) / (1 - pile.floor), 0.0, 1.0)
    step = np.float32(max(pile.ask - pile.floor, 1e-3) / STEPS)
    top = ramp(np.full(1, (1 - pile.floor) / step, np.float32))
    return np.minimum(ramp((cosines - pile.floor) / step) / top, 1.0)


def lent(pile: Pile, own: Scores, way: Way) -> Scores:
    """Return what each turn is lent by the hits around it in its session."""
    given = np.zeros_like(own)
    sessions = np.array(pile.corpus.sessions)
    if not len(sessions):
        return given
    places = np.arange(len(sessions))
    if way.shuffled:
        chance = np.random.default_rng(0)
        for each in np.unique(sessions):
            places[sessions == each] = chance.permutation(places[sessions == each])
    for step, part in way.gives:
        at = np.arange(max(0, -step), min(len(sessions), len(sessions) - step))
        at = at[sessions[at] == sessions[at + step]]
        given[:, places[at + step]] += np.float32(part) * own[:, places[at]]
    for each in np.unique(sessions) if way.session else ():
        inside = sessions == each
        top = -np.sort(-own[:, inside], axis=1)[:, :3]
        given[:, inside] += way.session * top.mean(axis=1, keepdims=True) * (own[:, inside] > 0)
    return given


def answers(pile: Pile, way: Way) -> tuple[npt.NDArray[np.int64], Scores]:
    """Return for each question the places of the answers, best first, and their relevance."""
    limit = pile.corpus.limit
    cosines = pile.cosines[way.wording, way.role]
    by_words = pile.words > 0
    near = best(cosines, max(way.nearest, limit), np.ones_like(by_words))
    if pile.lexical:
        near &= by_words.sum(axis=1, keepdims=True) < limit
    found = by_words | near & (cosines >= pile.floor)
    measured = best(pile.words, way.both, by_words) | near & found
    lost = np.clip(1 - pile.known / way.known, 0.0, 1.0)[:, None] if way.known else np.float32(0)
    share = np.float32(way.share) * (1 - lost)
    words = share * np.where(by_words, pile.words, 0.0)
    meaning = (1 - share - np.float32(way.spelling)) * likeness(cosines, way.scale, pile)
    meaning = np.where(measured, meaning, 0.0)
    own = words + meaning + way.spelling * np.where(measured, np.maximum(pile.spelling, 0.0), 0.0)
    sources = own - (1 - np.float32(way.walk_meaning)) * meaning
    given = lent(pile, np.where(best(sources, way.sources, found), sources, 0.0), way)
    total = np.where(found | (given > 0), np.minimum(own + given, 1.0), -1.0)
    # Of equals the newest comes first.
    across = total.shape[1]
    order = across - 1 - np.argsort(-total[:, ::-1], axis=1, kind="stable")[:, :limit]
    return order, np.take_along_axis(total, order, axis=1)


def measures(pile: Pile, order: list[list[int]], scores: Scores) -> dict[str, list[float]]:
    """Return what each question scores, by column."""
    corpus, settings = pile.corpus, Settings()
    right = [each for _, each in corpus.questions]
    if corpus.name != LOCOMO:
        first = zip(order, right, strict=True)
        return {corpus.name: [float(bool(each & set(found[:1]))) for found, each in first]}
    turn, session = f"turn {corpus.part}", f"session {corpus.part}"
    result: dict[str, list[float]] = {turn: [], session: []}
    for found, values, wanted in zip(order, scores, right, strict=True):
        worth = settings.relevance_weight * values + settings.recency_weight
        held = zip([corpus.sessions[at] for at in found], worth.tolist(), strict=False)
        result[turn].append(recall_at(found, wanted))
        sessions = {corpus.sessions[at] for at in wanted}
        result[session].append(recall_at(session_order(held), sessions))
    return result | {"turn all": result[turn], "session all": result[session]}


def measure(piles: Sequence[Pile], way: Way) -> tuple[dict[str, float], float]:
    """Return a line of the table, and in how many questions recall gave the same first ten."""
    columns: dict[str, list[float]] = {}
    same: list[bool] = []
    for pile in piles:
        places, scores = answers(pile, way)
        order = [p[s >= 0].tolist() for p, s in zip(places, scores, strict=True)]
        for name, each in measures(pile, order, scores).items():
            columns.setdefault(name, []).extend(each)
        same += [mine[:K] == real[:K] for mine, real in zip(order, pile.real, strict=True)]
    line = {name: 100 * sum(each) / len(each) for name, each in columns.items()}
    return line, sum(same) / len(same)


def changed(way: Way, **given: Any) -> dict[str, Way]:
    """Return ways that differ from the given one in one thing, under a name that says it."""
    [(what, values)] = given.items()
    return {f"{what} {value}": replace(way, **{what: value}) for value in values}


def shares(way: Way) -> dict[str, Way]:
    """How much words count, and if less where the store does not know the question's words."""
    less = {f"words lose below {part} known": replace(way, known=part) for part in (0.3, 1.0)}
    less["words always keep their share"] = replace(way, known=0.0)
    return changed(way, share=(0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)) | less


def scales(way: Way) -> dict[str, Way]:
    """What a cosine says: itself, cut off at the floor, or bent around it as it ships."""
    return {
        f"{name}, share {share}": replace(way, scale=scale, share=share)
        for scale, name in SCALES.items()
        for share in (0.5, 0.6, 0.7)
    }


def wordings(way: Way) -> dict[str, Way]:
    """What is embedded: the whole question or without what only asks, as question or statement."""
    return {
        f"{name} question as {role}": replace(way, wording=wording, role=role)
        for wording, name in WORDINGS.items()
        for role in ROLES
    }


def spelling(way: Way) -> dict[str, Way]:
    """Hashed n-grams as a third voice."""
    return {
        f"words {words}, hashed {part}": replace(way, share=words, spelling=part)
        for words in (0.45, 0.55)
        for part in (0.1, 0.2)
    }


def pools(way: Way) -> dict[str, Way]:
    """How many candidates get a cosine, and how many neighbours are looked for."""
    return changed(way, both=(8, 16, 64, 128)) | changed(way, nearest=(10, 64, 128))


def walks(way: Way) -> dict[str, Way]:
    """What hits lend to the turns around them."""
    return {
        "no walk": replace(way, gives=()),
        "narrow walk": replace(way, gives=NARROW),
        "turns shuffled": replace(way, shuffled=True),
        **changed(way, sources=(8, 16, 64)),
        **changed(way, walk_meaning=(0.0, 0.5, 2.0)),
        **changed(way, session=(0.1, 0.3)),
    }


GROUPS: dict[str, Callable[[Way], dict[str, Way]]] = {
    "shares": shares,
    "scales": scales,
    "wordings": wordings,
    "spelling": spelling,
    "pools": pools,
    "walks": walks,
}
# What decision 0005 had, written for an embedder that compares spelling.
BEFORE = Way(share=0.7, scale="raw", wording="meaning", known=0.0, gives=NARROW, sources=64)


def main() -> None:
    """Score every set once, then print a line for each way of fusing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--embedder", default=Settings().embedder, help="as the setting names it")
    parser.add_argument("--only", default=",".join(GROUPS), help="comma-separated groups")
    parser.add_argument("--json", type=Path, help="also write the results here")
    given = parser.parse_args()
    piles = []
    with tempfile.TemporaryDirectory() as work:
        for number, corpus in enumerate(everything(given.data)):
            piles.append(scored(corpus, Path(work) / f"{number}.db", given.embedder))
    pile = piles[-1]
    shipped = Way(wording="meaning" if pile.lexical else "asked")
    ways = {"": {"shipped": shipped, "decision 0005": BEFORE}}
    ways |= {name: GROUPS[name](shipped) for name in given.only.split(",")}
    digests = {each.corpus.name: each.corpus.digest for each in piles}
    print("data  " + "  ".join(f"{name} {digest}" for name, digest in digests.items()))
    print(f"embedder {given.embedder}, floor {pile.floor}, ask {pile.ask}")
    lines: dict[str, dict[str, float]] = {}
    for each in ways.values():
        for name, way in each.items():
            lines[name], same = measure(piles, way)
            if way is shipped:
                print(f"recall itself gives the same first ten in {same:.1%} of the questions")
                print("\n" + " " * 30 + "".join(f"{column:>13}" for column in COLUMNS))
            print(f"{name:30}" + "".join(f"{lines[name][column]:13.1f}" for column in COLUMNS))
        print(flush=True)
    if given.json:
        result = {"data": digests, "embedder": given.embedder, "lines": lines}
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
