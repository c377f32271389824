"""What a text feels like: the feelings of its words joined with what the small heads read.

A plain statement comes out neutral and weak: a false strong feeling would promote a memory and keep
it from fading, which is worse than a feeling that was missed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Protocol

from saegim.errors import BadInput
from saegim.language.en import feelings as english_reading
from saegim.language.ko import feelings as korean_reading
from saegim.language.language import Language, language_of
from saegim.language.lexicons import (
    PRESENT,
    STRONG,
    UNREAL,
    FeelingEvidence,
    FeelingWord,
    Sense,
    Way,
    added_up,
)
from saegim.memory.memory import SENTIMENT, Emotion, Feeling
from saegim.memory.text import fold

# ---- How much of each feeling there is: the words of a text and the small heads, weighed together.

# What each thing weighs for a feeling: its own head, the heads of sentiment and of neutral, the
# words that name it; then where it begins. Fitted by `training/feel.py`: logistic regression on
# KOTE validation and GoEmotions train, each text read by heads that were taught without it (four
# parts), and with half their weight (of English, half that of 5,000) on plain sentences of
# documentation, task dialogues and everyday notes, so that a plain statement feels nothing; a
# feeling begins at the peak of F1 on the labelled texts.
_FITTED: Final = """
ko joy      0.52  0.53 -0.23 1.83 -0.37
ko sadness  0.55 -0.30 -0.22 2.11  0.21
ko anger    0.54 -0.61 -0.27 1.83 -0.54
ko fear     0.55 -0.05 -0.09 3.46 -0.86
ko disgust  0.67 -0.31 -0.13 2.03 -0.46
ko anxiety  0.57 -0.07 -0.13 1.55 -0.01
ko ennui    0.44 -0.23 -0.16 1.89 -0.22
en joy      0.77  0.04  0.06 2.71 -0.72
en sadness  0.67 -0.20  0.01 2.79 -0.74
en anger    0.72 -0.12  0.07 2.03 -0.47
en fear     0.76 -0.44 -0.11 2.26 -1.02
en disgust  0.73 -0.29 -0.04 2.32 -1.10
en anxiety  0.51 -0.49 -0.13 3.03 -1.53
"""
# For neutral: its own head, the strongest other head, how far sentiment is from the middle, the
# strongest word, whether there is any word; then where it begins. Fitted with the others.
_NEUTRAL: Final[Mapping[Language, tuple[float, ...]]] = {
    "ko": (0.83, -0.38, -0.17, -0.20, -0.58, 1.00),
    "en": (0.75, -0.02, -0.11, -0.86, -0.20, 0.31),
}
# For sentiment: its head, what the words are worth, and that again the shorter the text. Fitted
# likewise, the bias dropped: comments on the news complain more than people who tell of themselves.
_SENTIMENT: Final[Mapping[Language, tuple[float, float, float]]] = {
    "ko": (0.78, 0.74, 0.52),
    "en": (0.56, 1.64, 0.78),
}
# What follows is ours, judged on our own sentences and on what it costs in F1 on the same texts
# (read by words 25 and 49, by the heads alone 53.3 and 52.0, as joined here 54.8 and 54.7).
# The heads see words and neighbours, hardly a denial: where the words deny a feeling, or give it to
# somebody else, the heads that saw the same words are wrong.
_DENIED, _ELSEWHERE = 2.0, 0.7
# A word that names the feeling outright, undenied and the speaker's own, settles it.
_OUTRIGHT, _SETTLED = 0.9, 1.0
# Beside words that name or deny a feeling, in a short text, what only the heads read is mostly an
# echo of the comments that they learned from.
_ECHO, _NAMED, _UNNAMED = 4.0, 0.6, 0.3
# The shorter a text, the more its plain words are all of it; at this length no more.
_SHORT: Final[Mapping[Language, int]] = {"ko": 60, "en": 120}
# Where no head reads a feeling, the words alone do: from nought at PRESENT to two at the utmost.
_WORDS_ALONE: Final = 4.0
# Where no word of feeling stands at all, neutral has this much in advance.
_WORDLESS, _WORDLESS_SHORT = 0.9, 1.6
_SHORT_SENTIMENT: Final = 60

_FEELINGS: Final[tuple[Feeling, ...]] = tuple(each for each in Feeling if each != "neutral")


def _table() -> Mapping[str, Mapping[Feeling, tuple[float, ...]]]:
    """Return the fitted numbers by language and feeling."""
    found: dict[str, dict[Feeling, tuple[float, ...]]] = {}
    for line in _FITTED.strip().splitlines():
        language, feeling, *numbers = line.split()
        found.setdefault(language, {})[Feeling(feeling)] = tuple(map(float, numbers))
    return found


_WEIGHTS: Final = _table()


def share(margin: float) -> float:
    """Return a margin as a share from 0 to 1, where 0.5 is the border."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, margin))))


def margins(
    evidence: FeelingEvidence, heads: Mapping[str, float] | None, language: Language, length: int
) -> dict[Feeling, float]:
    """Return how far each feeling is above the border, by the words and, if given, the heads."""
    plainest = max(evidence.felt.values(), default=0.0)
    named = plainest >= _NAMED or evidence.turned or evidence.elsewhere or evidence.homonym
    nearness = max(0.0, 1.0 - length / _SHORT[language])
    echo = _ECHO * nearness if named else 0.0
    heard = _heard(heads, language) if heads else {}
    found: dict[Feeling, float] = {}
    for each in _FEELINGS:
        said = evidence.felt.get(each, 0.0)
        found[each] = _margin(each, said, heard.get(each), evidence)
        if said < _UNNAMED:
            found[each] -= echo
    plain = _neutral(evidence, heads, language, plainest)
    if not evidence.words:
        plain += _WORDLESS + _WORDLESS_SHORT * nearness
    found[Feeling.NEUTRAL] = min(plain, -_SETTLED) if plainest >= _OUTRIGHT else plain
    return found


def _heard(heads: Mapping[str, float], language: Language) -> dict[Feeling, tuple[float, float]]:
    """Return, for each feeling with a head, what the heads say and what its words weigh."""
    good, plain = heads[SENTIMENT], heads["neutral"]
    return {
        feeling: (own * heads[feeling] + sentiment * good + neutral * plain + begins, word)
        for feeling, (own, sentiment, neutral, word, begins) in _WEIGHTS[language].items()
    }


def _margin(
    feeling: Feeling, said: float, heard: tuple[float, float] | None, evidence: FeelingEvidence
) -> float:
    """Return how far one feeling is above the border."""
    margin = heard[0] + heard[1] * said if heard else _WORDS_ALONE * (said - PRESENT)
    if feeling in evidence.denied:
        margin -= _DENIED
    if feeling in evidence.elsewhere:
        margin -= _ELSEWHERE
    return max(margin, _SETTLED) if said >= _OUTRIGHT else margin


def _neutral(
    evidence: FeelingEvidence,
    heads: Mapping[str, float] | None,
    language: Language,
    plainest: float,
) -> float:
    """Return how far the text is above the border of saying nothing felt."""
    if heads is None:
        return -_SETTLED if evidence.words else _SETTLED
    own, other, aside, word, words, begins = _NEUTRAL[language]
    strongest = max(heads[each] for each in _WEIGHTS[language])
    margin = own * heads["neutral"] + other * strongest + aside * abs(heads[SENTIMENT])
    margin += word * plainest + words * bool(evidence.words) + begins
    return margin


def sentiment(
    evidence: FeelingEvidence, heads: Mapping[str, float] | None, language: Language, length: int
) -> float:
    """Return how good or bad a text sounds, from -1 to 1."""
    worth = math.tanh(evidence.worth)
    if heads is None:
        return worth
    own, words, short = _SENTIMENT[language]
    nearness = max(0.0, 1.0 - length / _SHORT_SENTIMENT)
    heard = heads[SENTIMENT]
    plainest = max(evidence.felt.values(), default=0.0)
    # In a short text plain words are right where the heads say the contrary.
    if heard * worth < 0.0 and (evidence.turned or plainest >= _OUTRIGHT):
        own *= 1.0 - nearness
    return 2.0 * share(own * heard + (words + short * nearness) * worth) - 1.0


# ---- Faces, hearts, laughter and tears in letters: signs of feeling that are no words.

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
_HINT: Final = re.compile(r"[ㅋㅎㅠㅜ^♥♡<:_☹☺❤✨]|[\U0001f300-\U0001faff]")


@cache
def _known() -> tuple[re.Pattern[str], tuple[Sense, ...]]:
    """Return one pattern with a group for each line, and the sense of each group."""
    groups = "|".join(f"((?:{sign})+)" for _, _, _, sign in _SIGNS)
    senses = tuple(Sense(((each, plain),), worth, Way.SIGN) for each, plain, worth, _ in _SIGNS)
    return re.compile(groups), senses


def faces_in(text: str) -> Iterator[FeelingWord]:
    """Yield the signs of feeling of a text."""
    if not _HINT.search(text):
        return
    pattern, senses = _known()
    for each in pattern.finditer(text):
        sense = senses[(each.lastindex or 1) - 1]
        words = each.group()
        yield FeelingWord(
            sense, words[:_LONGEST], each.start(), STRONG if len(words) >= _LOUD else 1.0
        )


# ---- What two halves of a sentence say together that neither says alone.

_BITTERSWEET: Final = Sense(((Feeling.JOY, 1.55), (Feeling.SADNESS, 1.55)), 0.1, Way.INNER)
_FORGIVEN: Final = Sense(
    ((Feeling.JOY, 0.65),),
    0.6,
    Way.VIEW,
    eases=(
        Feeling.ANGER,
        Feeling.SADNESS,
        Feeling.ANXIETY,
        Feeling.FEAR,
        Feeling.DISGUST,
        Feeling.ENNUI,
    ),
)
# Going away for good, or so that it counts as a farewell: not to work, on holiday, off the phone.
_GOING_KO: Final = (
    r"(?<!여행 )(?<!여행을 )(?<!출장 )(?<!출장을 )(?<!휴가 )(?<!휴가를 )"
    r"(?:떠나(?:기 ?(?:바로 ?)?전|면서|며|던 ?날|는 ?날|시기 ?전|시면서|시며|시던 ?날)"
    r"|헤어지(?:기 ?전|면서|던 ?날)|작별(?: ?인사)?(?:하면서|하며|할 ?때)"
    r"|돌아가시(?:기 ?(?:바로 ?)?전|면서|며)|눈을 ?감(?:기 ?전|으면서|으며)"
    r"|마지막 ?(?:날|인사)(?:에|로))"
)
_KIND_KO: Final = (
    r"(?:칭찬(?:을 ?)?(?:해|하|받|들)|고맙다고|고마웠다고|감사하다고|사랑한다고|자랑스럽다고"
    r"|수고했다고|잘했다고|보고 ?싶을 ?거라고|행복했다고|최고였다고|안아"
    r"|손을 ?(?:꼭 ?)?잡아|편지를 ?(?:써|남|건네|줬|주))"
)
_GOING_EN: Final = (
    r"(?:(?:before|when|as) (?:he|she|they|\w+|my \w+) (?:left|moved away|passed away|died"
    r"|went away|said goodbye|passed)(?! (?:for|to) (?:work|the|school|lunch|a|my|his|her|their)\b)"
    r"|on (?:his|her|their|our|my|the) last day|saying goodbye|as a farewell)"
)
_KIND_EN: Final = (
    r"(?:praised me|thanked me|hugged me|held my hand|told me (?:\w+ ){0,4}(?:loved me|proud of me)"
    r"|said (?:\w+ ){0,4}(?:loved me|proud of me|would miss me)|kissed me|complimented me)"
)
_FAULT_KO: Final = (
    r"(?:실수|잘못|망쳤|망친|깨뜨|깨먹|늦었|늦은|틀렸|잊어버렸|까먹었|미안하다고|죄송하다고)"
)
_PARDON_KO: Final = (
    r"(?:괜찮다(?:고|며|면서)|괜찮대|용서해 ?[주줬준]|용서받|탓하지 ?않|나무라지 ?않"
    r"|그럴 ?수(?:도)? ?있다(?:고|며)|화(?:를)? ?(?:내지|안 ?[내냈]))"
)
_FAULT_EN: Final = (
    r"(?:mistakes?|messed up|screwed up|my fault|i broke|i forgot|i was late|apologi[sz]ed|sorry)"
)
_PARDON_EN: Final = (
    r"(?:(?:said|told me|says) (?:that )?(?:it|that)(?:'s| was| is) "
    r"(?:okay|ok|fine|all right|alright)"
    r"|told me not to worry|forgave me|forgiven|did(?:n't| not) (?:blame|scold) me"
    r"|was(?:n't| not) (?:angry|mad|upset))"
)
_NEAR: Final = r"[^.!?\n]{0,60}?"


def _either(first: str, then: str) -> str:
    """Return a pattern of two things in one sentence, in either order; the second is its word."""
    return f"{first}{_NEAR}({then})|({then}){_NEAR}{first}"


_SCENES: Final = (
    (re.compile(_either(_GOING_KO, _KIND_KO)), _BITTERSWEET),
    (re.compile(_either(_GOING_EN, _KIND_EN)), _BITTERSWEET),
    (re.compile(_either(_FAULT_KO, _PARDON_KO)), _FORGIVEN),
    (re.compile(_either(_FAULT_EN, _PARDON_EN)), _FORGIVEN),
)
_ASKED: Final = re.compile(r"[^.!\n]*\?")
_SUPPOSED: Final = re.compile(r"만약|만일|혹시|\bif\b|\bwould\b|[가-힣](?:다면|으면) ")


def scenes_in(text: str) -> Iterator[FeelingWord]:
    """Yield the scenes of a text, each as one thing felt."""
    low = text.lower().replace("’", "'")
    if len(low) != len(text):
        return
    for pattern, sense in _SCENES:
        for each in pattern.finditer(low):
            end = each.end()
            unreal = bool(_ASKED.match(low, end) or _SUPPOSED.search(low, 0, end))
            weight = UNREAL if unreal else 1.0
            begin, until = each.span(each.lastindex or 0)
            yield FeelingWord(sense, text[begin:until], each.start(), weight, elsewhere=unreal)


# ---- What a text feels like: the feelings of its words joined with what the small heads read.

# Of a long text the beginning and the end say how it is meant.
_BEGINNING, _END = 1500, 500
_HANGUL: Final = re.compile(r"[가-힣ㄱ-ㅎ]")
_LATIN: Final = re.compile(r"[a-zA-Z]")
# The numbers from here on are judged on our own sentences, labelled by how strong people would
# call them (tests/data/intensity_tune.jsonl; the other half, intensity_held, was read once, at the
# end). One plain word of feeling makes about 0.55, with "very" 0.75, the deepest words 0.77, "to
# death" or several of them more than 0.8; what is only a little felt stays below 0.4.
_STEEPNESS, _BENT = 0.8, 1.75
# Each of the first three exclamation marks adds this share.
_EXCLAIMED: Final = 0.1
# A word of feeling in a long text is less of it: from this length on it fades, to 0.6 at the least.
_DILUTED_FROM, _DILUTED_TO = 120, 0.6
# What only the heads read is never strong; what the heads doubt is less than the words say.
_HEADS_ALONE: Final = 0.3
_DOUBTED: Final = 0.65
# Words of feeling in a plain statement, and words that do not make a feeling.
_PLAIN, _UNFELT = 0.1, 0.5
# How sure one can be of words without heads, and of a text in which nothing was found.
_SURE_OF_WORDS: Final = 0.8
_NOTHING: Final = 0.3
# A head that is surer than this is not surer of anything.
_BOUND: Final = 5.0
_MOST_WORDS: Final = 12


class FeelingHeads(Protocol):
    """What the small heads say of a text: one number per column."""

    @property
    def columns(self) -> Sequence[str]:
        """Return what each number is about."""
        ...

    def logits(self, text: str, language: Language) -> Any:
        """Return the numbers, as an array."""
        ...


def feel(text: str, heads: FeelingHeads | None) -> Emotion:
    """Return what a text feels like; without heads its words alone are read."""
    long = len(text) > _BEGINNING + _END
    read = fold(f"{text[:_BEGINNING]}\n{text[-_END:]}" if long else text)
    if not read.strip():
        return Emotion()
    language, evidence = language_of(read), words_of(read)
    heard = _head_margins(read, heads, language)
    found = margins(evidence, heard, language, len(read))
    plain = found.pop(Feeling.NEUTRAL)
    present = sorted((each for each in found if found[each] >= 0.0), key=lambda each: -found[each])
    good = sentiment(evidence, heard, language, len(read))
    sure = share(found[present[0]]) if present else _NOTHING
    if plain >= max(0.0, *found.values()):
        present, sure = [Feeling.NEUTRAL], share(plain)
        good *= 1.0 - sure
    return Emotion(
        feelings=tuple(present),
        intensity=_intensity(present, sure, _strength(evidence, read)),
        sentiment=good,
        confidence=sure if heard else sure * _SURE_OF_WORDS,
        words=evidence.words[:_MOST_WORDS],
    )


def words_of(text: str) -> FeelingEvidence:
    """Return what the words and signs of feeling of a text say together, in either language."""
    found = list(faces_in(text))
    if _HANGUL.search(text):
        found += korean_reading.found(text)
    if _LATIN.search(text):
        found += english_reading.found(text)
    found += scenes_in(text)
    found.sort(key=lambda each: each.at)
    return added_up(found)


def _head_margins(
    text: str, heads: FeelingHeads | None, language: Language
) -> Mapping[str, float] | None:
    """Return what each head says of a text, or None where none can say anything."""
    if heads is None or not (_HANGUL.search(text) or _LATIN.search(text)):
        return None
    try:
        logits = heads.logits(text.replace("’", "'"), language)
    except BadInput:
        return None
    bounded = (max(-_BOUND, min(_BOUND, each)) for each in logits.tolist())
    return dict(zip(heads.columns, bounded, strict=True))


def _strength(evidence: FeelingEvidence, text: str) -> float:
    """Return how strong the words are in a text, from 0 to 1."""
    loud = 1.0 + _EXCLAIMED * min(3, text.count("!"))
    thin = max(_DILUTED_TO, min(1.0, (_DILUTED_FROM / len(text)) ** 0.25))
    return 1.0 - math.exp(-_STEEPNESS * (evidence.strength * loud * thin) ** _BENT)


def _intensity(present: Sequence[Feeling], sure: float, strength: float) -> float:
    """Return how strong the feelings are: as strong as the words, as far as one can be sure."""
    if not present:
        return _UNFELT * strength
    if present[0] is Feeling.NEUTRAL:
        return _PLAIN * strength
    said = strength * (_DOUBTED + (1.0 - _DOUBTED) * sure)
    return max(said, _HEADS_ALONE * max(0.0, 2.0 * sure - 1.0) ** 2)
