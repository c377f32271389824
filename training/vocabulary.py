"""Step 3: choose the pieces: Korean morphemes, English words and their parts, signs, jamo, bytes.

    python training/vocabulary.py --work FOLDER [--korean 30000] [--english 21500]

Korean runs are cut by Kiwi's morphology once, here, so that a noun is one piece whatever particle
follows; at run time the likeliest cut over these pieces needs no dictionary. English parts are
SentencePiece's unigram model of the rarer words. Both languages weigh the same, however much
text there was.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import sentencepiece
from kiwipiepy import Kiwi
from rich.progress import track

from saegim.engines.brain.model import FALLBACKS, marked, runs

SPACE: Final = "▁"
# Each language's runs are scaled to this many.
EQUAL_MASS: Final = 20_000_000
LONGEST_PIECE: Final = 12
# Numbers, signs, jamo, hanja and the like: how many of the commonest runs become pieces.
OTHERS: Final = 1600
# Parts of English words, among the English pieces.
PARTS: Final = 4000
# Words of a dictionary are kept though the text has few of them; the teacher knows them.
DICTIONARIES: Final = ("kengdic-6000", "cldr-terms")


def is_korean(run: str) -> bool:
    """Say whether a run is Hangul."""
    return "가" <= run[0] <= "힣"


def counted(path: Path) -> dict[str, Counter[str]]:
    """Count the runs of Hangul, of letters, and of everything else; collect dictionary words."""
    found: dict[str, Counter[str]] = {k: Counter() for k in ("korean", "english", "other", "word")}
    with path.open(encoding="utf-8") as lines:
        for line in track(lines, description="count", total=None):
            language, source, text = line.rstrip("\n").split("\t", 2)
            cut = runs(text)
            if source in DICTIONARIES and language == "ko":
                found["word"].update(run for run in cut if is_korean(run) and len(run) > 1)
            for run in cut:
                latin = marked(run) != run and run.isascii()
                kind = "korean" if is_korean(run) else "english" if latin else "other"
                found[kind][run] += 1
    return found


def morphemes(run: str, tokens: Iterable[Any]) -> Iterator[str]:
    """Yield the run cut at its morphemes; those that share a syllable stay together.

    The stem of a 하다 word is cut off, so that 깨끗하고 and 깨끗해요 share 깨끗.
    """
    spans: list[list[int]] = []
    for token in tokens:
        first, last = token.start, token.start + token.len
        if last <= first:
            continue
        if spans and first < spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], last)
        else:
            spans.append([first, last])
        root = token.form[:-1]
        if token.form.endswith("하") and len(root) > 1 and run.startswith(root, first):
            spans[-1:] = [[spans[-1][0], first + len(root)], [first + len(root), spans[-1][1]]]
    yield from (run[a:b] for a, b in spans if b > a)


def korean(found: dict[str, Counter[str]], size: int) -> Counter[str]:
    """Return the commonest Korean morphemes with their counts."""
    kiwi = Kiwi(num_workers=2)
    common = [(run, count) for run, count in found["korean"].items() if count > 2]
    whole: Counter[str] = Counter()
    cut = kiwi.tokenize([run for run, _ in common])
    for (run, count), tokens in track(zip(common, cut, strict=True), "morphemes", len(common)):
        for part in morphemes(run, tokens):
            whole[part] += count
    syllables: Counter[str] = Counter()
    for part, count in whole.items():
        for syllable in part:
            syllables[syllable] += count
    scale = EQUAL_MASS / max(whole.total(), 1)
    kept = Counter({part: count for part, count in whole.items() if len(part) <= LONGEST_PIECE})
    chosen = dict(kept.most_common(size))
    for word in found["word"]:
        if len(word) <= 8 and len(list(morphemes(word, kiwi.tokenize(word)))) == 1:
            chosen.setdefault(word, max(kept[word], 1))
    for syllable, _ in syllables.most_common(2000):
        chosen.setdefault(syllable, 1)
    return Counter({part: max(1, round(count * scale)) for part, count in chosen.items()})


def english(counts: Counter[str], size: int, work: Path) -> dict[str, float]:
    """Return the commonest English words whole, and parts learned from the rarer ones."""
    scale = EQUAL_MASS / max(counts.total(), 1)
    words = dict(counts.most_common(size - PARTS))
    pieces = {f" {word}": math.log(count * scale / EQUAL_MASS) for word, count in words.items()}
    rare = {word: count for word, count in counts.items() if word not in words and count > 1}
    table = work / "runs.tsv"
    with table.open("w", encoding="utf-8") as out:
        out.writelines(f"{SPACE}{word}\t{count}\n" for word, count in rare.items())
    sentencepiece.SentencePieceTrainer.train(
        input=str(table),
        input_format="tsv",
        model_prefix=str(work / "unigram"),
        model_type="unigram",
        vocab_size=PARTS,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        max_sentencepiece_length=LONGEST_PIECE,
        character_coverage=0.9999,
        input_sentence_size=0,
        num_threads=2,
        minloglevel=1,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=str(work / "unigram.model"))
    share = math.log(sum(rare.values()) * scale / EQUAL_MASS)
    for at in range(model.get_piece_size()):
        piece = model.id_to_piece(at).replace(SPACE, " ")
        if piece.strip() and not (model.is_control(at) or model.is_unknown(at)):
            pieces.setdefault(piece, model.get_score(at) + share)
    return pieces


def chosen(found: dict[str, Counter[str]], asked: argparse.Namespace) -> dict[str, float]:
    """Return every piece with its log probability."""
    parts = korean(found, asked.korean)
    pieces = {part: math.log(count / EQUAL_MASS) for part, count in parts.items()}
    pieces |= english(found["english"], asked.english, asked.work)
    total = found["other"].total()
    for run, count in found["other"].most_common(OTHERS):
        if len(run) <= LONGEST_PIECE:
            pieces.setdefault(marked(run), math.log(count / total) - 2.0)
            pieces.setdefault(run[0], math.log(count / total) - 4.0)
    worst = min(pieces.values()) - 2.0
    letters = "abcdefghijklmnopqrstuvwxyz"
    for fallback in (*letters, *map(marked, letters), *"0123456789", *FALLBACKS):
        pieces.setdefault(fallback, worst)
    return pieces


def main() -> None:
    """Choose the pieces and write them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--korean", type=int, default=30_000)
    parser.add_argument("--english", type=int, default=21_500)
    asked = parser.parse_args()
    pieces = chosen(counted(asked.work / "texts.tsv"), asked)
    hangul = sum(is_korean(piece) for piece in pieces)
    print(f"{len(pieces):,} pieces, {hangul:,} of them Korean")
    written = {"pieces": list(pieces), "scores": [round(score, 4) for score in pieces.values()]}
    (asked.work / "pieces.json").write_text(json.dumps(written, ensure_ascii=False))


if __name__ == "__main__":
    main()
