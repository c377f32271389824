"""English pairs: requests of one intent, questions with answers, words with definitions."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from source import Pair, Source, Text, git_files
from sources.english import (
    assistant_messages,
    chitchat_turns,
    clean,
    once,
    pieces,
    prose,
    self_dialogues,
    wordnet_synsets,
)

_COMMON = frozenset(
    "about actually after again also always another anything because been before being best better "
    "both come could cool definitely didn does doesn doing done down even ever every everyone feel "
    "find first from good gonna great guess hard have haven having hear heard here high into isn "
    "just kind know last least like little long look lots love made make many maybe mean might "
    "more most much must name need never nice once only other over people person pretty probably "
    "quite really right said same seem should some someone something sometimes still stuff such "
    "sure take talk tell than thank that their them then there these they thing things think this "
    "those though through time together under until used usually very want wasn were what when "
    "where which while will with without wonder work would wouldn year yeah years your".split()
)
# Snips requests differ by the title or town they name, so two of one intent are not close.
_PER_INTENT = {"clinc": 100, "banking": 130, "home": 300, "snips": 0}
Requests = dict[str, dict[str, list[str]]]


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry its subject, cut to a common beginning."""
    words = re.findall(r"[a-z]{4,}", text.casefold())
    return frozenset(word[:6] for word in words if word not in _COMMON)


def requests(folder: Path) -> Requests:
    """Return requests by collection and intent, in a fixed order and each once."""
    found: Requests = {name: defaultdict(list) for name in _PER_INTENT}
    seen: set[str] = set()
    for collection, intent, raw in _requests(folder):
        text = clean(raw.strip("<> "))
        if text and text.casefold() not in seen:
            seen.add(text.casefold())
            found[collection][intent].append(text)
    return found


def _requests(folder: Path) -> Iterator[tuple[str, str, str]]:
    for _, content in git_files(folder / "oos-eval", "data_full.json", "data"):
        for text, intent in json.loads(content)["train"]:
            yield "clinc", intent, text
    for _, content in git_files(folder / "task-specific-datasets", "banking_data/train.csv"):
        for row in csv.DictReader(io.StringIO(content.decode())):
            yield "banking", row["category"], row["text"]
    for path, content in git_files(folder / "NLU-Evaluation-Data", ".csv", "CrossValidation"):
        if "autoGeneFromRealAnno" in path and "/testset/csv/" in path:
            # the ten test folds are disjoint and together hold the whole collection
            for row in csv.DictReader(io.StringIO(content.decode()), delimiter=";"):
                yield "home", f"{row['scenario']}_{row['intent']}", row["answer_from_anno"] or ""
    for path, content in git_files(folder / "nlu-benchmark", "_full.json"):
        if "/train_" in path:
            for intent, rows in json.loads(content.decode("utf-8", "replace")).items():
                for row in rows:
                    yield "snips", intent, "".join(part["text"] for part in row["data"])


def read_requests(folder: Path) -> Iterator[Text | Pair]:
    """Yield requests to assistants with their intents, and table booking requests without."""
    rows = [
        Text(text, "en", (f"intent:{intent}",))
        for intents in requests(folder).values()
        for intent, texts in intents.items()
        for text in texts
    ]
    return once([*rows, *(Text(text, "en") for text in map(clean, _unlabelled(folder)) if text)])


def _unlabelled(folder: Path) -> Iterator[str]:
    repository = folder / "task-specific-datasets"
    for _, content in git_files(repository, "train_0.json", "span_extraction/restaurant8k"):
        yield from (row["userInput"]["text"] for row in json.loads(content))
    for _, content in git_files(repository, ".json", "nlupp/data"):
        data = json.loads(content)
        if isinstance(data, list):
            yield from (row["text"] for row in data)


def read_same_intent(folder: Path) -> Iterator[Text | Pair]:
    """Yield random pairs of requests of one intent, and look-alikes of different intents."""
    chance = random.Random(20240501)
    for collection, intents in requests(folder).items():
        for texts in intents.values():
            drawn: set[tuple[str, str]] = set()
            for _ in range(_PER_INTENT[collection]):
                first, second = sorted((chance.choice(texts), chance.choice(texts)))
                if first != second and _agree(first, second, strict=collection == "home"):
                    drawn.add((first, second))
            yield from (Pair(a, b, ("en", "en")) for a, b in sorted(drawn))
        yield from _look_alikes(intents, chance)


def _agree(first: str, second: str, strict: bool) -> bool:
    """Return whether two requests of one intent also ask for the same thing."""
    one, two = content_words(first), content_words(second)
    same = re.findall(r"\d+", first) == re.findall(r"\d+", second)
    return same and (not strict or 3 * len(one & two) >= len(one | two) > 0)


def _look_alikes(intents: dict[str, list[str]], chance: random.Random) -> Iterator[Pair]:
    """Yield pairs that share most of their words although their intents differ."""
    rows = [(intent, text, frozenset(re.findall(r"\w+", text.casefold())))
            for intent, texts in intents.items() for text in texts]  # fmt: skip
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, (_, text, _) in enumerate(rows):
        for word in sorted(content_words(text)):
            by_word[word].append(number)
    taken: set[tuple[int, int]] = set()
    for word in sorted(by_word):
        numbers = by_word[word]
        for _ in range(min(400, len(numbers) ** 2)):
            one, two = sorted((chance.choice(numbers), chance.choice(numbers)))
            intent, first, words = rows[one]
            other, second, others = rows[two]
            shared = len(words & others)
            if intent != other and (one, two) not in taken and shared >= 0.6 * len(words | others):
                taken.add((one, two))
                yield Pair(first, second, ("en", "en"), close=False)


def answers(turns: Iterable[tuple[str, str]]) -> Iterator[Pair]:
    """Yield question and reply where the reply speaks of what was asked."""
    seen: set[tuple[str, str]] = set()
    for question, reply in turns:
        first, second = clean(question), clean(reply)
        if not first.endswith("?") or not second or second.endswith("?"):
            continue
        if (
            len(second.split()) < 5
            or second.endswith(":")
            or not content_words(first) & content_words(second)
        ):
            continue
        if (first, second) not in seen and first.casefold() != second.casefold():
            seen.add((first, second))
            yield Pair(first, second, ("en", "en"))


def read_chitchat_answers(path: Path) -> Iterator[Text | Pair]:
    """Yield questions of the chit-chat conversations with the replies they got."""
    return answers(
        (one[-1], " ".join(two[:2]))
        for turns in chitchat_turns(path)
        for one, two in pairwise(turns)
        if one and two
    )


def read_self_answers(path: Path) -> Iterator[Text | Pair]:
    """Yield questions of the self-dialogue corpus with the replies they got."""
    return answers(pair for turns in self_dialogues(path)
                   for pair in pairwise(turns))  # fmt: skip


def read_assistant_answers(path: Path) -> Iterator[Text | Pair]:
    """Yield short questions to the assistant with the first passages of the next message."""
    return answers(_assistant_turns(path))


def _assistant_turns(path: Path) -> Iterator[tuple[str, str]]:
    previous: list[str] = []
    for message in assistant_messages(path):
        # trees are written parent first, so a lone question is followed by one of its answers
        if len(previous) == 1 and len(previous[0]) <= 200 and len(" ".join(message)) > 60:
            passages = [piece for line in prose(message) for piece in pieces(line, 300)]
            for passage in passages[:3]:
                yield previous[0], passage
        previous = message


def read_definitions(path: Path, most: int = 90_000) -> Iterator[Text | Pair]:
    """Yield words met in running text with their definitions and synonyms."""
    counts = (path / "usr/share/wordnet/cntlist.rev").read_text("utf-8").splitlines()
    met = {line.partition("%")[0].replace("_", " ") for line in counts}
    rows: list[Pair] = []
    for lemmas, definition, _ in wordnet_synsets(path):
        plain = [lemma for lemma in lemmas if lemma in met and len(lemma) > 2 and lemma.islower()]
        if not plain or re.search(r"\b(?:genus|family|order) [A-Z]", definition):
            continue
        short = definition if len(definition) <= 160 else definition.split(";")[0]
        if clean(short):
            rows.append(Pair(plain[0], clean(short), ("en", "en")))
        rows.extend(Pair(one, two, ("en", "en"))
                    for one, two in pairwise(plain))  # fmt: skip
    chance = random.Random(7)
    return iter(rows if len(rows) <= most else chance.sample(rows, most))


_REQUESTS = partial(
    Source,
    licence="CC-BY-3.0 AND CC-BY-4.0 AND CC0-1.0",
    credit="CLINC150 (Larson et al. 2019); Banking77, Restaurant-8k and NLU++ (PolyAI); "
    "NLU Evaluation Data (Liu et al. 2019); Snips NLU benchmark",
    obtain="A folder with git directories oos-eval (clinc), task-specific-datasets (PolyAI-LDN), "
    "NLU-Evaluation-Data (xliuhw) and nlu-benchmark (sonos) from github.com.",
)

SOURCES: tuple[Source, ...] = (
    _REQUESTS("requests-en", "labels", read=read_requests),
    _REQUESTS("same-intent-en", "pairs", read=read_same_intent),
    Source("chitchat-answers-en", "pairs", "MIT",
           "Chit-Chat Dataset, BYU Perception, Control and Cognition Lab",
           "The wheel chitchat_dataset 0.9.0 from PyPI.", read_chitchat_answers),
    Source("self-dialogue-answers-en", "pairs", "BSD-3-Clause",
           "The Self-dialogue Corpus, Fainberg et al. 2018",
           "A git directory of github.com/jfainberg/self_dialogue_corpus.", read_self_answers),
    Source("oasst1-answers-en", "pairs", "Apache-2.0",
           "OpenAssistant Conversations, Köpf et al. 2023",
           "A git directory of github.com/TurkuNLP/oasst-fi; only doc-in is read.",
           read_assistant_answers),
    Source("wordnet-definitions-en", "pairs", "WordNet", "WordNet 3.0, Princeton University",
           "The Debian package wordnet-base unpacked with dpkg-deb -x.", read_definitions),
)  # fmt: skip
