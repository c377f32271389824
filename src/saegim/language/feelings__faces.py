"""Faces, hearts, laughter and tears in letters: signs of feeling that are no words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from saegim.language.senses import STRONG, Found, Sense, Way
from saegim.memory.emotion import Feeling
from saegim.memory.late import late

_SIGNS: Final = (
    (Feeling.JOY, 0.5, 0.5, r"ㅋ{2,}|ㅎ{2,}|\^_*\^|[♥♡]|<3|(?<![\w:]):-?[)D]+(?!\w)"),
    (Feeling.JOY, 0.7, 0.7, "[😀😃😄😁😆😊🙂☺🥰😍🤩😘😂🤣😻💕💖💗💓💞❤💛💙💚🎉🥳👏✨😎🤗]"),
    (Feeling.SADNESS, 0.5, -0.5, r"[ㅠㅜ]{2,}|[ㅠㅜ][._][ㅠㅜ]|\bT_T\b|;_;|(?<![\w:]):-?[(]+"),
    (Feeling.SADNESS, 0.3, -0.3, r"(?<![ㄱ-ㅎㅏ-ㅣ])[ㅠㅜ](?![ㄱ-ㅎㅏ-ㅣ])"),
    (Feeling.SADNESS, 0.7, -0.7, "[😢😭😞😔💔🥺😿🙁☹😥]"),
    (Feeling.ANGER, 0.8, -0.8, "[😡🤬😠👿💢]"),
    (Feeling.FEAR, 0.7, -0.6, "[😱😨🫣]"),
    (Feeling.DISGUST, 0.8, -0.8, "[🤢🤮]"),
    (Feeling.ANXIETY, 0.6, -0.5, "[😰😟😬😧😓]"),
    (Feeling.ENNUI, 0.6, -0.4, "[🥱😑😒😴😩😫]"),
)
# From here on a row of letters or faces is loud.
_LOUD: Final = 4
_LONGEST: Final = 16
# Letters that every sign has one of: most texts are done after one look.
_HINT: Final = late(r"[ㅋㅎㅠㅜ^♥♡<:_☹☺❤✨]|[\U0001f300-\U0001faff]")


@cache
def _known() -> tuple[re.Pattern[str], tuple[Sense, ...]]:
    """Return one pattern with a group for each line, and the sense of each group."""
    groups = "|".join(f"((?:{sign})+)" for _, _, _, sign in _SIGNS)
    senses = tuple(Sense(((each, plain),), worth, Way.SIGN) for each, plain, worth, _ in _SIGNS)
    return re.compile(groups), senses


def found(text: str) -> Iterator[Found]:
    """Yield the signs of feeling of a text."""
    if not _HINT.search(text):
        return
    pattern, senses = _known()
    for each in pattern.finditer(text):
        sense = senses[(each.lastindex or 1) - 1]
        words = each.group()
        yield Found(sense, words[:_LONGEST], each.start(), STRONG if len(words) >= _LOUD else 1.0)
