"""How many secrets told in passing are held, and how many harmless lines are touched?

    python bench/told_secrets.py [--left-out] [--held PATH] [--misses] [--json OUT]

Without options: the detector that ships, on the lines it was taught with (an upper bound).
`--left-out` teaches anew without each hand in turn and measures that hand: what to expect of a
person nobody has seen. `--held` measures lines that were never looked at; run it once.
A line is held when none of its values survives in the screened messages; an alarm is a harmless
line in which anything is masked. A secret told over several messages is screened message by
message, each with the ones before it in mind, and earlier ones again when a later one tells.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "training"))
import soft_secrets as training  # noqa: E402
from saegim.guard.guard import screen, screen_after  # noqa: E402
from saegim.guard.soft_secrets import SHIPPED  # noqa: E402

# So many turns before are read together with the one that is said: mind.Recently.
BEFORE = 2
Row = Mapping[str, Any]


def screened(messages: Iterable[str]) -> list[str]:
    """Screen messages in order as a session does."""
    said: list[str] = []
    for message in messages:
        text = screen(message).text
        before = said[-BEFORE:]
        if before:
            found = screen_after(text, before)
            text = found.screened.text
            for piece in found.earlier:
                said[-BEFORE:] = [e.replace(piece, "[held:password#1]") for e in said[-BEFORE:]]
        said.append(text)
    return said


def judged(row: Row) -> bool:
    """Say whether every value is gone; of a harmless line, whether anything was touched."""
    messages = training.messages_of(row)
    left = screened(messages)
    values = training.values_of(row)
    return not any(v in text for v in values for text in left) if values else left != messages


def left_out() -> tuple[list[Row], Callable[[Row], bool]]:
    """Teach without each hand in turn; return its lines and what was made of them."""
    every = training.hands()
    found = training.left_out(every, [*training.known_lines(), *training.plain_turns()])
    lines = [each for hand in found.values() for each in hand]
    least = training.thresholds(lines)
    made = {
        id(each.line.row): (training.held if each.line.values else training.alarmed)(each, least)
        for each in lines
    }
    return [each.line.row for each in lines], lambda row: made[id(row)]


def counted(rows: Iterable[Row], said: Callable[[Row], bool]) -> dict[str, dict[str, list[int]]]:
    """Count by class, language and hand: held of told, alarms of harmless."""
    found: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        kind = "held" if training.values_of(row) else "alarms"
        made = said(row)
        hand = f"hand {row.get('hand', '?')}"
        for name in ("all", f"language {row['lang']}", hand, f"class {row['class']}"):
            of = found.setdefault(name, {"held": [0, 0], "alarms": [0, 0]})[kind]
            of[0] += made
            of[1] += 1
    return found


def share(of: list[int]) -> str:
    """Write how many of how many."""
    return f"{of[0]}/{of[1]}  {100 * of[0] / of[1]:.1f} %" if of[1] else ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left-out", action="store_true")
    parser.add_argument("--held", type=Path)
    parser.add_argument("--misses", action="store_true", help="print lines; never with --held")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    data = asked.held or training.TUNED
    if asked.left_out:
        rows, said = left_out()
        title = "tuned, each hand left out in turn"
    else:
        rows, said = training.rows_in(data), judged
        title = "frozen" if asked.held else "tuned, the detector has seen these lines"
    made = {id(row): said(row) for row in rows}
    found = counted(rows, lambda row: made[id(row)])
    table = Table(title=title)
    for name in ("", "held", "alarms"):
        table.add_column(name, justify="left" if not name else "right")
    for name in sorted(found, key=lambda each: (each != "all", each)):
        table.add_row(name, share(found[name]["held"]), share(found[name]["alarms"]))
    console = Console()
    console.print(table)
    hashes = {"data": training.digest(data), "model": training.digest(SHIPPED)}
    console.print(f"data {data.name} sha256 {hashes['data']}\nmodel sha256 {hashes['model']}")
    if asked.misses and not asked.held:
        for row in rows:
            if made[id(row)] != bool(training.values_of(row)):
                console.print(row["class"], "|", row["text"], "|", row["value"], markup=False)
    if asked.json:
        asked.json.write_text(json.dumps({"title": title, **hashes, "found": found}, indent=1))


if __name__ == "__main__":
    main()
