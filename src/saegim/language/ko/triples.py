"""Korean sentences as triples, in the words of the predicate table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims import Fact, Triple, facets, written
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, clauses
from saegim.language.ko.facts_being import (
    about_pending,
    events,
    health,
    held,
    is_what,
    loves,
    state,
)
from saegim.language.ko.facts_changing import changed, recorded, versioned
from saegim.language.ko.facts_having import (
    asked_for,
    does,
    has,
    leaves,
    likes,
    lives,
    moves,
    planned,
    pleases,
    speaks,
    supports,
    uses,
    works,
)
from saegim.language.ko.scene import KoreanScene

_SILENT: Final = frozenset(("if", "asked", "wish", "doubt", "once", "must"))


_AHEAD: Final = frozenset(("plan", "wish", "must", "ordered", "asked", "doubt"))
_SO_TO_SAY: Final = ("말하면", "보면", "하자면", "정리하면", "따지면", "치면")


_ASKS: Final = re.compile(
    r"(?:^|\s)(?:뭐[가를로]?|뭘|뭔지|어디\S*|언제\S*|누구\S*|누가|왜|어떻게|무슨|어떤|어느|몇"
    r"|얼마(?! 전)\S*)(?=\s|$)"
)


_FRAMES: Final = (
    versioned,
    supports,
    is_what,
    lives,
    moves,
    health,
    changed,
    recorded,
    loves,
    leaves,
    works,
    likes,
    pleases,
    held,
    has,
    uses,
    speaks,
    does,
    state,
    events,
)


def triples(sentences: list[str], speaker: str) -> list[Triple]:
    """Return what a few sentences of one speaker say, each triple once."""
    scene = KoreanScene(me=speaker or "사용자")
    found: dict[Triple, None] = {}
    for sentence in sentences:
        for fact in _facts(sentence, scene):
            if (triple := written(fact, "ko")) is not None:
                found[triple] = None
    return list(found)


def _facts(sentence: str, scene: KoreanScene) -> Iterator[Fact]:
    told = clauses(sentence)
    if _ASKS.search(sentence) or (sentence.count('"') > 1 and " 라고" in sentence):
        return
    if not told or "만약" in {word for clause in told for word in clause.adverbs}:
        return
    if sentence.rstrip().endswith("?") or told[-1].mood == "asked":
        return
    named = re.search("이름$|최애|인생 |단골 |가장 ", scene.pending)
    if named and len(told) == 1 and not told[0].stems and len(sentence) < 24:
        yield from about_pending(scene, sentence.strip(" .!~"))
        return
    quoted = any(clause.mood == "heard" for clause in told[:-1])
    supposed = scene.aside = now = False
    for clause in told:
        now = now or "이제" in clause.adverbs
        if now:
            clause.adverbs.add("이제")
        supposed = supposed or (clause.mood == "if" and not clause.word.endswith(_SO_TO_SAY))
        # 퇴사하고 빵집을 열려고 해: what comes first is only meant, too.
        ahead = clause.mood == "and" and not clause.past and told[-1].mood in _AHEAD
        if not supposed and not ahead:
            scene.enter(clause)
            yield from _read(clause, scene, quoted and clause is not told[-1])
        scene.leave(clause)


def _read(clause: KoreanClause, scene: KoreanScene, quoted: bool) -> Iterator[Fact]:
    """Yield the facts of one clause by the first frame that fits it."""
    if clause.mood in _SILENT or not clause.stems:
        return
    if clause.mood == "heard" or quoted:
        yield from _announced(clause, scene)
        return
    if clause.mood == "ordered" and clause.word.endswith("세요") and scene.subject != scene.me:
        clause.mood = "told"  # 할머니는 요양원에 계세요
    if scene.pending and scene.fresh(clause) and clause.stems != ("이",):
        thing = clause.first("로") or clause.first("를") or clause.first("에") or clause.first("")
        if thing and thing.text != scene.pending and not thing.tangled:
            yield from about_pending(scene, thing.text)
            return
    allowed = clause.first("로")
    if clause.word.endswith("해도") and allowed and allowed.text in ("반말", "존댓말"):
        yield Fact(scene.me, "prefers", allowed.text)
        return
    if clause.mood == "ordered":
        yield from asked_for(clause, scene)
        if "이제" in clause.adverbs:
            yield from (Fact(scene.me, "turned", noun) for noun in scene.nouns(clause))
        return
    if clause.mood == "plan":
        yield from planned(clause, scene)
        return
    found: list[Fact] = []
    turned = _turned(clause, scene)
    for frame in _FRAMES:
        if found := list(frame(clause, scene)):
            break
    else:
        found = list(planned(clause, scene)) if clause.mood == "decided" else []
    yield from found
    if turned and not found:
        nouns = scene.nouns(clause)
        yield from (Fact(scene.owner(clause), "turned", noun) for noun in nouns)


def _turned(clause: KoreanClause, scene: KoreanScene) -> bool:
    """Say whether something is no longer as it was, by its verb."""
    if clause.mood not in ("told", "and", "but", "decided"):
        return False
    done = (
        clause.past
        or clause.mood == "decided"
        or clause.word.endswith(("고", "서", "됨", "짐", "뀜", "끝"))
    )
    return bool(lex.TURNS & set(clause.stems)) and done and not scene.denied(clause)


def _announced(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """Believe what one heard of a date, not what one heard of people: 회의 수요일로 바뀌었대."""
    if clause.what and clause.word.endswith("라고"):
        yield from _called(clause, scene)
        return
    if clause.what.endswith(" 중") and scene.subject == scene.me:
        yield from (fact for fact in is_what(clause, scene) if fact.name == "state")
        return
    if clause.what and facets(clause.what):
        yield from (
            fact for fact in is_what(clause, scene) if fact.name in ("schedule", "deadline")
        )
        return
    people = {scene.me, scene.subject}
    for fact in (*versioned(clause, scene), *changed(clause, scene)):
        if fact.subject not in people or fact.name in (
            "schedule",
            "deadline",
            "moved",
            "due_moved",
        ):
            yield fact


def _called(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """저는 김민수라고 합니다."""
    if (
        scene.subject == scene.me
        and not clause.first("를")
        and len(clause.what) < 8
        and " " not in clause.what
    ):
        yield Fact(scene.me, "name", clause.what)
