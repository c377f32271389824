"""What a real language model reads in a text, held against labelled facts: U14.3.

    python bench/extraction.py --model FILE.gguf [--each 20] [--raw out.jsonl]
    python bench/extraction.py --score FILE.jsonl

The texts and their facts lie in tests/data/model_facts.jsonl and were written by hand. The model is
asked in the words and with the schema that `saegim work` asks with, in a context of 4,096 tokens,
by `xllamacpp` on this machine. A fact that was read counts as right if its words and those of a
labelled fact that is not taken yet agree by at least `SAME` (Dice, of the word index's tokens).
"said" is what the model answered, "kept" what passed the checks against the text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from engines.llama_server import serving  # noqa: E402
from saegim.engines.http import WireSettings  # noqa: E402
from saegim.engines.llm.json_repair import items  # noqa: E402
from saegim.engines.llm.models import Answer, OpenAIModel, Request  # noqa: E402
from saegim.errors import BadReply  # noqa: E402
from saegim.language.words import Basic  # noqa: E402
from saegim.perceive.model_extraction import facts_by_model  # noqa: E402

SET = ROOT / "tests" / "data" / "model_facts.jsonl"
# Two sentences that share fewer of their words seldom say the same in these texts.
SAME = 0.6
SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
PATIENT = WireSettings(read_seconds=600, total_seconds=600, container_marks=())
# As `saegim work` asks by default would be 1,024; what is said of one sentence is shorter.
ANSWER = 256
Row = dict[str, Any]


def alike(one: str, other: str) -> float:
    """Return how far two sentences have the same words."""
    analyser = Basic()
    left, right = set(analyser.index(one)), set(analyser.index(other))
    return 2 * len(left & right) / max(len(left) + len(right), 1)


def right_among(found: list[str], labelled: list[str]) -> int:
    """Count which of the found say what a labelled fact says, each of those once."""
    pairs = sorted(
        ((alike(one, other), at, to) for at, one in enumerate(found)
         for to, other in enumerate(labelled)),
        reverse=True,
    )  # fmt: skip
    taken: dict[int, int] = {}
    for worth, at, to in pairs:
        if worth >= SAME and at not in taken and to not in taken.values():
            taken[at] = to
    return len(taken)


def scored(rows: list[Row], column: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of what was said or kept."""
    right = sum(right_among(row[column], row["facts"]) for row in rows)
    found = sum(len(row[column]) for row in rows)
    labelled = sum(len(row["facts"]) for row in rows)
    precision, recall = right / max(found, 1), right / max(labelled, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def read(model: OpenAIModel, text: str) -> tuple[list[str], list[str]]:
    """Let the model read a text; return the facts it said, and those that were kept."""
    answers: list[Answer] = []
    prompts: list[Request] = []

    def ask(request: Request) -> Answer:
        prompts.append(request)
        answers.append(model.ask(request))
        return answers[-1]

    try:
        kept = facts_by_model(
            text, ask=ask, speaker="", role="user", said_at=SAID_AT, max_tokens=ANSWER
        )
    except BadReply:
        return [], []
    said = [
        str(each["content"])
        for answer, request in zip(answers, prompts, strict=True)
        for each in items(answer.text, prompt=request.prompt, who="The model")
    ]
    return said, [each.text for each in kept.facts]


def asked(file: Path, each: int) -> list[Row]:
    """Ask about the first texts of each language."""
    texts: list[Row] = [json.loads(line) for line in SET.read_text("utf-8").splitlines()]
    wanted = [row for lang in ("ko", "en") for row in
              [one for one in texts if one["lang"] == lang][:each]]  # fmt: skip
    rows = []
    with serving(file) as url:
        model = OpenAIModel(f"{url}/v1", file.stem, "", settings=PATIENT)
        for row in wanted:
            began = time.monotonic()
            said, kept = read(model, row["text"])
            spent = round(time.monotonic() - began, 1)
            rows.append({**row, "said": said, "kept": kept, "seconds": spent})
            print(f"{spent:6.1f} s  {row['text'][:50]}  said {len(said)}, kept {len(kept)}")
        model.close()
    return rows


def main() -> None:
    """Ask a model or score what one answered, and print the table."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--model", type=Path)
    given.add_argument("--each", type=int, default=20, help="texts of each language")
    given.add_argument("--raw", type=Path, help="store what was answered here")
    given.add_argument("--score", type=Path, help="score stored answers")
    wants = given.parse_args()
    if wants.score:
        about, *rows = [json.loads(line) for line in wants.score.read_text("utf-8").splitlines()]
    else:
        digest = hashlib.sha256(wants.model.read_bytes()).hexdigest()[:16]
        data = hashlib.sha256(SET.read_bytes()).hexdigest()[:16]
        about = {"model": wants.model.stem, "sha256": digest, "data": data, "same": SAME}
        rows = asked(wants.model, wants.each)
    if wants.raw:
        lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in (about, *rows)]
        wants.raw.write_text("".join(lines), encoding="utf-8")
    print(json.dumps(about))
    for lang in ("ko", "en"):
        of = [row for row in rows if row["lang"] == lang]
        for column in ("said", "kept"):
            p, r, f = scored(of, column)
            print(
                f"{lang} {column}: {len(of)} texts, precision {p:.3f}, recall {r:.3f}, F1 {f:.3f}"
            )


if __name__ == "__main__":
    main()
