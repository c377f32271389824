"""What a small model meant: the whole items in an answer that was to be JSON.

It invents nothing: an item is taken as it stands or left out. Whether an item is true, and which
of its fields may be used, is for the caller to say. Where no item can be saved, that is a BadReply.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

from saegim.engines.llm.loose import DEEPEST, Cut, CutList, TooDeep, joined, values
from saegim.engines.llm.thinking import clean, spoken
from saegim.errors import BadReply

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
_NUMBER: Final = re.compile(r"([+-]?[0-9]{1,9}(?:\.[0-9]{0,9})?)\s?(?:(%)|/\s?([0-9]{1,9}))?")


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
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
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
        self.cut |= isinstance(value, Cut | CutList)
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
            if not isinstance(value, Cut):
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
