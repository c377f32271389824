"""Graphs and working memories for these tests, and what they are compared by."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

from saegim import FixedClock, Saegim
from saegim.engines.embedder import Embedder
from saegim.engines.hashed import Hashed
from saegim.guard.guard import screen
from saegim.session.graph import SessionGraph
from saegim.session.nodes import GraphSettings
from saegim.session.working import WorkingMemory

SECRET = "sk-" + "proj-" + "".join(random.Random(5).choices("ABCdef0123456789ghiJKL", k=48))
_WORDS = (
    "배포 일정 회의 예산 보고서 고객 서버 오류 로그 백업 계약 송장 여행 숙소 항공권 점심 운동 수영 "
    "deploy budget report customer server error backup invoice travel lunch swim garden kettle"
).split()


def graph(
    clock: FixedClock | None = None, embedder: Embedder | None = None, **settings: Any
) -> SessionGraph:
    """Return an empty graph; hashed n-grams unless another embedder is given."""
    made = GraphSettings(**settings)
    return SessionGraph(embedder or Hashed(), clock or FixedClock(), made)


def working(memory: Saegim, folder: Path, **options: Any) -> WorkingMemory:
    """Return the working memory of an open Saegim."""
    return WorkingMemory(memory.mind, memory.scope, folder, **options)


def questions(count: int, seed: int = 1) -> list[str]:
    """Return different questions, always the same ones for a seed.

    Words drawn at random now and then read like a secret told; those are not what is tested here.
    """
    dice = random.Random(seed)
    drawn = (f"{' '.join(dice.sample(_WORDS, 5))} {seed}-{number}?" for number in itertools.count())
    return list(itertools.islice((text for text in drawn if not screen(text).findings), count))


def shape(made: SessionGraph) -> tuple[Any, ...]:
    """Return everything a graph holds, in a form that can be compared."""
    nodes = sorted(made.nodes(), key=lambda node: node.id)
    edges = sorted(made.edges(), key=lambda link: link.key)
    return nodes, edges
