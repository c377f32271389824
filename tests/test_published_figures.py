"""A figure on our pages can be made again from what was stored: U36.1."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench"))

import extraction  # noqa: E402
import korean_memory  # noqa: E402

PAGE = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
OUTPUTS = ROOT / "bench" / "data" / "outputs" / "korean_memory.jsonl"
ABOUT, ROWS = korean_memory.stored(OUTPUTS)
NAMES = {
    "all that have an answer, held": ("held", "all"),
    "all that have an answer, tune": ("tune", "all"),
}


def published() -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the table of the page: by half and type, questions and the four figures."""
    table = PAGE.partition("### Korean, over months")[2].partition("\n### ")[0]
    found = {}
    for line in table.splitlines():
        name, *cells = (each.strip(" *") for each in line.strip("|").split("|"))
        if len(cells) == 3 and cells[0].isdecimal():
            figures = [float(each) for cell in cells[1:] for each in cell.split(" / ")]
            found[NAMES.get(name, ("held", name))] = (float(cells[0]), *figures)
    return found


def scored(split: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Score the rows of one half."""
    return korean_memory.scored([row for row in rows if row["split"] == split])


def test_stored_outputs_score_to_the_published_figures() -> None:
    """U36.1: every figure of the Korean table, to its last place, without asking a memory."""
    page = published()
    assert len(page) == 7
    for (split, kind), told in page.items():
        found = scored(split, ROWS)[kind]
        columns = ("recall@5", "recall@10", "bm25@5", "bm25@10")
        assert (found["questions"], *(round(found[each], 3) for each in columns)) == told, kind


def test_other_outputs_score_to_other_figures() -> None:
    """The control: one answer that is taken away is seen in the figure."""
    answered = next(at for at, row in enumerate(ROWS) if set(row["evidence"]) & set(row["recall"]))
    worse = [{**row, "recall": []} if at == answered else row for at, row in enumerate(ROWS)]
    split = ROWS[answered]["split"]
    assert scored(split, worse)["all"] != scored(split, ROWS)["all"]


def test_the_outputs_say_what_they_hang_on_and_are_of_the_set_that_is_here() -> None:
    """U36.1: command, data, models, judge, k and cost; each question with its own evidence."""
    assert ABOUT["command"] in PAGE
    assert ABOUT["data"] == hashlib.sha256(korean_memory.SET.read_bytes()).hexdigest()[:16]
    assert f"data `{ABOUT['data']}`" in PAGE
    assert (ABOUT["k"], ABOUT["model"], ABOUT["judge"], ABOUT["cost"]) == ([5, 10], None, None, 0)
    assert "encoder" in ABOUT["embedder"]
    lives, _ = korean_memory.read()
    asked = {
        each["id"]: (life["split"], each["type"], sorted(each["evidence"]))
        for life in lives
        for each in life["questions"]
    }
    assert {row["id"]: (row["split"], row["type"], row["evidence"]) for row in ROWS} == asked


def test_the_command_scores_what_was_stored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`--score` prints the table of the file it is given, and asks nothing."""
    monkeypatch.setattr(korean_memory, "load", None)
    file = tmp_path / "table.json"
    words = ["korean_memory.py", "--score", str(OUTPUTS), "--split", "held", "--json", str(file)]
    monkeypatch.setattr(sys, "argv", words)
    korean_memory.main()
    assert "korean memory, held" in capsys.readouterr().out
    assert json.loads(file.read_text("utf-8"))["all"] == scored("held", ROWS)["all"]


def test_every_command_of_the_page_is_here() -> None:
    """U36.1: one command for each figure: the scripts that the page names exist."""
    named = set(re.findall(r"(?:bench|training)/[a-z_]+\.py", PAGE))
    assert len(named) > 15
    assert [each for each in sorted(named) if not (ROOT / each).is_file()] == []


def test_what_a_small_model_answered_scores_to_the_published_figures() -> None:
    """U14.3, U36.1: F1 of the largest model that packages hold, reported from what it said."""
    table = PAGE.partition("### Facts read by a small language model")[2].partition("\n## ")[0]
    file = OUTPUTS.with_name("extraction.jsonl")
    about, *rows = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    assert about["data"] == hashlib.sha256(extraction.SET.read_bytes()).hexdigest()[:16]
    assert f"sha256 `{about['sha256']}`" in table
    assert f"data `{about['data']}`" in table
    for lang in ("ko", "en"):
        of = [row for row in rows if row["lang"] == lang]
        for column in ("said", "kept"):
            told = " | ".join(f"{each:.3f}" for each in extraction.scored(of, column))
            assert f"| {lang} {column} | {told} |" in table
        # Control: with one fact less the figure is another.
        row = next(row for row in of if extraction.right_among(row["said"], row["facts"]))
        worse = [{**each, "said": []} if each is row else each for each in of]
        assert extraction.scored(worse, "said") != extraction.scored(of, "said")
