"""The heads: what a sentence feels, asks and is worth, with the model they were taught on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from saegim.engines.brain.heads import OTHERS, SHIPPED, Heads, rows_of
from saegim.engines.brain.model import Static, read, write
from saegim.errors import BadInput, EngineError
from saegim.language.language import LANGUAGES, language_of
from saegim.memory.memory import Emotion, Feeling

PROBE = Path(__file__).parents[2] / "data" / "worth_keeping.jsonl"
MIXED = [
    "오늘 정말 행복하고 즐거운 하루였어",
    "The meeting starts at three.",
    "API 배포가 또 실패해서 짜증나",
    "😭😭😭",
    "ㅠㅠ",
    "これは何ですか",
    "\ud800 lone",
    "word " * 3000,
]


@pytest.fixture(scope="module")
def static() -> Static:
    """The small brain, loaded once."""
    return Static()


@pytest.fixture(scope="module")
def heads(static: Static) -> Heads:
    """The shipped heads."""
    return Heads(static)


@pytest.mark.parametrize(
    ("text", "feeling", "sign"),
    [
        ("오늘 정말 행복하고 즐거운 하루였어", Feeling.JOY, 1),
        ("너무 화가 나고 짜증난다", Feeling.ANGER, -1),
        ("혼자라서 너무 슬프고 우울해", Feeling.SADNESS, -1),
        ("I am so happy and grateful today!", Feeling.JOY, 1),
        ("I am furious, this makes me so angry.", Feeling.ANGER, -1),
        ("This food is disgusting.", Feeling.DISGUST, -1),
    ],
)
def test_plain_feelings_are_read(heads: Heads, text: str, feeling: Feeling, sign: int) -> None:
    """A feeling said outright is read, and whether it is good or bad to feel (seed D)."""
    found = heads.read(text)
    assert feeling in found.felt
    assert found.sentiment * sign > 0
    assert found.intensity > 0.5


@pytest.mark.parametrize(
    ("plain", "denied"),
    [
        ("정말 좋아요", "정말 좋지 않아요"),
        ("이 집 음식 맛있어", "이 집 음식 맛없어"),
        ("This is good.", "This is not good."),
        ("I like this phone.", "I don't like this phone."),
    ],
)
def test_a_denied_word_is_not_its_opposite_praised(heads: Heads, plain: str, denied: str) -> None:
    """Denial turns the sentiment down (seed D)."""
    assert heads.read(plain).sentiment > 0.2
    assert heads.read(denied).sentiment < heads.read(plain).sentiment - 0.4


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("합격해서 너무 기쁜데 혼자라서 슬프다", {Feeling.JOY, Feeling.SADNESS}),
        ("This is disgusting and it makes me so angry.", {Feeling.DISGUST, Feeling.ANGER}),
    ],
)
def test_several_feelings_are_read_at_once(heads: Heads, text: str, both: set[Feeling]) -> None:
    """A sentence may hold more than one feeling, and the strongest comes first (seed D)."""
    found = heads.read(text)
    assert both <= set(found.felt)
    shares = [found.feelings[each] for each in found.felt]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("우리 내일 어디서 만날까", "우리는 어제 역에서 만났다"),
        ("회의는 언제 시작하나요", "회의는 세 시에 시작합니다"),
        ("do you like coffee", "I do like coffee"),
        ("where can I buy this", "I can buy this there"),
    ],
)
def test_a_question_is_known_without_its_mark(heads: Heads, asked: str, told: str) -> None:
    """Endings and first words tell a question from a statement where the mark is missing."""
    assert heads.read(asked).question >= 0.5 > heads.read(told).question


def test_our_own_sentences_are_sorted_by_worth(heads: Heads) -> None:
    """Where a worth-keeping head ships, it sorts sentences nobody taught it (U4)."""
    with PROBE.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for language in LANGUAGES:
        ours = [row for row in rows if row["language"] == language]
        assert len(ours) == 200
        found = [heads.read(row["text"]).keeping for row in ours]
        if "keeping" not in heads.known[language]:
            assert found == [None] * 200
            continue
        right = [
            share is not None and (share >= 0.5) == row["keep"]
            for share, row in zip(found, ours, strict=True)
        ]
        assert sum(right) >= 140


def test_one_text_reads_alike_alone_and_in_company(heads: Heads) -> None:
    """A batch is what its texts are one by one, and every share is a share."""
    together = heads.read_all(MIXED)
    assert together == [heads.read(text) for text in MIXED]
    for found in together:
        shares = [*found.feelings.values(), found.question, found.intensity]
        assert all(0.0 <= each <= 1.0 for each in shares)
        assert found.keeping is None or 0.0 <= found.keeping <= 1.0
        Emotion(feelings=found.felt, intensity=found.intensity, sentiment=found.sentiment)


def test_a_text_without_signs_is_refused(heads: Heads) -> None:
    """White space says nothing, and the heads say so."""
    with pytest.raises(BadInput, match="says nothing"):
        heads.read(" \n")


def test_nothing_is_loaded_before_the_first_text(static: Static) -> None:
    """Opening the heads costs a header; the numbers come with the first text."""
    fresh = Heads(static)
    assert "_learned" not in vars(fresh)
    fresh.read("안녕")
    assert "_learned" in vars(fresh)


def test_heads_of_another_model_are_refused(static: Static, tmp_path: Path) -> None:
    """Heads are read only with the model file they were taught on; the same file is accepted."""
    shipped = read(SHIPPED)
    kept = {name: note for name, note in shipped.notes.items() if name != "checksum"}
    good, bad = tmp_path / "good.safetensors", tmp_path / "bad.safetensors"
    write(good, shipped.arrays(), kept)
    write(bad, shipped.arrays(), kept | {"embedder": "0" * 12})
    assert Heads(static, good).read("좋아") == Heads(static).read("좋아")
    with pytest.raises(EngineError, match="taught on another model") as caught:
        Heads(static, bad)
    assert "release" in caught.value.next_step


def test_a_damaged_file_is_refused(static: Static, tmp_path: Path) -> None:
    """One changed byte in the numbers is noticed at the first text; the untouched copy reads."""
    raw = bytearray(SHIPPED.read_bytes())
    sound, broken = tmp_path / "sound.safetensors", tmp_path / "broken.safetensors"
    sound.write_bytes(raw)
    raw[-100] ^= 1
    broken.write_bytes(raw)
    assert Heads(static, sound).read("좋아")
    with pytest.raises(EngineError, match="damaged"):
        Heads(static, broken).read("좋아")


def test_the_file_says_what_it_holds(static: Static, heads: Heads) -> None:
    """The notes of the file match its arrays, and no untaught feeling is ever read."""
    tensors = read(SHIPPED)
    notes, arrays = tensors.notes, tensors.arrays()
    columns = notes["columns"].split()
    assert SHIPPED.stat().st_size < 1_100_000
    assert notes["embedder"] == static.identity.digest
    assert arrays["scores"].shape[1] == len(columns) == len(arrays["steps"])
    spare = len(arrays["scores"]) - len(static.brain.pieces.names)
    assert spare > 0
    assert spare & (spare - 1) == 0
    for language, text in (("ko", "오늘은 좋은 날"), ("en", "a good day")):
        known = set(notes[f"known_{language}"].split())
        assert known <= set(columns)
        assert set(heads.read(text).feelings) == known - set(OTHERS)
        assert {Feeling.ENVY, Feeling.NOSTALGIA}.isdisjoint(known)
    assert "envy" in notes["left_out"]


def test_korean_with_foreign_words_stays_korean() -> None:
    """A Korean sentence with an English name in it is read by the Korean heads."""
    assert language_of("React 배포했어") == "ko"
    assert language_of("I ate 김치 with my friends yesterday") == "en"


def test_the_same_ending_is_the_same_row_whatever_closes_it() -> None:
    """Closing marks and sighs do not hide how a Korean sentence ends."""
    plain, marked = (rows_of(text, [5], 10, 1 << 15) for text in ("만날까", "만날까?! ㅋㅋ"))
    assert plain.tolist() == marked.tolist()
    assert plain.tolist() != rows_of("만났다", [5], 10, 1 << 15).tolist()
