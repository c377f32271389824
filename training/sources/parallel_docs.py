"""Korean-English pairs of technical and product language: manuals, help pages, interfaces."""

from __future__ import annotations

import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path

from source import Pair, Source, git_files
from sources.parallel import distinct, keyed_pairs, po_entries, sentence_pairs

MOST = 25_000  # per source, so that software text does not drown everyday language


def plain_rst(text: str) -> str:
    """Return reStructuredText without its inline markup."""
    text = re.sub(r":[\w:+-]+:`[!~]?([^`<]*?)\s*(?:<[^`>]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^`>]*>`__?", r"\1", text)
    text = re.sub(r"``?([^`]*)``?_?", r"\1", text)
    text = re.sub(r"\*\*?([^*\s][^*]*?)\*\*?", r"\1", text)
    return re.sub(r"\[#?\w*\]_|\|", "", text).replace("\\ ", "")


def _po_pairs(files: Iterable[tuple[str, bytes]]) -> Iterator[Pair]:
    for _, content in files:
        for english, korean in po_entries(content.decode()):
            yield from sentence_pairs(plain_rst(korean), plain_rst(english))


_PYTHON_ORDER = ("tutorial/", "faq/", "howto/", "using/", "library/", "reference/")


def read_python_docs(path: Path) -> Iterator[Pair]:
    """Yield sentence pairs of the Python manual, the readable parts first."""
    found = (_po_pairs(git_files(path, ".po", under)) for under in _PYTHON_ORDER)
    return distinct((pair for part in found for pair in part), MOST)


def plain_markdown(text: str) -> str:
    """Return one Markdown block without marks, links, comments and shortcodes."""
    text = re.sub(r"\{/\*.*?\*/\}|<!--.*?-->|\{#[\w.-]+\}", "", text, flags=re.DOTALL)
    text = re.sub(r'\{\{<\s*glossary_tooltip[^>]*?text="([^"]*)"[^>]*>\}\}', r"\1", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"^(?:#+|[-*+>]|\d+\.)\s+", "", text.strip())
    text = re.sub(r"\*\*|__|``?|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)
    return unescape(re.sub(r"</?\w[^>]*>", "", text)).strip()


def _kind(block: str) -> str:
    first = block.split(maxsplit=1)[0] if block.strip() else ""
    if first.startswith(("```", "~~~", "|", "<", "{{", ":::", "import", "export")):
        return "skip " + first[:4]
    if first and set(first) <= {"#"}:
        return first
    return "item" if re.fullmatch(r"[-*+>]|\d+\.", first) else "text"


def _blocks(text: str) -> list[str]:
    text = re.sub(r"\A---\n.*?\n---\n", "", text.replace("\r\n", "\n"), flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^([ \t]*)(```|~~~).*?^\1\2[ \t]*$", r"\n```\n", text, flags=re.DOTALL | re.M)
    text = re.sub(r"^(\s*(?:[-*+]|\d+\.)\s|#+\s)", r"\n\1", text, flags=re.MULTILINE)
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def _sections(text: str) -> list[list[str]]:
    sections: list[list[str]] = [[]]
    for block in _blocks(text):
        if _kind(block).startswith("#"):
            sections.append([])
        sections[-1].append(block)
    return sections


def _shape(section: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Say what a translation keeps of a section: kinds of blocks and their code words."""
    return tuple((_kind(one), tuple(sorted(re.findall(r"`([^`]+)`", one)))) for one in section)


def markdown_pairs(korean: str, english: str) -> Iterator[Pair]:
    """Yield pairs from the sections of two pages that have the same shape in the same order."""
    mine, theirs = _sections(korean), _sections(english)
    matcher = SequenceMatcher(None, [*map(_shape, mine)], [*map(_shape, theirs)], autojunk=False)
    for left, right, size in matcher.get_matching_blocks():
        for ours, other in zip(mine[left : left + size], theirs[right : right + size], strict=True):
            for first, second in zip(ours, other, strict=True):
                if not _kind(first).startswith("skip"):
                    yield from sentence_pairs(plain_markdown(first), plain_markdown(second))


def _page_pairs(korean: dict[str, bytes], english: dict[str, bytes]) -> Iterator[Pair]:
    for name in sorted(korean.keys() & english.keys()):
        yield from markdown_pairs(korean[name].decode(), english[name].decode())


def read_react_docs(path: Path) -> Iterator[Pair]:
    """Yield pairs from a folder with the git directories `korean` and `english`."""
    pages = [dict(git_files(path / one, ".md", "src/content/")) for one in ("korean", "english")]
    return distinct(_page_pairs(pages[0], pages[1]), MOST)


def read_kubernetes_docs(path: Path) -> Iterator[Pair]:
    """Yield pairs of the pages that have both a Korean and an English version."""
    korean, english = (
        {name[len(under) :]: body for name, body in git_files(path, ".md", under)}
        for under in ("content/ko/", "content/en/")
    )
    return distinct(_page_pairs(korean, english), MOST)


def _deb_pages(archive: Path) -> dict[str, str]:
    """Return the help pages of a Debian package by their path below the language folder."""
    data = archive.read_bytes()
    at, pages = 8, {}
    while at < len(data):
        name, size = data[at : at + 16].decode().strip(), int(data[at + 48 : at + 58])
        body = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if not name.startswith("data.tar"):
            continue
        with tarfile.open(fileobj=io.BytesIO(body)) as opened:
            for member in opened:
                if member.isfile() and member.name.endswith(".html") and "/text/" in member.name:
                    content = opened.extractfile(member)
                    assert content
                    pages[member.name.partition("/text/")[2]] = content.read().decode()
    return pages


_HELP_BLOCK = re.compile(r'<(p|h\d) id="([a-z]+_id\w+)"[^>]*>(.*?)</\1>', re.DOTALL)


def _help_blocks(page: str) -> dict[str, str]:
    return {
        match[2]: unescape(re.sub(r"<[^>]*>", "", match[3])) for match in _HELP_BLOCK.finditer(page)
    }


def _help_pairs(korean: dict[str, str], english: dict[str, str]) -> Iterator[Pair]:
    for name in sorted(korean.keys() & english.keys()):
        originals = _help_blocks(english[name])
        for key, text in _help_blocks(korean[name]).items():
            yield from sentence_pairs(text, originals.get(key, ""))


def read_office_help(path: Path) -> Iterator[Pair]:
    """Yield paragraphs of office help that share an id, from a folder of the two packages."""
    korean = _deb_pages(min(path.glob("libreoffice-help-ko_*.deb")))
    english = _deb_pages(min(path.glob("libreoffice-help-en-us_*.deb")))
    return distinct(_help_pairs(korean, english), MOST)


def _wheel_texts(wheel: Path, tongue: str) -> dict[str, object]:
    """Return the translation files of a wheel by their path without language and digest."""
    texts: dict[str, object] = {}
    with zipfile.ZipFile(wheel) as opened:
        for name in sorted(opened.namelist()):
            place = re.sub(rf"/{tongue}(-[0-9a-f]{{32}})?\.json$", "", name)
            if place != name and "/translations" in name:
                texts[place] = json.loads(opened.read(name))
    return texts


def _wheel_pairs(path: Path) -> Iterator[Pair]:
    for wheel in sorted(path.glob("*.whl")):
        korean, english = _wheel_texts(wheel, "ko"), _wheel_texts(wheel, "en")
        for place in sorted(korean.keys() & english.keys()):
            yield from keyed_pairs(korean[place], english[place])


def read_home_assistant(path: Path) -> Iterator[Pair]:
    """Yield interface lines of home automation, from a folder of the two wheels."""
    return distinct(_wheel_pairs(path), MOST)


def _fluent(text: str) -> dict[str, str]:
    messages: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if match := re.match(r"([a-z][\w-]*)\s*=\s*(.*)", line):
            name = match[1]
            messages[name] = match[2]
        elif line.startswith("    ") and name:
            messages[name] += " " + line.strip()
        else:
            name = ""
    return {key: _brands(value) for key, value in messages.items()}


def _brands(text: str) -> str:
    """Put in the brand names a message refers to, and drop its tags."""
    text = re.sub(
        r"\{\s*-brand-name-([\w-]+?)\s*\}", lambda m: m[1].replace("-", " ").title(), text
    )
    return unescape(re.sub(r"</?\w[^>]*>", "", text))


def _fluent_pairs(path: Path) -> Iterator[Pair]:
    english = {name[3:]: body for name, body in git_files(path, ".ftl", "en/")}
    for name, body in git_files(path, ".ftl", "ko/"):
        originals = _fluent(english.get(name[3:], b"").decode())
        for key, text in _fluent(body.decode()).items():
            yield from sentence_pairs(text, originals.get(key, ""))


def read_mozilla_pages(path: Path) -> Iterator[Pair]:
    """Yield sentences of the Mozilla site on privacy, the web and its products."""
    return distinct(_fluent_pairs(path), MOST)


SOURCES: tuple[Source, ...] = (
    Source(
        name="python-docs-ko",
        kind="pairs",
        licence="PSF-2.0",
        credit="Python Software Foundation; Korean by Dong-gweon Oh and others",
        obtain="git clone --bare --branch 3.13 of github:python/python-docs-ko",
        read=read_python_docs,
    ),
    Source(
        name="libreoffice-help-ko",
        kind="pairs",
        licence="MPL-2.0",
        credit="The Document Foundation and LibreOffice contributors",
        obtain="folder of Debian packages: libreoffice-help-ko, libreoffice-help-en-us",
        read=read_office_help,
    ),
    Source(
        name="home-assistant-ko",
        kind="pairs",
        licence="Apache-2.0",
        credit="Home Assistant and its translators",
        obtain="folder of PyPI wheels: homeassistant, home-assistant-frontend",
        read=read_home_assistant,
    ),
    Source(
        name="react-docs-ko",
        kind="pairs",
        licence="CC-BY-4.0",
        credit="React documentation and its Korean translators",
        obtain="folder: korean -> github:reactjs/ko.react.dev, english -> github:reactjs/react.dev",
        read=read_react_docs,
    ),
    Source(
        name="kubernetes-docs-ko",
        kind="pairs",
        licence="CC-BY-4.0",
        credit="The Kubernetes Authors",
        obtain="github:kubernetes/website",
        read=read_kubernetes_docs,
    ),
    Source(
        name="mozilla-www-ko",
        kind="pairs",
        licence="MPL-2.0",
        credit="Mozilla and its localisers (mozilla-l10n/www-l10n)",
        obtain="github:mozilla-l10n/www-l10n",
        read=read_mozilla_pages,
    ),
)
