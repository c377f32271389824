"""A Korean sentence cut into words, titles kept whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from saegim.memory.late import late

_TOKEN: Final = late(r"\S+")
_QUOTED: Final = late("['\"‘’“”「『《]([^'\"‘’“”」』》\n]{1,60})['\"‘’“”」』》]")
_ENDLESS: Final = late("[가-힣]{17}|[^가-힣]{65}")  # no word is as long
_POLITE: Final = late(r"(?<![가-힣])([가-힣]{2,4}) (님|씨)(?=[이가은는을를도께의와과랑한]|\s|$)")
_GLUE: Final = "\ue000"  # holds the words of a quoted title together
_EDGE: Final = "()[]{}<>.,!?~…;:\"'`“”‘’「」『』《》ㅋㅎㅠㅜㅇㄷ^-–—*♡♥☆★·"
_DAYS: Final = late(
    r"(?<![가-힣])([월화수목금토일]), ?([월화수목금토일])(?:, ?([월화수목금토일]))?(?![가-힣]?요일)"
)
_NAMED: Final = late(
    r"(서비스|프로젝트|제품|팀|회사|앱|파일|브랜드|법인|채널|계정|방송|밴드|동아리|모임|상품|변수|함수)명(?=[\s은이을]|$)"
)


@dataclass(slots=True)
class Token:
    """A word without the marks around it."""

    word: str
    ends: bool  # a comma or the like follows


def tokens(text: str) -> list[Token]:
    """Cut a folded sentence into words."""
    text = _NAMED.sub(
        r"\1 이름", _DAYS.sub(lambda found: "".join(filter(None, found.groups())), text)
    )
    text = _POLITE.sub(r"\1\2", text)
    glued = _QUOTED.sub(lambda found: found[1].replace(" ", _GLUE) + _GLUE, text)
    tokens = []
    for match in _TOKEN.finditer(glued):
        word = match[0].lstrip(_EDGE)
        bare = word.rstrip(_EDGE)
        if bare and not _ENDLESS.search(bare):
            tokens.append(Token(bare, "," in word[len(bare) :] or ";" in word[len(bare) :]))
    return tokens


def shown(word: str) -> str:
    """Return a word as it was written."""
    return word.replace(_GLUE, " ").strip()
