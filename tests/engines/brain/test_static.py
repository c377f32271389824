"""The small brain: meaning in two languages, a vector for every text, and a file to be trusted."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.engines.brain.model import PREFIXES, SHIPPED, Static, read, think, write
from saegim.engines.embedder import Dense, Role, cosine
from saegim.engines.hashed import Hashed
from saegim.errors import BadInput, EngineError
from saegim.memory.text import normalise

BRAIN = Static()
ROLES: tuple[Role, ...] = ("document", "query")
SENTENCES = (
    "강아지 이름이 뭐였지?",
    "The lease ends in March",
    "배포는 금요일 오후에는 하지 않기로 했다",
    "Notion에 회의록을 적어 두었다 (v2.1, 2026-04-02)",
    "가",
)
any_text = st.text(st.characters(exclude_categories=()), min_size=1, max_size=60)


def vector(text: str, role: Role = "document", embedder: Static = BRAIN) -> Dense:
    """Embed one text."""
    (made,) = embedder.embed([text], role)
    assert isinstance(made, np.ndarray)
    return made


def near(one: str, other: str) -> float:
    """Return how alike two texts read."""
    return cosine(vector(one), vector(other))


def whole(made: Dense, dimension: int = PREFIXES[-1]) -> bool:
    """Say whether a vector is finite, of unit length and of its dimension."""
    fits = made.shape == (dimension,) and made.dtype == np.float32
    return fits and abs(float(np.linalg.norm(made.astype(np.float64))) - 1.0) < 1e-5


# -- every text has one vector --------------------------------------------------------------------


@given(any_text)
def test_every_text_that_can_be_seen_has_a_unit_vector(text: str) -> None:
    """U18.1: no text is lost because it is short, odd or broken."""
    if not normalise(text):
        with pytest.raises(BadInput):
            vector(text)
        return
    assert whole(vector(text))


@pytest.mark.parametrize(
    "text",
    [
        "ฉันชอบดื่มชาในตอนเช้า",
        "أحب شرب الشاي في الصباح",
        "काली बिल्ली",
        "黒い猫と漢字",
        "👩‍👩‍👧‍👦🇰🇷😀",
        "ㅋㅋㅋㅠㅠ",
        "\ud800",
        "half \udc00 of a pair",
        "\x00\x01\x7f",
        "\x1b[31mred\x07",
        "!?",
        "_",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
        "\U0010ffff",
    ],
    ids=range(14),
)
def test_any_script_has_a_vector_of_its_own(text: str) -> None:
    """U18.1: what no piece knows is spelled in bytes; it is neither zero nor that of all others."""
    made = vector(text)
    assert whole(made)
    assert np.count_nonzero(made) > PREFIXES[0]
    assert not np.allclose(made, vector("보리차"), atol=1e-3)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("회의는 화요일 오전이다. ", 1_000_000),
        ("The lease ends in March. ", 1_000_000),
        ("x", 100_000),
        ("긴", 100_000),
        ("ก", 100_000),
        ("\udc00", 100_000),
    ],
    ids=["korean", "english", "one run", "one run of hangul", "bytes", "surrogates"],
)
def test_a_megabyte_is_a_text_like_any_other(text: str, size: int) -> None:
    """U18.1: a pasted book has a vector, however it is written."""
    assert whole(vector(text * (size // len(text.encode("utf-8", "surrogatepass")))))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b\ufeff", "\u3000"])
def test_an_empty_text_is_refused(text: str) -> None:
    """U17.1: nothing has no direction."""
    with pytest.raises(BadInput) as caught:
        BRAIN.embed(["기억", text], "query")
    assert caught.value.next_step


@pytest.mark.parametrize("role", ROLES)
def test_the_company_of_other_texts_changes_nothing(role: Role) -> None:
    """U18.1: a batch is its texts one by one, to the bit, in order."""
    texts = [*SENTENCES * 13, "마지막"]
    for text, made in zip(texts, BRAIN.embed(texts, role), strict=True):
        assert np.array_equal(made, vector(text, role))
    assert BRAIN.embed([], role) == []


@pytest.mark.parametrize("text", SENTENCES)
def test_spelling_that_nobody_sees_makes_no_difference(text: str) -> None:
    """U3.3: NFC and NFD, capitals, full width and white space are one text."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    for other in (
        unicodedata.normalize("NFD", text),
        text.upper(),
        wide,
        f"  {text.replace(' ', '  ')}\n",
        "\u200b".join(text),
    ):
        assert np.array_equal(vector(text), vector(other))
    assert not np.array_equal(vector(text), vector(f"{text} 아니다"))


# -- what it knows --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "alike", "stranger"),
    [
        ("강아지", "개", "냉장고"),
        ("자동차를 샀다", "차량을 구입했다", "강아지를 씻겼다"),
        ("회의가 연기되었다", "미팅이 미뤄졌다", "고양이가 잔다"),
        ("dog", "puppy", "refrigerator"),
        ("She bought a car", "She purchased an automobile", "The soup is cold"),
        ("The meeting was postponed", "The appointment was delayed", "The cat is asleep"),
        ("강아지", "puppy", "refrigerator"),
        ("car", "자동차", "강아지"),
        ("회의가 연기되었다", "The meeting was postponed", "The cat is asleep"),
        ("The lease ends in March", "임대 계약은 3월에 끝난다", "보리차를 마신다"),
    ],
)
def test_meaning_is_nearer_than_chance_in_each_language_and_across(
    text: str, alike: str, stranger: str
) -> None:
    """U3.5: other words for the same thing are nearer than strangers, also in the other tongue."""
    assert near(text, alike) > BRAIN.floor > near(text, stranger)


def test_spelling_alone_would_not_have_found_them() -> None:
    """Control: to the hashed embedder a word and its translation are strangers."""
    for one, other in (("강아지", "puppy"), ("car", "자동차"), ("dog", "puppy")):
        made, also = Hashed().embed([one, other], "document")
        assert cosine(made, also) < Hashed.floor


@pytest.mark.parametrize(
    ("text", "slip", "stranger"),
    [
        ("강아지 이름이 뭐지", "강아지 이르미 머지", "전세 계약은 삼월까지"),
        ("내일 회의 시간 알려줘", "내일 회의시간 알려조", "보리차를 마신다"),
        ("비밀번호를 바꿨다", "비밀번호를 바꿧다", "날씨가 춥다"),
        ("restaurant reservation", "restuarant reservatoin", "broken bicycle"),
        ("the birthday party", "the brithday party", "a frozen server"),
    ],
)
def test_typing_slips_stay_near(text: str, slip: str, stranger: str) -> None:
    """U3.5: a slip of the finger does not lose the memory."""
    assert near(text, slip) > BRAIN.floor
    assert near(text, slip) > near(slip, stranger)


@pytest.mark.parametrize(
    ("text", "form", "stranger"),
    [
        ("배포는 금요일", "배포를 금요일에", "고양이가 잔다"),
        ("부산으로 이사했다", "부산에 이사했어요", "커피를 샀다"),
        ("커피를 마신다", "커피는 마셨습니다", "서버가 멈췄다"),
        ("Notion에 적었다", "Notion에서 적어 두었지", "산에 올랐다"),
        ("she walks to work", "she walked to work", "the soup is cold"),
        ("the servers crashed", "a server crashes", "my sister sings"),
    ],
)
def test_particles_and_endings_stay_near(text: str, form: str, stranger: str) -> None:
    """U3.1: the same word in another form is the same word."""
    assert near(text, form) > BRAIN.floor
    assert near(text, form) > near(form, stranger)


def test_a_question_weighs_its_words_otherwise_than_a_document() -> None:
    """U18.2: the role is heard; a question of one and the same words is another vector."""
    for text in SENTENCES[:4]:
        asked, kept = vector(text, "query"), vector(text, "document")
        assert not np.allclose(asked, kept, atol=1e-6)
        assert cosine(asked, kept) > BRAIN.ask


# -- prefixes and identities ----------------------------------------------------------------------


@pytest.mark.parametrize("dimension", PREFIXES)
def test_a_prefix_is_the_beginning_of_the_same_vector(dimension: int) -> None:
    """U7.1: 64, 128 and 256 numbers are one vector, cut and scaled."""
    short = Static(dimension)
    assert short.identity.dimension == dimension
    assert 0.0 < short.floor < short.ask < 1.0
    for role in ROLES:
        for text in SENTENCES:
            made = vector(text, role, short)
            assert whole(made, dimension)
            begin = vector(text, role)[:dimension]
            assert np.allclose(made, begin / np.linalg.norm(begin), atol=1e-6)


@pytest.mark.parametrize("dimension", [0, -64, 65, 512])
def test_other_prefixes_are_refused(dimension: int) -> None:
    """Bad input: only what was trained as a prefix is one."""
    with pytest.raises(BadInput, match=str(dimension)) as caught:
        Static(dimension)
    assert "128" in caught.value.next_step


def test_each_prefix_and_each_file_is_a_space_of_its_own(tmp_path: Path) -> None:
    """U7.2: vectors of two lengths or of two models are never compared."""
    tensors = read(SHIPPED)
    arrays = {name: np.array(array) for name, array in tensors.arrays().items()}
    copy, other = tmp_path / "copy", tmp_path / "other"
    write(copy, arrays, tensors.notes)
    arrays["table"][0, 0] ^= 1
    write(other, arrays, tensors.notes)
    keys = [Static(dimension).identity.key for dimension in PREFIXES]
    assert len({*keys, Static(path=other).identity.key}) == len(PREFIXES) + 1
    assert Static(path=copy).identity == Static().identity


def test_another_process_lives_in_the_same_space() -> None:
    """U7.2: what one program wrote, another may compare with its own."""
    code = (
        "import json, sys; from saegim.engines.brain.model import Static; made = Static();"
        "v, = made.embed([sys.argv[1]], 'query');"
        "print(json.dumps([made.identity.key, v.tolist()]))"
    )
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, SENTENCES[0]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    key, numbers = json.loads(ran.stdout)
    assert key == BRAIN.identity.key
    assert np.allclose(vector(SENTENCES[0], "query"), numbers, atol=1e-6)


# -- the file -------------------------------------------------------------------------------------


def copied(folder: Path, body: bytes | None = None, **notes: str | None) -> Path:
    """Return a copy of the shipped file with another body or other notes."""
    data = SHIPPED.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    changed = {**header["__metadata__"], **notes}
    header["__metadata__"] = {name: note for name, note in changed.items() if note is not None}
    text = json.dumps(header).encode()
    path = folder / SHIPPED.name
    path.write_bytes(struct.pack("<Q", len(text)) + text + (body or data[8 + size :]))
    return path


def test_the_shipped_file_opens_with_a_hand_written_reader() -> None:
    """U33.1: plain numbers and plain names; nothing in the file could run."""
    data = SHIPPED.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    notes, body = header.pop("__metadata__"), data[8 + size :]
    assert notes["licence"] == "Apache-2.0"
    assert SHIPPED.stem == notes["model"]
    spans = {name: entry["data_offsets"] for name, entry in header.items()}
    names = body[slice(*spans["pieces"])].decode("utf-8", "surrogatepass").split("\n")
    rows, wide = header["table"]["shape"]
    assert (len(names), wide) == (rows, PREFIXES[-1])
    at = names.index(" the")
    first = spans["table"][0] + at * wide
    row = struct.unpack(f"<{wide}b", body[first : first + wide])
    assert list(row) == BRAIN.brain.table[at].tolist()
    assert max(last for _, last in spans.values()) == len(body)
    assert len(data) <= 16_000_000


def test_nothing_but_the_header_is_read_before_the_first_text(tmp_path: Path) -> None:
    """U6.1: opening costs no table; a damaged one is refused when it is needed, with the fix."""
    made = Static(path=copied(tmp_path, bytes(SHIPPED.stat().st_size - read(SHIPPED).begins)))
    assert made.identity == BRAIN.identity
    assert (made.floor, made.ask) == (BRAIN.floor, BRAIN.ask)
    for _ in range(2):
        with pytest.raises(EngineError, match="checksum") as caught:
            made.embed(["기억"], "document")
        assert "Install Saegim again" in caught.value.next_step
        assert "hashed" in caught.value.next_step


def test_an_undamaged_copy_embeds_as_the_original_does(tmp_path: Path) -> None:
    """Control: it is the damage that is refused, not the copy."""
    made = Static(path=copied(tmp_path))
    assert np.array_equal(vector("기억", embedder=made), vector("기억"))


@pytest.mark.parametrize(
    "notes",
    [{"model": None}, {"checksum": None}, {"floor_256": None}, {"ask_256": "high"}],
    ids=str,
)
def test_a_file_that_does_not_say_what_it_is_is_refused(
    tmp_path: Path, notes: dict[str, str | None]
) -> None:
    """R-11: without a name, a checksum and its own floor a model cannot be used."""
    with pytest.raises(EngineError, match="not a model"):
        Static(path=copied(tmp_path, **notes))


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("outer", None, "not a model"),
        ("table", lambda table: table[:-1], "fit"),
        ("table", lambda table: table[:, :64], "fit"),
        ("scores", lambda scores: scores[1:], "fit"),
        ("asking", lambda asking: asking[1:], "not a model"),
        ("pieces", lambda pieces: pieces[::-1], "not a model|fit"),
    ],
    ids=["missing", "rows", "columns", "scores", "asking", "names"],
)
def test_arrays_that_do_not_fit_together_are_refused(
    tmp_path: Path, name: str, change: object, why: str
) -> None:
    """R-11: a whole file of the wrong contents is refused too, not embedded with."""
    tensors = read(SHIPPED)
    arrays = tensors.arrays()
    if change is None:
        del arrays[name]
    else:
        arrays[name] = change(arrays[name])  # type: ignore[operator]
    path = tmp_path / "odd.safetensors"
    write(path, arrays, tensors.notes)
    with pytest.raises(EngineError, match=why):
        Static(path=path).embed(["기억"], "document")


def test_threads_that_meet_at_the_first_text_load_the_table_once() -> None:
    """U6.1: eight threads, one load, the same vectors."""
    think.cache_clear()
    made, meeting = Static(), Barrier(8)

    def embed(_: int) -> list[Dense]:
        meeting.wait()
        return [vector(text, embedder=made) for text in SENTENCES]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(embed, range(8)))
    assert think.cache_info().misses == 1
    assert all(np.array_equal(one, other) for one, other in zip(found[0], found[-1], strict=True))
    assert Static(PREFIXES[0]).brain is made.brain
