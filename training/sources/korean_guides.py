"""Korean prose about software: guides, notes and tutorials kept as Markdown or notebooks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from source import Pair, Source, Text, git_files
from sources.korean_text import clean, is_korean, sentences, unique

_MOST = 60_000  # one kind of formal text should not drown everyday language
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_FENCE = re.compile(r"```.*?```|~~~.*?~~~|\$\$.*?\$\$|<!--.*?-->|{%.*?%}", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|!?\[([^\]]*)\]\[[^\]]*\]")
_ROLE = re.compile(r":[\w:]+:`([^`<]*)[^`]*`|`([^`<]+)\s*<[^`]*>`_+")
_MARKS = re.compile(r"^[>\s]*(#{1,6}|[-*+]|\d{1,2}[.)]|- \[.\])?\s+|[*_]{2,3}|``?")
_SKIPPED = ("|", ".. ", "    ", "\t", "<", "import ", "$", ":", "[", "===", "---", "#include")
_POINTER = re.compile(
    r"(더 많은|추가|자세한) 정보|이 명령은|More information|See also|같이 보기|참고"
)
_USE = re.compile(r"^- (.+?)[:.]?[ ]*\n\s*\n`(.+?)`[ ]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"{{.*?}}+")
_KEYS = re.compile(r"\[(\w)\]")
_TORN = re.compile(r"\.md\)|\$|\\|_\"|\"_|={2,}|^=>")
_COMMAND_NOTE = re.compile(r"^(?:- |> )(.+?)[:.]?$", re.MULTILINE)


def _paragraphs(page: str) -> Iterator[str]:
    page = _FENCE.sub("\n", _FRONT.sub("", page))
    lines: list[str] = []
    for line in [*page.split("\n"), ""]:
        begins = re.match(r"\s*(#{1,6}|[-*+]|\d{1,2}[.)]|>)\s", line)
        skipped = line.startswith(_SKIPPED)
        if lines and (begins or skipped or not line.strip()):
            yield " ".join(lines)
            lines = []
        if line.strip() and not skipped:
            lines.append(_plain(line))


def _plain(line: str) -> str:
    line = _LINK.sub(lambda found: found.group(1) or found.group(2) or "", line)
    line = _ROLE.sub(lambda found: found.group(1) or found.group(2) or "", line)
    return _MARKS.sub("", _MARKS.sub("", line)).strip()


def _cells(content: str) -> Iterator[str]:
    for cell in json.loads(content).get("cells", ()):
        if cell.get("cell_type") == "markdown":
            yield "".join(cell["source"])


def _pages(path: Path, endings: tuple[str, ...], under: str) -> Iterator[str]:
    for ending in endings:
        for _, content in git_files(path, ending, under):
            page = content.decode("utf-8", "replace")
            yield from _cells(page) if ending == ".ipynb" else (page,)


def _prose(path: Path, endings: tuple[str, ...], under: str) -> Iterator[str]:
    for page in _pages(path, endings, under):
        for paragraph in _paragraphs(page):
            yield from sentences(clean(paragraph))


def _guide(under: str, *endings: str) -> Callable[[Path], Iterator[Text]]:
    def read(path: Path) -> Iterator[Text]:
        lines = unique(_prose(path, endings, under))
        fit = (line for line in lines if is_korean(line, 12, 300) and not _TORN.search(line))
        return islice((Text(line, "ko") for line in fit), _MOST)

    return read


def _notes(page: bytes) -> list[str]:
    kept = (note for note in _COMMAND_NOTE.findall(page.decode()) if "<http" not in note)
    return [clean(_bare(note)) for note in kept if not _POINTER.match(note)]


def _bare(note: str) -> str:
    return _KEYS.sub(r"\1", _plain(note).replace("`", ""))


def _command_pages(path: Path, under: str) -> Iterator[tuple[str, list[str]]]:
    for name, content in git_files(path, ".md", under):
        yield name.removeprefix(under), _notes(content)


def read_command_notes(path: Path) -> Iterator[Text]:
    """Yield short Korean descriptions of what a command does."""
    notes = (note for _, page in _command_pages(path, "pages.ko/") for note in page)
    return (Text(line, "ko") for line in unique(notes) if is_korean(line, 8))


def read_command_translations(path: Path) -> Iterator[Pair]:
    """Yield Korean descriptions of commands with the English ones they translate."""
    english = {
        name.removeprefix("pages/"): _uses(page) for name, page in git_files(path, ".md", "pages/")
    }
    seen: set[str] = set()
    for name, page in git_files(path, ".md", "pages.ko/"):
        origins = english.get(name.removeprefix("pages.ko/"), {})
        for command, note in _uses(page).items():
            origin = origins.get(command, "")
            if origin and note not in seen and is_korean(note, 8) and not is_korean(origin):
                seen.add(note)
                yield Pair(note, origin, ("ko", "en"))


def _uses(page: bytes) -> dict[str, str]:
    """Map each command, without its placeholders, to the note above it."""
    found = _USE.findall(page.decode())
    return {_PLACEHOLDER.sub("", command): clean(_bare(note)) for note, command in found}


def _answers(path: Path) -> Iterator[str]:
    for _, content in git_files(path, ".csv", "data/"):
        for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig", "replace"))):
            if "respid" in row:
                yield clean(row.get("response_text") or row.get("text") or "")


def read_survey_answers(path: Path) -> Iterator[Text]:
    """Yield reasons that people gave in their own words in two surveys."""
    return (Text(line, "ko") for line in unique(_answers(path)) if is_korean(line, 8))


SOURCES: tuple[Source, ...] = (
    Source(
        "developer-notes-korean",
        "text",
        "MIT",
        "tech-interview-for-developer, Gyuseok Kim",
        "git directory of github gyoogle/tech-interview-for-developer",
        _guide("", ".md"),
    ),
    Source(
        "opensource-guide-korean",
        "text",
        "CC-BY-4.0",
        "Open Source Guides, GitHub",
        "git directory of github github/opensource.guide",
        _guide("_articles/ko/", ".md"),
    ),
    Source(
        "pytorch-tutorials-korean",
        "text",
        "BSD-3-Clause",
        "PyTorch Korea User Group",
        "git directory of github PyTorchKorea/tutorials-kr",
        _guide("", ".rst", ".md"),
    ),
    Source(
        "tensorflow-guides-korean",
        "text",
        "Apache-2.0",
        "The TensorFlow Authors",
        "git directory of github tensorflow/docs-l10n",
        _guide("site/ko/", ".md", ".ipynb"),
    ),
    Source(
        "tldr-korean",
        "text",
        "CC-BY-4.0",
        "the tldr-pages team and contributors",
        "git directory of github tldr-pages/tldr",
        read_command_notes,
    ),
    Source(
        "tldr-translations",
        "pairs",
        "CC-BY-4.0",
        "the tldr-pages team and contributors",
        "git directory of github tldr-pages/tldr",
        read_command_translations,
    ),
    Source(
        "korean-survey-answers",
        "text",
        "MIT",
        "NLP Corpora for Korean Studies, Steven Denney",
        "git directory of github scdenney/nlp_corpora",
        read_survey_answers,
    ),
)
