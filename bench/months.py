"""Months of memories: visits that come back, facts, chatter, twins, what is about to leave.

Everything goes through `remember` on its day, except the few that nobody has read yet.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from saegim import FixedClock, Saegim
from saegim.engines.brain.model import Static
from saegim.language.words import Basic
from saegim.memory.changes import Archived, Change, Dozed, Leaving, Linked, Reweighed, Saved
from saegim.memory.entities import RELATED, Link
from saegim.memory.memory import Memory, Reason
from saegim.perceive.build import embedded, placed
from saegim.perceive.moment import moment_of
from saegim.store.commit import Batch

BASE = 10_000
NEW = 0.01
OWNER = "owner"
# A Sunday that is the first of a month: everything but the year would be due by itself.
NIGHT = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)
OPTIONS: dict[str, Any] = {"user": OWNER, "timezone": "UTC"}

FIRST, LAST = "민지서도하준은현윤수아연재호유태", "민지서우준은현윤수아연희호진영규"
KNOWN = "민호 지은 팀장님 엄마 동생 Minho Jane Peter Anna".split()
PLACES = "카페 식당 서점 공원 수영장 극장 cafe bakery library park gym cinema".split()
# Words the sentences themselves are made of, and words the rules read something in.
TAKEN = (
    "이야기 소식 우리 서버 데이터 오늘 어제 기억 정말 최고 엄마 동생 팀장 카페 식당 서점 공원 수영 "
    "극장 "
    "entity server listens port prefer likes remember about while after with from that this have "
    "been please cried incredibly happy quite over rather than again then talked because when cafe "
    "bakery library park cinema minho jane peter anna"
).split()


# -- what is remembered ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """A share of all memories: how old, in which tier, in which words, and what became of them."""

    name: str
    share: float
    days: tuple[float, float]
    tier: str
    words: str


GROUPS = (
    Group("visits", 0.25, (0.1, 28), "M30", "visit"),
    Group("talk", 0.17, (0.1, 28), "M30", "chatter"),
    Group("facts", 0.12, (0.1, 30), "M90", "fact"),
    Group("older facts", 0.17, (30, 60), "M90", "fact"),
    Group("older talk", 0.075, (30, 60), "M90", "chatter"),
    Group("expired", 0.05, (39, 46), "M30", "chatter"),
    Group("twins", 0.01, (0.1, 20), "M30", "twin"),
    Group("near twins", 0.03, (0.1, 20), "M30", "near"),
    Group("unread", 0.02, (0.1, 28), "M90", "long"),
    Group("felt", 0.01, (0.1, 28), "M30", "feeling"),
    Group("wished", 0.01, (0.1, 28), "M30", "wish"),
    Group("deep", 0.03, (5, 60), "M365", "fact"),
    Group("shrinking", 0.02, (62, 85), "M365", "chatter"),
    Group("dozing", 0.01, (118, 140), "M365", "chatter"),
    Group("dormant", 0.005, (150, 200), "M365", "chatter"),
    Group("prunable", 0.01, (61, 85), "M90", "chatter"),
    Group("queued", 0.005, (40, 80), "M90", "chatter"),
    Group("archived", 0.005, (230, 260), "M365", "chatter"),
)
FRESH = ("visits", "talk", "facts", "twins", "near twins", "unread", "felt", "wished")


class Words:
    """The words of the embedder's own vocabulary; a copy of a store has others in their place."""

    def __init__(self) -> None:
        known = [each.strip() for each in Static().brain.pieces.names]
        basic = Basic()
        random.Random("words").shuffle(known)
        taken = re.compile("|".join(TAKEN))
        plain = [each for each in known if not taken.match(each)]
        self.english = [each for each in plain if re.fullmatch("[a-z]{4,9}", each)][:3000]
        nouns = (each for each in plain if re.fullmatch("[가-힣]{2,3}", each))
        self.korean = [
            each for each in nouns if all(t.tokens[0][0] != "~" for t in basic.query(each))
        ][:3000]
        names = sorted({one + two for one in FIRST for two in LAST if one != two})
        self.names = [each for each in names if each not in self.korean][:200]

    def of_copy(self, copy: int) -> dict[str, str]:
        """Return which word stands for which in a copy."""
        return {
            word: words[(at + 37 * copy) % len(words)]
            for words in (self.english, self.korean, self.names)
            for at, word in enumerate(words)
        }


class Texts:
    """Korean and English sentences about visits, likings and everything else."""

    def __init__(self, words: Words, seed: int) -> None:
        self.dice = random.Random(f"texts {seed}")
        self._words = words
        self._sums = list(itertools.accumulate(1 / (rank + 40) for rank in range(3000)))
        dice = random.Random("habits")
        # Someone is met in one place again and again: six times each, where a theme needs three.
        self._habits = [
            (dice.choice([*KNOWN, *words.names]), dice.randrange(3000), dice.choice(PLACES))
            for at in range(400)
        ]
        self._said: list[str] = []

    def some(self, count: int, *, korean: bool) -> list[str]:
        """Return words, common ones more often."""
        words = self._words.korean if korean else self._words.english
        return self.dice.choices(words, cum_weights=self._sums[: len(words)], k=count)

    def make(self, words: str, at: datetime) -> str:
        """Return a text of this sort, said on this day."""
        text: str = getattr(self, f"_{words}")(at)
        if words in ("visit", "fact"):
            self._said.append(text)
        return text

    def _visit(self, at: datetime) -> str:
        who, number, where = self.dice.choice(self._habits)
        if korean := not where.isascii():
            one, two, three = self.some(3, korean=korean)
            shop = self._words.korean[number % len(self._words.korean)]
            return (
                f"{at.month}월 {at.day}일에 {who}와 {shop} {where}에서 {one} {two} 이야기를 했고 "
                f"{three} 보러 갔다"
            )
        one, two, three = self.some(3, korean=korean)
        shop = self._words.english[number % len(self._words.english)].capitalize()
        return (
            f"On {at:%B} {at.day} I met {who} at the {shop} {where}, we talked about {one} {two} "
            f"and {three}"
        )

    def _fact(self, _: datetime) -> str:
        pick, dice = self.dice.choice, self.dice
        who = pick([*KNOWN, *self._words.names])
        if dice.random() < 0.5:
            one, two, three, four = self.some(4, korean=True)
            return pick(
                (
                    f"{who}는 {one} {two} 다음에 {three} {four} 좋아한다",
                    f"나는 {one} {two} 때문에 {three}보다 {four} 더 좋아한다",
                    f"{one} 서버는 {two} {three} 쓰고 {four} 포트는 {dice.randint(1000, 9999)}이다",
                )
            )
        one, two, three, four = self.some(4, korean=False)
        return pick(
            (
                f"{who} likes {one} {two} after the {three} {four}",
                f"I prefer {one} {two} rather than {three} because of {four}",
                f"The {one} {two} server listens on port {dice.randint(1000, 9999)} for {three}",
            )
        )

    def _chatter(self, _: datetime) -> str:
        if self.dice.random() < 0.5:
            one, two, three, four, five, six = self.some(6, korean=True)
            return f"{one} {two} {three}에서 {four} {five} 했는데 {six} 없었다"
        one, two, three, four, five, six = self.some(6, korean=False)
        return f"{one} {two} was {three} while the {four} {five} of {six} went on"

    def _long(self, at: datetime) -> str:
        return ". ".join([self._fact(at), self._chatter(at).capitalize(), self._fact(at)]) + "."

    def _twin(self, at: datetime) -> str:
        said = self.dice.choice(self._said) if self._said else self._fact(at)
        return said + self.dice.choice(".!")

    def _near(self, at: datetime) -> str:
        said = self._twin(at)[:-1]
        other = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), said)
        return other if other != said else f"{said}, {self.some(1, korean=True)[0]}"

    def _feeling(self, _: datetime) -> str:
        if self.dice.random() < 0.5:
            one, two, three = self.some(3, korean=True)
            return f"{one} {two} {three} 소식을 듣고 너무 행복하고 감격해서 눈물이 났다!"
        one, two, three = self.some(3, korean=False)
        return f"I was so incredibly happy about {one} {two} and {three}, I cried with joy!!"

    def _wish(self, at: datetime) -> str:
        return self.dice.choice(("꼭 기억해줘: ", "Please remember: ")) + self._fact(at)


def lives(count: int, only: Sequence[str] = ()) -> list[tuple[Group, float]]:
    """Return which memories there are and how many days ago, the oldest first."""
    groups = [each for each in GROUPS if not only or each.name in only]
    whole = sum(each.share for each in groups)
    dice = random.Random("lives")
    made = []
    for group in groups:
        low, high = (0.05, 0.95) if only else group.days
        made += [
            (group, dice.uniform(low, high)) for _ in range(round(count * group.share / whole))
        ]
    return sorted(made, key=lambda each: -each[1])


def remember(memory: Saegim, count: int, words: Words, only: Sequence[str] = ()) -> str:
    """Remember memories as they come, on their days; return the hash of their texts."""
    mind, clock = memory.mind, memory.mind.clock
    assert isinstance(clock, FixedClock)
    until, digest = clock.at, hashlib.sha256()
    texts = Texts(words, seed=1 if only else 0)
    held: list[tuple[Group, str]] = []
    for at, (group, days) in enumerate(lives(count, only)):
        clock.at = until - timedelta(days=days)
        text = texts.make(group.words, clock.at)
        digest.update(f"{text}\n".encode())
        about: dict[str, Any] = {"tier": group.tier, "session": f"s{at // 40}"}
        if group.name == "unread":
            # As another program's export comes in: nobody has read it.
            born = placed(moment_of(memory.scope, text, about), mind)
            commit(memory, [Saved(born)], clock.at, fresh=[born])
            held.append((group, born.id))
            continue
        if group.name == "prunable":
            about["importance"] = 0.1
        held.append((group, memory.remember(text, **about).id))
    if not only:
        # Ten days ago the watch began: the quiet time after a first look at old memories is over.
        clock.at = until - timedelta(days=10)
        memory.sleep("relearn")
        become(memory, held)
    clock.at = until
    return digest.hexdigest()[:16]


def commit(
    memory: Saegim, changes: Sequence[Change], at: datetime, fresh: Sequence[Memory] = ()
) -> None:
    mind = memory.mind
    vectors = embedded(fresh, mind)
    identity = mind.embedder.identity if vectors else None
    mind.store.commit(Batch(OWNER, changes, actor=OWNER, at=at, vectors=vectors, identity=identity))


def become(memory: Saegim, held: Sequence[tuple[Group, str]]) -> None:
    """Let the past leave its marks: recalled, used, leant on, dormant, queued, archived."""
    dice = random.Random("marks")
    ago = {days: NIGHT - timedelta(days=days) for days in (8, 15, 35, 185, 192)}
    untouched = ("prunable", "shrinking", "dozing", "dormant", "queued", "archived", "expired")
    ids = [id for group, id in held if group.name not in untouched]
    changes: dict[int, list[Change]] = {days: [] for days in sorted(ago, reverse=True)}
    for group, id in held:
        if group.name == "dormant":
            changes[35].append(Dozed(id))
        elif group.name == "queued":
            changes[15].append(Leaving(id, Reason.MANUAL, ago[15], ago[8]))
        elif group.name == "archived":
            changes[192].append(Leaving(id, Reason.MANUAL, ago[192], ago[185]))
            changes[185].append(Archived(id, ago[185]))
    for id in dice.sample(ids, len(ids) // 5):
        used = dice.choices((0, 1, 3, 5, 11), (60, 28, 7, 4, 1))[0]
        changes[8].append(Reweighed(memory=id, at=ago[8], recalled=dice.randint(1, 5), used=used))
    for id in dice.sample(ids, len(ids) // 20):
        for other in dice.sample(ids, dice.randint(1, 3)):
            if other != id:
                changes[8].append(Linked(Link(source=other, type=RELATED, target=id)))
    for days, made in changes.items():
        for start in range(0, len(made), 500):
            commit(memory, made[start : start + 500], ago[days])
