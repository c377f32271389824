"""Does a recall still give the same answers? Every hit and every number of it, beside an older run.

    python bench/same_answers.py FOLDER --write before.json      (with the older code)
    python bench/same_answers.py FOLDER --against before.json    (with the newer)

Two stores are made in the folder, if they are not there: notes, and conversations with sessions,
authors, projects, ties and contradictions. Each question is asked plainly and under filters, of the
file and of the index in memory. Compared are rows in their order, scores to twelve digits, the
explanation, the paths, and the block for a prompt. Every run asks a copy: ids are made by chance,
and equal ties go by them.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from latency import Texts, questions
from saegim import FixedClock, Saegim, Scope
from saegim.memory.changes import Linked, Saved
from saegim.memory.entities import CONTRADICTS, REFERS_TO, Entity, Link
from saegim.perceive.build import placed
from saegim.perceive.moment import moment_of
from saegim.recall.explain import numbers
from saegim.store.commit import Batch

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
# What questions of chance words do not ask: times, quotes, amounts, an agenda, nothing at all.
ALSO = (
    "내일 뭐 있어?", "이번 주 일정", "지난주에 뭐 했지?", "what happened in March?",
    "4월에 민호가 뭐 했지?", '"커피를 좋아한다"라고 언제 말했지?', "생일 언제야?",
    "how many people came?",
    "몇 명이 왔지?", "커피 녹차 배포 회의 서버", "Jane", "zzz qqq", "?", "네가 뭐라고 했지?",
    "what did you say about coffee?", "4월 3일에 무슨 일이 있었지?",
    "the of and to in", "전체 요약: 서버",
)  # fmt: skip
FILTERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "tag": {"tags": ["t7"]},
    "author": {"author": "민호"},
    "more": {"limit": 30, "near_misses": True},
    "old": {"states": ["active", "superseded"]},
    "during": {"since": FIRST + timedelta(days=30), "until": FIRST + timedelta(days=60)},
    "as of": {"as_of": FIRST + timedelta(days=50)},
}
SAID = (
    "나는 커피를 좋아한다", "이제 커피를 싫어한다. 녹차로 바꿨다", "My sister Jane lives in Busan",
    "Jane moved to Seoul last week", "내 생일은 5월 3일이다", "매달 15일에 월세를 낸다",
    "내일 3시에 치과 예약이 있다", "다음 주 화요일에 발표가 있다",
)  # fmt: skip


def told(at: int, chance: random.Random, *, talk: bool) -> tuple[Scope, dict[str, Any]]:
    """Return whose the memory is and what is told beside its words."""
    when = FIRST + timedelta(minutes=47 * at)
    about: dict[str, Any] = {"tags": [f"t{at % 37}"], "happened_at": when}
    if not talk:
        return Scope("me"), about
    if at % 5 == 0:
        about["author"] = chance.choice(["민호", "Jane"])
    about["sequence"] = at % 23 + 1
    project = chance.choice(["", "", "p1", "p2"])
    return Scope("me", "", project, f"s{at // 23}"), about


def fill(memory: Saegim, size: int, *, talk: bool) -> None:
    """Keep so many texts, with ties to whom they name and some that contradict each other."""
    mind, texts, chance = memory.mind, Texts(3 + talk), random.Random(11)
    for begin in range(0, size, 250):
        made = [
            placed(moment_of(scope, texts.one() + "?" * (at % 9 == 0), about), mind)
            for at in range(begin, begin + 250)
            for scope, about in [told(at, chance, talk=talk)]
        ]
        names = [(each, name) for each in made for name in ("커피", "Jane") if name in each.text]
        ties = [
            Link(source=each.id, type=REFERS_TO, target=Entity(name=name).key)
            for each, name in names
        ]
        pairs = zip(made[::40], made[1::40], strict=True)
        ties += [Link(source=a.id, type=CONTRADICTS, target=b.id) for a, b in pairs]
        vectors = mind.embedder.embed([each.text for each in made], "document")
        batch = Batch(
            "me",
            [*map(Saved, made), *map(Linked, ties)],
            actor="bench",
            at=mind.now(),
            vectors={each.id: vector for each, vector in zip(made, vectors, strict=True)},
            identity=mind.embedder.identity,
            collapse=False,
        )
        mind.store.commit(batch)
    for text in SAID:
        memory.remember(text)


def answer(memory: Saegim, question: str, about: dict[str, Any]) -> list[Any]:
    """Return everything that an answer says, its trace aside."""
    found = memory.recall(question, **about)
    hits = [[hit.number, hit.score, hit.weighed.recency, numbers(hit)] for hit in found.hits]
    paths = [[path.name, path.ran, path.found, path.why] for path in found.paths]
    return [hits, paths, found.candidates, found.below_floor, [t.surface for t in found.terms]]


def answers(memory: Saegim, asked: list[str]) -> Iterator[tuple[str, list[Any]]]:
    """Ask everything of the file, then of the index in memory."""
    store = memory.mind.store
    given = store.settle_resident(0)
    for held in ("file", "memory"):
        if held == "memory":
            store.settle_resident(given)
            store.prepare(memory.scope)
        for question in asked:
            for name, about in FILTERS.items():
                yield f"{held}, {name}: {question}", answer(memory, question, about)
            # Its first line and its last carry a boundary that is new each time.
            shown = memory.context(question).text.splitlines()[1:-1]
            yield f"{held}, context: {question}", shown


def alike(one: Any, other: Any) -> bool:
    """Say whether two answers say the same, numbers up to how they were rounded."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return bool(one == other)


def opened(path: Path, embedder: str) -> Saegim:
    """Open a store on one and the same day; what was shown does not count as recent."""
    return Saegim.open(
        path,
        user="me",
        clock=FixedClock(NOW),
        background=False,
        embedder=embedder,
        traces=False,
    )


def main() -> None:
    """Ask, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--embedder", default="static")
    given = parser.parse_args()
    found: dict[str, list[Any]] = {}
    asked = [*questions(Texts(5), given.questions), *ALSO]
    for talk in (False, True):
        name = "talk" if talk else "notes"
        kept = given.folder / f"{name}.db"
        if not kept.exists():
            with opened(kept, given.embedder) as memory:
                fill(memory, given.size, talk=talk)
        with (
            tempfile.TemporaryDirectory() as work,
            opened(Path(shutil.copy(kept, work)), given.embedder) as memory,
        ):
            for about, each in answers(memory, asked):
                found[f"{name}, {about}"] = json.loads(json.dumps(each))
    print(f"{len(found)} answers")
    if given.write:
        given.write.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    if given.against:
        before = json.loads(given.against.read_text(encoding="utf-8"))
        other = [name for name in found if not alike(before.get(name), found[name])]
        print(f"{len(other)} differ", *other[:10], sep="\n")
        sys.exit(bool(other))


if __name__ == "__main__":
    main()
