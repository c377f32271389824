"""English text: conversation, reviews, assistant questions, dictionary examples, labels.

It reads text only; sentence pairs are in `english_pairs`.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from source import Pair, Source, Text, git_files

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z0-9])")
_UNWANTED = re.compile(
    r"https?:|www\.|\.com\b|[\w.]+@\w|[{}<>|\\=^`~]|_{2,}|\*{2,}|\[NAME\]|\[RELIGION\]|"
    r"(?:\d[\s().-]*){8,}|([^\s.!?])\1{4,}|\b(\w+)(?:\W+\2\b){3,}",
    re.IGNORECASE,
)
_TOKENISED = ((" n't", "n't"), (" 's", "'s"), (" 're", "'re"), (" 've", "'ve"), (" 'll", "'ll"),
              (" 'm", "'m"), (" 'd", "'d"), (" ,", ","), (" .", "."), (" ?", "?"), (" !", "!"),
              (" ;", ";"), (" :", ":"), ("( ", "("), (" )", ")"))  # fmt: skip
_MARKDOWN = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)]|#{1,6}|>)\s+")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(\S(?:.*?\S)?)\1")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
LONGEST = 400


def clean(raw: str) -> str:
    """Return the text on one line, or nothing where it is not a plain English passage."""
    text = html.unescape(html.unescape(raw))  # some collections are escaped twice
    text = text.replace("\u2019", "'").replace('""', '"')
    text = _SPACE.sub(" ", text.replace("\ufffd", "'")).strip(' \t"-–—*#')
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    if not 4 <= len(text) <= LONGEST or len(words) < 2 or letters < 0.65 * len(text):
        return ""
    if any(len(word) > 24 for word in words) or _UNWANTED.search(text):
        return ""
    return text


def pieces(raw: str, longest: int = 240) -> Iterator[str]:
    """Yield a passage whole when it is short, and otherwise in runs of whole sentences."""
    text = _SPACE.sub(" ", raw).strip()
    if len(text) <= longest:
        parts = [text]
    else:
        parts = [""]
        for sentence in _SENTENCE_END.split(text):
            if parts[-1] and len(parts[-1]) + len(sentence) >= longest:
                parts.append("")
            parts[-1] = f"{parts[-1]} {sentence}".strip()
    yield from filter(None, map(clean, parts))


def joined(text: str) -> str:
    """Return text that was split into tokens with its usual spacing."""
    for apart, together in _TOKENISED:
        text = text.replace(apart, together)
    return text


def once(rows: Iterable[Text]) -> Iterator[Text]:
    """Yield each text the first time it is seen, whatever its case and punctuation."""
    seen: set[str] = set()
    for row in rows:
        key = " ".join(_WORD.findall(row.text.casefold()))
        if key and key not in seen:
            seen.add(key)
            yield row


def plain(texts: Iterable[str]) -> Iterator[Text]:
    """Yield English rows without labels, each text once."""
    return once(Text(text, "en") for text in texts)


def chitchat_turns(path: Path) -> Iterator[list[list[str]]]:
    """Yield each conversation of the chit-chat wheel as turns made of messages."""
    with zipfile.ZipFile(path) as wheel:
        conversations = json.loads(wheel.read("chitchat_dataset/dataset.json"))
    for key in sorted(conversations):
        turns = []
        for turn in conversations[key]["messages"]:
            messages: list[str] = []
            for message in turn:
                text = message["text"].strip()
                if messages and text and not _WORD.search(text):
                    messages[-1] += text  # a question mark sent on its own
                elif text:
                    messages.append(text)
            turns.append(messages)
        yield turns


def read_chitchat(path: Path) -> Iterator[Text | Pair]:
    """Yield the messages of the chit-chat conversations."""
    turns = (turn for conversation in chitchat_turns(path) for turn in conversation)
    return plain(piece for turn in turns for message in turn for piece in pieces(message))


def self_dialogues(repository: Path) -> Iterator[list[str]]:
    """Yield the accepted dialogues of the self-dialogue corpus as lists of turns."""
    blocked = b"".join(content for _, content in git_files(repository, "blocked_workers.txt"))
    refused = set(blocked.decode().split())
    csv.field_size_limit(1 << 24)
    for _, content in git_files(repository, ".csv", "corpus"):
        for row in csv.DictReader(io.StringIO(content.decode("utf-8", "replace"))):
            if row.get("WorkerId") in refused or row.get("AssignmentStatus") == "Rejected":
                continue
            numbered = [
                (int(key.removeprefix("Answer.sentence")), value)
                for key, value in row.items()
                if key and re.fullmatch(r"Answer\.sentence\d+", key) and value
            ]
            yield [turn for _, turn in sorted(numbered)]


def read_self_dialogues(path: Path) -> Iterator[Text | Pair]:
    """Yield the turns of the self-dialogue corpus."""
    turns = (turn for dialogue in self_dialogues(path) for turn in dialogue)
    return plain(piece for turn in turns for piece in pieces(turn))


def read_goemotions(path: Path) -> Iterator[Text | Pair]:
    """Yield the training comments of GoEmotions with the names of their emotions."""
    names = next(git_files(path, "labels.txt", "data/original"))[1].decode().split()
    comments = next(git_files(path, "train.tsv", "data/original"))[1].decode()
    rows = []
    for line in comments.splitlines():
        comment, numbers, _ = line.split("\t")
        text = clean(comment.replace("[NAME]", "someone").replace("[RELIGION]", "religion"))
        if text:
            rows.append(Text(text, "en", tuple(f"emotion:{names[int(n)]}"
                                               for n in numbers.split(","))))  # fmt: skip
    return once(rows)


def assistant_messages(repository: Path) -> Iterator[list[str]]:
    """Yield each English Open Assistant message as its lines, in the order of their trees."""
    w = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    for _, content in git_files(repository, ".docx", "doc-in"):
        with zipfile.ZipFile(io.BytesIO(content)) as document:
            body = ElementTree.fromstring(document.read("word/document.xml"))
        message: list[str] = []
        for paragraph in body.iter(f"{w}p"):
            if paragraph.find(f".//{w}b") is not None:  # the heading "Document 12"
                if message:
                    yield message
                message = []
                continue
            parts = [e.text or "" if e.tag == f"{w}t" else "\n"
                     for e in paragraph.iter() if e.tag in (f"{w}t", f"{w}br")]  # fmt: skip
            message.extend(line for line in "".join(parts).split("\n") if line.strip())
        if message:
            yield message


def prose(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a message that are prose, without list marks, links and code."""
    fenced = False
    for line in lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "\t", "|")):
            text = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _MARKDOWN.sub("", line)))
            if not re.search(r"[;{}]$|\w\(\)|^(?:import|def|class|return|print)\b", text):
                yield text


def read_assistant(path: Path) -> Iterator[Text | Pair]:
    """Yield the prose of the Open Assistant messages."""
    return plain(
        piece
        for message in assistant_messages(path)
        for line in prose(message)
        for piece in pieces(line)
        if len(piece) >= 12
    )


def read_taskmaster(path: Path) -> Iterator[Text | Pair]:
    """Yield what users and assistants say in the Taskmaster files a snapshot holds."""
    return plain(piece for turn in _taskmaster_turns(path) for piece in pieces(turn))


def _taskmaster_turns(path: Path) -> Iterator[str]:
    for _, content in git_files(path, ".json", "TM-4-2024/data"):
        for dialogue in json.loads(content):
            yield from (turn.get("text") or "" for turn in dialogue["utterances"])
    for folder in ("TM-3-2020/reward", "TM-4-2024/reward"):
        for _, content in git_files(path, ".json", folder):
            for row in json.loads(content):
                # the generated answer is left out: only what people wrote is read
                turns = json.loads(row["context"])
                yield from (t["text"] for t in turns if t.get("role") == "user" and "text" in t)


def read_opinions(path: Path) -> Iterator[Text | Pair]:
    """Yield reviews and review sentences with the side they take."""
    return once(row for row in _opinions(path) if row.text)


def _opinions(path: Path) -> Iterator[Text]:
    for name, content in git_files(path, ".zip", "packages/corpora"):
        stem = Path(name).stem
        if stem not in ("pros_cons", "sentence_polarity", "product_reviews_1",
                        "product_reviews_2", "comparative_sentences"):  # fmt: skip
            continue
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in sorted(archive.namelist()):
                if not member.endswith("/") and "readme" not in member.casefold():
                    lines = archive.read(member).decode("latin-1").splitlines()
                    yield from _opinion_lines(stem, Path(member).name, lines)


def _opinion_lines(stem: str, member: str, lines: list[str]) -> Iterator[Text]:
    if stem in ("pros_cons", "sentence_polarity"):
        side = "positive" if "pros" in member.casefold() or member.endswith(".pos") else "negative"
        for line in lines:
            text = clean(joined(re.sub(r"</?(?:Pros|Cons)>", "", line)))
            yield Text(text, "en", (f"sentiment:{side}",))
    elif stem.startswith("product_reviews"):
        for line in lines:
            marks, found, sentence = line.partition("##")
            signs = set(re.findall(r"\[([+-])\d\]", marks))
            sides = {"+": ("sentiment:positive",), "-": ("sentiment:negative",)}
            text = clean(joined(sentence)) if found else ""
            yield Text(text, "en", sides[signs.pop()] if len(signs) == 1 else ())
    else:
        yield from (Text(clean(joined(line)), "en") for line in lines if line[:1].isalpha())


def wordnet_synsets(path: Path) -> Iterator[tuple[list[str], str, list[str]]]:
    """Yield lemmas, definition and examples of each WordNet synset."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (path / f"usr/share/wordnet/data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence at the head of the file
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            names = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            lemmas = [re.sub(r"\(\w+\)$", "", name).replace("_", " ") for name in names]
            examples = re.findall(r'"([^"]+)"', gloss)
            definition = re.split(r';?\s*"', gloss, maxsplit=1)[0].strip(" ;")
            yield lemmas, definition, examples


def read_wordnet(path: Path) -> Iterator[Text | Pair]:
    """Yield the example sentences and the definitions of WordNet."""
    rows = list(wordnet_synsets(path))
    examples = (clean(example) for _, _, found in rows for example in found)
    definitions = (clean(definition) for _, definition, _ in rows)
    return plain(text for group in (examples, definitions) for text in group if len(text) > 14)


def _git(name: str) -> str:
    return f"A git directory of the newest commit of github.com/{name}."


SOURCES: tuple[Source, ...] = (
    Source("chitchat-en", "text", "MIT",
           "Chit-Chat Dataset, BYU Perception, Control and Cognition Lab",
           "The wheel chitchat_dataset 0.9.0 from PyPI.", read_chitchat),
    Source("self-dialogue-en", "text", "BSD-3-Clause",
           "The Self-dialogue Corpus, Fainberg et al. 2018",
           _git("jfainberg/self_dialogue_corpus"), read_self_dialogues),
    Source("goemotions-train", "labels", "CC-BY-4.0",
           "GoEmotions, Demszky et al. 2020, Google Research",
           _git("monologg/GoEmotions-pytorch") + " Only data/original/train.tsv is read.",
           read_goemotions),
    Source("oasst1-en", "text", "Apache-2.0", "OpenAssistant Conversations, Köpf et al. 2023",
           _git("TurkuNLP/oasst-fi") + " Only the English originals in doc-in are read.",
           read_assistant),
    Source("taskmaster-en", "text", "CC-BY-4.0", "Taskmaster-3 and -4, Google",
           _git("google-research-datasets/Taskmaster"), read_taskmaster),
    Source("opinions-en", "labels", "CC-BY-4.0",
           "Product review and comparison data (Liu, Hu, Jindal, Ganapathibhotla); "
           "sentence polarity data (Pang and Lee 2005)",
           _git("nltk/nltk_data"), read_opinions),
    Source("wordnet-en", "text", "WordNet", "WordNet 3.0, Princeton University",
           "The Debian package wordnet-base unpacked with dpkg-deb -x.", read_wordnet),
)  # fmt: skip
