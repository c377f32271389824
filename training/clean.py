"""Step 2: keep clean, distinct sentences, and nothing that an evaluation set holds.

    python training/clean.py --work FOLDER --evaluation FOLDER

Evaluation rows are removed twice: by the hash of the normalised text, and by near-duplicate
search (most of a row's character n-grams lie in one evaluation text). The counts are noted in
WORK/cleaned.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from rich.progress import track

from saegim.memory.text import canonical_key, fold, normalise

SHORTEST: Final = 2
LONGEST: Final = 400
# Characters in an n-gram: a Hangul syllable says about as much as two letters.
SHINGLE: Final = {"hangul": 5, "latin": 12}
# A row is a near-duplicate when this share of its n-grams lies in one evaluation text.
NEAR: Final = 0.7
# An n-gram found in more evaluation texts than this is a figure of speech.
COMMON: Final = 300

_NOISE: Final = re.compile(r"https?://\S+|<[^>]{1,80}>|\{\{.*?\}\}|&[a-z]+;")
_SPACE: Final = re.compile(r"\s+")
_LETTERS: Final = re.compile(r"[가-힣a-zA-Z]")
_HANGUL: Final = re.compile(r"[가-힣]")
_LATIN: Final = re.compile(r"[a-zA-Z]")


def tidy(text: str) -> str:
    """Return the text folded, without addresses and markup, on one line."""
    return _SPACE.sub(" ", _NOISE.sub(" ", fold(text))).strip()


def usable(text: str, language: str) -> bool:
    """Say whether a tidy text is a sentence of its language and not a scrap."""
    if not SHORTEST <= len(text) <= LONGEST or len(_LETTERS.findall(text)) < 0.5 * len(text):
        return False
    hangul, latin = len(_HANGUL.findall(text)), len(_LATIN.findall(text))
    return hangul >= latin * 0.5 if language == "ko" else hangul == 0


def texts_in(value: Any) -> Iterator[str]:
    """Yield every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def shingles(text: str) -> set[int]:
    """Return the hashed character n-grams of a normalised text without its spaces."""
    packed = normalise(text).replace(" ", "")
    size = SHINGLE["hangul" if _HANGUL.search(packed) else "latin"]
    return {hash(packed[at : at + size]) for at in range(len(packed) - size + 1)}


class Evaluation:
    """What must not be learned: every text of the evaluation sets."""

    def __init__(self, folder: Path) -> None:
        self.keys: set[str] = set()
        self.holding: dict[int, array[int]] = defaultdict(lambda: array("I"))
        number = 0
        for path in sorted(folder.glob("*.jsonl.gz")):
            for text in texts_in(list(rows_of(path))):
                self.keys.add(canonical_key(tidy(text)))
                number += 1
                for each in shingles(tidy(text)):
                    self.holding[each].append(number)
        self.texts = number

    def holds(self, text: str) -> str:
        """Return how an evaluation set holds the text: "same", "near", or ""."""
        if canonical_key(text) in self.keys:
            return "same"
        own = shingles(text)
        known = [each for each in own if each in self.holding]
        if not own or len(known) < NEAR * len(own):
            return ""
        rare = (self.holding[each] for each in known)
        votes = Counter(number for held in rare if len(held) <= COMMON for number in held)
        return "near" if votes and max(votes.values()) >= NEAR * len(own) else ""


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a gathered source."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Writer:
    """Writes the kept rows and counts what was dropped, and why."""

    def __init__(self, work: Path, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.seen: dict[str, int] = {}
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.texts = (work / "texts.tsv").open("w", encoding="utf-8")
        self.pairs = (work / "pairs.tsv").open("w", encoding="utf-8")
        self.labels = (work / "labels.jsonl").open("w", encoding="utf-8")

    def kept(self, name: str, text: str, language: str) -> bool:
        """Say whether a tidy text may be used, and count the reason if not."""
        if not usable(text, language):
            self.counts[name]["unusable"] += 1
            return False
        if held := self.evaluation.holds(text):
            self.counts[name][f"evaluation_{held}"] += 1
            return False
        return True

    def text(self, name: str, text: str, language: str) -> int:
        """Write a text once, whichever source brings it first, and return its line."""
        key = canonical_key(text)
        if key in self.seen:
            self.counts[name]["repeated"] += 1
            return self.seen[key]
        self.seen[key] = len(self.seen)
        self.counts[name][f"texts_{language}"] += 1
        self.texts.write(f"{language}\t{name}\t{text}\n")
        return self.seen[key]

    def row(self, name: str, row: dict[str, Any]) -> None:
        """Write one gathered row."""
        if "text" in row:
            text = tidy(row["text"])
            if not self.kept(name, text, row["language"]):
                return
            self.text(name, text, row["language"])
            if row.get("labels"):
                self.counts[name]["labelled"] += 1
                labelled = {"source": name, "text": text, "labels": row["labels"]}
                self.labels.write(json.dumps(labelled, ensure_ascii=False) + "\n")
            return
        first, second = tidy(row["first"]), tidy(row["second"])
        languages = row["languages"]
        if not (self.kept(name, first, languages[0]) and self.kept(name, second, languages[1])):
            return
        if canonical_key(first) == canonical_key(second):
            self.counts[name]["repeated"] += 1
            return
        lines = [self.text(name, first, languages[0]), self.text(name, second, languages[1])]
        self.counts[name]["pairs"] += 1
        score = row.get("score")
        told = int(row["close"]) if score is None else score
        self.pairs.write(f"{name}\t{told}\t{lines[0]}\t{lines[1]}\n")

    def close(self) -> None:
        """Finish the files."""
        for each in (self.texts, self.pairs, self.labels):
            each.close()


def sources_in(work: Path) -> Iterable[Path]:
    """Return the gathered files in a fixed order."""
    return sorted((work / "raw").glob("*.jsonl.gz"))


def main() -> None:
    """Clean every gathered source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--evaluation", type=Path, required=True)
    asked = parser.parse_args()
    evaluation = Evaluation(asked.evaluation)
    print(f"{evaluation.texts:,} evaluation texts are kept out")
    writer = Writer(asked.work, evaluation)
    for path in sources_in(asked.work):
        name = path.name.removesuffix(".jsonl.gz")
        for row in track(rows_of(path), description=name, total=None):
            writer.row(name, row)
        print(name, dict(writer.counts[name]))
    writer.close()
    noted = {
        "evaluation_texts": evaluation.texts,
        "sources": {name: dict(counts) for name, counts in sorted(writer.counts.items())},
    }
    (asked.work / "cleaned.json").write_text(json.dumps(noted, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
