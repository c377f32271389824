"""Korean sentences as clauses: who, what, where to, and how it is meant.

It knows no meanings: the frames turn clauses into facts. What it cannot read it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from saegim.language.ko.lexicon import JOBS
from saegim.language.ko.verbs import closing, guessed_stem, known_stems
from saegim.language.ko.word_forms import (
    ADVERBS,
    COPULA,
    HANGUL,
    THING,
    Mood,
    Token,
    copular,
    is_melted,
    is_past,
    is_verb,
    mood_of,
    noun_and_part,
    shown,
    time_word,
    tokens,
    verb_stems,
)
from saegim.language.names import is_given_name
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/clauses")

# ---- `Phrase` and `Clause`: what the reader makes of a Korean sentence.

_PARTICLES: Final = {
    "가": ("이", "가"),
    "를": ("을", "를"),
    "로": ("으로", "로"),
    "와": ("과", "와"),
}
_LL: Final = 8


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun with what belongs to it, and the particle that says its part.

    `verb` is the stem of a short clause before it (좋아하는 음식); `tangled` says that a longer one
    stands there, so that the noun alone would say too much.
    """

    text: str
    part: str
    me: bool = False
    mine: bool = False
    time: bool = False
    verb: str = ""
    tangled: bool = False


@dataclass(slots=True)
class KoreanClause:
    """One verb, or noun with 이다, and the phrases before it."""

    phrases: list[Phrase] = field(default_factory=list)
    adverbs: set[str] = field(default_factory=set)
    stems: tuple[str, ...] = ()
    word: str = ""
    what: str = ""
    past: bool = False
    denied: bool = False
    mood: Mood = "told"
    ongoing: bool = False
    became: bool = False
    count: str = ""

    def first(self, *parts: str) -> Phrase | None:
        """Return the last phrase with one of these parts, no time and not the speaker, or None."""
        for each in reversed(self.phrases):
            if each.part in parts and each.text and not each.time:
                return each
        return None

    def time(self) -> str:
        """Return the words that say when."""
        return " ".join([each.text for each in self.phrases if each.time])


def with_particle(phrase: Phrase) -> str:
    """Write a phrase with its particle again."""
    part = phrase.part
    if part in _PARTICLES and "가" <= phrase.text[-1:] <= "힣":
        closed, opened = _PARTICLES[part]
        last = closing(phrase.text)
        part = opened if not last or (part == "로" and last == _LL) else closed
    return phrase.text + (part if part not in (",", "게") else "")


# ---- What stands after a Korean verb and says how it is meant: 있다, 않다, 기로 하다, 수 없다.

_AFTER_MELTED: Final = frozenset(str.split("주 보 버리 두 놓 오 가 드리 있"))
_MUST: Final = ("아야", "어야", "해야", "야")
_COMING: Final = ("거", "것", "건데", "예정", "계획", "생각", "참", "듯", "까")


def aided(clause: KoreanClause, words: Sequence[str]) -> int:
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


def _one(clause: KoreanClause, word: str, stems: set[str]) -> bool | None:
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


def _melted(clause: KoreanClause, word: str, stems: set[str]) -> None:
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


def bound(clause: KoreanClause, word: str, words: Sequence[str]) -> int:
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


# ---- Korean sentences as clauses: who, what, where to, and how it is meant.

_PRONOUNS: Final = {
    **dict.fromkeys(str.split("나는 저는 난 전 우리는 저희는 우린 저흰 나야 저야"), "는"),
    **dict.fromkeys(str.split("내가 제가 우리가 저희가"), "가"),
    **dict.fromkeys(str.split("나도 저도 우리도 저희도"), "도"),
    **dict.fromkeys(str.split("나 저 우리 저희"), ""),
    **dict.fromkeys(str.split("나한테 저한테 나에게 저에게 내게 제게 나한테는 저한테는"), "에게"),
    **dict.fromkeys(str.split("나를 저를 날 절 우릴"), "를"),
    **dict.fromkeys(str.split("내 제 나의 저의 우리의 저희의 울"), "의"),
}
_WEEKS: Final = frozenset(str.split("이번 다음 다다음 지난 저번 담 첫째 둘째 셋째 넷째"))
_CLEARLY: Final = ("입니다", "이에요", "예요", "이었어", "였어요", "이거든", "이야")
_NAMED_BEFORE: Final = _LISTS.row("named_before")
_DEEDS: Final = _LISTS.words("deeds")
_COUNTERS: Final = _LISTS.words("counters")
_COUNTER: Final = re.compile(f"({'|'.join(sorted(_COUNTERS))})([가-힣]*)")
_NUMBER: Final = re.compile("한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|[0-9]{1,4}")
_COUNT: Final = re.compile(f"({_NUMBER.pattern})({'|'.join(sorted(_COUNTERS))})")
_RELATIVE: Final = frozenset(str.split("좋아하 살 다니 쓰 사용하 하 응원하 타 가"))


def _goes_on(following: str) -> bool:
    """Say whether 우리 belongs to the noun after it: 우리 딸은, but 우리 오늘."""
    return bool(following) and not time_word(following) and following not in ADVERBS


def _names_someone(word: str) -> bool:
    """Say whether a word that may be a verb is a person with a particle: 민지는, 배우는."""
    noun, part = noun_and_part(word)
    return part in ("는", "가", "를", "도") and (noun in JOBS or is_given_name(noun))


def _reads_as_noun(word: str, phrases: list[Phrase], open_words: list[str]) -> bool:
    """Say whether a topic makes a noun of what looks like a verb: 이름은 보리고."""
    before = [*(each.text for each in phrases), *open_words]
    topics = any(text.endswith(("이름", "별명", "닉네임")) for text in before)
    if not (topics and word.endswith(("고", "며", "지만", "야")) and HANGUL.fullmatch(word)):
        return False
    known = verb_stems(word) or word.endswith(("하고", "되고"))
    object = any(each.part == "를" for each in phrases)
    return (not known or word.endswith("야")) and not object


def _verbless(clause: KoreanClause) -> KoreanClause | None:
    """Read what ends without a verb: 치과 예약은 금요일 오전 10시, 최애는 아이유."""
    if not clause.phrases:
        return None
    last, before = clause.phrases[-1], clause.phrases[-2:-1]
    if (
        _nominal(clause)
        or last.text.endswith("대")
        or guessed_stem((last.text or "다").split()[-1])
    ):
        return clause
    event = last.time and not last.part and any(e.text.endswith(_NAMED_BEFORE) for e in before)
    topic = event or any(each.part == "는" for each in clause.phrases)
    if (
        topic
        and last.part in ("", "에", "로")
        and not last.me
        and not clause.adverbs & {"안", "못"}
    ):
        clause.phrases.pop()
        clause.what, clause.stems, clause.word = last.text, ("이",), last.text
    return clause


def _nominal(clause: KoreanClause) -> bool:
    """Read a note that ends in a noun of doing: 3.2.0 배포 완료, 회식 취소."""
    last = clause.phrases[-1]
    words = last.text.split() if not last.part and not last.time else []
    if not words or words[-1] not in _DEEDS or len(words) + len(clause.phrases) < 3:
        return False
    rest = " ".join(words[:-1])
    clause.phrases[-1:] = [Phrase(rest, "")] if rest else []
    clause.stems = ("끝나",) if words[-1] == "끝" else (f"{words[-1]}하",)
    clause.word, clause.past = words[-1], True
    return True


def clauses(sentence: str) -> list[KoreanClause]:
    """Return the clauses of one folded sentence, in order."""
    reader = _ClauseReader(tokens(sentence))
    found = list(reader.read())
    if found:
        found[-1].adverbs |= reader.left_over
    return found


class _ClauseReader:
    """Walks over the tokens once, gathering phrases until a verb closes the clause."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._open: list[str] = []
        self._mine = False
        self._verb = ""
        self._tangled = False
        self._clause = KoreanClause()
        self.left_over: set[str] = set()  # adverbs after the last verb

    def read(self) -> Iterator[KoreanClause]:
        """Yield each clause."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            closed = self._take(token, self._at == len(self._tokens) - 1)
            self._at += 1
            if closed is not None:
                yield closed
        self._close("")
        if left := _verbless(self._clause):
            yield left
        else:
            self.left_over = self._clause.adverbs

    def _take(self, token: Token, last: bool) -> KoreanClause | None:
        word = token.word
        if word in _PRONOUNS and not (word in ("전", "난", "울", "제") and self._open):
            self._pronoun(word)
        elif word in ("대신", "말고") and (self._open or self._clause.phrases):
            self._instead()
        elif self._after_number() and (counter := _COUNTER.fullmatch(word)):
            if counter[2] in COPULA:
                return self._with_be(counter[1], word, "told", False)
            self._noun(token)
        elif word == "주로" and self._clause.phrases and self._clause.phrases[-1].text in _WEEKS:
            self._when("주", "로")
        elif word == "네" and _COUNTER.match(self._peek()):
            self._when(word, "")
        elif word in ADVERBS and not (last and word == "그리고"):
            self._close("")
            self._clause.adverbs.add(ADVERBS[word])
        elif word in ("첫째", "둘째", "셋째", "넷째") and self._peek().startswith("주"):
            self._when(word, "")
        elif (time := time_word(word)) and not (time[0] == "반" and not self._after_time()):
            self._when(*time)
        elif _reads_as_noun(word, self._clause.phrases, self._open):
            return self._with_be(*copular(word, True) or (word, word, "told", False))
        elif (last or token.ends) and word.endswith(_CLEARLY) and not known_stems(word):
            if copula := copular(word, True):
                return self._with_be(*copula)
            self._noun(token)
        elif not last and _names_someone(word):
            self._noun(token)
        elif stems := is_verb(word, last or token.ends, self._peek()):
            return self._verb_form(word, stems)
        elif copula := copular(word, last or token.ends):
            return self._with_be(*copula)
        else:
            self._noun(token)
        return None

    def _after_time(self) -> bool:
        return bool(self._clause.phrases) and self._clause.phrases[-1].time

    def _after_number(self) -> bool:
        phrases = self._clause.phrases
        return bool(phrases) and not self._open and bool(_NUMBER.fullmatch(phrases[-1].text))

    def _instead(self) -> None:
        """Read 케이크 대신 as what is not chosen."""
        self._close("말고")
        last = self._clause.phrases[-1]
        if not last.part and not last.me:
            self._clause.phrases[-1] = replace(last, part="말고")

    def _pronoun(self, word: str) -> None:
        part = _PRONOUNS[word]
        self._close("")
        family = word in ("우리", "저희", "울") and _goes_on(self._peek())
        if part == "의" or family:
            self._mine = True
        else:
            self._clause.phrases.append(Phrase("", part, me=True))

    def _when(self, text: str, part: str) -> None:
        self._close("")
        phrases = self._clause.phrases
        if phrases and phrases[-1].time and phrases[-1].part in ("", "의"):
            phrases[-1] = replace(phrases[-1], text=f"{phrases[-1].text} {text}", part=part)
        else:
            phrases.append(Phrase(text, part, time=True))

    def _noun(self, token: Token) -> None:
        noun, part = noun_and_part(token.word)
        if self._counted(noun):
            return
        if (
            noun.startswith("번째")
            and self._clause.phrases
            and _NUMBER.fullmatch(self._clause.phrases[-1].text)
        ):
            noun = f"{self._clause.phrases.pop().text} {noun}"
        if noun.endswith("들") and len(noun) > 2 and part:
            noun = noun[:-1]
        if part == "의":
            self._open.append(shown(noun))
            return
        self._open.append(shown(noun))
        if part or token.ends:
            self._close(part or ("," if token.ends else ""))

    def _counted(self, noun: str) -> bool:
        """Take 두 마리 and 세 잔 as a number of what was named before."""
        phrases = self._clause.phrases
        whole = _COUNT.fullmatch(noun)
        if whole:
            self._close("")
            self._clause.count = f"{whole[1]} {whole[2]}"
        elif noun in _COUNTERS and phrases and phrases[-1].time and not self._open:
            if not _NUMBER.fullmatch(phrases[-1].text):
                return False
            self._clause.count = f"{phrases.pop().text} {noun}"
        else:
            return False
        return True

    def _close(self, part: str) -> None:
        """End the phrase that is open."""
        if not self._open:
            if part:
                self._mine = False
            return
        text = " ".join(self._open)
        phrase = Phrase(text, part, mine=self._mine, verb=self._verb, tangled=self._tangled)
        self._clause.phrases.append(phrase)
        self._open, self._mine, self._verb, self._tangled = [], False, "", False

    def _with_be(self, noun: str, word: str, mood: Mood, past: bool) -> KoreanClause | None:
        if self._open and self._open[-1].endswith(_NAMED_BEFORE):
            self._close("")
        self._open.append(shown(noun))
        what = " ".join(self._open)
        self._open = []
        clause = self._clause
        last = clause.phrases[-1] if clause.phrases else None
        counts = noun in ("살", "세", "개월", "학년")
        if last and last.time and last.part in ("", "의") and (time_word(noun) or counts):
            what = f"{clause.phrases.pop().text} {what}"
        clause.what, clause.word, clause.stems = what, word, ("이",)
        clause.past, clause.mood = past, mood
        self._mine = self._tangled = False
        self._verb = ""
        return self._done()

    def _done(self) -> KoreanClause:
        clause, self._clause = self._clause, KoreanClause()
        return clause

    def _verb_form(self, word: str, stems: tuple[str, ...]) -> KoreanClause | None:
        """Read a verb with the helping verbs after it."""
        mood, past = mood_of(word), is_past(word)
        clause = self._clause
        if word[0] in "안못" and len(word) > 2 and verb_stems(word[1:]) and not known_stems(word):
            stems, clause.denied = verb_stems(word[1:]), True
        if mood == "of":
            return self._modifier(word, stems)
        if word.endswith("게") and not {"되", "만들"} & set(verb_stems(self._peek())):
            self._close("")
            clause.phrases.append(Phrase(word, "게"))
            return None
        if stems[0] in ("하", "되", "나") and (done := self._before_maker()):
            stems = (done + ("나" if stems[0] == "나" else "하"), *stems)
        if is_melted(word) and mood_of(self._peek() or "다") == "of" and known_stems(self._peek()):
            self._at += 1
            return self._modifier(f"{word} {self._peek(0)}", stems)  # 해 주는 게
        self._close("")
        clause.stems, clause.word, clause.past, clause.mood = stems, word, past, mood
        self._at += aided(clause, self._rest())
        return self._done()

    def _before_maker(self) -> str:
        """Return the noun that 하다 makes a verb of: 결혼 안 했어, 계약을 했어."""
        # Marks alone ("…" 하셨어) are no noun.
        if self._open and (words := self._open[-1].split()):
            return words[-1]
        last = self._clause.phrases[-1] if self._clause.phrases else None
        close = last and not last.time and not last.me and last.part in ("", "를")
        return last.text.split()[-1] if last and close and last.text else ""

    def _rest(self) -> list[str]:
        return [token.word for token in self._tokens[self._at + 1 : self._at + 13]]

    def _peek(self, ahead: int = 1) -> str:
        at = self._at + ahead
        return self._tokens[at].word if at < len(self._tokens) else ""

    def _modifier(self, word: str, stems: tuple[str, ...]) -> KoreanClause | None:
        """Read a verb that stands before a noun: 매운 음식, 내가 쓰는 에디터, 먹을 거야."""
        clause, following = self._clause, self._peek()
        if taken := bound(clause, word, self._rest()):
            self._close("")
            clause.stems, clause.word, clause.past = stems, word, False
            self._at += taken
            return self._done()
        if following in THING:
            return self._gerund(word, following)
        own = self._own()
        if own and not all(each.me for each in own):
            self._tangled = True
            self._open = []
        elif len(own) == 1 or stems[0] in _RELATIVE:
            self._verb = stems[0]
            if stems[0] not in _RELATIVE:
                self._open.append(word)
        else:
            self._open.append(word)
        return None

    def _own(self) -> list[Phrase]:
        """Take what belongs to a clause before a noun; a topic belongs to the main clause."""
        if self._open:
            self._close("")
        own: list[Phrase] = []
        phrases = self._clause.phrases
        while phrases and not phrases[-1].time and phrases[-1].part not in ("는", "도"):
            if phrases[-1].me and phrases[-1].part == "":
                break
            own.append(phrases.pop())
        return own

    def _gerund(self, word: str, following: str) -> KoreanClause | None:
        """Read 혼자 밥 먹는 걸 as one noun."""
        own = self._own()
        words = [with_particle(each) for each in reversed(own) if not each.me]
        times = [each for each in self._clause.phrases if each.time]
        self._tangled = len(times) > 1
        for each in times:
            self._clause.phrases.remove(each)
            words.insert(0, with_particle(each))
        denied = "안 " if "안" in self._clause.adverbs else ""
        self._clause.adverbs.discard("안")
        self._open = [*words, f"{denied}{word} 것"]
        self._at += 1
        part = THING[following]
        if part:
            self._close(part)
        return None
