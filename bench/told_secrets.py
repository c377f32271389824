"""How many secrets told in passing are held, and how many harmless lines are touched?

    python bench/told_secrets.py [FILE] [--alone] [--amid] [--lines] [--json OUT]

Without FILE: the tuning half, which the network was taught with (an upper bound). A frozen file is
scored without --lines, so that nobody sees its words. A line is held when none of its values stands
whole in what is left of its messages, each screened behind the one before as in a session
(--alone: by itself; --amid: what is told in one message, between six turns of the open lives);
covered when nine tenths of the
letters and digits of every value are gone, too. An alarm is a harmless line in which anything is
masked. Also counts alarms in the turns of the open lives that carry no secret.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saegim.guard.guard import Screened, screen

HERE = Path(__file__).parents[1]
TUNED = HERE / "tests" / "data" / "soft_secrets_tune.jsonl"
LIVES = HERE / "bench" / "data" / "lives"
Row = Mapping[str, Any]
COVERED = 0.9


def messages_of(row: Row) -> list[str]:
    """Return what was said, one message after the other."""
    return list(row["text"]) if isinstance(row["text"], list) else [row["text"]]


def values_of(row: Row) -> list[str]:
    """Return what of it is secret."""
    value = row.get("value")
    return list(value) if isinstance(value, list) else [value] if value else []


def judged(row: Row, *, alone: bool = False) -> dict[str, bool]:
    """Say of a line whether it is held and covered; of a harmless one, whether it is touched."""
    values, covered, held = values_of(row), True, True
    messages, found = messages_of(row), list[Screened]()
    for message in messages:
        before = "" if alone or not found else found[-1].text
        found.append(screen(message, before=before))
    if not values:
        return {"alarm": any(each.findings for each in found)}
    for value in values:
        told = [(m, s) for m, s in zip(messages, found, strict=True) if value in m]
        held &= not any(value in screened.text for _, screened in told)
        for message, screened in told:
            start = message.find(value)
            places = [at for at in range(start, start + len(value)) if message[at].isalnum()]
            gone = sum(any(f.start <= at < f.end for f in screened.findings) for at in places)
            covered &= gone >= COVERED * len(places)
    return {"held": held, "covered": covered}


def counted(rows: list[Row], *, alone: bool = False) -> dict[str, dict[str, list[int]]]:
    """Count by class and language: held and covered of told, alarms of harmless."""
    found: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        for kind, made in judged(row, alone=alone).items():
            for name in ("all", f"language {row['lang']}", f"class {row['class']}"):
                of = found.setdefault(name, {}).setdefault(kind, [0, 0])
                of[0] += made
                of[1] += 1
    return found


def plain_turns() -> list[str]:
    """Return the turns of the open lives in which nothing secret is said."""
    sessions = (
        json.loads(line)
        for path in sorted(LIVES.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    )
    return [
        turn["text"]
        for session in sessions
        for turn in session.get("turns", ())
        if turn["role"] == "user" and not turn.get("secret")
    ]


def amid(rows: list[Row]) -> list[Row]:
    """Return what is told in one message, each between three and three turns of the open lives."""
    drawn, turns = random.Random(1), plain_turns()
    spoken = {
        language: [each for each in turns if ("가" <= max(each) <= "힣") == (language == "ko")]
        for language in ("ko", "en")
    }
    told = [row for row in rows if isinstance(row["text"], str) and values_of(row)]
    return [
        {**row, "text": "\n".join((*around[:3], row["text"], *around[3:]))}
        for row in told
        for around in [drawn.sample(spoken[row["lang"]], 6)]
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=TUNED)
    parser.add_argument("--lines", action="store_true", help="print what goes wrong")
    parser.add_argument("--alone", action="store_true", help="each message by itself")
    parser.add_argument("--amid", action="store_true", help="between other talk")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    raw = asked.file.read_bytes()
    rows = [json.loads(line) for line in raw.decode("utf-8").splitlines() if line.strip()]
    rows = amid(rows) if asked.amid else rows
    found = counted(rows, alone=asked.alone)
    print(f"{asked.file.name} {len(rows)} lines sha256 {hashlib.sha256(raw).hexdigest()}")
    for name in sorted(found, key=lambda each: (each != "all", each)):
        shares = (f"{k} {a}/{b} {100 * a / b:.1f} %" for k, (a, b) in found[name].items())
        print(f"{name:26}", "  ".join(shares))
    turns = plain_turns()
    touched = [turn for turn in turns if screen(turn).held]
    print(
        f"open lives: {len(touched)} of {len(turns)} turns {100 * len(touched) / len(turns):.2f} %"
    )
    if asked.lines:
        for row in rows:
            if any(made != (kind != "alarm") for kind, made in judged(row).items()):
                print(row["class"], "|", row["text"], "|", row["value"], "|",
                      [screen(each).text for each in messages_of(row)])  # fmt: skip
        print(*touched, sep="\n")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
