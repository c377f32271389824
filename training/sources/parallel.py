"""Korean-English pairs of everyday and narrative language: talk, scripture, terms, stories."""

from __future__ import annotations

import ast
import json
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from source import Pair, Source, git_files

LONGEST = 400
# The Korean test and valid dialogues take turns through the English test set, which has two
# dialogues more; found by comparing the meaning of every dialogue.
_UNTRANSLATED = (22, 273)
_HANGUL = re.compile(r"[가-힣]")
_LATIN = re.compile(r"[A-Za-z]")
_UNWANTED = re.compile(r"https?://|www\.|[{}<>\\|]|%\d?\$?[sdn@]|\$\w|__|::|@\w+|==|->")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]?\s+(?=[\"'“‘(\[]?[A-Z가-힣0-9])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Ms|Dr|St|No|Inc)\.|\b[A-Z]\.)$")
_PO_FIELD = re.compile(r'^(msgid|msgstr|msgctxt|msgid_plural|msgstr\[\d\])\s+(".*")$')


def tidy(text: str) -> str:
    """Return the text with runs of white space made one space."""
    return " ".join(text.replace("\u200b", "").replace("\xa0", " ").split())


def sentences(text: str) -> list[str]:
    """Split a paragraph into sentences, keeping common abbreviations whole."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + piece
        else:
            found.append(piece)
    return found


def is_pair(korean: str, english: str) -> bool:
    """Tell whether the two look like clean Korean and English of comparable length."""
    if not (2 <= len(korean) <= LONGEST and 2 <= len(english) <= LONGEST):
        return False
    if _UNWANTED.search(korean) or _UNWANTED.search(english) or _HANGUL.search(english):
        return False
    hangul, latin = len(_HANGUL.findall(korean)), len(_LATIN.findall(english))
    if hangul < 0.45 * len(korean.replace(" ", "")) or latin < 0.6 * len(english.replace(" ", "")):
        return False
    return len(english) < 30 or 0.22 <= len(korean) / len(english) <= 1.3


def sentence_pairs(korean: str, english: str) -> Iterator[Pair]:
    """Yield the sentence pairs of two paragraphs, or the whole when their counts differ."""
    korean, english = tidy(korean), tidy(english)
    left, right = sentences(korean), sentences(english)
    if len(left) != len(right):
        left, right = [korean], [english]
    for first, second in zip(left, right, strict=True):
        if is_pair(first, second):
            yield Pair(first, second, ("ko", "en"))


def distinct(pairs: Iterable[Pair], limit: int = 1_000_000) -> Iterator[Pair]:
    """Yield each pair once, at most `limit` of them."""
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        key = (pair.first, pair.second)
        if key in seen:
            continue
        seen.add(key)
        yield pair
        if len(seen) == limit:
            return


def flat(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted path and text of every string in a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from flat(inner, f"{path}.{number}")


def keyed_pairs(korean: object, english: object) -> Iterator[Pair]:
    """Yield the pairs of two JSON values whose strings share a path."""
    originals = dict(flat(english))
    for path, text in flat(korean):
        if path in originals:
            yield from sentence_pairs(text, originals[path])


def po_entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield source and translation of each finished entry of a gettext file."""
    for block in re.split(r"\n\s*\n", text):
        if re.search(r"^#,.*fuzzy", block, re.MULTILINE) or "msgid_plural" in block:
            continue
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if match := _PO_FIELD.match(line):
                name = match[1]
                fields[name] = ast.literal_eval(match[2])
            elif name and line.startswith('"'):
                fields[name] += ast.literal_eval(line)
        if fields.get("msgid") and fields.get("msgstr"):
            yield fields["msgid"], fields["msgstr"]


def _english_verses(text: str) -> dict[tuple[str, str], str]:
    book, verses = "", {}
    for line in text.splitlines():
        if line.startswith("### "):
            book = _book_key(line[4:])
        elif match := re.match(r"\[(\d+:\d+)\]\s+(.*)", line):
            verses[(book, match[1])] = tidy(match[2])
    return verses


def _book_key(title: str) -> str:
    numbers = {"III ": "3", "II ": "2", "I ": "1"}
    for roman, digit in numbers.items():
        if title.startswith(roman):
            title = digit + title[len(roman) :]
    key = re.sub(r"[^a-z0-9]", "", title.lower())
    return {"revelationofjohn": "revelation", "songofsongs": "songofsolomon"}.get(key, key)


def read_bible(path: Path) -> Iterator[Pair]:
    """Yield verse pairs from a folder with the git directories `korean` and `english`."""
    name = "formats/txt/BSB.txt"
    text = dict(git_files(path / "english", "BSB.txt", name))[name].decode()
    english = _english_verses(text)
    for file, content in git_files(path / "korean", ".json", "data/"):
        book = _book_key(Path(file).stem)
        for chapter in json.loads(content)["chapters"]:
            for verse in chapter["verses"]:
                key = (book, f"{chapter['chapter']}:{verse['verse']}")
                first, second = tidy(verse["text"]), english.get(key, "")
                if is_pair(first, second):
                    yield Pair(first, second, ("ko", "en"))


def _spoken(text: str) -> str:
    """Undo the spaces before punctuation and the lower case of tokenised chat."""
    text = re.sub(r"\s+([.,!?])", r"\1", tidy(text))
    text = re.sub(r"\bi\b", "I", text)
    return text[:1].upper() + text[1:]


def read_persona(path: Path) -> Iterator[Pair]:
    """Yield turns and persona lines of the human-annotated dialogues and their originals."""
    files = {
        Path(name).name: json.loads(body) for name, body in git_files(path, ".json", "dataset/")
    }
    english = files["En_persona_test.json"]
    kept = [one for at, one in enumerate(english) if at not in _UNTRANSLATED]
    for start, part in ((0, "test"), (1, "valid")):
        korean = files[f"Ko_persona_split_{part}_human_annotated.json"]
        for mine, theirs in zip(korean, kept[start::2], strict=False):
            yield from _dialogue_pairs(mine, theirs)


def _dialogue_pairs(korean: dict[str, list], english: dict[str, list]) -> Iterator[Pair]:  # type: ignore[type-arg]
    if len(korean["dialogue"]) != len(english["dialogue"]):
        return
    turns = [turn for exchange in korean["dialogue"] for turn in exchange]
    originals = [turn for exchange in english["dialogue"] for turn in exchange]
    if len(korean["persona"]) == len(english["persona"]):
        turns, originals = turns + korean["persona"], originals + english["persona"]
    for first, second in zip(turns, originals, strict=False):
        first, second = tidy(first), _spoken(second)
        if is_pair(first, second):
            yield Pair(first, second, ("ko", "en"))


def _packed(path: Path, package: str, inner: str) -> dict[str, object]:
    archive = min(path.glob(f"{package}-[0-9]*.tgz"))
    with tarfile.open(archive) as opened:
        member = opened.extractfile(f"package/{inner}")
        assert member
        return dict(json.load(member))


def read_terms(path: Path) -> Iterator[Pair]:
    """Yield names of emoji, places, languages, money and units from packed CLDR archives."""
    return distinct(_terms(path))


def _terms(path: Path) -> Iterator[Pair]:
    for package, folder in (
        ("cldr-annotations-full", "annotations"),
        ("cldr-annotations-derived-full", "annotationsDerived"),
    ):
        korean, english = (
            _packed(path, package, f"{folder}/{tongue}/annotations.json")[folder]["annotations"]  # type: ignore[index]
            for tongue in ("ko", "en")
        )
        yield from _emoji_terms(korean, english)
    for package, file in (
        ("cldr-localenames-full", "languages"),
        ("cldr-localenames-full", "territories"),
        ("cldr-localenames-full", "scripts"),
        ("cldr-numbers-full", "currencies"),
        ("cldr-units-full", "units"),
    ):
        korean, english = (
            _packed(path, package, f"main/{tongue}/{file}.json")["main"][tongue]  # type: ignore[index]
            for tongue in ("ko", "en")
        )
        yield from _named_terms(korean, english)


def _emoji_terms(korean: dict[str, dict], english: dict[str, dict]) -> Iterator[Pair]:  # type: ignore[type-arg]
    for sign, words in korean.items():
        theirs = english.get(sign)
        if not theirs or "tts" not in words or "tts" not in theirs:
            continue
        if "skin tone" in theirs["tts"][0]:
            continue  # five colours of each figure would outnumber all other terms
        name, original = words["tts"][0], theirs["tts"][0]
        if is_pair(name, original):
            yield Pair(name, original, ("ko", "en"))
        first, second = ", ".join(words.get("default", [])), ", ".join(theirs.get("default", []))
        if is_pair(first, second) and first != name:
            yield Pair(first, second, ("ko", "en"))


def _named_terms(korean: object, english: object) -> Iterator[Pair]:
    originals = dict(flat(english))
    for key, name in flat(korean):
        original = originals.get(key, "")
        first, second = (re.sub(r"\{\d\}\s?", "", text).strip() for text in (name, original))
        if "per" not in key.split("-") and is_pair(first, second) and len(second) > 2:
            yield Pair(first, second, ("ko", "en"))


def read_evolve(path: Path) -> Iterator[Pair]:
    """Yield the strings of a civilisation game told in short narrative sentences."""
    files = dict(git_files(path, ".json", "strings/"))
    korean = json.loads(files["strings/strings.ko-KR.json"])
    return distinct(keyed_pairs(korean, json.loads(files["strings/strings.json"])))


def read_unciv(path: Path) -> Iterator[Pair]:
    """Yield the game and encyclopaedia lines of a properties file, English on the left."""
    name = "android/assets/jsons/translations/Korean.properties"
    text = dict(git_files(path, "Korean.properties", name))[name].decode()
    return distinct(_property_pairs(text))


def _property_pairs(text: str) -> Iterator[Pair]:
    for line in text.splitlines():
        english, sign, korean = line.partition(" = ")
        if sign and not english.startswith("#") and "[" not in english:
            yield from sentence_pairs(_unescaped(korean), _unescaped(english))


def _unescaped(text: str) -> str:
    return text.replace("\\n", " ").replace('\\"', '"')


def read_dark_room(path: Path) -> Iterator[Pair]:
    """Yield the terse story lines of a text adventure."""
    name = "lang/ko/strings.po"
    entries = po_entries(dict(git_files(path, "strings.po", name))[name].decode())
    return distinct(pair for english, korean in entries for pair in sentence_pairs(korean, english))


def read_common_words(path: Path) -> Iterator[Pair]:
    """Yield six thousand common Korean words with their English meaning."""
    name = "ezcorean_6000.sql"
    return distinct(_word_pairs(dict(git_files(path, name, name))[name].decode()))


def _word_pairs(dump: str) -> Iterator[Pair]:
    for line in dump.splitlines():
        columns = line.split("\t")
        if len(columns) != 11:
            continue
        word, meaning = re.sub(r"\(.*?\)|[~-]", "", columns[1]).strip(), tidy(columns[3])
        if re.fullmatch(r"[가-힣 ]+", word) and re.fullmatch(r"[A-Za-z][\w ,;.'’()/?!-]+", meaning):
            yield Pair(word, meaning.rstrip(",; "), ("ko", "en"))


SOURCES: tuple[Source, ...] = (
    Source(
        name="bible-krv-bsb",
        kind="pairs",
        licence="Public-Domain",
        credit="개역한글 1961, 대한성서공회 (bluesaurel/Korean-Bible-1961-KRV); Berean Standard Bible (CC0)",
        obtain="folder: korean -> github:bluesaurel/Korean-Bible-1961-KRV, "
        "english -> github:scrollmapper/bible_databases",
        read=read_bible,
    ),
    Source(
        name="xpersona-ko",
        kind="pairs",
        licence="MIT",
        credit="XPersona, CAiRE (HLTCHKUST/Xpersona), after ConvAI2 PersonaChat",
        obtain="github:HLTCHKUST/Xpersona",
        read=read_persona,
    ),
    Source(
        name="cldr-terms",
        kind="pairs",
        licence="Unicode-3.0",
        credit="Unicode CLDR",
        obtain="folder of npm archives: cldr-annotations-full, cldr-annotations-derived-full, "
        "cldr-localenames-full, cldr-numbers-full, cldr-units-full",
        read=read_terms,
    ),
    Source(
        name="evolve-ko",
        kind="pairs",
        licence="MPL-2.0",
        credit="Evolve (pmotschmann/Evolve) and its translators",
        obtain="github:pmotschmann/Evolve",
        read=read_evolve,
    ),
    Source(
        name="unciv-ko",
        kind="pairs",
        licence="MPL-2.0",
        credit="Unciv (yairm210/Unciv) and its translators",
        obtain="github:yairm210/Unciv",
        read=read_unciv,
    ),
    Source(
        name="dark-room-ko",
        kind="pairs",
        licence="MPL-2.0",
        credit="A Dark Room (doublespeakgames/adarkroom) and its translators",
        obtain="github:doublespeakgames/adarkroom",
        read=read_dark_room,
    ),
    Source(
        name="kengdic-6000",
        kind="pairs",
        licence="MPL-2.0",
        credit="Kengdic by Joe Speigle",
        obtain="github:Kiina/kengdic (of its files only ezcorean_6000.sql is read)",
        read=read_common_words,
    ),
)
