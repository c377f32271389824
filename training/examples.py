"""What the heads learn from: labelled texts, and weak labels by form, source and plain words."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from saegim.engines.brain.heads import KEEPING, QUESTION
from saegim.language.language import LANGUAGES
from saegim.memory.memory import SENTIMENT, Feeling

SEED: Final = 11
TALK: Final = "xpersona-ko (talk)"
# The most texts of one kind and source, so that training stays within minutes.
MOST: Final = 20_000
LONGEST: Final = 200
# No more negatives than this per positive of the worth-keeping head, whose true share is unknown.
NEGATIVES: Final = 1.5
PERSONAL: Final = ("question-pair-train", "petition-sentences")

J, S, A, F, D = Feeling.JOY, Feeling.SADNESS, Feeling.ANGER, Feeling.FEAR, Feeling.DISGUST
X, E, NONE = Feeling.ANXIETY, Feeling.ENNUI, Feeling.NEUTRAL

# Statements per question. The dialogues among the texts have four to seven; fewer here, so that a
# question is rather seen than missed.
STATEMENTS: Final = 2.0
_BETWEEN: Final = re.compile(r"(?<=[.?!])\s+")
_ASKED: Final = re.compile(r"[^.?!]\?$")
_STATED: Final = re.compile(r"[^.?!]\.$")
# Words that name a feeling outright. KOTE's texts are remarks on news and wares; people who write of
# themselves say it plainly. In English only for what GoEmotions has in less than one text of fifty.
# A denied word counts against its feeling.
CUES: Final = {
    ("ko", J): r"행복[하한해했]|기[쁘뻐뻤]|즐거[워웠운]|즐겁|신[나났]",
    ("ko", S): r"슬[프퍼펐픈]|우울|서글[프퍼픈]|외로[워웠운]|외롭|속상",
    ("ko", A): r"화[가 ]*[나났난]|열받|짜증|분노|분하",
    ("ko", F): r"무서[워웠운]|무섭|두려[워웠운]|두렵|겁이? ?[나났]",
    ("ko", D): r"역겨[워웠운]|역겹|징그러|징그럽|혐오스",
    ("ko", X): r"걱정[이되된돼됐스]|불안[하한해했]|초조|긴장[되된돼됐]",
    ("ko", E): r"지루[하한해했]|귀찮|지겨[워웠운]|지겹|심심[하한해했]|따분|지긋지긋",
    ("en", F): r"\b(afraid|scared|terrified|terrifying|frightened|frightening)\b",
    ("en", X): r"\b(nervous|worried|anxious|anxiety|stressed|worrying)\b",
}
DENIED: Final = {
    "ko": re.compile(r"(^| )[안못] |[지진]는? ?(않|못|마)|없"),
    "en": re.compile(r"\b(not|no|never)\b|n't"),
}
# Film reviews praise what makes one cry: no words of feeling from there.
CUED_FROM: Final = (
    "petition-sentences xpersona-ko question-pair-train common-voice-korean bible-krv-bsb "
    "chitchat-en self-dialogue-en chitchat-answers-en"
).split()
CUED_MOST: Final = 150
# Plain talk and plain facts: without them every sentence would have the temper of a comment.
PLAIN: Final = {
    "ko": "korean-task-talk python-docs-ko libreoffice-help-ko korean-bill-sentences tldr-korean".split(),
    "en": "requests-en taskmaster-en python-docs-ko libreoffice-help-ko oasst1-en".split(),
}
PLAIN_MOST: Final = 400
SHORT: Final = 50
DISPRAISE: Final = {
    "ko": re.compile(
        r"(^| )안 ?(좋|예[쁘뻐]|재[미밌]|맛있)|(좋|예쁘|맛있|재밌|재미있|행복하|기쁘)지[는가도]? ?않"
    ),
    "en": re.compile(
        r"\b(not|isn't|wasn't|don't|didn't|never) (very |really |that |so |at all )?"
        r"(good|great|nice|fun|happy|like|enjoy|love|funny|worth)\b"
    ),
}
DISPRAISED_FROM: Final = {
    "ko": ("nsmc-raw", "xpersona-ko", "question-pair-train"),
    "en": ("chitchat-en", "self-dialogue-en", "opinions-en"),
}

_KIN = (
    "wife|husband|mom|mother|dad|father|parents|son|daughter|kids?|children|brother|sister|family|"
    "boss|manager|team|dogs?|cats?|birthday|name|job|house|car|best friend|girlfriend|boyfriend"
)
# Says something lasting or new about the speaker.
TELLING_EN: Final = re.compile(
    r"\b(i am|i'm|im|we are|we're) (an?|from|in|at|\d+|allergic|married|single|vegan|moving|"
    r"going to|"
    r"planning|learning|studying|getting|saving|retired|working|living|training|afraid|into|not)\b"
    r"|\b(i|we) (just |also |finally |really |always |never |usually |only |still )?"
    r"(work|live|lived|grew|moved|own|bought|adopted|went|started|quit|lost|broke|graduated|"
    r"studied|"
    r"teach|play|played|decided|chose|agreed|plan|prefer|hate|enjoy|love \w+ing|like to|want to|"
    r"used to|have (an?|two|three|four|\d+|no|been|to)|had (an?|my|to)|don't (eat|drink|drive|"
    r"like)|"
    r"can't (eat|stand|drive)|met|visited|took|passed|won|finished|eat|drink|was (born|raised|an?)|"
    r"got (an?|my|the|married|fired|promoted))\b"
    rf"|\b(my|our) (\w+ )?({_KIN})\b|\bmy favou?rite\b"
)
TELLING_KO: Final = re.compile(
    r"기로 (했|결정|정했|마음)|예정이|려고 (해|합니다|한다|해요)|계획이|[갈할볼살] 거(야|예요)|"
    r"목표(야|다|예요)"
    r"|(내|제|나의|저의|우리|저희) ?(아들|딸|아이|남편|아내|와이프|엄마|어머니|아빠|아버지|"
    r"부모님|할머니|"
    r"할아버지|동생|언니|오빠|누나|형|고양이|강아지|집|회사|팀|생일|이름|직업|취미|차)"
    r"|(나는|난|저는) .*(살고|살아|살았|일하|일해|다녀|다니|좋아|싫어|선호|못 먹|안 먹|태어|자랐|"
    r"키우|키워|"
    r"배우|배웠|공부|전공|이사|결혼|이혼|샀|알레르기|입니다|이야|이에요|가지고 있)"
    r"|(어제|그저께|어젯밤|지난 ?주|지난 ?달|작년|내일|다음 ?주|다음 ?달|내년|이번 ?주|요일에|"
    r"드디어|방금)"
    r".*(했|갔|왔|샀|만났|됐|되었|받았|다녀|배웠|시작|잃|헤어|가기|갈|간다|싸웠|합격|떨어)"
)
_SPEAKER: Final = re.compile(
    r"\b(i|i'm|im|my|me|we|our|us)\b|나는|난 |내 |내가|저는|제가|우리|저희|나도"
)
# First person, and yet only talk.
_MUSING: Final = re.compile(
    r"\b(i|we) (do |don't |didn't |can't |really |just |also )?"
    r"(think|know|agree|guess|mean|see|hope|suppose|bet|wonder|wish|understand|imagine|believe|"
    r"said|"
    r"love (it|that|this)|like (it|that|this)|would|could|will say|feel|am (sorry|sure|glad|fine|"
    r"good))\b"
    r"|^(i'm|i am) (sorry|sure|glad|fine|good|ok|okay|not sure|back)|나도 그|내 말|내 생각|것 같"
)
_OF_FILMS: Final = re.compile(
    r"영화|드라마|연기|감독|배우|평점|스토리|작품|movie|film|song|album|band"
)
TELLERS: Final = {
    "en": ("xpersona-ko", "chitchat-en", "goemotions-train", "self-dialogue-en"),
    "ko": (
        "xpersona-ko",
        "question-pair-train",
        "petition-sentences",
        "kote-validation",
        "nsmc-raw",
    ),
}
# Requests, orders, replies of machines, and what is true for everyone.
IDLE: Final = {
    "en": ("requests-en", "taskmaster-en", "oasst1-en", "python-docs-ko", "wordnet-definitions-en"),
    "ko": ("korean-task-talk", "python-docs-ko", "libreoffice-help-ko", "tensorflow-guides-korean"),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One text and what some heads should say of it, from 0 to 1."""

    language: str
    source: str
    text: str
    wanted: dict[str, float]


class Corpus:
    """The cleaned texts and labels of the working folder."""

    def __init__(self, work: Path) -> None:
        self.chance = random.Random(SEED)
        self.texts: dict[tuple[str, str], list[str]] = defaultdict(list)
        lines: list[tuple[str, str]] = []
        with (work / "texts.tsv").open(encoding="utf-8") as file:
            for line in file:
                language, source, text = line.rstrip("\n").split("\t", 2)
                lines.append((source, text))
                if len(text) <= LONGEST:
                    self.texts[language, source].append(text)
        self.english: dict[str, str] = {}
        with (work / "pairs.tsv").open(encoding="utf-8") as file:
            for source, close, one, two in (line.rstrip("\n").split("\t") for line in file):
                if source == "xpersona-ko" and close == "1":
                    self.english[lines[int(one)][1]] = lines[int(two)][1]
        with (work / "labels.jsonl").open(encoding="utf-8") as file:
            self.labels = [json.loads(line) for line in file]

    def some(self, texts: list[str], most: int = MOST) -> list[str]:
        """Return up to `most` of the texts, by chance."""
        return self.chance.sample(texts, min(most, len(texts)))


def liked(corpus: Corpus) -> Iterator[Example]:
    """Yield sentiment from film reviews (Korean) and opinions (English)."""
    worth = {"positive": 1.0, "negative": 0.0, "neutral": 0.5}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in corpus.labels:
        if row["source"] in ("nsmc-raw", "opinions-en"):
            found[row["source"], row["labels"][0].removeprefix("sentiment:")].append(row["text"])
    for (source, label), texts in sorted(found.items()):
        for text in corpus.some(texts):
            language = "ko" if source == "nsmc-raw" else "en"
            yield Example(language, source, text, {SENTIMENT: worth[label]})


def asked(corpus: Corpus) -> Iterator[Example]:
    """Yield questions and statements of the same sources, by sentence; half lose their mark."""
    for (language, source), texts in sorted(corpus.texts.items()):
        sentences = {each for text in texts for each in _BETWEEN.split(text) if len(each) > 3}
        asking = sorted(each for each in sentences if _ASKED.search(each))
        telling = sorted(each for each in sentences if _STATED.search(each))
        asking = corpus.some(asking, MOST // 2)
        telling = corpus.some(telling, max(round(STATEMENTS * len(asking)), 200))
        for share, chosen in ((1.0, asking), (0.0, telling)):
            for text in chosen:
                bare = text.rstrip("?!.~… ") if corpus.chance.random() < 0.5 else text
                if bare:
                    yield Example(language, source, bare, {QUESTION: share})


def cued(corpus: Corpus) -> Iterator[Example]:
    """Yield texts that name a feeling, or deny it."""
    for (language, feeling), words in CUES.items():
        cue, denied = re.compile(words), DENIED[language]
        for source in CUED_FROM:
            texts = [t for t in corpus.texts[language, source] if cue.search(t.lower())]
            for text in corpus.some(texts, CUED_MOST):
                wanted = {str(feeling): 0.0}
                if not denied.search(text.lower()):
                    wanted = {str(feeling): 1.0, SENTIMENT: float(feeling is J), str(NONE): 0.0}
                yield Example(language, f"{source} (cues)", text, wanted)


def dispraised(corpus: Corpus) -> Iterator[Example]:
    """Yield short texts that deny a word of praise: not good is bad."""
    for language, sources in DISPRAISED_FROM.items():
        for source in sources:
            texts = [t for t in corpus.texts[language, source] if len(t) < SHORT]
            texts = [t for t in texts if DISPRAISE[language].search(t.lower())]
            for text in corpus.some(texts, PLAIN_MOST):
                yield Example(language, f"{source} (denied)", text, {SENTIMENT: 0.0, str(J): 0.0})


def plain(corpus: Corpus) -> Iterator[Example]:
    """Yield texts without feeling, by their source."""
    for language, sources in PLAIN.items():
        nothing = {str(each): 0.0 for each in Feeling if each in (J, S, A, F, D, X, E)}
        if language == "en":
            del nothing[str(E)]
        for source in sources:
            for text in corpus.some(corpus.texts[language, source], PLAIN_MOST):
                wanted = nothing | {SENTIMENT: 0.5, str(NONE): 1.0}
                yield Example(language, f"{source} (plain)", text.rstrip("."), wanted)


def spoken(corpus: Corpus) -> tuple[list[Example], list[Example]]:
    """Return translated lines of talk: the English ones, and the Korean ones beside them."""
    pairs, weary = sorted(corpus.english.items()), re.compile(CUES["ko", E])
    english = [Example("en", TALK, two, {}) for _, two in pairs]
    # GoEmotions knows no ennui, so that the English side cannot tell: only the word itself does.
    korean = [
        Example("ko", TALK, one, {str(E): float(bool(weary.search(one)))}) for one, _ in pairs
    ]
    return english, korean


def told(text: str, language: str) -> float | None:
    """Say whether a text of a dialogue is worth keeping, as far as its form shows; None: unsure."""
    low = text.lower().replace("’", "'")
    if "?" in text or len(text) < (6 if language == "ko" else 12):
        return 0.0
    if (TELLING_KO if language == "ko" else TELLING_EN).search(low):
        return None if _OF_FILMS.search(low) else 1.0
    if not _SPEAKER.search(low) or _MUSING.search(low):
        return 0.0
    return 1.0 if language == "en" and len(low.split()) > 4 and not _OF_FILMS.search(low) else None


def judged(corpus: Corpus, language: str, source: str) -> Iterator[tuple[float, str]]:
    """Yield the texts of a source whose worth is plain, and that worth."""
    for text in corpus.texts[language, source]:
        # A line of XPersona is judged by its English side, whose form says more.
        english = corpus.english.get(text) if language == "ko" else None
        share = told(english or text, "en" if english else language)
        # Where everyone speaks of himself, Korean leaves the speaker out: silence proves nothing.
        if share == 1.0 or (share == 0.0 and (source not in PERSONAL or "?" in text)):
            yield share, text


def kept(corpus: Corpus) -> Iterator[Example]:
    """Yield what is worth keeping, by weak labels: telling of oneself against everything else."""
    for language in LANGUAGES:
        found: dict[float, list[tuple[str, str]]] = {0.0: [], 1.0: []}
        for source in TELLERS[language]:
            texts: dict[float, list[str]] = {0.0: [], 1.0: []}
            for share, text in judged(corpus, language, source):
                texts[share].append(text)
            for share in found:
                found[share] += [(source, text) for text in corpus.some(texts[share])]
        for source in IDLE[language]:
            found[0.0] += [
                (source, t) for t in corpus.some(corpus.texts[language, source], MOST // 4)
            ]
        most = NEGATIVES * len(found[1.0])
        found[0.0] = corpus.chance.sample(found[0.0], min(len(found[0.0]), round(most)))
        for share, rows in found.items():
            for source, text in rows:
                bare = text.rstrip("?!.~ ") if corpus.chance.random() < 0.3 else text
                if bare:
                    yield Example(language, source, bare, {KEEPING: share})
