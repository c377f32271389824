"""The signs of a sentence: what it tells of the speaker, what it wants, and how much it says.

Words and endings alone are read here, in Korean and English; what a person feels is given. A sign
is a reason to look closer, not a judgement: `decide` judges.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from saegim.language.en import features as english
from saegim.language.ko import features as korean
from saegim.language.ko.tell import deeds as korean_deeds
from saegim.language.ko.word_forms import ADVERBS
from saegim.language.word_lists import read_lists
from saegim.language.words import Analyser, Term, runs
from saegim.memory.memory import Emotion, Feeling, SentenceReading
from saegim.memory.text import fold

_LISTS: Final = read_lists("both/features")

# A sentence or a short turn; of anything longer, the beginning and the end are read.
_HEAD, _TAIL = 3000, 1000
_MOST_KEYWORDS: Final = 12
# What the heads alone feel is never stronger than this (see `feel`); from here on it is in words.
_FELT: Final = 0.31
# The question head alone must be sure; where words already point that way, not against it.
_SURE, _NOT_AGAINST = 0.9, 0.2

_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|(?<!\w)'[^'\n]{3,300}'(?!\w)"
)
_SENTENCE_END: Final = re.compile(r"[.!?~…。]{1,40}(?=\s|$)|[ㅋㅎㅠㅜ^;)\]]{1,40}(?=\s|$)|:(?=\s)")
_MARK: Final = re.compile(r"[?？][\s!?~.…ㅋㅎㅠㅜ^\"'”’)]{0,20}$")
_HANGUL: Final = re.compile(r"[가-힣ㄱ-ㅣ]")
_WORD: Final = re.compile(r"\w")
_LATIN: Final = re.compile(r"[A-Za-z]")
_CODE: Final = re.compile(
    r"`[^`\n]{1,200}`|\b[a-z]+_[a-z_]+\b|\b\w+(?:error|exception)\b|\bv\d+(?:\.\d+)*\b"
    r"|\b\d+\.\d+\.\d+\b|(?<=[a-z]\s)\d+\.\d+(?!\s?(?:kg|km|cm|g|m|%|kilo|mile|hour|만|퍼센트|프로|킬로|배))"
    r"|\b[a-z]+\.(?:py|js|ts|go|rs|java|cpp|md|json|ya?ml|toml|sql|sh|html|css|env|lock|cfg|ini)\b"
    r"|(?<!\w)--[a-z][a-z-]+|(?<!\w)/[a-z0-9_.-]{1,40}/[a-z0-9_.-]|\b\w+\(\)",
    re.IGNORECASE,
)
_SEAM: Final = re.compile(r"(?<=[A-Za-z])(?=[가-힣])|(?<=[A-Za-z][0-9])(?=[가-힣])")
_NAME_LIKE: Final = re.compile(r"[A-Za-z][^\s]*[A-Z0-9._+#/-]|[A-Z]")
# Between what is told and what is then asked: 가는데 언제; grams, can you.
_TURN: Final = re.compile(
    r"(?<=[가-힣]),\s|(?<=데)[,\s]\s?|(?<=데요)[,\s]\s?|(?<=거든)[,\s]\s?|(?<=거든요)[,\s]\s?"
    r"|,\s(?=(?:can|could|would|will|should|what|how|when|where|who|why|any|is|are|do|does|did)\b)"
    r"|\s(?=(?:can|could)\syou\b)",
    re.IGNORECASE,
)
_LONGEST_SENTENCE, _MOST_TURNS = 2000, 3
_TELLING: Final = frozenset("personal preference experience plan decision finding".split())
# What is new beside what was said before; what a clause may want; what is not said to be told.
_NEWS: Final = frozenset(("decision", "plan"))
_WANTING: Final = frozenset(
    ("question", "may ask", "marker", "wish", "may wish", "refusal", "technical")
)
_NOT_TOLD: Final = frozenset(("question", "may ask", "marker", "chatter"))
# An order to forget, and what it is to be; 잊어버려 is also said of oneself.
_LETS_GO: Final = re.compile(
    r"(?P<ko>[^,\n]+?) ?잊어(?: ?(?:줘요?|주라|줄래요?|주세요|주십시오)|"
    r"(?P<bare>버려(?:요|라)?)|버려 ?(?:줘요?|주세요))$"
    r"|^(?:(?:please|okay?|just|(?:can|could|would|will) you)[, ]+)*forget (?:all )?(?:about )?"
    r"(?P<en>[^,;:\n]+?)(?:,? please)?$",
    re.IGNORECASE,
)
# Words that name nothing but these very words.
_THIS: Final = _LISTS.words("this")
_TOLD_OF_SOMEONE: Final = re.compile(r"(?:^|\s)(?:나|난|나는|저는|전|우린|\S+가)\s")
# What somebody says they forgot was no wish: 잊어버렸어, I forgot.
_FORGOT: Final = re.compile(
    r"(?:잊어버렸|잊어먹었|까먹었|잊었)\w{1,4}$|\bi(?:['’]ve)? (?:\w+ )?forg[eo]t(?:ten)?\b",
    re.IGNORECASE,
)
_VERBAL: Final = _LISTS.row("verbal")
_PALE: Final = _LISTS.words("pale")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What a sentence bears; `density` is the share of its words that are nouns.

    `marker` points back to an earlier talk, `wish` and `refusal` are the person's own word on
    keeping it, `decision` is something settled between people, `finding` a cause, a fix or a
    setting of one's own work, `cause` says why something is felt; `tells` marks a sentence that
    tells something before it asks or orders (우리 내일 가는데 뭐 챙길까). `forgets` asks to forget
    something else than the sentence itself, `forgot` tells that it slipped one's mind.
    """

    personal: bool
    preference: bool
    technical: bool
    emotion: bool
    experience: bool
    plan: bool
    question: bool
    marker: bool
    wish: bool
    chatter: bool
    density: float
    keywords: tuple[str, ...]
    decision: bool = False
    finding: bool = False
    refusal: bool = False
    cause: bool = False
    tells: bool = False
    forgets: bool = False
    forgot: bool = False


def read_signs(
    text: str, *, emotion: Emotion, reading: SentenceReading | None, analyser: Analyser
) -> Signs:
    """Read the signs of one sentence or short turn."""
    text = fold(text)
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    told, wanted = _told_then_wanted(text)
    found = told or _seen(text)
    question = _asks(found, wanted or text, reading)
    keywords, density = _keywords(text, analyser)
    felt = any(each is not Feeling.NEUTRAL for each in emotion.feelings)
    # "As I said, we moved it to Friday" points back, but only to add something.
    lets_go = _lets_go(text)
    adds = not question and "chatter" not in found and not found.isdisjoint(_NEWS)
    return Signs(
        personal="personal" in found,
        preference="preference" in found,
        technical="technical" in found,
        emotion=felt and emotion.intensity >= _FELT,
        experience="experience" in found,
        plan="plan" in found,
        question=question,
        marker="marker" in found and not adds,
        wish=_wishes(found, text) and "refusal" not in found,
        chatter="chatter" in found,
        density=density,
        keywords=keywords,
        decision="decision" in found,
        finding="finding" in found,
        refusal="refusal" in found and lets_go != "told",
        cause="cause" in found,
        tells=bool(told),
        forgets=lets_go == "named",
        forgot=lets_go == "told" or any(_FORGOT.search(line.strip()) for line in _said(text)),
    )


def _lets_go(text: str) -> str:
    """Say of what an order to forget speaks: "" of nothing or these words, "named" of another.

    "told" is no order: somebody tells how easily it slips their mind.
    """
    lines = [line.strip() for line in _said(text)]
    order = _LETS_GO.search(lines[0]) if len(lines) == 1 else None
    if order is None:
        return ""
    named = (order["ko"] or order["en"]).lower().split()
    if order["bare"] and (
        (named[-1] in ADVERBS and named[-1] not in _THIS) or _TOLD_OF_SOMEONE.search(lines[0])
    ):
        return "told"
    if order["ko"] and len(korean_deeds(lines[0])) > 1:
        return ""
    return "named" if any(each not in _THIS for each in named) else ""


def _told_then_wanted(text: str) -> tuple[set[str], str]:
    """Return the signs of a text that tells and then wants something, and the part that wants.

    Of any other text, nothing.
    """
    turns = list(_TURN.finditer(text))[-_MOST_TURNS:] if len(text) <= _LONGEST_SENTENCE else []
    for turn in reversed(turns):
        told, wanted = text[: turn.start()].strip(), text[turn.end() :].strip()
        if told and wanted and _wants(wanted):
            found = _seen(told)
            if found.isdisjoint(_TELLING) or not found.isdisjoint(_NOT_TOLD):
                break
            return found | (_seen(wanted) & _WANTING), wanted
    return set(), ""


def _said(text: str) -> list[str]:
    """Return the speaker's own words, sentence by sentence: no laughter, no quotations."""
    bare = _QUOTED.sub(" ", text)
    # Who only quotes has said what the quotation says.
    own = bare if 3 * len(bare) > len(text) else text
    return [line for line in _SENTENCE_END.sub("\n", own).splitlines() if line.strip()]


def _in_korean(lines: list[str]) -> str:
    return "\n".join(map(korean.prepared, lines))


def _in_english(lines: list[str]) -> str:
    return "".join([english.prepared(line.lower().replace("’", "'")) for line in lines])


def _seen(text: str) -> set[str]:
    """Return the names of all signs, read in the language or languages of the text."""
    # Where a particle hangs on a Latin word, the word ends: SQLite로.
    text = _SEAM.sub(" ", text)
    lines = _said(text)
    if not any(map(_WORD.search, lines)):
        return {"chatter"}
    code = _CODE.search(text) is not None
    if not _HANGUL.search(text):
        return english.seen(_in_english(lines), code)
    # Beside Hangul, English is the language of things, not of the sentence.
    technical = code or (bool(_LATIN.search(text)) and english.technical(_in_english(lines)))
    return korean.seen(_in_korean(lines), technical)


def _wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    lines = _said(fold(text))
    asks = bool(_MARK.search(text[-40:]))
    return asks or korean.wants(_in_korean(lines)) or english.wants(_in_english(lines))


def _asks(found: set[str], text: str, reading: SentenceReading | None) -> bool:
    """Say whether the sentence is a question, with or without its mark."""
    if "question" in found or "chatter" in found:
        return "question" in found
    if _MARK.search(text[-40:]):
        return True
    if "may ask" in found:
        return reading is None or reading.question >= _NOT_AGAINST
    return reading is not None and reading.question >= _SURE and found.isdisjoint(_TELLING)


def _wishes(found: set[str], text: str) -> bool:
    """Say whether the speaker asks to keep it; 기억해? asks whether it was kept."""
    return "wish" in found or ("may wish" in found and not _MARK.search(text[-40:]))


def _keywords(text: str, analyser: Analyser) -> tuple[tuple[str, ...], float]:
    """Return the nouns to look it up by, the most telling first, and the share of nouns."""
    words = sum(kind not in ("tail", "jamo", "emoji") for kind, _, _ in runs(text))
    nouns = [shown for term in analyser.query(text) if (shown := _shown(term))]
    if not nouns:
        return (), 0.0
    often = Counter(nouns)
    best = sorted(often, key=lambda noun: (-_told_by(noun), -often[noun]))
    return tuple(best[:_MOST_KEYWORDS]), min(1.0, len(nouns) / max(words, 1))


def _shown(term: Term) -> str:
    """Return a noun as one reads it: no particles, Latin as written; "" for what is no noun."""
    first, surface = term.tokens[0], term.surface
    # A verb (~읽), a face or a sigh.
    if not first[0].isalnum() or "ㄱ" <= first[0] <= "ㆎ":
        return ""
    if "가" <= surface[0] <= "힣":
        shown = first + "".join([token[-1] for token in term.tokens[1:]])
    else:
        # A number keeps what it counts (3시), and loses the particle behind it (3시에).
        shown = first if surface[0].isdigit() and len(term.tokens) == 1 else surface
    return "" if shown.lower() in _PALE or shown.endswith(_VERBAL) else shown


def _told_by(noun: str) -> int:
    """Return how much a noun tells: names of things first, then nouns, then the short and dates."""
    if _NAME_LIKE.match(noun):
        return 3
    return 1 if len(noun) == 1 or noun[0].isdigit() else 2
