"""What of a turn is someone else's words, and what becomes of them: spans, wishes, facts.

    python bench/quoting.py [--half tune|held] [--rows] [--json out.json]

The labelled turns lie in tests/data and were written by hand before the rules; the rules were tuned
on the `tune` half only. Spans are counted in letters and digits: marks and white space belong to
nobody. Every turn is told to a store of its own, once overheard and once as a direct wish.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from saegim import Saegim
from saegim.language.quoting import quotation
from saegim.language.words import sentences
from saegim.memory.memory import PERSON, Kind, Memory, State

DATA = Path(__file__).parents[1] / "tests" / "data"
Row = dict[str, Any]
Scores = dict[str, float]
# A shorter piece is said by anyone.
_LEAST = 6


def rows(half: str) -> list[Row]:
    """Return a half of the labelled turns."""
    lines = (DATA / f"quoted_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


# -- spans ----------------------------------------------------------------------------------------


def letters(text: str, spans: Iterable[tuple[int, int]]) -> set[int]:
    """Return where the letters and digits of these spans stand."""
    return {at for start, end in spans for at in range(start, end) if text[at].isalnum()}


def places(row: Row, name: str) -> set[int]:
    """Return where the letters stand that were labelled so."""
    spans, at = [], 0
    for each in row[name]:
        at = row["text"].index(each, at)
        spans.append((at, at + len(each)))
    return letters(row["text"], spans)


def spans(data: list[Row]) -> Scores:
    """Measure what is read as someone else's against what was labelled, and what is lost."""
    kinds = {"quoted": [0, 0, 0], "reported": [0, 0, 0]}
    whole = lost = owned = 0
    for row in data:
        read = quotation(row["text"])
        for name, found in (("quoted", read.pasted), ("reported", read.reported)):
            want, have = places(row, name), letters(row["text"], found)
            kinds[name][0] += len(want & have)
            kinds[name][1] += len(have)
            kinds[name][2] += len(want)
            whole += name == "quoted" and want == have
        gone = letters(row["text"], read.pasted)
        for own in row["own"]:
            at = row["text"].index(own)
            owned += 1
            lost += not gone.isdisjoint(range(at, at + len(own)))
    made: Scores = {"turns": len(data), "exact turns": whole}
    for name, (both, have, want) in kinds.items():
        made[f"{name} precision"] = 100 * both / have if have else 100.0
        made[f"{name} recall"] = 100 * both / want if want else 100.0
    return made | {"own statements": owned, "own statements lost": lost}


# -- what becomes of it ---------------------------------------------------------------------------


def holds(text: str, piece: str) -> bool:
    """Say whether a text holds a sentence of what was quoted."""
    return any(len(each) >= _LEAST and each in text for each in sentences(piece))


def harm(row: Row, memories: Iterable[Memory]) -> dict[str, bool]:
    """Say what of the quoted words became the user's: words, guidance, facts; and what is kept."""
    theirs = [*row["quoted"], *row["reported"]]
    mine = " ".join(row["own"])
    users = [
        each
        for each in memories
        if each.provenance.origin in PERSON and each.life.state is State.ACTIVE
    ]
    of_them = [each for each in users if any(holds(each.text, piece) for piece in theirs)]
    read = [
        object
        for each in users
        for subject, _, object in each.content.triples
        if subject in ("user", "사용자")
    ]
    return {
        "words": any(holds(each.text, piece) for each in users for piece in row["quoted"]),
        "guidance": any(each.kind is Kind.PREFERENCE for each in of_them),
        "facts": any(object in piece and object not in mine for object in read for piece in theirs),
        "own kept": any(own in each.text for each in users for own in row["own"]),
    }


def kept_of(row: Row, way: str) -> list[Memory]:
    """Tell one turn to a store of its own; return everything that was kept."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Saegim.open(Path(folder) / "s.db", durability="fast") as memory,
    ):
        if way == "remember":
            return [memory.remember(row["text"]).memory]
        seen = memory.observe(row["text"])
        return [each.memory for each in (*seen.kept, *seen.facts)]


def became(data: list[Row], way: str, *, told: bool = False) -> Scores:
    """Count the turns whose quoted words became the user's, through one of the two verbs."""
    made: Scores = {"turns that quote": 0, "words": 0, "guidance": 0, "facts": 0}
    made |= {"turns with own words": 0, "own kept": 0}
    for row in data:
        found = harm(row, kept_of(row, way))
        quotes = bool(row["quoted"] or row["reported"])
        made["turns that quote"] += quotes
        made["turns with own words"] += bool(row["own"])
        for name, is_so in found.items():
            made[name] += is_so
            if told and is_so and name != "own kept":
                print(way, name, repr(row["text"]))
        if told and row["own"] and not found["own kept"]:
            print(way, "not kept", repr(row["own"]))
    return made


def main() -> None:
    """Measure everything once and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="tune", choices=("held", "tune"))
    parser.add_argument("--rows", action="store_true", help="print each turn that went wrong")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    data = rows(asked.half)
    by = {each: [row for row in data if row["lang"] == each] for each in ("ko", "en")}
    made = {"spans (letters, %)": {each: spans(some) for each, some in by.items()}}
    for way in ("observe", "remember"):
        made[f"{way} (turns)"] = {
            each: became(some, way, told=asked.rows) for each, some in by.items()
        }
    console = Console(width=140)
    for title, languages in made.items():
        table = Table(title=f"{title}, {asked.half}", title_justify="left", box=None)
        table.add_column("language")
        for column in next(iter(languages.values())):
            table.add_column(column, justify="right")
        for language, scores in languages.items():
            table.add_row(
                language, *(f"{value:.1f}".removesuffix(".0") for value in scores.values())
            )
        console.print(table)
    if asked.json:
        asked.json.write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
