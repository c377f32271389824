"""Does what is learned beat its rule? Decisions on lives, and the order of answers by shape.

    python bench/learn.py [--data FOLDER] [--half open|frozen] [--seeds 5] [--talks 2] [--beam 18]
                          [--asked 60] [--plots FOLDER]

Decisions: every user turn of a life that must be kept (M, C) or should pass (S, K, P) is judged as
it comes. The rule's word stands beside a bandit and an enhanced policy that learned on the *other*
open lives from a person's yes or no to each of their own choices: alone on every turn, and put in
charge only where the rules are unsure (phase 2). Accuracy and mean reward (+1 right, -1 wrong),
with the spread over seeds. `--half frozen` reads the frozen lives, which is counted: the learners
then learn on all open lives.

Order: LoCoMo, BEAM-500K, the tuning half of the Korean set and the open lives are asked; the
reranker learns on the answers of all shapes but one and orders that one; beside it stands the one
that ships, which has seen none of them. Nothing learned here ships. `--talks`, `--beam` and
`--asked` say how much is taken: conversations of LoCoMo, every n-th chat, questions of each.

With `--plots` the learning curves are drawn: decisions by how many lives were learned from, the
order by how many answers, each with its interval over seeds and its rule.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import fusion
from curves import draw, interval
from life import FOLDER, read
from lives import count_reading
from saegim import FixedClock, Saegim
from saegim.learn.policy import ACTIONS, Policy, enhanced_policy
from saegim.learn.reranker import LearnedReranker, reciprocal_rank
from saegim.perceive.learned import fresh_reranker, starting_vectors
from saegim.recall.rank import features

KEEP, PASS = "MC", "SKP"
SHAPES = ("locomo 1-5", "beam", "korean", "lives ko", "lives en")
TOP, WIDE = 5, 10


@dataclass(slots=True)
class Decided:
    """The turns of one life: features, meaning, what to keep, what the rule did, where unsure."""

    name: str
    states: list[np.ndarray] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    keep: list[bool] = field(default_factory=list)
    ruled: list[bool] = field(default_factory=list)
    unsure: list[bool] = field(default_factory=list)
    meanings: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.float32))


def decided(path: Path, folder: Path) -> Decided:
    """Let a life be heard and judged by the rule, turn by turn."""
    life, made = read(path), Decided(path.stem)
    clock = FixedClock()
    with Saegim.open(folder / f"{path.stem}.db", clock=clock, background=False) as memory:
        for turn in life.turns:
            if turn.role != "user":
                continue
            clock.at = turn.at
            seen = memory.observe(turn.text, session=turn.session).decision
            if turn.label in KEEP + PASS and turn.label:
                made.states.append(np.array(seen.state.vector(), np.float32))
                made.texts.append(turn.text)
                made.keep.append(turn.label in KEEP)
                made.ruled.append(seen.keeps)
                made.unsure.append(seen.phase == 2)
        told = memory.mind.embedder.embed(made.texts, "document")
    made.meanings = np.asarray(told, np.float32)
    return made


def rows_of(life: Decided, *, large: bool) -> np.ndarray:
    """Return the states of a life as a policy sees them."""
    states = np.stack(life.states)
    return np.hstack([life.meanings, states]) if large else states


# Many lives are judged by what the same others taught.
_TAUGHT: dict[tuple[tuple[str, ...], bool, int], Policy] = {}


def taught(lives: Sequence[Decided], *, large: bool, seed: int, rounds: int = 3) -> Policy:
    """Let a policy act on these lives and be told yes or no to what it did."""
    known = tuple(each.name for each in lives), large, seed
    if known in _TAUGHT:
        return _TAUGHT[known]
    if large:
        policy = enhanced_policy(lives[0].meanings.shape[1], seed=seed)
        policy.drift = float("inf")
    else:
        policy = Policy(starting_vectors().get("policy"), seed=seed, drift=float("inf"))
    drawn, draw = np.random.default_rng(seed), 0
    rows = np.vstack([rows_of(each, large=large) for each in lives])
    keep = np.concatenate([each.keep for each in lives])
    for _ in range(rounds):
        order = drawn.permutation(len(rows))
        for start in range(0, len(order), 8):
            some = order[start : start + 8]
            made = [policy.choose(rows[at], draw + n).action for n, at in enumerate(some)]
            acts = [ACTIONS.index(each) for each in made]
            draw += len(some)
            right = [(act == 0) == keep[at] for act, at in zip(acts, some, strict=True)]
            said = [1.0 if each else -1.0 for each in right]
            policy.learn(rows[some], acts, said, draw=draw)
    _TAUGHT[known] = policy
    return policy


def chosen(policy: Policy, life: Decided, *, large: bool) -> np.ndarray:
    """Return whether the policy would keep each turn."""
    rows = rows_of(life, large=large)
    return np.array([policy.choose(row).best == "save" for row in rows])


def decisions(learn_on: dict[str, Sequence[Decided]], lives: Sequence[Decided], seeds: int) -> None:
    """Print how rule, bandit and enhanced policy decide on lives that no learner has seen."""
    keep = np.concatenate([each.keep for each in lives])
    unsure = np.concatenate([each.unsure for each in lives])
    rule = np.concatenate([each.ruled for each in lives])
    print(f"\n== decisions: {len(keep)} turns of {len(lives)} lives, {unsure.sum()} of them unsure")
    print(f"{'':24}{'accuracy':>10}{'reward':>9}   where unsure: accuracy   reward")
    told("rule", [rule == keep], [(rule == keep)[unsure]])
    for name, large in (("bandit", False), ("enhanced", True)):
        whole, region, hybrid = [], [], []
        for seed in range(seeds):
            done = np.concatenate([
                chosen(taught(learn_on[each.name], large=large, seed=seed), each, large=large)
                for each in lives
            ])  # fmt: skip
            mixed = np.where(unsure, done, rule)
            whole.append(done == keep)
            region.append((done == keep)[unsure])
            hybrid.append(mixed == keep)
        told(f"{name}, alone", whole, region)
        told(f"{name}, where unsure", hybrid, region)


def told(name: str, whole: Sequence[np.ndarray], region: Sequence[np.ndarray]) -> None:
    """Print one row: the mean over seeds and its 95 % interval."""
    parts = []
    for found in (whole, region):
        mean, wide = interval([each.mean() if len(each) else np.nan for each in found])
        parts.append(f"{mean:.3f}±{wide:.3f} {2 * mean - 1:+.3f}")
    print(f"{name:24}{parts[0]:>20}{parts[1]:>24}")


def curve(
    learn_on: dict[str, Sequence[Decided]], lives: Sequence[Decided], seeds: int, plots: Path | None
) -> None:
    """Print how accuracy grows with what was learned from, on all lives that were left out."""
    keep = np.concatenate([each.keep for each in lives])
    counts = range(1, 1 + min(len(learn_on[each.name]) for each in lives))
    curves: dict[str, list[tuple[float, float]]] = {"bandit, alone": [], "enhanced, alone": []}
    for count in counts:
        for name, large in (("bandit, alone", False), ("enhanced, alone", True)):
            shares = []
            for seed in range(seeds):
                done = [
                    chosen(
                        taught(learn_on[each.name][:count], large=large, seed=seed),
                        each,
                        large=large,
                    )
                    for each in lives
                ]
                shares.append(float((np.concatenate(done) == keep).mean()))
            curves[name].append(interval(shares))
    rule = float((np.concatenate([each.ruled for each in lives]) == keep).mean())
    print(f"\n== learning curve: accuracy by lives learned from (rule {rule:.3f})")
    for name, held in curves.items():
        print(f"{name:18}", "  ".join(f"{mean:.3f}±{wide:.3f}" for mean, wide in held))
    if plots is not None:
        draw(plots / "decisions.svg", "Decisions: accuracy", "lives learned from", list(counts),
             curves, {"rule": rule})  # fmt: skip


# -- order ----------------------------------------------------------------------------------------

Answer = tuple[np.ndarray, list[float], int]


def answers(corpus: fusion.Corpus, path: Path, asked: int, seed: int = 0) -> list[Answer]:
    """Keep a haystack and ask; return the features of the hits, their worth, and how many exist."""
    questions = list(corpus.questions)
    random.Random(seed).shuffle(questions)
    found = []
    # A busy machine must not answer by words alone while its embedder is still being read.
    settings: dict[str, Any] = {"durability": "fast", "semantic_patience": 60.0}
    with Saegim.open(path, background=False, **settings) as memory:
        place: dict[str, int] = {}
        for at, each in enumerate(corpus.documents):
            place.setdefault(memory.remember(**each).id, at)
        for _ in memory.maintenance.index():
            pass
        for text, right in questions[:asked]:
            hits = memory.recall(text, limit=WIDE)
            worth = [float(place.get(hit.memory.id, -1) in right) for hit in hits.hits]
            if hits.hits:
                scope, store = memory.scope, memory.mind.store
                rows = features(hits.hits, text, hits.terms, scope=scope, store=store)
                found.append((rows, worth, len(right)))
    return found


def measured(found: Sequence[Answer], reranker: LearnedReranker | None) -> tuple[float, float]:
    """Return recall@5 over evidence, and the mean reciprocal rank."""
    recalls, ranks = [], []
    for rows, worth, right in found:
        order = list(range(len(worth)))
        if reranker is not None:
            order = np.argsort(-reranker.scores(rows), kind="stable").tolist()
        recalls.append(sum(worth[at] for at in order[:TOP]) / right)
        ranks.append(reciprocal_rank(order, worth))
    return float(np.mean(recalls)), float(np.mean(ranks))


def trained(others: Sequence[Answer], seed: int) -> LearnedReranker:
    """Let a reranker learn on these answers, four times over."""
    reranker, drawn = LearnedReranker(seed=seed), np.random.default_rng(seed)
    for _ in range(4):
        for at in drawn.permutation(len(others)):
            reranker.learn(others[at][0], others[at][1])
    return reranker


def orders(shapes: dict[str, list[Answer]], seeds: int, plots: Path | None) -> None:
    """Leave each shape of talk out, learn on the others, and order it."""
    print("\n== order: recall@5 / MRR   fused        ships        left out (mean±95 % over seeds)")
    for name, found in shapes.items():
        fused, ships = measured(found, None), measured(found, fresh_reranker())
        others = [each for shape, some in shapes.items() if shape != name for each in some]
        gained = [measured(found, trained(others, seed)) for seed in range(seeds)]
        (mean, wide), (rank, rank_wide) = (interval([each[n] for each in gained]) for n in (0, 1))
        print(
            f"{name:12} {len(found):>4} asked  {fused[0]:.3f} / {fused[1]:.3f}  {ships[0]:.3f} / "
            f"{ships[1]:.3f}  {mean:.3f}±{wide:.3f} / {rank:.3f}±{rank_wide:.3f}"
        )
    if plots is not None:
        order_curve(shapes, seeds, plots)


def order_curve(shapes: dict[str, list[Answer]], seeds: int, plots: Path) -> None:
    """Draw how the order of a shape that was left out grows with the answers learned from."""
    most = min(sum(len(some) for shape, some in shapes.items() if shape != name) for name in shapes)
    counts = [round(most * share) for share in (0.1, 0.25, 0.5, 1.0)]
    held: list[tuple[float, float]] = []
    for count in counts:
        ranks = []
        for seed in range(seeds):
            drawn = np.random.default_rng(seed)
            found = []
            for name, some in shapes.items():
                others = [each for shape, more in shapes.items() if shape != name for each in more]
                part = [others[at] for at in drawn.permutation(len(others))[:count]]
                found.append(measured(some, trained(part, seed))[1])
            ranks.append(float(np.mean(found)))
        held.append(interval(ranks))
    fused = float(np.mean([measured(some, None)[1] for some in shapes.values()]))
    print("learning curve, MRR:", "  ".join(f"{n}: {m:.3f}±{w:.3f}" for n, (m, w) in
                                            zip(counts, held, strict=True)))  # fmt: skip
    draw(plots / "order.svg", "Order: MRR, mean of shapes left out", "answers learned from", counts,
         {"reranker": held}, {"fused order": fused})  # fmt: skip


def main() -> None:
    """Measure decisions, and with a folder of data also the order of answers."""
    given = argparse.ArgumentParser()
    given.add_argument("--data", type=Path)
    given.add_argument("--plots", type=Path)
    given.add_argument("--half", choices=("open", "frozen"), default="open")
    for name, usual in (("seeds", 5), ("talks", 2), ("beam", 18), ("asked", 60)):
        given.add_argument(f"--{name}", type=int, default=usual)
    options: Any = given.parse_args()
    if options.plots is not None:
        options.plots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        open_lives = [decided(each, folder) for each in sorted(FOLDER.glob("*.jsonl"))]
        if options.half == "frozen":
            files = sorted((FOLDER / "frozen").glob("*.jsonl"))
            print(f"reading {count_reading(files)} of the frozen half")
            measured_on = [decided(each, folder) for each in files]
            learn_on = {each.name: open_lives for each in measured_on}
        else:
            measured_on = open_lives
            learn_on = {
                one.name: [other for other in open_lives if other is not one] for one in open_lives
            }
        decisions(learn_on, measured_on, options.seeds)
        curve(learn_on, measured_on, options.seeds, options.plots)
        if options.data is None or options.half == "frozen":
            return
        talks = list(fusion.locomo(options.data))[: min(options.talks, 5)]
        chats = fusion.beam(options.data, options.beam)
        corpora = [*talks, *chats, *fusion.korean(), *fusion.lives()]
        shapes: dict[str, list[Answer]] = {}
        for number, corpus in enumerate(corpora):
            some = answers(corpus, folder / f"{number}.db", options.asked)
            shapes.setdefault(corpus.shape, []).extend(some)
        orders(shapes, options.seeds, options.plots)


if __name__ == "__main__":
    main()
