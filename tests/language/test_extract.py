"""What is read beside the triples: kind, language, keywords, the short form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from reading_aloud import ANALYSER, changes, read

from saegim.language.claims import claims
from saegim.language.extract import BRIEF, extract
from saegim.language.features import read_signs
from saegim.memory.memory import Emotion, Feeling, Kind

DATA = Path(__file__).parents[1] / "data"
HANGUL = re.compile("[가-힣]")

KINDS = {
    "우리 딸은 다섯 살이야": Kind.FACT,
    "I live in Denver.": Kind.FACT,
    "나는 고수를 정말 싫어해": Kind.PREFERENCE,
    "My favourite season is autumn.": Kind.PREFERENCE,
    "항상 테스트를 먼저 쓰자": Kind.PRINCIPLE,
    "We never deploy on Fridays": Kind.PRINCIPLE,
    "배포 전에는 반드시 백업해야 한다": Kind.PRINCIPLE,
    "오늘 10년 만에 고등학교 친구를 만났어": Kind.EXPERIENCE,
    "I sprained my ankle on the stairs last week.": Kind.EXPERIENCE,
    "배포 스크립트에서 TypeError가 났는데 캐시를 지우니까 해결됐어": Kind.TECHNICAL,
}


@pytest.mark.parametrize("text", KINDS)
def test_a_sentence_has_its_kind(text: str) -> None:
    """A rule to live by, a taste, an event and a fact are told apart (seed C categories)."""
    assert read(text).kind is KINDS[text]


def test_a_feeling_without_a_fact_is_an_emotion() -> None:
    """What is only felt is kept as a feeling; what is also told stays what it is."""
    text = "요즘 번아웃이 너무 심하다"
    felt = Emotion(feelings=(Feeling.SADNESS,), intensity=0.8, sentiment=-0.8)
    signs = read_signs(text, emotion=felt, reading=None, analyser=ANALYSER)
    assert extract(text, analyser=ANALYSER, signs=signs).kind is Kind.EMOTION
    assert read(text).kind is not Kind.EMOTION


def test_the_language_is_kept_even_where_latin_letters_prevail() -> None:
    """A Korean sentence full of Latin names stays Korean (U3.7)."""
    assert read("PostgreSQL에서 CockroachDB로 migration했어").language == "ko"
    assert read("I moved to 서울").language == "en"


def test_korean_turns_yield_korean_triples() -> None:
    """Of the Korean turns we hold, every triple says it in Korean (U3.7)."""
    lines = (DATA / "changes_tune.jsonl").read_text(encoding="utf-8").splitlines()
    turns = [row for line in lines if (row := json.loads(line))["lang"] == "ko"]
    triples = [
        triple
        for row in turns
        for text in (row["old"], row["new"])
        for triple in read(text).triples
    ]
    assert len(triples) >= 40
    assert all(HANGUL.search(predicate) for _, predicate, _ in triples)


def test_a_short_text_needs_no_brief_and_a_long_one_gets_its_best_sentence() -> None:
    """Level 1 is at most a hundred characters, whole words and no filler (seed C)."""
    short = "저는 네이버에서 일해요."
    filler = "음 그러니까 뭐랄까 그냥 그렇다는 거지. "
    best = "저는 네이버에서 백엔드 개발자로 일하고 고양이 두 마리와 분당에 살아요."
    assert read(short).brief is None
    assert read(filler + best + " " + filler * 2).brief == best
    word = "supercalifragilistic "
    brief = read("Well, honestly, " + word * 12).brief
    assert brief is not None
    assert len(brief) <= BRIEF
    assert brief.endswith("supercalifragilistic…")
    assert brief.startswith("supercalifragilistic")


def test_keywords_are_the_nouns_of_the_signs() -> None:
    """Bare nouns, Latin as it was written."""
    assert read("나는 FastAPI로 서버를 만들어").keywords[:2] == ("FastAPI", "서버")


def test_any_text_is_welcome() -> None:
    """Nothing people paste breaks the rules: no text, one endless word, quotes, jamo, emoji."""
    for text in (
        "",
        " ",
        "가" * 5000,
        "a" * 5000,
        '"' * 999,
        "ㅋㅋㅋ",
        "🙂",
        "은는이가",
        "\ud800",
        "1" * 900,
    ):
        found = read(text)
        assert found.triples == ()
    assert read("나는 " * 900 + "서울 살아").language == "ko"


def test_a_changed_fact_is_seen_and_an_added_one_is_not() -> None:
    """Of the stories to tune by, the rules see four in five and take no addition for one (U5.3)."""
    lines = (DATA / "changes_tune.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    stories = [row for row in rows if row["type"] != "none"]
    others = [row for row in rows if row["type"] == "none"]
    seen = [row for row in stories if changes(row["old"], row["new"])]
    taken = [(row["old"], row["new"]) for row in others if changes(row["old"], row["new"])]
    assert len(stories) >= 30
    assert len(others) >= 20
    assert len(seen) >= 0.8 * len(stories)
    assert taken == []


def test_a_change_shares_a_slot_and_differs_there() -> None:
    """What replaces an old fact can be found by its slot alone, in either language (U19.1)."""
    old = {claim.slot: claim for claim in claims(read("나 수원 살아").triples)}
    new = {claim.slot: claim for claim in claims(read("춘천으로 이사했어").triples)}
    assert old["lives_in:me"].value == "수원"
    assert new["lives_in:me"].value == "춘천"
    assert claims(read("I moved to Portland").triples)[0].slot == "lives_in:me"
