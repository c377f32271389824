"""The reader of claims: how a text is cut, how tags become places, what it reads and refuses."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from saegim.engines.brain import encoder, model
from saegim.engines.brain.claim_reader import (
    MOST_UNITS,
    SHIPPED,
    TURN,
    ClaimReader,
    ReadClaim,
    best_path,
    log_shares,
    spans_of,
    units_of,
)
from saegim.errors import EngineError

READER = ClaimReader()
CARD = Path(__file__).parents[3] / "docs/claims-card.md"
PIECES = model.think(model.read(model.SHIPPED)).pieces


def told(text: str) -> dict[str, tuple[str, str | None]]:
    """Return what is read, by slot: the value, and of whom."""
    found = READER.read(text)

    def whose(claim: ReadClaim) -> str | None:
        place = claim.subject
        return text[slice(*place)] if isinstance(place, tuple) else place

    return {each.slot: (text[slice(*each.place)], whose(each)) for each in found.claims}


@pytest.mark.parametrize(
    ("text", "slot", "value", "subject"),
    [
        ("저는 부산에 살아요", "home", "부산", "user"),
        ("우리 딸 서윤이는 일곱 살이야", "age", "일곱 살", "서윤"),
        ("엄마는 당뇨가 있으셔", "health", "당뇨", "엄마"),
        ("내 생일은 5월 3일이야", "birthday", "5월 3일", "user"),
        ("I live in Leeds", "home", "Leeds", "user"),
        ("my sister Maya is a nurse", "family", "Maya", "user"),
        ("I'm allergic to peanuts", "health", "peanuts", "user"),
        ("Tom is our landlord", "role", "landlord", "Tom"),
        ("보리는 산책을 좋아한다", "likes", "산책", "보리"),
        ("내 이름은 솔이야", "name", "솔", "user"),
        ("내 최애 과일은 귤이야", "likes", "귤", "user"),
    ],
)
def test_it_reads_whose_and_what(text: str, slot: str, value: str, subject: str) -> None:
    """Issue 19: a claim has a subject, a slot and a value, in both languages."""
    assert told(text)[slot] == (value, subject)


@pytest.mark.parametrize("text", ["나는 돼지고기 안 먹어", "I don't eat pork"])
def test_what_is_denied_is_told_apart(text: str) -> None:
    """The same words without the denial are no denial."""
    [claim] = READER.read(text).claims
    assert claim.slot == "diet"
    assert claim.denied
    plain = READER.read(text.replace("안 ", "").replace("don't ", "")).claims
    assert not any(each.denied for each in plain)


@pytest.mark.parametrize("text", ["ㅋㅋㅋ 그러게", "what's the weather like?", "고마워!", "lol ok"])
def test_chatter_claims_nothing_and_is_not_worth_keeping(text: str) -> None:
    """Two questions in one reading: is anything claimed, is anything to keep."""
    found = READER.read(text)
    assert found.claims == ()
    assert found.turn["keep"] < 0.2


@pytest.mark.parametrize(
    "text",
    ["난 백승현이고 서른넷", "API를 3번 call함 ㅋㅋ", "Ünïcode café 日本 🐈 2026-05-03", "각"],
)
def test_units_lie_in_the_text_and_in_a_piece(text: str) -> None:
    """Korean is cut into syllables, other scripts into words; each unit knows its piece."""
    units = units_of(text, PIECES)
    assert all(0 <= start < end <= len(text) for start, end in units.places)
    shown = "".join(text[slice(*each)] for each in units.places)
    assert shown == "".join(text.split())
    assert units.inside.min() >= 0
    assert units.inside.max() < len(units.pieces)
    for (start, end), at in zip(units.places, units.inside, strict=True):
        name = PIECES.names[units.pieces[at]].strip()
        if name and "가" <= name[0] <= "힣":
            assert text[start:end] in name


@given(some.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    """Signs, lone letters of any script, nothing at all: a reading comes back, inside the text."""
    found = READER.read(text)
    assert set(TURN) - set(found.turn) <= {"keep"}
    places = [*(each.place for each in found.claims), *(each.place for each in found.names)]
    for place in [*places, *found.quoted]:
        assert 0 <= place[0] <= place[1] <= len(text)


def test_a_long_text_is_read_as_far_as_a_window_goes() -> None:
    """Attack 76: a page costs no more than a window; what stands in it is still read."""
    page = "저는 부산에 살아요. " * 3_000
    assert len(units_of(page, PIECES).places) <= MOST_UNITS
    assert READER.read(page).claims[0].slot == "home"
    # Of the rest it knows nothing, so it does not say whether the whole is worth keeping.
    assert "keep" not in READER.read(page).turn


@pytest.mark.parametrize("text", ["나 부산 살아❤️", "I live in Leeds\xad", "좋아\u200b", ""])
def test_what_cannot_be_seen_behind_a_text_makes_it_no_longer(text: str) -> None:
    """A sign that has no piece is no further text: the whole was read."""
    assert "keep" in READER.read(text).turn


@given(some.integers(0, 2**32 - 1), some.integers(1, 5), some.integers(1, 3))
def test_the_best_tags_are_the_best_of_all_that_are_allowed(seed: int, n: int, kinds: int) -> None:
    """Nothing goes on that did not begin, and no allowed path is likelier."""
    logits = np.random.default_rng(seed).normal(size=(n, 1 + 2 * kinds)).astype(np.float32)
    shares = log_shares(logits, 0.0)

    def is_allowed(path: tuple[int, ...]) -> bool:
        before = (0, *path)
        return all(tag % 2 or not tag or last in (tag, tag - 1)
                   for last, tag in zip(before, path, strict=False))  # fmt: skip

    every = itertools.product(range(1 + 2 * kinds), repeat=n)
    best = max(sum(float(shares[at, tag]) for at, tag in enumerate(path))
               for path in every if is_allowed(path))  # fmt: skip
    found = best_path(shares)
    assert is_allowed(tuple(found.tolist()))
    assert sum(float(shares[at, tag]) for at, tag in enumerate(found)) == pytest.approx(
        best, abs=1e-4
    )


def test_tags_become_spans() -> None:
    """A beginning right behind an end is a span of its own."""
    assert spans_of([0, 1, 2, 1, 0, 3, 4, 4]) == [(1, 3, 0), (3, 4, 0), (5, 8, 1)]


def test_the_name_of_the_reader_changes_with_its_numbers() -> None:
    """What was read with other numbers is read again, so the name must tell them apart."""
    notes = model.read(SHIPPED).notes
    assert READER.name == f"{notes['model']}-{notes['checksum'][:12]}"
    assert notes["encoder"] == model.read(encoder.SHIPPED).notes["checksum"]


def test_the_card_speaks_of_this_file() -> None:
    """Size and checksum of the card are those of what ships."""
    raw, card = SHIPPED.read_bytes(), CARD.read_text("utf-8")
    assert hashlib.sha256(raw).hexdigest() in card
    assert f"{len(raw):,} bytes" in card


def changed(into: Path, **notes: str) -> Path:
    """Write the file again with other notes."""
    shipped = model.read(SHIPPED)
    held = {name: value for name, value in shipped.notes.items() if name != "checksum"}
    model.write(into, shipped.arrays(), {**held, **notes})
    return into


def test_a_reader_of_another_encoder_is_refused(tmp_path: Path) -> None:
    """Its layers continue the encoder's pieces: with others it would read noise."""
    with pytest.raises(EngineError, match="other"):
        ClaimReader(changed(tmp_path / "other.safetensors", encoder="another")).read("안녕")
    assert ClaimReader(changed(tmp_path / "same.safetensors")).read("저는 부산에 살아요").claims


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """One flipped byte is told by the checksum; the whole file is read."""
    raw = bytearray(SHIPPED.read_bytes())
    raw[-100] ^= 0xFF
    (tmp_path / "r.safetensors").write_bytes(raw)
    with pytest.raises(EngineError):
        ClaimReader(tmp_path / "r.safetensors").read("안녕")
