"""The wish to keep something taken off what is to be kept: "기억해줘", "remember this:"."""

from __future__ import annotations

import re
from typing import Final

from saegim.language.ko.verbs import closing
from saegim.language.sentences import sentences
from saegim.memory.keys import fold
from saegim.memory.late import late

# ---- Korean
_KEEP: Final = (
    r"(?:기억해|기억\s해|외워|적어|메모해|저장해|명심해|기록해|새겨)\s?(?:줘요?|주세요|주라|달라|둬요?|두세요|놔요?|놓아|줄래요?|줘라)"
    r"|기억하고\s있어\s?(?:줘요?|주세요)?|명심해요?|잊지\s?(?:마요?|마라|마세요|말아\s?(?:줘요?|주세요)?|말아요?)|까먹지\s?(?:마요?|마세요)"
)
_THIS: Final = (
    r"(?:(?:꼭|제발|부디|이거|이건|이것|이것만은?|이\s말|이\s사실(?:은|을)?|이걸|그거|그건"
    r"|이\s점)\s*)*"
)
_ONLY: Final = late(rf"{_THIS}(?:{_KEEP}|기억해요?)[\s.!~]*")
_LEAD: Final = late(rf"^{_THIS}(?:{_KEEP}|기억해요?)\s*[.,:!~–-]+\s*")
_CLAIM: Final = late(
    rf"(?P<head>.*(?:다|라))(?:는|고)\s?(?:거|걸|것을?|점을?|사실을?)?[,\s]*{_THIS}(?:{_KEEP}|기억해요?)[\s.!~]*"
)
_TAIL: Final = late(
    rf"(?P<head>.*[,;.!]|.*[가-힣](?:다|어|아|야|요|해|지|임|음))\s*{_THIS}(?:{_KEEP})[\s.!~]*"
)
_SUBJECT: Final = late(r"[가-힣]+(?:은|는|이|가)\s")

# ---- English
_THAT: Final = r"(?:this|that|it|the following|these things)"
_ASK: Final = (
    r"(?:please |pls |always |and |so |just |make sure (?:to |you )|i (?:want|need) you to"
    r" |can you )*"
    r"(?:remember|keep in mind|bear in mind|note|don['’]?t (?:ever )?forget|never forget"
    r"|make a note|memori[sz]e)"
)
_ENGLISH_ONLY: Final = late(
    rf"{_ASK}(?: {_THAT})?(?:,? (?:please|ok|okay|for me|for later))*[\s.!]*", re.IGNORECASE
)
_ENGLISH_LEAD: Final = late(
    rf"^{_ASK}(?: {_THAT})?(?: for me| for later)?\s*(?::|,|–|-| that\b|(?<=this)\s)\s*(?=\S)",
    re.IGNORECASE,
)
_ENGLISH_TAIL: Final = late(
    rf"(?P<head>.*?\w)\s*[,;–-]+\s*{_ASK}(?: {_THAT})?(?:,? (?:please|ok|okay))?[\s.!]*",
    re.IGNORECASE,
)
_HANGUL: Final = late("[가-힣]")


def without_wish(text: str) -> str:
    """Return a text without the words that only ask to keep it; the text itself if none do."""
    folded = fold(text).strip()
    kept = [bare for each in sentences(folded) if (bare := _bare(each))]
    joined = " ".join(kept)
    if joined == " ".join(folded.split()) or not any(letter.isalnum() for letter in joined):
        return folded
    return joined


def _bare(sentence: str) -> str:
    if _HANGUL.search(sentence):
        return _korean(sentence)
    if _ENGLISH_ONLY.fullmatch(sentence):
        return ""
    bare = _ENGLISH_LEAD.sub("", sentence)
    if found := _ENGLISH_TAIL.fullmatch(bare):
        return found["head"]
    return bare[0].upper() + bare[1:] if bare != sentence and sentence[0].isupper() else bare


def _korean(sentence: str) -> str:
    if _ONLY.fullmatch(sentence):
        return ""
    bare = _LEAD.sub("", sentence)
    if found := _CLAIM.fullmatch(bare):
        return _told(found["head"])
    if (found := _TAIL.fullmatch(bare)) and len(found["head"]) > 3:
        return found["head"].rstrip(" ,;")
    return bare


def _told(head: str) -> str:
    """Return a clause that was quoted as one that is told: 왼손잡이라(는 거) becomes 왼손잡이다."""
    if head.endswith("이라") and len(head) > 2 and closing(head[:-2] or "가") != 0:
        return head[:-1] + "다"
    return head[:-1] + "다" if head.endswith("라") else head
