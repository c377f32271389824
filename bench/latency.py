"""How fast are remember and recall, beside a brute-force floor and two peers, in one run?

    python bench/latency.py [--sizes 5000,100000] [--json out.json] [--work FOLDER]

Every size is measured twice: one user who owns everything, and one user of a hundred. Texts are
generated (Korean and English, Zipf-distributed words with stop words); their hash is printed.
Beyond 100,000 the first 100,000 memories are copied inside the file, ids and all indexes included,
so that a million take minutes to make; such a store has no ledger for the copies. Peers get
ready-made vectors, so their own embedding is not counted; ours is.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from saegim import Saegim, Scope
from saegim.memory.changes import Linked, Met, Saved
from saegim.memory.entities import REFERS_TO, Entity, Link
from saegim.memory.memory import Memory
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.recall.rank import features
from saegim.store.commit import Batch
from saegim.store.rows import COLUMNS
from saegim.store.search.embedding_index import code, codes

WHO = (
    "민호 지은 서연 팀장님 엄마 동생 친구 고객사 개발팀 선생님 Minho Jane 사장님 이웃 코치님"
).split()
WHAT = (
    "커피 녹차 배포 회의 서버 데이터베이스 강아지 고양이 여행 제주도 부산 프로젝트 일정 "
    "예산 운동 수영 기타 피아노 책 영화 면접 계약 이사 보험 병원 약속 생일 결혼식 발표 "
    "논문 자전거 텃밭 김장 등산"
).split()
DID = (
    "좋아한다 싫어한다 미뤘다 예약했다 준비한다 끝냈다 시작했다 고민한다 샀다 팔았다 "
    "배웠다 물어봤다"
).split()
STOP = "the of and to in a is that it was for on with as at by we they this from".split()
USERS = 100
QUERIES = 400
COPIED_FROM = 100_000


class Texts:
    """Sentences whose words follow Zipf's law, the same for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        letters, vowels = "bcdfghjklmnprstvwz", "aeiou"
        self.words = [
            "".join(
                self.random.choice(letters) + self.random.choice(vowels)
                for _ in range(self.random.randint(2, 4))
            )
            for _ in range(30_000)
        ]
        share = 1 / np.arange(3, len(self.words) + 3)
        self.sums = np.cumsum(share / share.sum())
        self.numbers = np.random.default_rng(seed)

    def some(self, count: int) -> list[str]:
        """Return words, common ones more often."""
        return [self.words[i] for i in np.searchsorted(self.sums, self.numbers.random(count))]

    def one(self) -> str:
        """Return a sentence of about a hundred characters, Korean or English."""
        pick = self.random.choice
        if self.random.random() < 0.5:
            when = f"{self.random.randint(1, 12)}월 {self.random.randint(1, 28)}일에"
            rare = " ".join(self.some(2))
            return f"{pick(WHO)}은 {when} {pick(WHAT)} 때문에 {rare} {pick(WHAT)}를 {pick(DID)}"
        words = self.some(9)
        for at in (1, 3, 5, 7):
            words.insert(at, pick(STOP))
        return " ".join(words)


def spread(seconds: list[float]) -> dict[str, float]:
    """Return percentiles in milliseconds."""
    at = np.percentile(np.array(seconds) * 1000, [50, 95, 99, 99.9])
    names = ("p50", "p95", "p99", "p99.9")
    return {name: round(float(value), 3) for name, value in zip(names, at, strict=True)}


def timed(work: Callable[[Any], object], things: Iterator[Any] | list[Any]) -> list[float]:
    """Return how long each call took."""
    seconds = []
    for each in things:
        start = time.perf_counter()
        work(each)
        seconds.append(time.perf_counter() - start)
    return seconds


def worked(work: Callable[[Any], object], things: Iterator[Any] | list[Any]) -> list[float]:
    """Return how long this thread computed for each call: a busy machine changes it little."""
    seconds = []
    for each in things:
        start = time.thread_time()
        work(each)
        seconds.append(time.thread_time() - start)
    return seconds


def ruler() -> float:
    """Return what a fixed piece of plain Python takes here, in milliseconds of this thread."""

    def count(_: Any) -> int:
        return sum(each * each % 7 for each in range(200_000))

    return spread(worked(count, list(range(9))))["p50"]


def memory_mb() -> float:
    """Return what this process holds, in megabytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return round(int(file.read().split()[1]) * resource.getpagesize() / 1e6, 1)


def fill(memory: Saegim, texts: Texts, size: int, users: int) -> tuple[float, str]:
    """Load `size` memories for `users` users; return rows per second and the hash of the texts."""
    mind = memory.mind
    digest = hashlib.sha256()
    spent, done = 0.0, 0
    while done < size:
        count = min(2000, size - done)
        words = [texts.one() for _ in range(count)]
        digest.update("\n".join(words).encode())
        start = time.perf_counter()
        for user in range(users):
            part = words[user::users]
            if not part:
                continue
            scope = Scope(user=f"user{user}")
            made = [
                placed(
                    moment_of(scope, text, {"project": f"p{at % 100}", "tags": [f"t{at % 100}"]}),
                    mind,
                )
                for at, text in enumerate(part, start=done)
            ]
            vectors = mind.embedder.embed([each.text for each in made], "document")
            mind.store.commit(
                Batch(
                    scope.user,
                    [*map(Saved, made), *(tie for each in made for tie in _ties(each))],
                    actor="bench",
                    at=mind.now(),
                    vectors={each.id: vector for each, vector in zip(made, vectors, strict=True)},
                    identity=mind.embedder.identity,
                )
            )
        spent += time.perf_counter() - start
        done += count
    return size / spent, digest.hexdigest()[:16]


def _ties(memory: Memory) -> Iterator[Linked]:
    """Yield the ties a memory is born with: to whom and to what it names."""
    for name in (*WHO, *WHAT):
        if name in memory.text:
            link = Link(source=memory.id, type=REFERS_TO, target=Entity(name=name).key)
            yield Linked(link)


def _meet(memory: Saegim, size: int, users: int) -> None:
    """Let every user know the names that memories are tied to, as often as they were met."""
    often = size // users // len(WHAT)
    mind = memory.mind
    for user in range(users):
        met = [Met(Entity(name=name, interactions=often)) for name in (*WHO, *WHAT)]
        mind.store.commit(Batch(f"user{user}", met, actor="bench", at=mind.now()))


def grow(path: Path, made: int, size: int, users: int) -> None:
    """Copy the first `made` memories and their index entries until there are `size`."""
    names = ", ".join(each for each in [*COLUMNS, "salt", "digest"] if each != "id")
    with contextlib.closing(apsw.Connection(str(path))) as base:
        for times in range(1, size // made):
            step = {"step": times * made, "seq": times * (made // users), "made": made}
            with base:
                for sql in (
                    f"INSERT INTO memory (number, id, {names}) SELECT number + :step, "
                    f"id || '_' || :step, {names} FROM memory WHERE number <= :made",
                    "INSERT INTO words_basic (rowid, scope, text, about) SELECT rowid + :step, "
                    "scope, text, about FROM words_basic WHERE rowid <= :made",
                    "INSERT INTO analysed SELECT analyser, number + :step FROM analysed "
                    "WHERE number <= :made",
                    "INSERT INTO tag SELECT owner, tag, number + :step FROM tag "
                    "WHERE number <= :made",
                    "INSERT INTO link SELECT owner, source || '_' || :step, type, target, weight, "
                    "negative, created_at, touched_at FROM link WHERE type = 'refers_to' "
                    "AND source GLOB 'mem_*_????????????????'",
                    "INSERT INTO vector (embedder, number, owner, seq, live, data) SELECT "
                    "embedder, number + :step, owner, seq + :seq, live, data FROM vector "
                    "WHERE number <= :made",
                ):
                    base.execute(sql, step)
        marks = ("UPDATE house SET value = ? WHERE name LIKE 'covered:%' OR name = 'read:basic-1'",)
        base.execute(*marks, (str(size),))


def questions(texts: Texts, count: int) -> list[str]:
    """Return questions of three to five words, as a person would ask."""
    asked = []
    for at in range(count):
        pick = texts.random.choice
        if at % 2:
            rare = " ".join(texts.some(1))
            asked.append(f"{pick(WHO)}이 {pick(WHAT)} {rare} 언제 {pick(DID)[:-1]}지?")
        else:
            asked.append(f"what did {pick(WHO)} say about {' '.join(texts.some(3))}?")
    return asked


def ours(size: int, users: int, work: Path) -> dict[str, Any]:
    """Measure Saegim at one size."""
    path = work / f"saegim-{size}-{users}.db"
    texts = Texts()
    made = min(size, COPIED_FROM)
    with Saegim.open(path, user="user0") as memory:
        _meet(memory, made, users)
        rate, digest = fill(memory, texts, made, users)
    if size > made:
        grow(path, made, size, users)
        with Saegim.open(path, user="user0") as memory:
            memory.remember("one more, so that closing tidies the word index")
    cold = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "saegim", "--path", str(path), "--user", "user0", "--json",
             "recall", "언제 배포했지?"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        cold.append(time.perf_counter() - start)
    before = memory_mb()
    start = time.perf_counter()
    with Saegim.open(path, user="user0") as memory:
        opened = time.perf_counter() - start
        start = time.perf_counter()
        memory.recall("첫 질문")
        first = time.perf_counter() - start
        asked = questions(texts, QUERIES + 50)
        for each in asked[:50]:
            memory.recall(each)
        return {
            **_from_file_and_memory(memory, asked),
            "load rows/s": round(rate),
            "open ms": round(opened * 1000, 1),
            "first recall ms": round(first * 1000, 1),
            "cold command s": round(min(cold), 3),
            "recall": spread(timed(memory.recall, asked[50:])),
            "with the 11 features": spread(timed(_with_features(memory), asked[50:])),
            "context of 1,500 tokens": spread(timed(memory.context, asked[50:])),
            "recall, 1 % tag": spread(
                timed(lambda each: memory.recall(each, tags=["t7"]), asked[50:])
            ),
            "recall after a write": spread(
                timed(memory.recall, _writing_between(memory, texts, asked[50:150]))
            ),
            "remember": spread(timed(memory.remember, [texts.one() for _ in range(1000)])),
            **_kept(memory, texts),
            "fsync": spread(timed(_fsync(work), range(200))),
            "memory MB": round(memory_mb() - before, 1),
            "disk MB": round(sum(f.stat().st_size for f in work.glob(f"{path.name}*")) / 1e6, 1),
            "data": digest,
        }


def _from_file_and_memory(memory: Saegim, asked: list[str]) -> dict[str, Any]:
    """Measure what a recall computes from the file and from memory, beside its encoding."""
    store, embedder, some = memory.mind.store, memory.mind.embedder, asked[50:250]
    given, before = store.settle_resident(0), memory_mb()
    from_file = spread(worked(memory.recall, some))
    store.settle_resident(given)
    start = time.thread_time()
    store.prepare(memory.scope)
    made, held = time.thread_time() - start, memory_mb() - before
    for each in some[:20]:
        memory.recall(each)
    encoding = spread(worked(lambda each: embedder.embed([f"{each} x"], "query"), some))
    from_memory = spread(worked(memory.recall, some))
    return {
        "ruler, CPU ms": ruler(),
        "encoding, CPU": encoding,
        "recall from file, CPU": from_file,
        "recall from memory, CPU": from_memory,
        "beside encoding, CPU": {
            "file": round(from_file["p50"] - encoding["p50"], 2),
            "memory": round(from_memory["p50"] - encoding["p50"], 2),
        },
        "made in CPU s": round(made, 2),
        "index MB": round(held, 1),
    }


def _kept(memory: Saegim, texts: Texts) -> dict[str, Any]:
    """Measure what keeping computes: with all that is read, in its first act alone, in its second.

    The memory of the second is open without its background, so that both acts can be told apart.
    """
    embedder, path = memory.mind.embedder, memory.mind.store.path
    words = [texts.one() for _ in range(400)]
    encoding = spread(worked(lambda each: embedder.embed([f"{each} x"], "document"), words[:100]))
    with Saegim.open(path, user="user0", background=False) as quiet:
        first = worked(lambda each: quiet.remember(each, wait=False), words[200:])
        start = time.thread_time()
        list(quiet.maintenance.work())
        second = (time.thread_time() - start) / len(first)
        judged = worked(lambda each: quiet.observe(each, session="bench"), words[:100])
    return {
        "encoding a memory, CPU": encoding,
        "remember, CPU": spread(worked(memory.remember, words[100:200])),
        "remember, first act, CPU": spread(first),
        "second act, CPU ms each": round(1000 * second, 2),
        "observe, CPU": spread(judged),
    }


def _with_features(memory: Saegim) -> Callable[[str], object]:
    """Return recall as it will be with a reranker: the eleven features of every hit computed."""
    store = memory.mind.store

    def ask(question: str) -> object:
        found = memory.recall(question)
        terms = store.words.analyser().query(question)
        return features(found.hits, question, terms, scope=memory.scope, store=store)

    return ask


def _writing_between(memory: Saegim, texts: Texts, asked: list[str]) -> Iterator[str]:
    for each in asked:
        memory.remember(texts.one())
        yield each


def _fsync(work: Path) -> Callable[[Any], object]:
    """Return what one fsync of four kilobytes costs here: the floor under every durable write."""
    handle = os.open(work / "fsync", os.O_CREAT | os.O_WRONLY)

    def once(_: Any) -> None:
        os.pwrite(handle, b"x" * 4096, 0)
        os.fdatasync(handle)

    return once


def peers(size: int, work: Path) -> dict[str, Any]:
    """Measure numpy brute force, sqlite-vec and chromadb with ready-made vectors."""
    from saegim.engines.hashed import Hashed

    texts, embedder = Texts(), Hashed()
    words = [texts.one() for _ in range(size)]
    rows = np.concatenate(
        [codes(embedder.embed(words[at : at + 2000], "document")) for at in range(0, size, 2000)]
    )
    asked = [code(each) for each in embedder.embed(questions(texts, 60), "query")]
    users = np.arange(size) % USERS
    return {
        "numpy brute force": _numpy(rows, users, asked),
        "sqlite-vec": _sqlite_vec(rows, users, asked, work),
        "chromadb": _chroma(rows, users, asked, words, work),
    }


def _numpy(rows: Any, users: Any, asked: list[Any]) -> dict[str, Any]:
    def whole(query: Any) -> Any:
        return np.argpartition(-(rows @ query), 9)[:10]

    mine = np.flatnonzero(users == 0)

    def part(query: Any) -> Any:
        return mine[np.argsort(-(rows[mine] @ query))[:10]]

    return {"all": spread(timed(whole, asked)), "one user of 100": spread(timed(part, asked))}


def _sqlite_vec(rows: Any, users: Any, asked: list[Any], work: Path) -> dict[str, Any]:
    import sqlite_vec

    base = apsw.Connection(str(work / "vec.db"))
    base.enable_load_extension(True)
    base.load_extension(sqlite_vec.loadable_path())
    base.execute(f"CREATE VIRTUAL TABLE v USING vec0(user TEXT, e float[{rows.shape[1]}])")
    with base:
        base.executemany(
            "INSERT INTO v(rowid, user, e) VALUES (?, ?, ?)",
            ((at + 1, f"u{users[at]}", rows[at].tobytes()) for at in range(len(rows))),
        )
    find = "SELECT rowid, distance FROM v WHERE e MATCH ? {} ORDER BY distance LIMIT 10"

    def ask(query: Any, only: str = "") -> object:
        return base.execute(find.format(only), (query.tobytes(),)).fetchall()

    return {
        "all": spread(timed(ask, asked)),
        "one user of 100": spread(timed(lambda query: ask(query, "AND user = 'u0'"), asked)),
    }


def _chroma(
    rows: Any, users: Any, asked: list[Any], words: list[str], work: Path
) -> dict[str, Any]:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(
        str(work / "chroma"), settings=Settings(anonymized_telemetry=False)
    )
    pile = client.create_collection("memories", metadata={"hnsw:space": "cosine"})
    for at in range(0, len(rows), 2000):
        part = slice(at, at + 2000)
        pile.add(
            ids=[str(i) for i in range(at, min(at + 2000, len(rows)))],
            embeddings=rows[part],
            documents=words[part],
            metadatas=[{"user": f"u{user}"} for user in users[part]],
        )

    def ask(query: Any, where: dict[str, str] | None = None) -> object:
        return pile.query(query_embeddings=[query.tolist()], n_results=10, where=where)

    return {
        "all": spread(timed(ask, asked)),
        "one user of 100": spread(timed(lambda query: ask(query, {"user": "u0"}), asked)),
    }


def show(title: str, result: dict[str, Any]) -> None:
    """Print one result so that a person can read it."""
    print(f"\n{title}")
    for name, value in result.items():
        if isinstance(value, dict):
            value = "  ".join(f"{inner} {number}" for inner, number in value.items())
        print(f"  {name:24} {value}")


def growth(results: dict[str, Any]) -> None:
    """Draw how the median of a recall grows with the number of memories."""
    rows = [(name, each["recall"]["p50"]) for name, each in results.items() if "recall" in each]
    widest = max((p50 for _, p50 in rows), default=1.0)
    print("\nmedian of a recall, ms")
    for name, p50 in rows:
        print(f"  {name:40} {'#' * max(1, round(40 * p50 / widest)):40} {p50:.1f}")


def main() -> None:
    """Measure each size and print tables and, if asked, JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="5000,100000")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path, help="keep the stores here")
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        for size in map(int, given.sizes.split(",")):
            for users in (1, USERS):
                title = f"saegim, {size:,} memories, {users} user{'s' if users > 1 else ''}"
                results[title] = ours(size, users, work)
                show(title, results[title])
            if size <= 100_000 and not given.no_peers:
                for name, value in peers(size, Path(tempfile.mkdtemp(dir=work))).items():
                    results[f"{name}, {size:,}"] = value
                    show(f"{name}, {size:,} vectors", value)
    growth(results)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
