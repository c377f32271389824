"""Korean words by morphemes: a dictionary that takes seconds to load and is asked only when it has.

Kiwi says where a noun ends and which stem a verb has; nouns are then kept as bigrams like those of
the basic analyser, because a dictionary keeps 청소기 whole and 청소 would not be found in it.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, Final

from saegim.errors import MissingExtra, Unavailable
from saegim.language.ko.verbs import EMPTY, FAINT, known_stems
from saegim.language.ko.words import NOTHING, QUESTION, STOP, Weight, WordReading, bigrams
from saegim.language.ko.words import read as read_by_rule
from saegim.language.words import Term, chosen, read, runs
from saegim.memory.text import fold

_HANGUL: Final = frozenset(("hangul", "tail"))
_NOUNS: Final = frozenset(("NNG", "NNP", "NR", "XR", "XPN", "XSN", "NNB"))
_LITTLE: Final = frozenset(("NP", "MAG"))
_VERBS: Final = frozenset(("VV", "VA"))
_NO_NOUNS: Final = frozenset(("들", "님", "적"))  # suffixes that change nothing
_NOT_HANGUL: Final = re.compile("[^가-힣]+")  # a name may be one morpheme with a space in it
_CHUNK: Final = 2000  # characters; beyond it the time of one analysis is no longer linear
_LONGEST_RUN: Final = 24  # syllables without a space


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, piece) so that each piece ends at a space or a line end."""
    start = 0
    while start < len(text):
        end = start + _CHUNK
        if end < len(text):
            end = max(text.rfind(" ", start, end), text.rfind("\n", start, end)) + 1 or end
            end = end if end > start else start + _CHUNK
        yield start, text[start:end]
        start = end


def _taken(morphemes: deque[Any], start: int, end: int) -> list[Any]:
    """Take the morphemes of one word off the queue, and drop what stands before it."""
    while morphemes and morphemes[0].start < start:
        morphemes.popleft()
    own = []
    while morphemes and morphemes[0].start < end:
        own.append(morphemes.popleft())
    return own


def _nouns_and_verbs(morphemes: list[Any]) -> tuple[list[str], list[str], list[str]]:
    """Sort the morphemes of one word: nouns that touch become one, verbs, and words of little."""
    nouns: list[str] = []
    verbs: list[str] = []
    little: list[str] = []
    end = -1
    for morpheme in morphemes:
        tag, form = morpheme.tag.partition("-")[0], _NOT_HANGUL.sub("", morpheme.form)
        if not form:
            continue
        if tag in _NOUNS and form not in _NO_NOUNS:
            if morpheme.start == end and nouns:
                nouns[-1] += form
            else:
                nouns.append(form)
            end = morpheme.start + morpheme.len
        elif tag in _VERBS:
            verbs += known_stems(form + "다")[:1] or (form,)
        elif tag in _LITTLE:
            little.append(form)
    return nouns, verbs, little


def _reading(word: str, morphemes: list[Any]) -> WordReading:
    """Read one run of Hangul from its morphemes."""
    if word in STOP:
        return NOTHING
    nouns, verbs, little = _nouns_and_verbs(morphemes)
    nouns = [noun for noun in nouns if noun not in STOP]
    known = [stem for stem in known_stems(word) if len(stem) > 1]
    if known and not any(len(noun) > 1 for noun in nouns) and not set(verbs) & set(known):
        nouns, verbs = [], known  # alone, 이끄는 is taken apart wrongly
    asked: list[tuple[Weight, tuple[str, ...]]] = []
    for noun in nouns:
        asked.append((Weight.LITTLE if noun in QUESTION else Weight.MUCH, bigrams(noun)))
    for verb in verbs:
        if verb not in EMPTY:
            asked.append((Weight.LITTLE if verb in FAINT else Weight.MUCH, ("~" + verb,)))
    for form in little:
        if form not in STOP:
            asked.append((Weight.LITTLE, bigrams(form)))
    main = tuple([token for _, tokens in asked for token in tokens])
    best = max((weight for weight, _ in asked), default=Weight.NOTHING)
    phrases = tuple([tokens for weight, tokens in asked if weight is best])
    bare = bool(nouns) and not verbs and word.endswith(nouns[-1]) and nouns[-1] not in QUESTION
    return WordReading(main, (), phrases, best, bare)


class Kiwi:
    """Word analysis by the Kiwi dictionary, which loads in the background."""

    name = "kiwi-1"

    def __init__(self) -> None:
        if find_spec("kiwipiepy") is None:
            raise MissingExtra("engine.korean_morphemes_need_package_kiwipiepy")
        self._engine: Any = None
        self._failure = ""
        self._started = False
        self._over = threading.Event()
        self._lock = threading.Lock()

    def ready(self) -> bool:
        """Say whether the dictionary is loaded."""
        return self._engine is not None

    def warm(self) -> None:
        """Start loading the dictionary and return at once; a load under way is not repeated."""
        with self._lock:
            if self._started:
                return
            self._started = True
            self._over.clear()
            threading.Thread(target=self._load, name="saegim-kiwi", daemon=True).start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the dictionary, at most this many seconds, and say whether it is there."""
        if not self.ready():
            self.warm()
            self._over.wait(timeout)
        return self.ready()

    def _load(self) -> None:
        try:
            from kiwipiepy import Kiwi as Engine

            # Without names of several words: they cost 180 MB, and we index word by word.
            engine = Engine(num_workers=1, load_multi_dict=False)
            engine.tokenize("새김")  # the dictionary is built at the first question
            self._engine = engine
        except (ImportError, OSError, RuntimeError, ValueError, MemoryError) as error:
            self._failure = str(error)
        finally:
            with self._lock:
                self._started = self.ready()
                self._over.set()

    def _readings(self, text: str) -> Iterator[tuple[str, str, int, WordReading]]:
        if self._engine is None:
            raise Unavailable(
                "engine.dictionary_failed" if self._failure else "engine.dictionary_not_loaded",
                failure=self._failure,
            )
        for offset, chunk in _chunks(text):
            found = list(runs(chunk))
            for _, word, at in found:
                if len(word) > _LONGEST_RUN:  # nothing Kiwi could take apart in fair time
                    chunk = chunk[:at] + " " * len(word) + chunk[at + len(word) :]
            korean = any(kind in _HANGUL for kind, _, _ in found)
            morphemes = deque(self._engine.tokenize(chunk) if korean else ())
            covered = 0
            for kind, word, at in found:
                own = _taken(morphemes, at, at + len(word))
                if kind not in _HANGUL:
                    reading = read(kind, word)
                elif own:
                    reading = _reading(word, own)
                    covered = own[-1].start + own[-1].len
                else:
                    reading = NOTHING if at < covered else read_by_rule(word)
                yield kind, word, offset + at, reading

    def index(self, text: str) -> list[str]:
        """Return the content morphemes of a document, in order."""
        text = fold(text)
        main: list[str] = []
        extra: list[str] = []
        bridge = -2  # where a bare noun ended that may go on after the space
        for kind, word, start, reading in self._readings(text):
            if bridge == start - 1 and kind == "hangul" and len(word) > 1 and text[bridge] == " ":
                main.append(text[bridge - 1] + word[0])
            main += reading.main
            extra += reading.extra
            bridge = start + len(word) if reading.bare and kind == "hangul" else -2
        return main + extra

    def query(self, text: str) -> list[Term]:
        """Return one term for each noun and verb of the question."""
        return chosen(
            (reading.weight, Term(tokens, word))
            for _, word, _, reading in self._readings(fold(text))
            for tokens in reading.asked
        )
