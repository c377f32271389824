"""What is understood of talk: claims, what ends them, names, dates of plans, others' words.

    python bench/understanding.py [--half open|frozen] [--json out.json]

Twenty invented lives by ten hands, labelled turn by turn (`bench/data/README.md`). The open half
lies in `training/claims` and may be learned from; the frozen half lies in `bench/data/claims`, is
only scored, and never printed. Each life is told to a store of its own by `observe`, with a moved
clock; what is measured is what the memory then holds.

`claims` are what the reader of claims found in what was kept, `claims, sure` those of which it is
as sure as a portrait asks for, `claims by rule` the triples. A claim is right if its subject is
(the user, or someone else), its slot is the labelled one (of a triple: one that the predicate can
mean), and its value shares a word with the labelled one or contains it. `traits` counts sentences
in the portrait of the person that the labels put under the same slot. `ended` are claims that the
portrait says ended, `supersessions` memories that gave way to others.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table

from saegim import Saegim
from saegim.language import times
from saegim.language.claims import known_predicate
from saegim.language.quoting import quotation
from saegim.memory.clock import FixedClock
from saegim.memory.entities import SUPERSEDES
from saegim.memory.memory import State
from saegim.memory.text import normalise
from saegim.profile.portrait import SLOTS as TRAITS
from saegim.profile.portrait import SURE
from saegim.profile.read_claims import ME as OF_ME
from saegim.profile.read_claims import catch_up
from saegim.store.rows import Where

HALVES = {
    "open": Path(__file__).parents[1] / "training" / "claims",
    "frozen": Path(__file__).parent / "data" / "claims",
}
# Which slots of the labels a slot of the predicates can mean.
SLOTS = {
    "likes": ("likes", "dislikes", "diet"), "prefers": ("likes", "dislikes", "answer"),
    "lives_in": ("home",), "from": ("home",), "born_in": ("home",), "works_at": ("work",),
    "job": ("role", "work"), "studies_at": ("school",), "name": ("name",), "nickname": ("name",),
    "age": ("age",), "birthday": ("birthday",), "has": ("possession", "pet", "family", "health"),
    "uses": ("possession", "skill", "habit", "health"),
    "does": ("habit", "diet", "skill", "health", "school", "event"), "allergic": ("health", "diet"),
    "diet": ("diet",), "speaks": ("language",), "status": ("partner",), "partner": ("partner",),
    "schedule": ("plan",), "deadline": ("plan",), "ill": ("health",), "plans": ("plan", "goal"),
    "met": ("event",), "went_to": ("event",), "learned": ("event", "skill"), "made": ("event",),
    "decided": ("plan", "goal"), "is": ("role", "name", "other", "work", "family", "partner"),
    "supports": ("likes",), "state": ("plan", "health", "other"), "turned": ("likes", "dislikes"),
}  # fmt: skip
ME = ("user", "사용자", "")
Row = dict[str, Any]
# Whether it is said of the user, which slots it may be, and its value.
Claimed = tuple[bool, tuple[str, ...], str]
WHAT = (
    "claims", "claims, sure", "claims by rule", "traits", "ended", "supersessions", "names",
    "dates of plans", "others' words",
)  # fmt: skip


class Count:
    """How many are right, how many were found, how many there are."""

    def __init__(self) -> None:
        self.right = self.found = self.there = 0

    def add(self, right: int, found: int, there: int) -> None:
        """Count some more."""
        self.right += right
        self.found += found
        self.there += there

    def as_dict(self) -> dict[str, float]:
        """Return precision, recall and F1."""
        precision = self.right / self.found if self.found else 0.0
        recall = self.right / self.there if self.there else 0.0
        both = precision + recall
        return {"precision": precision, "recall": recall, "there": self.there,
                "f1": 2 * precision * recall / both if both else 0.0}  # fmt: skip


Counts = dict[str, Count]


def lives(half: str) -> list[tuple[str, list[Row]]]:
    """Return each life of a half with its name."""
    return [
        (path.stem, [json.loads(line) for line in path.read_text("utf-8").splitlines()])
        for path in sorted(HALVES[half].glob("*.jsonl"))
    ]


def measured(name: str, turns: Sequence[Row], counts: Counts) -> None:
    """Tell one life to a memory, and count what it understood."""
    zone = ZoneInfo("Asia/Seoul" if name.startswith("ko") else "Europe/London")
    clock = FixedClock(datetime.fromisoformat(turns[0]["at"]).replace(tzinfo=zone))
    turn_of: dict[str, str] = {}
    # The day ahead that each session named last: "그날" and "until then" speak of it.
    last: dict[str, times.Span | None] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        Saegim.open(Path(folder) / "s.db", clock=clock, timezone=str(zone)) as memory,
    ):
        for turn in turns:
            clock.at = datetime.fromisoformat(turn["at"]).replace(tzinfo=zone)
            session = turn["id"].split("t")[0]
            seen = memory.observe(turn["text"], role=turn["role"], session=session)
            read = times.spans(turn["text"], clock.at, ahead=True, last=last.get(session))
            last[session] = times.last_named(read, clock.at) or last.get(session)
            if turn["role"] != "user":
                continue
            here = [each.memory for each in (*seen.kept, *seen.facts)]
            for each in here:
                turn_of.setdefault(each.id, turn["id"])
            said = [triple for each in here for triple in each.content.triples]
            counts["claims by rule"].add(*_claims(turn["claims"], _by_rule(said)))
            counts["dates of plans"].add(*_dates(turn, read))
            counts["others' words"].add(*_quoted(turn))
        _read(memory, turns, turn_of, counts)
        named = {
            normalise(each)
            for entity in memory.mind.store.entities.of(memory.scope)
            if entity.type in ("person", "pet", "place", "organisation")
            for each in (entity.name, *entity.aliases)
        }
        there = {
            normalise(each["text"])
            for turn in turns
            if turn["role"] == "user"
            for each in turn["entities"]
            if each["type"] in ("person", "place", "organisation", "pet")
        }
        right = {each for each in there if any(_same(each, other) for other in named)}
        met = {each for each in named if any(_same(each, other) for other in there)}
        counts["names"].add(len(met), len(named), len(met) + len(there - right))
        links = memory.mind.store.links.of(memory.scope, list(turn_of), (SUPERSEDES,))
    ended = {(turn_of.get(link.source, ""), turn_of.get(link.target, "")) for link in links}
    ends = {
        (turn["id"], claim["ends"]) for turn in turns for claim in turn["claims"] if claim["ends"]
    }
    ended = {pair for pair in ended if all(pair) and pair[0] != pair[1]}
    counts["supersessions"].add(len(ended & ends), len(ended), len(ends))


def _read(memory: Saegim, turns: Sequence[Row], turn_of: dict[str, str], counts: Counts) -> None:
    """Count what the reader of claims found, and what stands in the portrait of the person."""
    catch_up(memory.mind, 100_000)
    states = (State.ACTIVE, State.DORMANT, State.SUPERSEDED)
    read = memory.mind.store.profiles.of(Where(scope=memory.scope, states=states))
    for name, least in (("claims", 0.0), ("claims, sure", SURE)):
        by_turn: dict[str, list[Claimed]] = {}
        for each in read:
            if each.sure >= least and each.memory in turn_of:
                mine = each.subject == OF_ME
                claim = (mine, (each.slot,), each.value)
                by_turn.setdefault(turn_of[each.memory], []).append(claim)
        for turn in turns:
            if turn["role"] == "user":
                counts[name].add(*_claims(turn["claims"], by_turn.get(turn["id"], [])))
    labelled = {turn["id"]: turn["claims"] for turn in turns}
    traits = memory.entities.about().traits
    right = [
        any(claim["slot"] == trait.slot and claim["subject"] == "user"
            for claim in labelled.get(turn_of.get(trait.memory, ""), ()))
        for trait in traits
    ]  # fmt: skip
    there = {(turn["id"], claim["slot"]) for turn in turns for claim in turn["claims"]
             if claim["subject"] == "user" and claim["slot"] in TRAITS}  # fmt: skip
    counts["traits"].add(sum(right), len(right), len(there))
    ended = {
        (turn_of.get(each.ended_by), turn_of.get(each.memory)) for each in traits if each.until
    }
    ends = {(turn["id"], claim["ends"]) for turn in turns for claim in turn["claims"]
            if claim["ends"] and claim["subject"] == "user"}  # fmt: skip
    counts["ended"].add(len(ended & ends), len(ended), len(ends))


def _same(one: str, other: str) -> bool:
    return one == other or (len(one) > 1 and one in other) or (len(other) > 1 and other in one)


def _by_rule(said: Iterable[tuple[str, str, str]]) -> list[Claimed]:
    """Return triples as claims, with every slot that the predicate can mean."""
    made: list[Claimed] = []
    for subject, predicate, value in dict.fromkeys(said):
        known = known_predicate(predicate)
        slots = SLOTS.get(known[0].slot, ()) if known else ("likes", "other")
        made.append((subject in ME, slots, value))
    return made


def _claims(labelled: Sequence[Row], said: Iterable[Claimed]) -> tuple[int, int, int]:
    """Count the claims of one turn against its labels, each label once."""
    left = list(labelled)
    right = found = 0
    for mine, slots, value in said:
        found += 1
        for claim in left:
            same = (claim["subject"] == "user") == mine and claim["slot"] in slots
            if same and _shares(claim["value"], value):
                left.remove(claim)
                right += 1
                break
    return right, found, len(labelled)


def _shares(one: str, other: str) -> bool:
    """Say whether two values name the same: one in the other, or a long word of both."""
    one, other = normalise(one), normalise(other)
    if one in other or other in one:
        return True
    return any(len(word) > 2 and word in other for word in one.split())


def _dates(turn: Row, read: Sequence[times.Span]) -> tuple[int, int, int]:
    """Count the plans whose day is read as it was meant."""
    plans = [each for each in turn["claims"] if each["slot"] == "plan" and each["date"]]
    if not plans:
        return 0, 0, 0
    days = {span.start.date().isoformat() for span in read}
    right = sum(each["date"].split("/")[0] in days for each in plans)
    return right, len(plans), len(plans)


def _quoted(turn: Row) -> tuple[int, int, int]:
    """Count the letters that are someone else's."""
    text = turn["text"]
    found = quotation(text)
    places = [*found.pasted, *found.reported]
    mine = {at for start, end in places for at in range(start, end) if text[at].isalnum()}
    theirs: set[int] = set()
    for each in turn["quoted"]:
        start = text.index(each)
        theirs |= {at for at in range(start, start + len(each)) if text[at].isalnum()}
    return len(mine & theirs), len(mine), len(theirs)


def main() -> None:
    """Tell every life of a half and print what was understood, language by language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, default="open")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    every: dict[str, dict[str, Count]] = {}
    told: Counter[str] = Counter()
    for name, turns in lives(given.half):
        counts = every.setdefault(name[:2], {
            each: Count() for each in WHAT
        })  # fmt: skip
        measured(name, turns, counts)
        told[name[:2]] += len(turns)
    table = Table(title=f"{given.half} half: {dict(told)} turns")
    for column in ("", "what", "precision", "recall", "F1", "labelled"):
        table.add_column(column)
    for language, counts in every.items():
        for what, count in counts.items():
            row = count.as_dict()
            shown = [f"{row[each]:.3f}" for each in ("precision", "recall", "f1")]
            table.add_row(language, what, *shown, str(count.there))
    Console().print(table)
    if given.json:
        made = {lang: {what: each.as_dict() for what, each in counts.items()}
                for lang, counts in every.items()}  # fmt: skip
        given.json.write_text(json.dumps(made, indent=1), "utf-8")


if __name__ == "__main__":
    main()
