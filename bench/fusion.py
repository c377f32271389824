"""Which fusion? Words, meaning, neighbours and topic weighed in many ways over the same scores.

    python bench/fusion.py --data FOLDER [--embedder encoder] [--beam 3] [--search SECONDS]

Five shapes of talk are for choosing: LoCoMo 1-5, every third chat of BEAM-500K (`--beam 1`: all of
them), the tuning half of our Korean set and the open lives in Korean and in English. LoCoMo 6-10
and the piles of sentences are only reported. BM25 and its bound are the store's, cosines the
embedder's; what recall makes of them is worked out again in numpy. The row "recall itself" is the
system: it also reads names, days, numbers, ties and the topic of a broad question, which the rows
beside it do not.

`--search` tries ways at random for so many seconds and leaves each shape out once: the mean of the
five ways that are best on the other shapes, measured on the one they have not seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import korean_memory
from life import FOLDER
from recall_quality import PILES, K, load, moment, recall_at
from saegim import Saegim
from saegim.mind import open_embedder
from saegim.recall.gather import ENOUGH_KNOWN, FROM_TURNS, GIVES, NEAREST, STEPS, TOPIC
from saegim.recall.rank import ONLY_ASKS, SAID_BY_THE_AGENT, SAID_BY_THE_NAMED, SAYS_MUCH
from saegim.recall.understand import Query
from saegim.settings import Settings
from saegim.store.rows import Where

Scores = npt.NDArray[np.float32]

CHOOSING = ("locomo 1-5", "beam", "korean", "lives ko", "lives en")
ASKS = re.compile(r"[?？][\s~^ㅋㅎㅠㅜ.!)\"'”’]*$")


@dataclass(slots=True)
class Corpus:
    """One haystack: what is searched, in which sessions, and what is asked."""

    shape: str
    documents: list[dict[str, Any]]
    questions: list[tuple[str, set[int]]]
    words: Scores = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    known: Scores = field(default_factory=lambda: np.zeros(0, np.float32))
    cosines: Scores = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    real: list[list[int]] = field(default_factory=list)

    @property
    def sessions(self) -> npt.NDArray[np.int64]:
        """Return a number for the session of each document; -1 where there is none."""
        names = [each.get("session", "") for each in self.documents]
        order = {name: at for at, name in enumerate(dict.fromkeys(filter(None, names)))}
        return np.array([order.get(name, -1) for name in names])


@dataclass(frozen=True, slots=True)
class Way:
    """One way of fusing; what is not given is what ships."""

    share: float = Settings().words_share
    # Where the scale of meaning begins and where it says "this answers"; none: the bare cosine.
    scale: tuple[float, float] | None = None
    wall: float = -1.0
    lends: float = Settings().context_share
    topic: float = 1.0
    asks: float = -ONLY_ASKS
    agent: float = -SAID_BY_THE_AGENT
    plain: bool = False


def locomo(folder: Path) -> Iterator[Corpus]:
    """Read LoCoMo: a haystack for each conversation."""
    for number, talk in enumerate(load(folder, "locomo10")[0]):
        corpus = Corpus("locomo 1-5" if number < 5 else "locomo 6-10", [], [])
        place: dict[str, int] = {}
        for session in talk["sessions"]:
            start = moment(session["date"])
            for at, turn in enumerate(session["turns"]):
                place[turn["dia_id"]] = len(place)
                about = {"session": f"s{session['n']}", "sequence": at, "author": turn["speaker"]}
                about |= {"happened_at": start + timedelta(minutes=at)}
                corpus.documents.append({"text": turn["text"] or "(nothing)"} | about)
        for qa in talk["qa"]:
            named = re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", [])))
            if right := {place[each] for each in named if each in place}:
                corpus.questions.append((qa["question"], right))
        yield corpus


def numbers_in(value: Any) -> Iterator[int]:
    """Return the numbers in a nest of lists."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, int):
        yield value
    for each in inner:
        yield from numbers_in(each)


def beam(folder: Path, every: int) -> Iterator[Corpus]:
    """Read BEAM-500K: the person's messages of a chat, one haystack each."""
    rows = gzip.decompress((folder / "beam_500k.jsonl.gz").read_bytes()).splitlines()
    for row in rows[::every]:
        chat = json.loads(row)
        said = [each for each in chat["messages"] if each["role"] == "user"]
        place = {each["id"]: at for at, each in enumerate(said)}
        corpus = Corpus("beam", [], [])
        for at, each in enumerate(said):
            text = each["content"] or "(nothing)"
            corpus.documents.append({"text": text, "session": "chat", "sequence": at})
        for kind, asked in chat["questions"].items():
            for each in asked if kind != "abstention" else ():
                named = numbers_in(each.get("source_chat_ids"))
                if right := {place[number] for number in named if number in place}:
                    corpus.questions.append((each["question"], right))
        yield corpus


def korean() -> Iterator[Corpus]:
    """Read the tuning half of our Korean set."""
    for life in korean_memory.read("tune")[0]:
        corpus = Corpus("korean", [], [])
        place: dict[str, int] = {}
        for session in life["sessions"]:
            start = datetime.fromisoformat(session["started_at"])
            for at, turn in enumerate(session["turns"]):
                place[turn["id"]] = len(place)
                corpus.documents.append(
                    _turn(turn["text"], turn["speaker"], session["id"], at, start)
                )
        corpus.questions = [
            (each["question"], {place[id] for id in each["evidence"]})
            for each in life["questions"]
            if each["evidence"]
        ]
        yield corpus


def lives() -> Iterator[Corpus]:
    """Read the open lives: every turn of both sides."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        corpus = Corpus(f"lives {path.stem[:2]}", [], [])
        place: dict[str, int] = {}
        for line in map(json.loads, path.read_text("utf-8").splitlines()):
            for at, turn in enumerate(line.get("turns", ())):
                place[turn["id"]] = len(place)
                start = datetime.fromisoformat(line["at"])
                corpus.documents.append(
                    _turn(turn["text"], turn["role"], line["session"], at, start)
                )
            answerable = line.get("kind") not in (None, "never", "forgot")
            if answerable and (right := {place[id] for id in line["evidence"] if id in place}):
                corpus.questions.append((line["text"], right))
        yield corpus


def _turn(text: str, role: str, session: str, at: int, start: datetime) -> dict[str, Any]:
    origin = "user_said" if role == "user" else "agent_inferred"
    about = {"session": session, "sequence": at, "role": role, "origin": origin}
    return {"text": text, "happened_at": start + timedelta(minutes=at)} | about


def piles(folder: Path) -> Iterator[Corpus]:
    """Read the sets of sentences and paragraphs."""
    when = datetime(2026, 1, 1, tzinfo=UTC)
    for name, read in PILES.items():
        pile = read(folder)
        documents = [{"text": text, "happened_at": when} for text in pile.documents]
        yield Corpus(name, documents, list(pile.questions))


def scored(corpus: Corpus, path: Path, embedder: str) -> Corpus:
    """Keep a haystack in a store and take every score from it, and recall's own answers."""
    texts = [each["text"] for each in corpus.documents]
    with Saegim.open(path, embedder=embedder, durability="fast") as memory:
        place: dict[str, int] = {}
        for at, each in enumerate(corpus.documents):
            place.setdefault(memory.remember(**each).id, at)
        for _ in memory.maintenance.index():
            pass
        store, where = memory.mind.store, Where(scope=memory.scope)
        analyser = store.words.analyser()
        corpus.words = np.zeros((len(corpus.questions), len(texts)), np.float32)
        corpus.known = np.zeros(len(corpus.questions), np.float32)
        for row, (asked, _) in enumerate(corpus.questions):
            terms = analyser.query(Query(text=asked, where=where, limit=K).asked)
            hits = store.words.matching(terms, where, limit=400, analyser=analyser.name)
            ids = store.memories.ids_of(memory.scope, [hit.number for hit in hits.hits])
            for hit in hits.hits:
                worth = min(hit.bm25 / hits.bound, 1.0) if hits.bound else 0.0
                corpus.words[row, place[ids[hit.number]]] = worth
            corpus.known[row] = hits.known
            found = memory.recall(asked, limit=K).hits
            corpus.real.append([place[hit.memory.id] for hit in found if hit.memory.id in place])
        embed = memory.mind.embedder.embed
        said = np.asarray(embed(texts, "document"), np.float16).astype(np.float32)
    asks = np.asarray(embed([asked for asked, _ in corpus.questions], "query"), np.float32)
    corpus.cosines = asks @ said.T
    return corpus


def ramp(x: Scores) -> Scores:
    """Return log(1 + e^x), as `likeness` does."""
    return np.logaddexp(0.0, x).astype(np.float32)


def meaning(cosines: Scores, scale: tuple[float, float] | None) -> Scores:
    """Return what cosines say, on one of the scales."""
    if scale is None:
        return np.maximum(cosines, 0.0)
    floor, ask = scale
    step = np.float32((ask - floor) / STEPS)
    top = ramp(np.full(1, (1 - floor) / step, np.float32))
    return np.minimum(ramp((cosines - floor) / step) / top, 1.0)


def best(scores: Scores, count: int) -> npt.NDArray[np.bool_]:
    """Mark the best of each row, and those equal to the last of them."""
    if scores.shape[1] <= count:
        return np.ones(scores.shape, np.bool_)
    edge = -np.partition(-scores, count - 1, axis=1)[:, count - 1 : count]
    marked: npt.NDArray[np.bool_] = scores >= edge
    return marked


def relevance(corpus: Corpus, way: Way) -> Scores:
    """Return what each document is worth to each question, one way."""
    known = np.clip(corpus.known / ENOUGH_KNOWN, 0, 1)[:, None]
    # Words that are asked alone keep all of it, however few of the question's are known.
    sizes = [len(asked.split()) for asked, _ in corpus.questions]
    much = np.interp(sizes, SAYS_MUCH, (0.0, 0.5)).astype(np.float32)[:, None]
    much = much if way.share else np.zeros_like(much)
    share = way.share + (1 - np.float32(way.share)) * much
    share = share * (known if way.share < 1 else np.ones_like(known))
    own = share * corpus.words + (1 - share) * meaning(corpus.cosines, way.scale)
    near = best(corpus.cosines, NEAREST) & (corpus.cosines >= way.wall)
    own = np.where((corpus.words > 0) | near, own, 0.0).astype(np.float32)
    if way.plain:
        return own
    sessions = corpus.sessions
    across = len(sessions)
    if len(sessions) and sessions.max() >= 0:
        source = np.where(best(own, FROM_TURNS), own, 0.0)
        given = np.zeros_like(own)
        for step, part in GIVES.items():
            at = np.arange(max(0, -step), min(across, across - step))
            at = at[sessions[at] == sessions[at + step]]
            given[:, at + step] += np.float32(part) * source[:, at]
        for each in np.unique(sessions) if len(np.unique(sessions)) > 1 else ():
            inside = sessions == each
            about = -np.sort(-source[:, inside], axis=1)[:, :TOPIC].sum(axis=1, keepdims=True)
            given[:, inside] += way.topic * about / TOPIC
        own = own + (1 - own) * np.minimum(way.lends * given, 1.0)
    authors = [str(each.get("author", "")).lower() for each in corpus.documents]
    if any(authors):
        named = [[bool(a) and a in asked.lower() for a in authors] for asked, _ in corpus.questions]
        own = own + SAID_BY_THE_NAMED * np.array(named, np.float32)
    asking = [bool(ASKS.search(each["text"])) for each in corpus.documents]
    agents = [each.get("origin") == "agent_inferred" for each in corpus.documents]
    lost = way.asks * np.array(asking) + way.agent * np.array(agents)
    made: Scores = own - lost.astype(np.float32)[None]
    return made


def figure(corpus: Corpus, found: Sequence[Sequence[int]]) -> list[float]:
    """Return what each question scores: share of the evidence, any of it, or the first."""
    rows = zip(found, corpus.questions, strict=True)
    if corpus.shape.startswith("lives"):
        return [float(bool(right & set(order[:K]))) for order, (_, right) in rows]
    if corpus.shape in PILES:
        return [float(bool(right & set(order[:1]))) for order, (_, right) in rows]
    return [recall_at(order, right) for order, (_, right) in rows]


def measured(
    corpora: Sequence[Corpus], answers: Callable[[Corpus], list[list[int]]]
) -> dict[str, float]:
    """Return a line of the table, in per cent."""
    columns: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        columns[corpus.shape] += figure(corpus, answers(corpus))
    return {name: 100 * sum(each) / len(each) for name, each in columns.items()}


def ranked(scores: Scores) -> list[list[int]]:
    """Return the first ten of each question."""
    order: list[list[int]] = np.argsort(-scores, axis=1, kind="stable")[:, :K].tolist()
    return order


def by(way: Way) -> Callable[[Corpus], list[list[int]]]:
    """Return how one way answers."""
    return lambda corpus: ranked(relevance(corpus, way))


def tried(shipped: Way, corpora: Sequence[Corpus], seconds: float) -> None:
    """Try ways at random, and choose with each shape left out once."""
    chance = random.Random(17)
    choosing = [corpus for corpus in corpora if corpus.shape in CHOOSING]
    lines: list[tuple[Way, dict[str, float]]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        way = replace(
            shipped,
            share=chance.choice((0.2, 0.3, 0.4, 0.5)),
            scale=chance.choice((None, (0.1, 0.4), (0.18, 0.454), (0.25, 0.5), (0.34, 0.58))),
            wall=chance.choice((0.1, 0.18, 0.25, 0.34)),
            lends=chance.choice((0.0, 0.2, 0.35, 0.5, 0.7, 1.0)),
            topic=chance.choice((0.0, 0.5, 1.0, 1.5)),
            asks=chance.choice((0.0, 0.03, 0.06)),
            agent=chance.choice((0.0, 0.04, 0.08)),
        )
        lines.append((way, measured(choosing, by(way))))

    def mean(line: dict[str, float], without: Sequence[str] = ()) -> float:
        left = [value for name, value in line.items() if name not in without]
        return sum(left) / len(left)

    print(f"\n{len(lines)} ways tried; the five best: mean of the shapes")
    for way, line in sorted(lines, key=lambda each: -mean(each[1]))[:5]:
        print(f"  {mean(line):.1f}", {name: round(value, 1) for name, value in line.items()}, way)
    for left in (("locomo 1-5",), ("beam",), ("korean",), ("lives ko", "lives en")):
        top = sorted(lines, key=lambda each: -mean(each[1], left))[:5]
        seen = {name: round(sum(line[name] for _, line in top) / len(top), 1) for name in left}
        print(f"  chosen without {' and '.join(left)}: {seen}")


def main() -> None:
    """Score every haystack once, then print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--embedder", default=Settings().embedder, help="a dense, built-in one")
    parser.add_argument("--beam", type=int, default=3, help="take every so many-th chat of BEAM")
    parser.add_argument("--search", type=float, default=0.0, help="try ways for so many seconds")
    given = parser.parse_args()
    read = [*locomo(given.data), *beam(given.data, given.beam), *korean(), *lives()]
    corpora = []
    with tempfile.TemporaryDirectory() as work:
        for number, corpus in enumerate([*read, *piles(given.data)]):
            corpora.append(scored(corpus, Path(work) / f"{number}.db", given.embedder))
    used = open_embedder(Settings(embedder=given.embedder))
    shipped = Way(scale=(used.floor, used.ask), wall=used.floor)
    ways = {
        "words alone": replace(shipped, share=1.0, plain=True),
        "meaning alone": replace(shipped, share=0.0, plain=True, wall=-1.0),
        "plain": replace(shipped, plain=True, scale=None, wall=-1.0),
        "shipped": shipped,
        "nothing lent": replace(shipped, lends=0.0),
        "neighbours lend all": replace(shipped, lends=1.0),
        "no topic": replace(shipped, topic=0.0),
        "words half": replace(shipped, share=0.5),
        "a wall at the 99th": replace(shipped, wall=0.34, scale=(0.34, 0.58)),
    }
    names = list(dict.fromkeys(corpus.shape for corpus in corpora))
    print(f"embedder {given.embedder}, floor {used.floor}, ask {used.ask}")
    print(" " * 20 + "".join(f"{name:>12}" for name in names))
    lines = {"recall itself": measured(corpora, lambda corpus: corpus.real)}
    lines |= {name: measured(corpora, by(way)) for name, way in ways.items()}
    for name, line in lines.items():
        print(f"{name:20}" + "".join(f"{line[each]:12.1f}" for each in names), flush=True)
    if given.search:
        tried(shipped, corpora, given.search)


if __name__ == "__main__":
    main()
