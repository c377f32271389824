"""What stands after a Korean verb and says how it is meant: 있다, 않다, 기로 하다, 수 없다."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from saegim.language.ko.clauses__phrases import Clause
from saegim.language.ko.forms import is_melted, verb_stems
from saegim.language.ko.forms__endings import Mood, is_past, mood_of
from saegim.language.ko.verbs import closing

_LL: Final = 8
_AFTER_MELTED: Final = frozenset(str.split("주 보 버리 두 놓 오 가 드리 있"))
_MUST: Final = ("아야", "어야", "해야", "야")
_COMING: Final = ("거", "것", "건데", "예정", "계획", "생각", "참", "듯", "까")


def aided(clause: Clause, words: Sequence[str]) -> int:
    """Let helping verbs say how the verb is meant; return how many of the words were taken.

    살고 있어 goes on, 먹지 않아 is denied, 가기로 했어 is decided.
    """
    taken = 0
    while taken < len(words):
        word = words[taken]
        ends = _one(clause, word, set(verb_stems(word)))
        if ends is None:
            break
        taken += 1
        if ends:
            while clause.mood in ("decided", "plan") and taken < len(words):
                if verb_stems(words[taken - 1]):
                    break
                taken += 1
            break
    return taken


def _one(clause: Clause, word: str, stems: set[str]) -> bool | None:
    """Take one helping verb: None if it is none, True if nothing can follow it."""
    head = clause.word
    if head.endswith("고") and {"있", "계시"} & stems:
        clause.ongoing = True
    elif head.endswith("고") and word.startswith("싶"):
        clause.mood = "wish"
        return True
    elif head.endswith("지") and {"않", "못하"} & stems:
        clause.denied = True
    elif head.endswith("지") and word.startswith(("말", "마")):
        clause.mood, clause.denied = "ordered", True
        return True
    elif (head.endswith(("게", "기로")) and "되" in stems) or (
        head.endswith("기") and "시작하" in stems
    ):
        clause.became = True
    elif head.endswith("기로") or clause.mood == "plan":
        clause.mood = "decided" if head.endswith("기로") else "plan"
        return True
    elif head.endswith(_MUST) and {"하", "되"} & stems:
        clause.mood = "must"
        return True
    elif is_melted(head) and _AFTER_MELTED & stems:
        _melted(clause, word, stems)
        return False
    else:
        return None
    clause.word, mood = word, mood_of(word)
    clause.mood = "told" if mood == "of" else mood
    clause.past = is_past(word) and not clause.became
    return False


def _melted(clause: Clause, word: str, stems: set[str]) -> None:
    """Take a helping verb after 아/어: 해 줘 asks, 먹어 봤어 happened once, 죽어 있어 goes on."""
    mood = mood_of(word)
    clause.mood = mood
    if {"주", "드리"} & stems and not is_past(word) and mood in ("told", "ordered"):
        clause.mood = "ordered"
    elif "보" in stems:
        clause.mood = "once"
    elif "있" in stems:
        clause.ongoing = True
    clause.past = is_past(word)
    clause.word = word


def _meant(word: str, following: str, after: str) -> Mood | None:
    """Return what a bound noun after a verb makes of it: 갈 거야, 먹을 수 없어, 산 지."""
    future = closing(word) == _LL or word.endswith("을")
    if future and following.startswith(_COMING):
        return "doubt" if following == "듯" or after.startswith("같") else "plan"
    if future and following in ("수", "수가", "수는", "수도", "줄", "줄은", "줄도"):
        return "cannot" if after.startswith(("없", "모르", "몰")) else "can"
    if following.startswith("편"):
        return "habit"
    if following.startswith("중"):
        return "ongoing"
    if following in ("지", "지가", "지도", "지는"):
        return "since"
    if following.startswith(("적", "척", "셈", "듯", "줄")):
        return "once"
    if following in ("것", "거") and after.startswith("같"):
        return "doubt"
    return None


def bound(clause: Clause, word: str, words: Sequence[str]) -> int:
    """Read a bound noun after the verb; return how many of the words were taken, 0 if none."""
    following, after = (*words[:2], "", "")[:2]
    meant = _meant(word, following, after)
    if meant is None:
        return 0
    clause.mood = "told"
    if meant == "since":
        clause.ongoing = True
        for at, each in enumerate(words, 1):
            if each.startswith(("됐", "되", "넘", "돼")) or "째" in each:
                return at
        return len(words)
    if meant in ("can", "cannot"):
        clause.denied = clause.denied or meant == "cannot"
        return 2
    if meant == "habit":
        mood = mood_of(following)
        clause.mood = "told" if mood == "of" else mood
    elif meant == "ongoing":
        clause.ongoing = True
    else:
        clause.mood = meant
    return 1
