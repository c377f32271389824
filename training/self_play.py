"""Step 22: let simulated people talk to a memory, so that a fresh house starts from more than noise.

    python training/self_play.py [--users 60] [--look]   # writes the weights that ship, or only looks

Seed C, layer 6, SelfPlayConfig and DatasetConfig. Each simulated person has hidden facts, tells them,
changes some, makes small talk and asks; what a good secretary would do with a turn, and which memory
answers a question, is known. The policy acts and is rewarded; the reranker learns which hit answered.
People are split 80 : 10 : 10 into training, validation and test, as the seed splits its data; the best
of the rounds on validation ships, the test part is printed. No evaluation set is read. The same
command gives the same bytes on one machine. Numpy alone; a few minutes.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim import FixedClock, Saegim
from saegim.engines.brain.model import write
from saegim.learn.policy import ACTIONS, FEATURE_SCHEMA, Policy, accuracy
from saegim.learn.reranker import RERANKER_SCHEMA, LearnedReranker, frozen, reciprocal_rank
from saegim.perceive.build import hear
from saegim.perceive.decide_turn import state_of
from saegim.perceive.learned import STARTING
from saegim.recall.rank import features

# Seed C leaves these open: SelfPlayConfig (people, turns, rounds, seed), DatasetConfig (shares).
USERS, TURNS, ROUNDS, SEED = 60, 40, 6, 22
SHARES: Final = (0.8, 0.1, 0.1)
RATE, EPSILON = 0.05, 0.2
PATIENCE = 60.0
# What a good secretary's person says of each action: (save, skip, retrieve).
REWARDS: Final = {"tell": (1.0, -1.0, -0.5), "ask": (-0.5, -0.5, 1.0), "chat": (-0.5, 0.5, -0.3)}

# slot: values; how it is told; how it is asked; each in Korean and English.
FACTS: Final = {
    "city": (("부산", "대전", "전주", "Leeds", "Denver", "Oslo"),
             ("나 요즘 {} 살아", "{}로 이사 왔어", "집은 {}에 있어요"), ("내가 어디 산다고 했지?", "제 집이 어디죠?"),
             ("I live in {} now", "we moved to {} last year"), ("where do i live again?", "which city is home for me?")),
    "job": (("간호사", "목수", "번역가", "baker", "welder", "tax lawyer"),
            ("직업은 {}야", "저는 {}로 일해요"), ("내 직업이 뭐였지?", "제가 무슨 일을 하죠?"),
            ("I work as a {}", "my job: {}"), ("what do i do for a living?", "what's my job?")),
    "pet": (("고양이 나비", "강아지 두부", "거북이 초롱", "a cat called Juno", "a dog named Waffle", "two parrots"),
            ("우리 집엔 {}가 있어", "{} 키워요"), ("내가 키우는 동물이 뭐야?", "우리 집 동물 이름 기억나?"),
            ("I have {}", "at home there is {}"), ("which animal do i keep?", "what pet do i have?")),
    "allergy": (("복숭아", "새우", "메밀", "shellfish", "pollen", "almonds"),
                ("나 {} 알레르기 있어", "{} 먹으면 두드러기 나요"), ("내가 못 먹는 게 뭐였지?", "제 알레르기 기억하세요?"),
                ("I'm allergic to {}", "{} make me break out"), ("what am i allergic to?", "what should i not eat?")),
    "hobby": (("암벽 등반", "뜨개질", "첼로", "bouldering", "pottery", "birdwatching"),
              ("취미는 {}", "주말마다 {} 해요"), ("내 취미가 뭐였더라?", "제가 주말에 뭘 한다고 했죠?"),
              ("my hobby is {}", "on weekends I do {}"), ("what's my hobby?", "what do i do on weekends?")),
    "drink": (("보리차", "아이스 라떼", "유자차", "oat milk latte", "black tea", "ginger ale"),
              ("나는 {} 좋아해", "커피보다 {}가 좋아요"), ("내가 뭘 즐겨 마시지?", "제가 좋아하는 음료는요?"),
              ("I like {}", "my usual is {}"), ("what do i like to drink?", "what's my usual order?")),
    "plan": (("다음 달에 제주도", "가을에 이직", "5월에 마라톤", "a trip to Lisbon in May", "a move in autumn", "a half marathon"),
             ("{} 계획 중이야", "{} 준비하고 있어요"), ("내 계획이 뭐였지?", "제가 준비하는 게 뭐죠?"),
             ("I'm planning {}", "next up: {}"), ("what am i planning?", "what was my plan?")),
    "tool": (("파이썬 3.12", "리액트", "쿠버네티스", "Rust", "PostgreSQL 16", "Neovim"),
             ("우리 팀은 {} 써", "프로젝트는 {}로 하기로 했어요"), ("우리 팀이 뭘 쓰기로 했지?", "무슨 기술로 정했죠?"),
             ("our team uses {}", "we decided on {}"), ("what does our team use?", "which tool did we decide on?")),
}  # fmt: skip
CHAT: Final = {
    "ko": ("ㅋㅋㅋ", "안녕", "고마워", "오늘 덥다", "음 그래", "배고프다", "이거 번역해 줘: hello", "응", "잘 자",
           "재밌는 얘기 해 줘", "3 더하기 4는?", "날씨 좋네"),
    "en": ("lol", "hi", "thanks", "so hot today", "hm ok", "i'm hungry", "translate this: 안녕", "yep", "good night",
           "tell me a joke", "what is 3 plus 4", "nice weather"),
}  # fmt: skip
# What stands in memory beside the facts: others' lives, close to the question and no answer to it.
BESIDE: Final = {
    "ko": ("동생은 {}에 관심이 많다", "회사 동료가 {} 얘기를 했다", "{} 관련 기사를 읽었다"),
    "en": (
        "my brother talks about {} a lot",
        "a colleague mentioned {}",
        "read an article about {}",
    ),
}


@dataclass(slots=True)
class Person:
    """A simulated person: a language, a chance of their own, and what they have told so far."""

    number: int
    language: str
    drawn: random.Random
    told: dict[str, str] = field(default_factory=dict)

    def turns(self) -> Iterator[tuple[str, str, str]]:
        """Yield what the person says: the words, what kind of turn it is, and the slot."""
        for _ in range(TURNS):
            kind = self.drawn.choices(("tell", "ask", "chat"), (4, 3, 4))[0]
            if kind == "ask" and self.told:
                slot = self.drawn.choice(sorted(self.told))
                yield self.drawn.choice(FACTS[slot][2 if self.language == "ko" else 4]), "ask", slot
            elif kind == "chat":
                yield self.drawn.choice(CHAT[self.language]), "chat", ""
            else:
                slot = self.drawn.choice(sorted(FACTS))
                yield self.statement(slot), "tell", slot

    def statement(self, slot: str) -> str:
        """Tell a fact, or another value of one that was told before."""
        half = FACTS[slot][0][:3] if self.language == "ko" else FACTS[slot][0][3:]
        value = self.drawn.choice([each for each in half if each != self.told.get(slot)])
        self.told[slot] = value
        return self.drawn.choice(FACTS[slot][1 if self.language == "ko" else 3]).format(value)


@dataclass(slots=True)
class Lived:
    """What a person's talk came to: states with the kind of each turn, and answers with their worth."""

    states: list[np.ndarray] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    answers: list[tuple[np.ndarray, list[float]]] = field(default_factory=list)


def live(person: Person, folder: Path) -> Lived:
    """Let a person talk to a fresh memory, and note what was seen and what would have been right."""
    clock = FixedClock(datetime(2026, 3, 1, 9, tzinfo=UTC))
    made = Lived()
    latest: dict[str, str] = {}
    # A busy machine must not answer by words alone while its embedder is still being read.
    given: dict[str, Any] = {"clock": clock, "background": False, "semantic_patience": PATIENCE}
    with Saegim.open(folder / f"{person.number}.db", **given) as memory:
        mind, saves, asks = memory.mind, 0, 0
        for place, (text, kind, slot) in enumerate(person.turns()):
            clock.forward(hours=person.drawn.choice((1, 5, 30)))
            state = state_of(
                hear(text, mind).signs,
                turn_position=place % 20,
                memory_count=mind.store.memories.count_up_to(memory.scope, 1000),
                recent_saves=min(saves, 5),
                recent_retrievals=min(asks, 5),
            )
            made.states.append(np.array(state.vector(), np.float32))
            made.kinds.append(kind)
            if kind == "tell":
                saves += 1
                latest[slot] = memory.remember(text).id
                if person.drawn.random() < 0.5:
                    value = person.told[slot]
                    memory.remember(person.drawn.choice(BESIDE[person.language]).format(value))
            elif kind == "ask":
                asks += 1
                found = memory.recall(text, limit=8)
                # What was shown is written behind the answer: the next question must see it, or
                # how quick the machine was would be learned too.
                if mind.traces is not None:
                    mind.traces.flush()
                worth = [float(hit.memory.id == latest[slot]) for hit in found.hits]
                if 0 < sum(worth) < len(worth):
                    rows = features(
                        found.hits, text, found.terms, scope=memory.scope, store=mind.store
                    )
                    made.answers.append((rows, worth))
    return made


def play(policy: Policy, lives: Sequence[Lived], draw: int) -> int:
    """Let the policy act on every turn and be rewarded for what it did; return how many turns."""
    for each in lives:
        for state, kind in zip(each.states, each.kinds, strict=True):
            action = ACTIONS.index(policy.choose(state, draw).action)
            policy.learn(state[None], [action], [REWARDS[kind][action]])
            draw += 1
    return draw


def right(lives: Sequence[Lived]) -> tuple[np.ndarray, list[int]]:
    """Return all states, and what would have been right in each."""
    wanted = {"tell": 0, "chat": 1, "ask": 2}
    states = [state for each in lives for state in each.states]
    return np.stack(states), [wanted[kind] for each in lives for kind in each.kinds]


def ranked(
    reranker: LearnedReranker | None, lives: Sequence[Lived], *, still: bool = False
) -> float:
    """Return the mean reciprocal rank of what answers; without a reranker, of the fused order."""
    found = []
    for rows, worth in (answer for each in lives for answer in each.answers):
        order = list(range(len(worth)))
        if reranker is not None:
            seen = frozen(rows) if still else rows
            order = np.argsort(-reranker.scores(seen), kind="stable").tolist()
        found.append(reciprocal_rank(order, worth))
    return float(np.mean(found)) if found else 0.0


def people(count: int) -> list[Person]:
    """Return simulated people, Korean and English in turn, each with a chance of their own."""
    return [Person(n, ("ko", "en")[n % 2], random.Random(SEED * 1000 + n)) for n in range(count)]


def split(lives: Sequence[Lived]) -> tuple[Sequence[Lived], Sequence[Lived], Sequence[Lived]]:
    """Return who is learned from, who chooses among the rounds, and who is only tested on."""
    first, second = (round(len(lives) * each) for each in (SHARES[0], SHARES[0] + SHARES[1]))
    return lives[:first], lives[first:second], lives[second:]


def learned(taught: Sequence[Lived], watched: Sequence[Lived]) -> tuple[Policy, LearnedReranker]:
    """Learn round after round, and return what did best on those who were not learned from."""
    policy = Policy(seed=SEED, epsilon=EPSILON, rate=RATE, drift=float("inf"))
    reranker = LearnedReranker(seed=SEED)
    best_policy, best_order, draw = (-1.0, policy.weights()), (-1.0, reranker.weights()), 0
    for number in range(ROUNDS):
        draw = play(policy, taught, draw)
        for rows, worth in (answer for each in taught for answer in each.answers):
            reranker.learn(rows, worth)
            reranker.learn(frozen(rows), worth)
        share = accuracy(policy, *right(watched))
        rank = (ranked(reranker, watched) + ranked(reranker, watched, still=True)) / 2
        best_policy = max(best_policy, (share, policy.weights()), key=lambda each: each[0])
        best_order = max(best_order, (rank, reranker.weights()), key=lambda each: each[0])
        print(f"round {number + 1}: policy {share:.3f}, order {rank:.3f} (validation)")
    return policy.with_weights(best_policy[1]), LearnedReranker(best_order[1])


def main() -> None:
    """Play, choose by validation, print the test part and write the file."""
    given = argparse.ArgumentParser()
    given.add_argument("--users", type=int, default=USERS)
    given.add_argument("--look", action="store_true")
    options = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lives = [live(each, Path(folder)) for each in people(options.users)]
    taught, watched, tested = split(lives)
    policy, reranker = learned(taught, watched)
    noise = accuracy(Policy(seed=SEED), *right(tested))
    print(
        f"test: policy {accuracy(policy, *right(tested)):.3f} (noise {noise:.3f}), order "
        f"{ranked(reranker, tested):.3f}, in prompts {ranked(reranker, tested, still=True):.3f} "
        f"(fused {ranked(None, tested):.3f}) of {sum(len(each.answers) for each in tested)} answers"
    )
    if not options.look:
        notes = {
            "name": STARTING.stem,
            "policy": FEATURE_SCHEMA,
            "reranker": RERANKER_SCHEMA,
            "seed": str(SEED),
            "users": str(options.users),
        }
        write(STARTING, {"policy": policy.weights(), "reranker": reranker.weights()}, notes)
        print(STARTING.name, STARTING.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
