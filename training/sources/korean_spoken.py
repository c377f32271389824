"""Korean as it is spoken, and pairs of it that people have judged; share-alike, with credit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from source import Pair, Source, Text, git_files
from sources.korean_text import clean, is_korean

# KorSTS judges from 0 to 5; its English twin's sentences are not read.
_MOST = 5.0
_SPOKEN = partial(Source, licence="CC-BY-SA-4.0")


def read_utterances(path: Path) -> Iterator[Text]:
    """Yield utterances of 3i4k: questions, orders, statements as people say them."""
    for _, content in git_files(path, "fci.txt", "data/fci.txt"):
        for line in content.decode("utf-8-sig").splitlines():
            text = clean(line.partition("\t")[2])
            if is_korean(text, least=8):
                yield Text(text, "ko")


def read_wishes(path: Path) -> Iterator[Pair]:
    """Yield questions and orders with what they come down to, as SAE4K words it."""
    for _, content in git_files(path, "sae4k_v1.txt", "data/sae4k_v1.txt"):
        for line in content.decode("utf-8-sig").splitlines():
            said, meant, *_ = (*map(clean, line.split("\t")), "")
            if is_korean(said) and is_korean(meant, syllables=2):
                yield Pair(said, meant, ("ko", "ko"))


def read_likeness(path: Path) -> Iterator[Pair]:
    """Yield pairs of the training part of KorSTS with how alike people found them."""
    for _, content in git_files(path, "sts-train.tsv", "KorSTS/sts-train.tsv"):
        for line in content.decode().splitlines()[1:]:
            parts = line.split("\t")
            if len(parts) >= 7 and is_korean(parts[5]) and is_korean(parts[6]):
                score = float(parts[4]) / _MOST
                yield Pair(clean(parts[5]), clean(parts[6]), ("ko", "ko"), score >= 0.5, score)


SOURCES: tuple[Source, ...] = (
    _SPOKEN(
        name="spoken-korean",
        kind="text",
        credit="3i4k, Won Ik Cho and others",
        obtain="git directory of github warnikchow/3i4k",
        read=read_utterances,
    ),
    _SPOKEN(
        name="spoken-korean-wishes",
        kind="pairs",
        credit="SAE4K, Won Ik Cho and others",
        obtain="git directory of github warnikchow/sae4k",
        read=read_wishes,
    ),
    _SPOKEN(
        name="korsts-train",
        kind="pairs",
        credit="KorNLU datasets, Kakao Brain",
        obtain="git directory of github kakaobrain/kor-nlu-datasets",
        read=read_likeness,
    ),
)
