"""Is it useful after weeks of living with it? Invented lives, replayed with a moved clock.

    python bench/lives.py [--half open|frozen|all] [--rows floor,alone,...] [--only ko_a] [--json F]

Each life of `bench/data/lives` (its card says what a life is) is told to a memory turn by turn, a
night after every day, and then its questions are asked. The rows:

    floor      every user turn kept, the first ten by BM25; no memory system at all
    floor@     the same, cut to the tokens that `comes` takes on average
    fusion     the same turns, 0.4 BM25 + 0.6 cosine of the default embedder, ten
    alone      retrieval alone: every must-remember turn remembered outright, no nights
    judged     own judgement (`observe`), no nights
    comes      as it comes: `observe` of both sides, a night after every day
    used       as it comes, `context` asked before each prompt, so that use is counted

Whoever reads the frozen half is counted in `bench/data/lives/frozen/readings.txt`.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from life import EMPTY, FOLDER, Life, Question, Turn, holds, plain, read
from recall_quality import Bm25
from saegim import FixedClock, Saegim
from saegim.engines.tokens import estimate
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import State
from saegim.sleep.flow import sleep_if_due

ROWS = ("floor", "floor@", "fusion", "alone", "judged", "comes", "used")
SHOWN = 10
MUST = "MC"
# What no card should come from: small talk, logs, other people's texts, what was to be forgotten.
JUNK = "SKPNF"
READINGS = FOLDER / "frozen" / "readings.txt"


@dataclass(slots=True)
class Asked:
    """What came back for one question."""

    question: Question
    text: str
    tokens: int
    ranked: list[str] = field(default_factory=list)
    cards: list[tuple[str, str]] = field(default_factory=list)  # (turn id or "", words)

    @property
    def answered(self) -> bool:
        """True when the block holds the answer."""
        return holds(self.text, self.question.answer)

    def evidence(self, k: int) -> bool:
        """True when a turn that answers is among the first k."""
        return bool(set(self.question.evidence) & set(self.ranked[:k]))


# -- without a memory system ----------------------------------------------------------------------


def floor(life: Life, budget: float | None = None) -> Iterator[Asked]:
    """Keep every user turn; show the first ten by BM25, or as many as fit a budget."""
    turns = life.of_user()
    index = Bm25([each.text for each in turns])
    for question in life.questions:
        order = index.ranked(question.text)
        yield _shown(question, [turns[at] for at in order], budget)


def fusion(life: Life, embed: Any) -> Iterator[Asked]:
    """Keep every user turn; show the first ten by plain fusion of BM25 and cosine."""
    turns = life.of_user()
    index = Bm25([each.text for each in turns])
    held = np.asarray(embed([each.text for each in turns], "document"))
    for question in life.questions:
        asked = np.asarray(embed([question.text], "query"))[0]
        words = np.zeros(len(turns))
        scores = index.scores(question.text)
        for at, score in scores.items():
            words[at] = score
        fused = 0.4 * words / max(words.max(), 1e-9) + 0.6 * (held @ asked)
        yield _shown(question, [turns[at] for at in np.argsort(-fused, kind="stable")], None)


def _shown(question: Question, turns: Sequence[Turn], budget: float | None) -> Asked:
    shown: list[Turn] = []
    spent = 0
    for turn in turns[: None if budget else SHOWN]:
        cost = estimate(turn.text)
        if budget and spent + cost > budget and shown:
            break
        shown.append(turn)
        spent += cost
    text = "\n".join(each.text for each in shown)
    ranked = [each.id for each in turns[:50]]
    return Asked(question, text, spent, ranked, [(each.id, each.text) for each in shown])


# -- with ours ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Lived:
    """A memory that has lived through a life, and which turn each memory comes from."""

    life: Life
    memory: Saegim
    clock: FixedClock
    home: Path
    turn_of: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    said: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def note(self, turn: Turn, kept: Iterable[Any], facts: Iterable[Any] = ()) -> None:
        """Remember which memories a turn became."""
        for each in (*kept, *facts):
            self.turn_of.setdefault(each.memory.id, turn.id)
        if kept:
            self.kept.add(turn.id)

    def source(self, id: str) -> str:
        """Return the turn a memory comes from; of what a night made, the first of its sources."""
        if id in self.turn_of:
            return self.turn_of[id]
        memory = self.memory.get(id, exact=True)
        if memory.provenance.turn in self.turn_of:
            return self.turn_of[memory.provenance.turn]
        links = self.memory.mind.store.links.of(self.memory.scope, [id], (DERIVED_FROM,))
        turns = [self.turn_of[link.target] for link in links if link.target in self.turn_of]
        return turns[0] if turns else ""


def live(life: Life, home: Path, row: str, **settings: Any) -> Lived:
    """Tell a memory one life as this row wants it."""
    began = time.perf_counter()
    clock = FixedClock(life.turns[0].at - timedelta(hours=1))
    memory = Saegim.open(home / "saegim.db", clock=clock, timezone=life.zone, **settings)
    lived = Lived(life, memory, clock, home)
    day = life.turns[0].at.date()
    nights = row in ("comes", "used")
    for turn in life.turns:
        if nights:
            _sleep_until(lived, day, turn.at.date())
        day = turn.at.date()
        clock.at = turn.at
        _tell(lived, turn, row)
    if nights:
        _sleep_until(lived, day, life.end.date())
    clock.at = life.end
    lived.seconds = time.perf_counter() - began
    return lived


def _tell(lived: Lived, turn: Turn, row: str) -> None:
    where = lived.memory.within(project=turn.project) if turn.project else lived.memory
    if row == "alone":
        if turn.label and turn.label in MUST:
            lived.note(turn, [where.remember(turn.text, session=turn.session)])
        return
    if row == "used" and turn.role == "user":
        where.context(turn.text)
    seen = where.observe(turn.text, role=turn.role, session=turn.session)
    lived.note(turn, seen.kept, seen.facts)
    lived.said[turn.id] = seen.decision


def _sleep_until(lived: Lived, day: date, until: date) -> None:
    """Sleep the due night of every day from one to another."""
    while day < until:
        day += timedelta(days=1)
        zone = lived.life.turns[0].at.tzinfo
        lived.clock.at = datetime(day.year, day.month, day.day, 3, 31, tzinfo=zone)
        sleep_if_due(lived.memory.scope, lived.memory.mind)


def ask(lived: Lived) -> Iterator[Asked]:
    """Ask every question of a life, as a session of no project would."""
    for question in lived.life.questions:
        context = lived.memory.context(question.text)
        found = lived.memory.recall(question.text, limit=SHOWN)
        ranked = list(dict.fromkeys(lived.source(hit.memory.id) for hit in found.hits))
        cards = [(lived.source(each.id), each.words) for each in context.cards]
        yield Asked(question, context.text, context.tokens, ranked, cards)


def talked(lived: Lived) -> float:
    """Return which share of the life's own small talk, said once more, would be given a block."""
    small = [each for each in lived.life.of_user() if each.label == "S"]
    return _mean(bool(lived.memory.context(each.text).text) for each in small)


# -- what is counted ------------------------------------------------------------------------------


def table(life: Life, asked: Sequence[Asked]) -> dict[str, float]:
    """Return the numbers of one row for one life."""
    labels = {each.id: each.label for each in life.turns}
    answerable = [each for each in asked if each.question.kind not in EMPTY]
    never = [each for each in asked if each.question.kind == "never"]
    forgot = [each for each in asked if each.question.kind == "forgot"]
    changed = [each for each in answerable if each.question.outdated]
    cards = [card for each in answerable for card in each.cards]
    old = [_outdated(each) for each in changed]
    holding = sum(
        holds(words, each.question.answer) for each in answerable for _, words in each.cards
    )
    return {
        "answer": _mean(each.answered for each in answerable),
        "r5": _mean(each.evidence(5) for each in answerable),
        "r10": _mean(each.evidence(10) for each in answerable),
        "tokens": _mean(each.tokens for each in answerable),
        "cards": _mean(len(each.cards) for each in answerable),
        "holding": holding / max(len(cards), 1),
        "junk": _mean(labels.get(id, "") in JUNK and labels.get(id, "") != "" for id, _ in cards),
        "made": _mean(not id for id, _ in cards),
        "old": _mean(bool(each) for each in old),
        "old first": _mean(each == "first" for each in old),
        "never empty": _mean(not each.text.strip() for each in never),
        "forgot": _mean(not holds(each.text, each.question.answer) for each in forgot),
    }


def _outdated(asked: Asked) -> str:
    """Say whether the outdated value is shown unmarked, and whether before the answer."""
    flat = [plain(words) for _, words in asked.cards]
    lines = asked.text.splitlines()
    for at, words in enumerate(flat):
        if any(plain(old) in words for old in asked.question.outdated):
            if holds(asked.cards[at][1], asked.question.answer):
                return ""
            marked = any(
                ("outdated" in line or "superseded" in line) and asked.cards[at][1][:20] in line
                for line in lines
            )
            if marked:
                continue
            first = not any(holds(each, asked.question.answer) for _, each in asked.cards[:at])
            return "first" if first else "shown"
    return ""


def kept(lived: Lived) -> dict[str, float]:
    """Return what became of the turns themselves: kept, findable, superseded, forgotten."""
    life, store = lived.life, lived.memory.mind.store
    mine = life.of_user()
    gone = {id for each in mine for id in (*each.supersedes, *each.forgets)}
    must = [each for each in mine if each.label in MUST]
    small = [each for each in mine if each.label == "S"]
    logs = [each for each in mine if each.label == "K"]
    replies = [each for each in life.turns if each.role == "assistant"]
    wanted = {id for each in life.questions for id in each.evidence}
    states: dict[str, set[State]] = {}
    for id, turn in lived.turn_of.items():
        memory = store.memories.get(lived.memory.scope, id)
        if memory is not None:
            states.setdefault(turn, set()).add(memory.life.state)
    still = [each for each in must if each.id not in gone]
    asleep = [each for each in still if states.get(each.id, set()) == {State.DORMANT}]
    # Asleep, a memory is found where nothing living answers: asked for in its own words among both.
    findable = [_finds(lived, each) for each in still]
    superseded = {turn for turn, held in states.items() if held == {State.SUPERSEDED}}
    corrected = {id for each in mine for id in each.supersedes}
    forgets = [id for each in mine for id in each.forgets]
    secrets = [each.secret for each in mine if each.secret]
    return {
        "must kept": _mean(each.id in lived.kept for each in must),
        "findable": _mean(findable),
        "asleep": len(asleep) / max(len(still), 1),
        "small kept": _mean(each.id in lived.kept for each in small),
        "logs kept": _mean(each.id in lived.kept for each in logs),
        "results kept": _mean(each.id in lived.kept for each in replies if each.id in wanted),
        "replies kept": _mean(each.id in lived.kept for each in replies if each.id not in wanted),
        "superseded right": len(superseded & corrected),
        "superseded wrong": len(superseded - corrected),
        "hidden must": sum(each.id in superseded - corrected for each in must),
        "changes": len(corrected),
        "forgotten": _mean(State.ACTIVE not in states.get(id, {State.FORGOTTEN}) for id in forgets),
        "secrets on disk": sum(_on_disk(lived.home, each) for each in secrets),
        "made by night": sum(
            memory.provenance.source.value in ("distillation", "reflection")
            for memory in lived.memory.recent(1000, everywhere=True).memories
        ),
    }  # fmt: skip


def _finds(lived: Lived, turn: Turn) -> bool:
    found = lived.memory.recall(
        turn.text[:500], limit=SHOWN, everywhere=True, states=["active", "dormant"]
    )
    return any(lived.source(hit.memory.id) == turn.id for hit in found.hits)


def _on_disk(home: Path, secret: str) -> bool:
    """Say whether a file holds a secret, other than as a part of some longer number."""
    told = re.compile(rb"(?<![0-9.])" + re.escape(secret.encode("utf-8")) + rb"(?![0-9])")
    return any(told.search(each.read_bytes()) for each in home.rglob("*") if each.is_file())


def _mean(values: Iterable[float]) -> float:
    held = [float(each) for each in values]
    return sum(held) / len(held) if held else float("nan")


# -- the run --------------------------------------------------------------------------------------


def measure(life: Life, rows: Sequence[str], embed: Any, **settings: Any) -> dict[str, Any]:
    """Measure one life in these rows."""
    found: dict[str, Any] = {}
    for row in rows:
        if row == "floor":
            found[row] = table(life, list(floor(life)))
        elif row == "fusion":
            found[row] = table(life, list(fusion(life, embed)))
        elif row != "floor@":
            with tempfile.TemporaryDirectory(prefix="saegim-life-") as folder:
                lived = live(life, Path(folder), row, **settings)
                found[row] = table(life, list(ask(lived)))
                found[row] |= {"talk shown": talked(lived), "seconds": lived.seconds}
                if row != "alone":
                    found[row] |= kept(lived)
                lived.memory.close()
    if "floor@" in rows and "comes" in found:
        budget = found["comes"]["tokens"]
        found["floor@"] = table(life, list(floor(life, budget)))
    return found


def lives_of(half: str, only: Sequence[str] = ()) -> list[tuple[Path, str]]:
    """Return the files of a half and which half each belongs to."""
    halves = {"open": FOLDER.glob("*.jsonl"), "frozen": (FOLDER / "frozen").glob("*.jsonl")}
    chosen = [half] if half != "all" else list(halves)
    paths = [(path, each) for each in chosen for path in sorted(halves[each])]
    return [(path, each) for path, each in paths if not only or path.stem in only]


def count_reading(files: Sequence[Path]) -> int:
    """Note that the frozen half was read; return how often that has happened."""
    lines = READINGS.read_text(encoding="utf-8").splitlines() if READINGS.is_file() else []
    names = " ".join(sorted(path.stem for path in files))
    lines.append(f"{len(lines) + 1}: {names}")
    READINGS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def show(results: dict[str, dict[str, Any]], rows: Sequence[str]) -> None:
    """Print one table for each row, a line for each life."""
    for row in rows:
        held = {name: found[row] for name, found in results.items() if row in found}
        if not held:
            continue
        heads = list(next(iter(held.values())))
        print(f"\n== {row}")
        print(" " * 10 + " ".join(f"{head:>8.8}" for head in heads))
        groups = [*held.items()]
        for language in ("ko", "en"):
            of_it = [each for name, each in held.items() if name.startswith(language)]
            if len(of_it) > 1:
                mean = {head: _mean(each[head] for each in of_it) for head in heads}
                groups.append((f"{language} mean", mean))
        for name, numbers in groups:
            cells = [f"{numbers[head]:8.{3 if numbers[head] < 10 else 0}f}" for head in heads]
            print(f"{name:10}{' '.join(cells)}")


def misses(life: Life, row: str, **settings: Any) -> None:
    """Print what one row does not answer, for whoever works on it; never for a frozen life."""
    with tempfile.TemporaryDirectory(prefix="saegim-life-") as folder:
        lived = live(life, Path(folder), row, **settings)
        turns = {each.id: each for each in life.turns}
        for turn in life.of_user():
            if turn.label in MUST and turn.id not in lived.kept:
                why = lived.said[turn.id].why if turn.id in lived.said else ""
                print(f"LOST {turn.id} {why} {turn.text[:110]}")
            if turn.label in "SK" and turn.id in lived.kept:
                print(f"JUNK {turn.id} {turn.text[:110]}")
        for each in ask(lived):
            if each.question.kind not in EMPTY and not each.answered:
                _tell_miss(each, turns)
        lived.memory.close()


def _tell_miss(asked: Asked, turns: dict[str, Turn]) -> None:
    question = asked.question
    print(f"\n{question.id} {question.kind}: {question.text} -> {question.answer}")
    for id in question.evidence:
        rank = asked.ranked.index(id) + 1 if id in asked.ranked else "-"
        print(f"   evidence {id} rank {rank}: {turns[id].text[:160]}")
    for id, words in asked.cards[:5]:
        print(f"   card {id}: {words[:110]}")


def main() -> None:
    """Measure the chosen lives and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="open", choices=("open", "frozen", "all"))
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--only", default="")
    parser.add_argument("--set", action="append", default=[], help="name=value of a setting")
    parser.add_argument("--misses", default="", help="a row whose misses are printed (open half)")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    only = [each for each in options.only.split(",") if each]
    files = lives_of(options.half, only)
    given = (each.partition("=") for each in options.set)
    settings = {
        name: json.loads(value) if value[:1] in '0123456789tf"' else value
        for name, _, value in given
    }
    frozen = [path for path, half in files if half == "frozen"]
    if frozen:
        print(f"the frozen half is read for the {count_reading(frozen)}. time")
    rows = [each for each in options.rows.split(",") if each]
    with tempfile.TemporaryDirectory(prefix="saegim-life-") as folder:
        memory = Saegim.open(Path(folder) / "saegim.db")
        embed = memory.mind.embedder.embed
        results: dict[str, dict[str, Any]] = {}
        for path, half in files:
            life = read(path)
            if options.misses:
                if half == "open":
                    misses(life, options.misses, **settings)
                continue
            print(f"{life.name} {half} sha256 {life.digest}", flush=True)
            results[life.name] = measure(life, rows, embed, **settings)
        memory.close()
    show(results, rows)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
