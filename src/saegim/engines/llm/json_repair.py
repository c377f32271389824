"""Read JSON as small models write it; repair the items of an answer that is cut or broken.

It takes linear time: each character is read once, and no look ahead is longer than a key.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, Final

from saegim.engines.llm.models import clean, spoken
from saegim.errors import BadReply

# Answers are two or three levels deep; more is a fault or an attack.
DEEPEST: Final = 32
_MOST_FALSE_STARTS: Final = 100

_START: Final = re.compile(r"[{\[｛［]")
_BLANK: Final = re.compile(r"[\s\ufeff\u200b]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*", re.DOTALL)
_SPACE: Final = re.compile(r"[\s\ufeff\u200b]+")
# After these, a string is over: the end of what holds it, a fence, a comment, an ellipsis.
_ENDS: Final = ("", "}", "]", ")", "｝", "］")
_MARKS: Final = ("```", "//", "/*", "#", "...", "…")
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”"',
    "‘": "’'",
    "「": "」",
    "『": "』",
    "＂": '＂"',
}
_OPEN_QUOTE: Final = "[\"'`“”‘「『＂]"
_SHUT_QUOTE: Final = "[\"'`“”’」』＂]"
_NAME: Final = r"[^\"'`“”‘’「」『』＂:：,，{}\[\]｛｝［］\n\\]{1,60}?"
_COLON: Final = r"\s{0,20}(?:[:：]{1,2}|=>?)"
# Python marks some strings with a letter before the quote.
_PREFIX: Final = "(?:[uUrRbB](?=[\"']))?"
_KEY: Final = re.compile(rf"{_PREFIX}{_OPEN_QUOTE}?({_NAME}){_SHUT_QUOTE}?{_COLON}")
_QUOTED_KEY: Final = re.compile(rf"{_PREFIX}{_OPEN_QUOTE}({_NAME}){_SHUT_QUOTE}{_COLON}")
# Where the text breaks off inside a key or right after it.
_CUT_KEY: Final = re.compile(rf"{_OPEN_QUOTE}(?:{_NAME})?{_SHUT_QUOTE}?\s{{0,20}}\Z")
_THEN_A_KEY: Final = re.compile(rf"\s{{0,20}},\s{{0,20}}{_QUOTED_KEY.pattern}")
# The colon forgotten between a quoted key and a quoted value.
_KEY_WITHOUT_COLON: Final = re.compile(
    rf"{_OPEN_QUOTE}({_NAME}){_SHUT_QUOTE}\s{{1,20}}(?={_OPEN_QUOTE})"
)
_NEXT_LINE_IS_A_KEY: Final = re.compile(rf"\n[ \t]{{0,40}}{_QUOTED_KEY.pattern}")
_NUMBER: Final = r"[+-]?(?:[0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})(?:[eE][+-]?[0-9]{1,5})?"
_CONSTANT: Final = re.compile(
    rf"({_NUMBER}|-?\w{{2,10}})(?=[ \t]{{0,40}}(?:[\n,，;}}\]｝］)\"'“]|//|/\*|#|\Z))"
)
_BARE: Final = re.compile(r"[^,，{}\[\]｛｝［］\n]{1,2000}")
_JUNK: Final = re.compile(r"[^,，;；{}\[\]｛｝［］\"'“\n]+")
# A quote forgotten at the end of one object, seen from the first key of the next.
_LOST_QUOTE: Final = re.compile(r"\}\s{0,20},?\s{0,20}\{\s{0,20}\Z")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("true", "참"), True),
    **dict.fromkeys(("false", "거짓"), False),
    **dict.fromkeys(("null", "none", "nil", "undefined", "nan", "없음"), None),
    **dict.fromkeys(("infinity", "-infinity", "inf", "-inf"), None),
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX: Final = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")
_NOTHING: Final = object()


class TooDeep(Exception):
    """The text nests deeper than any answer."""


class CutObject(dict[str, Any]):
    """An object whose end is missing."""


class CutList(list[Any]):
    """A list whose end is missing."""


def values(text: str) -> list[Any]:
    """Return every object and list in the text, in order; text around them is passed over."""
    reader = _LooseReader(text)
    found: list[Any] = []
    patience = _MOST_FALSE_STARTS
    while start := _START.search(text, reader.at):
        reader.at = start.start()
        value = reader.container(1)
        if value is not _NOTHING:
            found.append(value)
        elif patience:
            # What was taken for a comment may hide the answer; but not again and again.
            patience -= 1
            reader.at = start.end()
    if not found and (bare := _QUOTED_KEY.search(text)):
        # All braces are missing: an answer that began with the brace in the prompt.
        reader.at = bare.start()
        found.append(reader.members(1))
    return [value for value in found if value is not _NOTHING]


def joined(pairs: list[tuple[str, Any]]) -> Any:
    """Return the object of these pairs; a repeated first key begins the next object."""
    if not pairs:
        return {}
    first = pairs[0][0]
    if sum(key == first for key, _ in pairs) == 1:
        return dict(pairs)
    several: list[dict[str, Any]] = []
    for key, value in pairs:
        if key == first:
            several.append({})
        several[-1][key] = value
    return several


def _constant(word: str) -> Any:
    """Return the number or the constant that a word stands for, if it is one."""
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    try:
        number = float(word)
    except ValueError:
        return _NOTHING
    if not isfinite(number):
        return None
    return int(word) if word.lstrip("+-").isdigit() else number


class _LooseReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        # False from where the text breaks off inside a value.
        self.whole = True

    def container(self, depth: int) -> Any:
        """Read the object or list that begins here."""
        if depth > DEEPEST:
            raise TooDeep
        opening = self.text[self.at]
        self.at += 1
        return self.members(depth) if opening in "{｛" else self._list(depth)

    def members(self, depth: int) -> Any:
        """Read the pairs of an object up to its end, or up to where its end is missing."""
        pairs: list[tuple[str, Any]] = []
        lost = False
        while True:
            self._skip(",，;；")
            here = self.text[self.at : self.at + 1]
            if here in ("}", "｝"):
                self.at += 1
                return _NOTHING if lost and not pairs else joined(pairs)
            if here in ("]", "］") or (here in ("{", "｛") and pairs):
                return joined(pairs) if pairs else _NOTHING
            if not here:
                return self._unended(pairs)
            key = self._key()
            if key is None:
                if not pairs and not _CUT_KEY.match(self.text, self.at):
                    return _NOTHING
                self._pass_over()
                continue
            value = self._value(depth, in_list=False)
            if value is _NOTHING:
                lost = True
            elif self.whole or isinstance(value, dict | list):
                pairs.append((key, value))

    def _unended(self, pairs: list[tuple[str, Any]]) -> Any:
        if self.whole and not self.text.rstrip().endswith((",", "，", ":", "：")):
            return joined(pairs) if pairs else _NOTHING
        self.whole = False
        held = joined(pairs)
        return CutObject(held) if isinstance(held, dict) else [*held[:-1], CutObject(held[-1])]

    def _list(self, depth: int) -> Any:
        held: list[Any] = []
        lost = False
        while True:
            self._skip(",，;；")
            here = self.text[self.at : self.at + 1]
            if not here:
                self.whole = False
                return CutList(held)
            if here in ("]", "］", ")"):
                self.at += 1
                return _NOTHING if lost and not held else held
            if here in ("}", "｝"):
                # The bracket is missing; the brace belongs to the object around.
                return held or _NOTHING
            before = self.at
            if _QUOTED_KEY.match(self.text, self.at):
                value = self.members(depth)
            else:
                value = self._value(depth, in_list=True)
            if value is _NOTHING:
                lost = True
            elif self.whole or isinstance(value, dict | list):
                held.append(value)
            self.at = max(self.at, before + 1)

    def _pass_over(self) -> None:
        """Move on to where the next key, value or end may be."""
        match = _JUNK.match(self.text, self.at)
        self.at = self.at + 1 if match is None else match.end()
        # What comes to an end here may have been the beginning of a key.
        self.whole &= self.at < len(self.text)

    def _key(self) -> str | None:
        match = _KEY.match(self.text, self.at) or _KEY_WITHOUT_COLON.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1].strip()

    def _value(self, depth: int, *, in_list: bool) -> Any:
        self._skip("")
        here = self.text[self.at : self.at + 1]
        if not here:
            self.whole = False
            return _NOTHING
        if here in "{[｛［(":
            return self.container(depth + 1)
        if here in "uUrRbBfF" and self.text[self.at + 1 : self.at + 2] in ('"', "'"):
            self.at += 1
            return self._string(in_list)
        return self._string(in_list) if here in _QUOTES else self._bare(in_list)

    def _bare(self, in_list: bool) -> Any:
        """Read a number or a constant; other words count only as the value of a key."""
        constant = _CONSTANT.match(self.text, self.at)
        value = _NOTHING if constant is None else _constant(constant[1])
        match = _BARE.match(self.text, self.at) if value is _NOTHING else constant
        if match is None:
            return _NOTHING
        self.at = match.end()
        self.whole = self.at < len(self.text)
        return value if value is not _NOTHING or in_list else match[0].strip()

    def _string(self, in_list: bool) -> str:
        opening = self.text[self.at]
        if self.text.startswith(opening * 3, self.at) and opening in "\"'":
            return self._until(opening * 3)
        self.at += 1
        stops = re.compile(f"[\\\\\n{_QUOTES[opening]}]")
        parts: list[str] = []
        while stop := stops.search(self.text, self.at):
            parts.append(self.text[self.at : stop.start()])
            self.at = stop.end()
            if stop[0] == "\\":
                if self.text[self.at : self.at + 1] == opening and self._escaped_by_mistake():
                    return "".join(parts)
                parts.append(self._escaped())
            elif stop[0] == "\n":
                if _NEXT_LINE_IS_A_KEY.match(self.text, stop.start()):
                    return "".join(parts).rstrip().removesuffix(",")
                parts.append("\n")
            elif self._ends(in_list):
                return "".join(parts)
            elif lost := self._lost_quote(stop.start()):
                said = "".join(parts)
                self.at = stop.start() - lost
                return said[: len(said) - lost].rstrip()
            else:
                parts.append(stop[0])
        self.at = len(self.text)
        self.whole = False
        return ""

    def _until(self, mark: str) -> str:
        start = self.at + len(mark)
        end = self.text.find(mark, start)
        self.whole = end >= 0
        self.at = end + len(mark) if self.whole else len(self.text)
        return self.text[start:end]

    def _escaped_by_mistake(self) -> bool:
        """Say whether the quote after a backslash closes the string, as a key follows it."""
        if _THEN_A_KEY.match(self.text, self.at + 1) is None:
            return False
        self.at += 1
        return True

    def _lost_quote(self, at: int) -> int:
        """Say how far back the object ended, when a key of the next one stands here."""
        back = _LOST_QUOTE.search(self.text, max(0, at - 64), at)
        return at - back.start() if back and _QUOTED_KEY.match(self.text, at) else 0

    def _ends(self, in_list: bool) -> bool:
        """Say whether the quote just read closes the string, by what comes after it."""
        at = self._after_space(self.at)
        after = self.text[at : at + 1]
        if after in _ENDS or self.text.startswith(_MARKS, at):
            return True
        if after in (",", "，", ";", "；"):
            at = self._after_space(at + 1)
            after = self.text[at : at + 1]
            if after in _ENDS or after in ("{", "｛", ",") or self.text.startswith(_MARKS, at):
                return True
            if in_list:
                return after in _QUOTES or after in "[(-0123456789tfnTFN"
            return any(key.match(self.text, at) for key in (_KEY, _KEY_WITHOUT_COLON, _CUT_KEY))
        if _QUOTED_KEY.match(self.text, at):
            return True
        return "\n" in self.text[self.at : at] and (in_list or bool(_KEY.match(self.text, at)))

    def _after_space(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return at if space is None else space.end()

    def _escaped(self) -> str:
        if code := _HEX.match(self.text, self.at):
            self.at = code.end()
            return chr(int(code[1] or code[2], 16))
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        return _ESCAPES.get(letter, letter)

    def _skip(self, also: str) -> None:
        while True:
            while blank := _BLANK.match(self.text, self.at):
                self.at = blank.end()
            if not also or self.text[self.at : self.at + 1] not in (*also,):
                return
            self.at += 1


# -- What a small model meant: the whole items in an answer that was to be JSON

# 100,000 tokens of Korean; what is longer did not come from one question about one turn.
LONGEST: Final = 200_000
# How far down wrappers are opened to find the list: {"result": {"data": {"facts": [...]}}}.
_WRAPPERS: Final = 6
# Fewer characters may well be an answer that an example in the prompt shows.
_ECHO: Final = 200

NAMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("내용", "본문", "문장", "사실", "기억", "사실 내용", "기억 내용"), "content"),
    **dict.fromkeys(("fact", "text", "statement", "sentence", "memory"), "content"),
    **dict.fromkeys(("유형", "종류", "분류", "타입", "category"), "type"),
    **dict.fromkeys(("중요도", "중요성"), "importance"),
    **dict.fromkeys(("신뢰도", "확신도", "확신"), "confidence"),
    **dict.fromkeys(("주어", "주체"), "subject"),
    **dict.fromkeys(("술어", "서술어", "관계"), "predicate"),
    **dict.fromkeys(("목적어", "객체"), "object"),
    **dict.fromkeys(("개체", "개체들", "등장인물"), "entities"),
    **dict.fromkeys(("키워드", "핵심어"), "keywords"),
    **dict.fromkeys(("요약", "한 줄 요약"), "brief"),
    "이름": "name",
    "별칭": "aliases",
    "언어": "language",
    "감정": "emotion",
    "근거": "evidence",
}
# Other names under which the list arrives.
_LISTS: Final = frozenset(
    "facts memories items results result data output answer list statements extracted "
    "extracted_facts extracted_memories 사실들 기억들 항목 목록 결과".split()
)
# What the examples of a schema hold where a value belongs, and what stands for nothing at all.
_PLACEHOLDERS: Final = frozenset(("...", "…", "string", "str", "<string>", "<content>", "text"))
_NONE: Final = frozenset(("", "none", "null", "n/a", "없음", "없다", "없습니다", "해당 없음"))
_REFUSAL: Final = re.compile(
    r"죄송|유감|(?:도와|답변|제공|수행|처리)\S{0,6}\s?수\s?없|i(?:'|’)?m sorry|i apologi[sz]e"
    r"|(?:can(?:no|'|’)?t|unable to|won(?:'|’)t) (?:help|assist|comply|provide|answer|do)|as an ai",
    re.IGNORECASE,
)
# Punctuation of JSON inside a string: the quote that was to close it went missing.
_SWALLOWED: Final = re.compile(r'"\s{0,20}[:：=]\s{0,20}["0-9\[{]|^\\"')
_WHOLE_NUMBER: Final = re.compile(r"([+-]?[0-9]{1,9}(?:\.[0-9]{0,9})?)\s?(?:(%)|/\s?([0-9]{1,9}))?")


def items(
    text: str,
    *,
    many: str = "facts",
    need: str = "content",
    prompt: str = "",
    who: str = "The model",
    names: Mapping[str, str] = NAMES,
) -> list[dict[str, Any]]:
    """Return the whole items of an answer; an empty list only where the model said there are none.

    `many` is the key of the list, `need` the field without which an object is no item (a bare
    string is taken as that field), `who` stands in the error. Keys are lower-cased and put into
    English by `names`; other keys stay. Nothing to save is a BadReply that says what came instead.
    """
    told = spoken(text[:LONGEST]).strip("\u200b\ufeff \n")
    if not told:
        raise _nothing(
            who, "engine.reply_only_thought" if _visible(text) else "engine.reply_said_nothing"
        )
    said = _after_echo(told, prompt)
    if not said:
        raise _nothing(who, "engine.reply_repeated_the_question")
    gatherer = _Gatherer(many, need, names)
    try:
        found = _strict(said)
        if found is None:
            gatherer.careful = True
            found = _loose(said)
        for value in found:
            gatherer.take(value, 0, strings=not isinstance(value, dict))
    except TooDeep:
        raise _nothing(who, "engine.reply_nested_too_deeply") from None
    if len(said) >= _ECHO and _squeezed(said) in _squeezed(prompt):
        raise _nothing(who, "engine.reply_repeated_the_question")
    if gatherer.items or (gatherer.empty and not gatherer.cut):
        return gatherer.items
    raise _nothing(who, _instead(said, found, gatherer.cut))


def number(value: Any) -> float | None:
    """Return a number that may be written as text: 0.8, "0.8", "80%" or "8/10"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e15 else None
    match = _WHOLE_NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    whole = 100.0 if match[2] else float(match[3] or 1)
    return float(match[1]) / whole if whole else None


def _strict(said: str) -> list[Any] | None:
    """Return what the text holds if it is JSON."""
    try:
        value = json.loads(said, object_pairs_hook=joined, parse_constant=lambda _: None)
    except RecursionError:
        raise TooDeep from None
    except ValueError:
        return None
    if _deep(value):
        raise TooDeep
    return None if isinstance(value, str) else [value]


def _loose(said: str) -> list[Any]:
    """Return what can be read in a text that is not JSON, or JSON once too often."""
    found = values(said)
    if '\\"' in said and not any(isinstance(each, dict) and each for each in found):
        found = values(said.replace('\\"', '"').replace("\\n", "\n")) or found
    return found


def _deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [child for each in level for child in _children(each)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _visible(text: str) -> bool:
    return any(not character.isspace() and character.isprintable() for character in text)


def _tidy(value: Any) -> Any:
    """Return a value with whole strings: what was read from escapes may hold halves and NUL."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _tidy(each) for key, each in value.items()}
    return [_tidy(each) for each in value] if isinstance(value, list) else value


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _after_echo(said: str, prompt: str) -> str:
    """Return the answer without the question, if the model said that again first."""
    asked = prompt.strip()
    if len(asked) < 20:
        return said
    if asked in said:
        return said.rpartition(asked)[2].strip()
    if len(said) >= 20 and "{" not in said and "[" not in said:
        return "" if _squeezed(said) in _squeezed(asked) else said
    return said


def _instead(said: str, found: list[Any], cut: bool) -> str:
    if cut:
        return "engine.reply_cut_off"
    if any(isinstance(value, dict | list) and value for value in found):
        return "engine.reply_of_another_shape"
    if _REFUSAL.search(said[:400]):
        return "engine.reply_refused"
    return "engine.reply_in_prose"


def _nothing(who: str, key: str) -> BadReply:
    return BadReply(key, who=who)


class _Gatherer:
    """Walks through what was read and keeps what is an item."""

    def __init__(self, many: str, need: str, names: Mapping[str, str]) -> None:
        self.items: list[dict[str, Any]] = []
        # True: somewhere the model said in so many words that there is nothing.
        self.empty = False
        # True: an item was there, but not to its end.
        self.cut = False
        # True: the text was no JSON, so that a string may have swallowed what followed it.
        self.careful = False
        self._many = many
        self._need = need
        self._names = names
        self._keys = {many, need, *names, *names.values()}
        self._seen: set[str] = set()

    def take(self, value: Any, depth: int, *, strings: bool) -> None:
        """Keep the items in a value; a bare string is one only where the list was asked for."""
        if depth > _WRAPPERS:
            return
        self.cut |= isinstance(value, CutObject | CutList)
        if isinstance(value, dict):
            self._take_object(value, depth, strings)
        elif isinstance(value, list):
            self.empty |= strings and not value
            for each in value:
                self.take(each, depth + 1, strings=strings)
        elif isinstance(value, str) and strings:
            self._take_string(value, depth)
        elif value is None and strings:
            self.empty = True

    def _take_string(self, value: str, depth: int) -> None:
        if value.lstrip()[:1] in ("{", "["):
            for each in values(value):
                self.take(each, depth + 1, strings=True)
        else:
            self._keep({self._need: value})

    def _take_object(self, value: dict[str, Any], depth: int, strings: bool) -> None:
        held = self._named(value)
        told = held.get(self._need)
        if self._many in held and not isinstance(told, str):
            self.take(held[self._many], depth + 1, strings=True)
        elif isinstance(told, str):
            # Of an object that breaks off, no one knows what else it would have said.
            if not isinstance(value, CutObject):
                self._keep(held)
        elif isinstance(told, list):
            if told and all(isinstance(each, str) for each in told):
                self._take_columns(held, told)
            else:
                self.take(told, depth + 1, strings=True)
        else:
            self.empty |= not value
            numbered = strings and bool(held) and all(key.isdigit() for key in held)
            for key, each in held.items():
                if numbered or isinstance(each, dict | list):
                    self.take(each, depth + 1, strings=numbered or key in _LISTS)

    def _take_columns(self, held: dict[str, Any], told: list[str]) -> None:
        """Keep the rows of a table that was written column by column."""
        for row, content in enumerate(told):
            fields = {
                key: column[row]
                for key, column in held.items()
                if isinstance(column, list) and len(column) == len(told)
            }
            self._keep({**fields, self._need: content})

    def _named(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the object with the keys the caller knows; a key that needs no change wins."""
        plain = {unicodedata.normalize("NFKC", key).strip().lower(): key for key in value}
        own = (self._need, self._many)
        aliases = {key for key in plain if key in self._names and key not in own}
        renamed = {self._names[key]: value[plain[key]] for key in plain if key in aliases}
        return renamed | {key: value[plain[key]] for key in plain if key not in aliases}

    def _garbled(self, told: str) -> bool:
        """Say whether a string holds what stood around it, or is a key itself."""
        if told in self._keys or not any(map(str.isalnum, told)):
            return True
        beginning = told[: len(self._need) + 4]
        return bool(_SWALLOWED.search(told)) or (told.startswith(self._need) and '"' in beginning)

    def _keep(self, held: dict[str, Any]) -> None:
        told = held[self._need]
        if not isinstance(told, str) or told.strip().lower() in _PLACEHOLDERS:
            return
        if self.careful and self._garbled(told.strip().lower()):
            return
        if told.strip().lower() in _NONE:
            self.empty = True
            return
        kept = _tidy({key: each for key, each in held.items() if each is not None})
        kept[self._need] = kept[self._need].strip()
        mark = json.dumps(kept, sort_keys=True, default=str)
        if mark not in self._seen:
            self._seen.add(mark)
            self.items.append(kept)
