"""docs/faults.md is complete and true: every number has its row, and every proof exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from source_trees import names_in

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "faults.md"
NUMBERS = (
    [f"R-{number:02}" for number in range(1, 35)]
    + [f"M{number}" for number in range(1, 16)]
    + [str(number) for number in range(1, 87)]
    + [f"F-{number:02}" for number in range(1, 22)]
)
ROW = re.compile(r"^\| ([RF]-\d\d|M\d+|\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
# A hole that was closed names its proofs and, in a cell of its own, its controls.
CLOSED = re.compile(r"^\| (N-\d\d) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
PROOF = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
# A reason is a sentence; without one, a row without a proof says nothing.
SHORTEST_REASON = 20


def rows(text: str) -> list[tuple[str, str]]:
    """Return the number and the proof of each row."""
    return [(number, proof) for number, _, proof in ROW.findall(text)]


def wrong(text: str) -> Iterator[str]:
    """Yield what is missing, twice, without a proof, or proved by nothing that exists."""
    found = rows(text)
    named = [number for number, _ in found]
    yield from (f"no row {each}" for each in NUMBERS if each not in named)
    yield from (f"twice {each}" for each in set(named) if named.count(each) > 1)
    for number, proof in found:
        tests = PROOF.findall(proof)
        if not tests and len(proof) < SHORTEST_REASON:
            yield f"nothing proves {number}"
        for path, name in tests:
            if not (ROOT / path).is_file() or name not in names_in(ROOT / path):
                yield f"{number}: no test {path}::{name}"


def unproved(text: str) -> Iterator[str]:
    """Yield which closed hole has no row, no proof or no control, or names a test that is not."""
    found = CLOSED.findall(text)
    if [number for number, _, _ in found] != [f"N-{number:02}" for number in range(1, 17)]:
        yield "not every hole has one row"
    for number, *cells in found:
        for cell in cells:
            tests = PROOF.findall(cell)
            if not tests or any(name not in names_in(ROOT / path) for path, name in tests):
                yield number


def test_every_closed_hole_has_its_proof_and_its_control() -> None:
    """N-01 to N-16: each row names tests that exist, on both sides."""
    assert list(unproved(PAGE.read_text(encoding="utf-8"))) == []


def test_a_closed_hole_without_a_control_is_seen() -> None:
    """Control: a row that is gone, and one whose control is only words, are told."""
    text = PAGE.read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.startswith("| N-04 |"))
    head, control = first.removesuffix(" |").rsplit(" | ", 1)
    assert list(unproved(text.replace(f"{first}\n", ""))) == ["not every hole has one row"]
    assert list(unproved(text.replace(first, f"{head} | by hand |"))) == ["N-04"]
    made_up = control.replace("test_without", "test_never")
    assert list(unproved(text.replace(first, f"{head} | {made_up} |"))) == ["N-04"]


def test_every_fault_has_its_row_and_every_proof_exists() -> None:
    """R-01 to R-34, M1 to M15, attacks 1 to 86, F-01 to F-21: a test that exists, or a reason."""
    assert list(wrong(PAGE.read_text(encoding="utf-8"))) == []


def test_a_row_that_is_missing_or_lies_is_seen() -> None:
    """Control: without a row, twice, without a reason and with a made-up test it is not true."""
    text = PAGE.read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.startswith("| R-14 |"))
    assert list(wrong(text.replace(first, ""))) == ["no row R-14"]
    assert list(wrong(text.replace(first, f"{first}\n{first}"))) == ["twice R-14"]
    assert list(wrong(text.replace(first, "| R-14 | lists | none |"))) == ["nothing proves R-14"]
    lie = "`tests/test_faults_page.py::test_that_never_was`"
    assert list(wrong(text.replace(first, f"| R-14 | lists | {lie} |"))) == [
        "R-14: no test tests/test_faults_page.py::test_that_never_was"
    ]


def test_the_page_says_what_lies_readable_on_the_disk() -> None:
    """M13: whoever asks about encryption reads that there is none, and what to use."""
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "The store is not encrypted." in text
    assert "0600" in text
    assert "FileVault" in text
