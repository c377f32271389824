"""Korean text opened to the public: petitions, read-aloud sentences, word-sense examples, talk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from source import Language, Pair, Source, Text, git_files
from sources.korean_text import clean, is_korean, sentences, unique

_KO: tuple[Language, Language] = ("ko", "ko")
_PETITION_SENTENCES = 12  # the opening says what is asked; long tails repeat it
_GREETING = re.compile(r"^(안녕하세요|안녕하십니까|존경하는|수고)[^.!?]{0,40}[.!?~]*\s*")
_MASKED = re.compile(r"\*{2,}|○○|ㅇㅇ|국민 ?청원 요건")


def _petitions(path: Path) -> Iterator[tuple[str, list[str]]]:
    months = (f"-{month:02}" for month in range(1, 13))
    for _, content in chain.from_iterable(git_files(path, month) for month in months):
        for line in content.decode().splitlines():
            row = json.loads(line)
            body = _GREETING.sub("", clean(row["content"]))
            kept = [s for s in sentences(body) if is_korean(s, 10, 300) and not _MASKED.search(s)]
            yield clean(row["title"]), kept


def _petition_lines(path: Path) -> Iterator[str]:
    for title, body in _petitions(path):
        if is_korean(title, 6) and not _MASKED.search(title):
            yield title
        yield from body[:_PETITION_SENTENCES]


def read_petition_sentences(path: Path) -> Iterator[Text]:
    """Yield titles and opening sentences of citizens' petitions."""
    return (Text(line, "ko") for line in unique(_petition_lines(path)))


def _opening(body: list[str]) -> str:
    opening = ""
    for sentence in body:
        opening = f"{opening} {sentence}".strip()
        if len(opening) >= 60:
            break
    return opening


def read_petition_titles(path: Path) -> Iterator[Pair]:
    """Yield each petition's title with the opening of its text."""
    seen: set[str] = set()
    for title, body in _petitions(path):
        opening = _opening(body)
        unfit = title in seen or _MASKED.search(title) or not is_korean(title, 8)
        if unfit or len(opening) < 20:
            continue
        seen.add(title)
        if not opening.startswith(title) and len(opening) <= 400:
            yield Pair(title, opening, _KO)


def _spoken(path: Path) -> Iterator[str]:
    for _, content in git_files(path, ".txt", "server/data/ko/"):
        yield from (clean(line) for line in content.decode().splitlines())


def read_spoken(path: Path) -> Iterator[Text]:
    """Yield sentences volunteers gave to be read aloud."""
    return (Text(line, "ko") for line in unique(_spoken(path)) if is_korean(line))


def _exchanges(path: Path) -> Iterator[tuple[str, str]]:
    under = "DialogueDataset/"
    for name, content in git_files(path, "_dialog.json", under):
        for dialogue in json.loads(content) if "graph_grounded" in name else ():
            for turn in dialogue["turns"]:
                yield clean(turn["user_message"] or ""), clean(turn["system_message"] or "")
    for ending in ("_dial_validation.json", "_dial_test.json"):
        for _, content in git_files(path, ending, under):
            for dialogues in json.loads(content)["dial_data"].values():
                for dialogue in dialogues:
                    yield from _asked(dialogue["turns"])


def _asked(turns: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for turn, reply in pairwise(turns):
        if turn["role"] == "user" and reply["role"] != "user":
            yield clean(turn["utterance"]), clean(reply["utterance"])


def read_exchanges(path: Path) -> Iterator[Pair]:
    """Yield what a user says about music or a device manual with the reply given."""
    seen: set[tuple[str, str]] = set()
    for said, reply in _exchanges(path):
        if (said, reply) not in seen and is_korean(said) and is_korean(reply):
            seen.add((said, reply))
            yield Pair(said, reply, _KO)


_PETITION_CREDIT = "National petitions of the Blue House; collected by lovit (petitions_archive)"
_PETITION_ORIGIN = "git directory of github lovit/petitions_archive (months that are present)"

SOURCES: tuple[Source, ...] = (
    Source(
        "petition-sentences",
        "text",
        "KOGL-1",
        _PETITION_CREDIT,
        _PETITION_ORIGIN,
        read_petition_sentences,
    ),
    Source(
        "petition-titles",
        "pairs",
        "KOGL-1",
        _PETITION_CREDIT,
        _PETITION_ORIGIN,
        read_petition_titles,
    ),
    Source(
        "common-voice-korean",
        "text",
        "CC0-1.0",
        "Common Voice contributors, Mozilla",
        "git directory of github common-voice/common-voice",
        read_spoken,
    ),
    Source(
        "korean-task-talk",
        "pairs",
        "MIT",
        "HG-TODS, NLPlab-skku",
        "git directory of github NLPlab-skku/HG-TODS",
        read_exchanges,
    ),
)
