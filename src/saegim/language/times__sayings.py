"""The sentence around a time word: its tense, and whether the word is a title or a habit."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from saegim.language import days__verbs as verbs
from saegim.language.days__pieces import OPEN, PAST, Piece, small
from saegim.memory.late import late

# A verb or an adverb farther away than this belongs to something else.
_REACH: Final = 200
_TITLE: Final = 60
_HANGUL: Final = late("[가-힣]")
_BRACKETS: Final = {"<": ">", "《": "》", "〈": "〉", "「": "」", "『": "』"}
_QUOTES: Final = "\"'“‘”’"
_WORKS: Final = late(
    "(?i:영화|드라마|노래|가요|곡|책|소설|앨범|웹툰|만화|게임|예능|프로그램|작품|제목|라는"
    "|movie|film|song|book|novel|album|show|track|band|series|called|titled|play)"
)
# What is said goes on with 라고; what is a name goes on like a noun.
_NAMED: Final = late(r"[을를은는이가의]|[와과]\s|\s(?:봤|보[고러]|읽|들었|불렀)")
_CALLED: Final = late(r"(?:movie|film|song|album|book|novel|series|band|called|titled|named) $")
_BEFORE: Final = late(r"(?i)\b(?:before|after|until|till|by) $")
_AFTER: Final = late(r"\s?(?:이후|이전|전|넘어|까지)")
_USUAL: Final = late(
    r"(?i)항상|보통|늘 |평소|주로|원래"
    r"|\b(?:usually|always|never|often|hates?|prefers?|only|normally)\b"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence and the place where it begins in its text."""

    text: str
    at: int

    @cached_property
    def _korean(self) -> list[tuple[int, int]]:
        return verbs.korean_tenses(self.text) if _HANGUL.search(self.text) else []

    @cached_property
    def _english(self) -> list[tuple[int, int]]:
        return verbs.english_tenses(self._small)

    @cached_property
    def _small(self) -> str:
        return small(self.text)

    def tense(self, piece: Piece) -> int:
        """Return the tense of the verb that a time word goes with.

        A Korean verb follows its time word, an English one stands before it if there is one.
        """
        found = _nearest(self._korean, piece, after=True)
        if found == PAST and verbs.korean_moved(self.text, piece.end):
            return OPEN
        if found is not None:
            return found
        if verbs.english_moved(self._small, piece.start):
            return OPEN
        return _nearest(self._english, piece, after=False) or OPEN

    def is_title(self, piece: Piece) -> bool:
        """Say whether the words are part of the title of a film, a song or a book."""
        before = self.text[max(0, piece.start - _TITLE) : piece.start]
        after = self.text[piece.end : piece.end + _TITLE]
        for opener, closer in _BRACKETS.items():
            if before.rfind(opener) > before.rfind(closer) and closer in after:
                return True
        if self.text[piece.start].isupper() and _CALLED.search(before):
            return True
        if not before or before[-1] not in _QUOTES:
            return False
        inside = min((at for at in map(after.find, _QUOTES) if at >= 0), default=_TITLE)
        if inside > _TITLE // 3:
            return False
        near = before[-16:-1] + " " + after[inside + 1 : inside + 12]
        return _WORKS.search(near) is not None or _NAMED.match(after, inside + 1) is not None

    def is_recurring(self, piece: Piece) -> bool:
        """Say whether the words mean every such time ("월요일마다")."""
        return self.text.startswith("마다", piece.end)

    def is_habit(self, piece: Piece) -> bool:
        """Say whether an hour without a day bounds a habit: "no calls before 9 am"."""
        begin, end = max(0, piece.start - _REACH), piece.end + _REACH
        return (
            _BEFORE.search(self.text, begin, piece.start) is not None
            or _AFTER.match(self.text, piece.end) is not None
            or _USUAL.search(self.text, begin, end) is not None
        )

    def counts_from_event(self, piece: Piece) -> bool:
        """Say whether a count starts at an event ("시험 3일 전") and not at the one who speaks."""
        ahead = "전" not in self.text[piece.start : piece.end]
        return verbs.counted_from_event(self.text, piece.start, ahead=ahead)


def _nearest(marks: list[tuple[int, int]], piece: Piece, *, after: bool) -> int | None:
    """Return the tense that is nearest on the side where a language puts its verb, else beyond."""
    at = bisect_left(marks, (piece.end, -2))
    following = marks[at] if at < len(marks) and marks[at][0] < piece.end + _REACH else None
    preceding = marks[at - 1] if at and marks[at - 1][0] > piece.start - _REACH else None
    chosen = (following or preceding) if after else (preceding or following)
    return chosen[1] if chosen else None
