"""Who a Korean clause is about: the subject it leaves out, and what was spoken of just before."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, Phrase, with_particle
from saegim.language.ko.verbs import closing
from saegim.language.names import korean_person

_NO_OBJECT: Final = re.compile(
    r"(?:것|때|수|줄|데|게|적|쪽|중|정도|이상|이하|대신|때문|덕분|말|번|혼자|집에서)"
)


_SEVERAL: Final = frozenset(("와", ","))


@dataclass(slots=True)
class KoreanScene:
    """What a speaker's sentences have in common, sentence after sentence."""

    me: str
    subject: str = ""
    topic: str = ""
    object: str = ""
    pending: str = ""
    aside: bool = False  # a thing, not a person, is the topic of this sentence

    def enter(self, clause: KoreanClause) -> None:
        """Find out whom the clause is about."""
        self._part(clause)
        if clause.word and closing(clause.word) == 16 and lex.TURNS & set(clause.stems):
            clause.past = True  # 헤어짐, 연기됨: a note of what happened
        said = self._said(clause)
        self.subject = said or self.subject or self.me

    def _part(self, clause: KoreanClause) -> None:
        """Part a relative from the noun after it: 형 은행 관뒀어; 언니 결혼식 stays whole."""
        for at, each in enumerate(clause.phrases):
            thing, _, goal = each.text.partition(" ")
            if goal and each.part in ("에", "에게") and thing in lex.PETS | lex.DEVICES:
                clause.phrases[at : at + 1] = [Phrase(thing, ""), replace(each, text=goal)]
                return
            start, _, last = each.text.rpartition(" ")
            if start and last in lex.KIN and not each.part and "주" in clause.stems:
                clause.phrases[at : at + 1] = [replace(each, text=start), Phrase(last, "에게")]
                return
            first, _, rest = each.text.partition(" ")
            whole = not rest or rest.split()[-1] in lex.OWNED_WORDS or clause.stems == ("이",)
            if not whole and first in lex.KIN and each.part not in ("는", "가"):
                head = Phrase(first, "", mine=each.mine)
                clause.phrases[:1] = [head, replace(each, text=rest, mine=False)]
            break

    def _said(self, clause: KoreanClause) -> str:
        for each in clause.phrases:
            if each.me and each.part in ("", "는", "가", "도"):
                return self.me
            pet = each.text in lex.PETS and each.part not in ("는", "가")
            if each.part in ("", "는", "가", "도") and not pet and (who := self.who(each)):
                return who
        return ""

    def owner(self, clause: KoreanClause) -> str:
        """Return whose matter it is: a person who is named, else the speaker."""
        return self._said(clause) or (self.subject if self.subject == self.me else self.me)

    def actor(self, clause: KoreanClause) -> str:
        """Return who does it: a stranger named by 은/는 before an object is not the speaker."""
        if self._said(clause):
            return self.subject
        for each in clause.phrases:
            if each.part in ("는", "가") and each.text and not each.time:
                if each.tangled or each.text.split()[-1] in lex.VAGUE:
                    return ""
                if each.text.split()[-1] not in lex.FIELDS:
                    return each.text
        return self.subject

    def who(self, phrase: Phrase) -> str:
        """Return the person a phrase names, "" if it names none."""
        if phrase.time or phrase.tangled or not phrase.text:
            return ""
        last = phrase.text.split()[-1]
        if " " in phrase.text and (titled := korean_person(phrase.text)):
            return titled  # 민수 형
        first, _, rest = phrase.text.partition(" ")
        if first in lex.KIN and rest and (friend := korean_person(rest)):
            return friend  # 친구 민호
        if last in lex.KIN or phrase.text in lex.PETS:
            if self.me not in ("사용자", "") and phrase.mine:
                return f"{self.me}의 {phrase.text}"
            return phrase.text
        return korean_person(phrase.text)

    def is_person(self, phrase: Phrase) -> bool:
        """Say whether a phrase names a person, or the speaker."""
        return phrase.me or bool(self.who(phrase))

    def denied(self, clause: KoreanClause) -> bool:
        """Say whether the verb is denied."""
        return clause.denied or not clause.adverbs.isdisjoint(("안", "못"))

    def fresh(self, clause: KoreanClause) -> bool:
        """Say whether it is told as something new: 이제, 다시, 드디어."""
        return not clause.adverbs.isdisjoint(("이제", "새로"))

    def over(self, clause: KoreanClause) -> bool:
        """Say whether a state is denied or past."""
        return clause.past or self.denied(clause)

    def place(self, clause: KoreanClause) -> str:
        """Return where someone lives, "" if no place is named."""
        found = clause.first("에") or clause.first("에서")
        if found is None:
            found = next(
                (e for e in clause.phrases[::-1] if e.part in ("", "는") and self._thing(e)), None
            )
        if found is None or found.tangled:
            return ""
        if self.who(found) or found.text in lex.PETS:
            return ""
        if found.text == "집" and found.mine and self.subject != self.me:
            return "우리 집"
        last = found.text.split()[-1]
        if (last.endswith(lex.DWELLINGS) and last not in ("본가", "요양원")) or last in (
            "전세",
            "월세",
            "혼자",
            "자가",
        ):
            return ""
        return found.text

    def _thing(self, phrase: Phrase) -> bool:
        who = self.who(phrase) and phrase.text not in lex.PETS
        return not (phrase.time or phrase.me or who)

    def objects(self, clause: KoreanClause) -> list[str]:
        """Return what is done to: each noun of a list, none if it is not understood."""
        last: Phrase | None = None
        for parts in (("만", "밖에"), ("를",), ("도",), ("",), ("는", "가")):
            last = next(
                (e for e in reversed(clause.phrases) if e.part in parts and self._thing(e)), None
            )
            if last:
                break
        if last is None or last.tangled:
            return []
        at = clause.phrases.index(last)
        found = [last]
        while (
            at and clause.phrases[at - 1].part in _SEVERAL and self._thing(clause.phrases[at - 1])
        ):
            at -= 1
            found.insert(0, clause.phrases[at])
        texts = [e.text.removesuffix(" 하나") for e in found if not e.tangled]
        return [text for text in texts if not _NO_OBJECT.fullmatch(text)]

    def things(self, clause: KoreanClause) -> list[Phrase]:
        """Return the phrases that name no person and no time."""
        return [each for each in clause.phrases if each.text and self._thing(each)]

    def count(self, clause: KoreanClause) -> str:
        """Return a number with its counter, as it was said."""
        return clause.count

    def matter(self, clause: KoreanClause) -> Phrase | None:
        """Return what is done or broken: the washing machine of 세탁기 수리."""
        thing = clause.first("가", "를") or clause.first("는") or clause.first("")
        if thing and clause.stems and thing.text == clause.stems[0][:-1]:  # 장애 아직 복구 안 됐어
            thing = next((each for each in self.things(clause) if each is not thing), thing)
        if (
            thing
            and " " in thing.text
            and thing.text.split()[-1] in lex.DEEDS - {"이름", "계약", "예약"}
        ):
            return replace(thing, text=thing.text.rsplit(" ", 1)[0])
        return thing

    def nouns(self, clause: KoreanClause) -> list[str]:
        """Return what a clause is about, a note like 세탁기 수리 also as 세탁기."""
        found: dict[str, None] = {}
        for each in clause.phrases:
            if each.part not in (
                "는",
                "가",
                "를",
                "도",
                "",
                "만",
                "에서",
                "로",
                "와",
            ) or not self._thing(each):
                continue
            text = re.sub(r"\s?v?[0-9][0-9.]*\S*$", "", each.text)
            words = text.split()
            if each.tangled or not words or words[-1] in lex.VAGUE or text.endswith(" 것"):
                continue
            if each.part == "로":
                words = words[:-1]
            for size in (len(words), len(words) - 1):
                if size < 1:
                    break
                whole = size == len(words) or size > 1 or words[-1] in lex.DEEDS
                key = " ".join(words[:size])
                if whole and (len(key) > 1 or key in lex.SHORT_THINGS):
                    found[key] = None
        return list(found)

    def written(self, clause: KoreanClause) -> str:
        """Write a clause as a noun: 제주도로 이사 가기."""
        words = [
            with_particle(e) for e in clause.phrases if not e.me and (e.part != "는" or e.time)
        ]
        if not clause.stems or clause.stems == ("이",):
            return ""
        denied = "안 " if self.denied(clause) else ""
        return " ".join([*words, f"{denied}{clause.stems[-1]}기"])

    def leave(self, clause: KoreanClause) -> None:
        """Keep in mind what the clause was about."""
        for each in clause.phrases:
            if each.text.endswith(" 이름") and clause.stems == ("이",):
                self.subject = each.text.removesuffix(" 이름")
        self.aside = self.aside or any(e.part == "는" and self._thing(e) for e in clause.phrases)
        for each in clause.phrases:
            if self._thing(each) and not each.tangled:
                if each.part in ("는", "가", "를", ""):
                    self.topic = each.text
                if each.part in ("를", ""):
                    self.object = each.text
