"""Hashed n-grams: the same numbers everywhere, and a number for every text."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from saegim.engines import hashed
from saegim.engines.embedder import Sparse, cosine
from saegim.engines.hashed import Buckets, Hashed, HashedSettings, edges, spread
from saegim.errors import BadInput, WrongIdentity
from saegim.memory.text import normalise

GOLDEN = "오늘은 Saegim이 나를 기억해요!"
GOLDEN_PAIRS = [[458, 0.13245323300361633], [583, 0.13245323300361633], [1019, 0.13245323300361633]]
GOLDEN_PRINT = "bb7e84db8f06ce9b"
REPEATED_PRINT = "1f35a73aace21722"
any_text = st.text(st.characters(exclude_categories=()), min_size=1, max_size=60)


def vector(text: str, embedder: Hashed | None = None) -> Sparse:
    """Embed one text."""
    (made,) = (embedder or Hashed()).embed([text], "document")
    assert isinstance(made, Sparse)
    return made


def fingerprint(made: Sparse) -> str:
    """Return a digest of every bit of a vector."""
    little = made.indices.astype("<u4").tobytes() + made.values.astype("<f4").tobytes()
    return hashlib.sha256(little).hexdigest()[:16]


def test_the_golden_vector_never_changes() -> None:
    """Seed B D2: the same text gives the same bits in every process, version and platform."""
    made = vector(GOLDEN)
    assert len(made.indices) == 57
    assert made.pairs()[:3] == GOLDEN_PAIRS
    assert fingerprint(made) == GOLDEN_PRINT
    assert fingerprint(vector("가" * 300)) == REPEATED_PRINT


@given(any_text)
def test_the_vector_is_what_the_definition_says(text: str) -> None:
    """Seed B D2: n-grams of three to five characters, xxh3-128 modulo 16,384, log counts, L2."""
    padded = f" {normalise(text)} "
    if padded == "  ":
        return
    counts = Counter(
        xxhash.xxh3_128_intdigest(padded[i : i + n].encode("utf-8", "surrogatepass"), seed=0x5AE6)
        % 16_384
        for n in (3, 4, 5)
        for i in range(len(padded) - n + 1)
    )
    weights = {bucket: 1 + math.log(count) for bucket, count in counts.items()}
    length = math.sqrt(sum(weight**2 for weight in weights.values()))
    expected = [[bucket, weights[bucket] / length] for bucket in sorted(weights)]
    assert np.allclose(vector(text).pairs(), expected, atol=2e-4)


def test_another_process_makes_the_same_bits() -> None:
    """Seed B D2: nothing depends on the hash seed of the interpreter."""
    code = (
        "from saegim.engines.hashed import Hashed; import sys;"
        "v, = Hashed().embed([sys.argv[1]], 'query');"
        "print(v.indices.tobytes().hex() + v.values.tobytes().hex())"
    )
    made = vector(GOLDEN)
    expected = made.indices.tobytes().hex() + made.values.tobytes().hex()
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", code, GOLDEN],
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == expected


@given(any_text)
def test_every_text_that_can_be_seen_has_a_unit_vector(text: str) -> None:
    """Seed B D2: no text is lost because it is short, odd or broken."""
    if not normalise(text):
        with pytest.raises(BadInput):
            vector(text)
        return
    made = vector(text)
    assert np.linalg.norm(made.values.astype(np.float64)) == pytest.approx(1.0, abs=1e-6)
    assert np.all(np.diff(made.indices.astype(np.int64)) > 0)
    assert made.indices.dtype == np.uint32
    assert made.values.dtype == np.float32
    assert made.indices.max() < made.dimension == 16_384


@pytest.mark.parametrize("text", ["가", "네!", "a", "1", "😀", "🇰🇷", "ㅋ", ".", "\ud800", "\x00"])
def test_one_character_is_enough(text: str) -> None:
    """Seed B D2: a text shorter than the shortest n-gram is still found by itself."""
    assert cosine(vector(text), vector(text)) == pytest.approx(1.0, abs=1e-6)
    assert cosine(vector(text), vector("전혀 다른 문장")) < 0.5


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\u3000\ufeff"])
def test_an_empty_text_is_refused(text: str) -> None:
    """U17.1: what nobody can see has no place in the space."""
    with pytest.raises(BadInput):
        vector(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("새김은 기억을 새긴다", "새김은  기억을\n새긴다"),
        ("ＡＢＣ 회의", "abc 회의"),
        ("오늘 회의", unicodedata.normalize("NFD", "오늘 회의")),
    ],
)
def test_what_is_equal_to_the_normaliser_is_equal_here(one: str, other: str) -> None:
    """U3.3: spacing, width, case and composition do not move a vector."""
    assert fingerprint(vector(one)) == fingerprint(vector(other))


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("강아지 이름이 뭐였지?", "우리 강아지 이름은 보리다.", "전세 계약은 내년에 끝난다."),
        ("데이터베이스백업", "데이터베이스 백업은 밤에", "고양이가 창가에서 잔다"),
        ("Where are the backups?", "Backups are on the disk.", "She plays the cello."),
    ],
)
def test_words_in_another_form_stay_near(question: str, near: str, far: str) -> None:
    """Seed B 4.2: particles, spacing and endings do not hide what a text is about."""
    asked = vector(question)
    assert cosine(asked, vector(near)) > Hashed.floor > cosine(asked, vector(far))


def test_a_snapshot_restores_the_same_embedder() -> None:
    """Seed B D2: n-gram range, dimension, seed and weighting travel with a snapshot."""
    made = Hashed(HashedSettings(low=2, high=4, dimension=4096, seed=7, weighting="count"))
    state = json.loads(json.dumps(made.export_state()))
    again = Hashed.from_state(state)
    assert again.identity == made.identity
    assert fingerprint(vector(GOLDEN, again)) == fingerprint(vector(GOLDEN, made))
    assert fingerprint(vector(GOLDEN, again)) != fingerprint(vector(GOLDEN)), "the control"


def test_every_setting_is_part_of_the_identity() -> None:
    """U7.2: vectors made in different ways are never compared."""
    ways = [
        HashedSettings(),
        HashedSettings(low=2),
        HashedSettings(high=4),
        HashedSettings(dimension=8192),
        HashedSettings(seed=1),
        HashedSettings(weighting="count"),
    ]
    identities = [Hashed(way).identity for way in ways]
    assert len({identity.key for identity in identities}) == len(ways)
    assert identities[0].provider == "saegim"
    assert identities[0].model == "hashed-ngram"
    assert identities[0].policy == "l2"


@pytest.mark.parametrize("change", [{"hash_algo": "md5"}, {"norm_version": "0"}])
def test_vectors_of_another_hash_or_normaliser_are_not_taken_over(change: dict[str, Any]) -> None:
    """Seed B D2: what we can no longer reproduce is said, not guessed."""
    with pytest.raises(WrongIdentity):
        Hashed.from_state({**Hashed().export_state(), **change})


@pytest.mark.parametrize(
    "change",
    [
        {"ngram_range": [5, 3]},
        {"ngram_range": [0, 3]},
        {"ngram_range": 3},
        {"ngram_range": ["a", "b"]},
        {"dim": 0},
        {"dim": "many"},
        {"seed": -1},
        {"weighting": "loud"},
    ],
)
def test_a_broken_state_is_refused(change: dict[str, Any]) -> None:
    """Seed B D2: a damaged snapshot is an error that says so."""
    with pytest.raises(BadInput):
        Hashed.from_state({**Hashed().export_state(), **change})


def test_a_state_without_a_field_is_refused() -> None:
    """Seed B D2: a state that lacks a field is not filled with a guess."""
    state = Hashed().export_state()
    del state["seed"]
    with pytest.raises(BadInput, match="seed"):
        Hashed.from_state(state)


def test_weights_count_as_they_should() -> None:
    """Seed B D2: counts weigh as counts, or as one plus their logarithm."""
    counted = spread([5, 3, 5, 5], 8, "count")
    assert counted.pairs() == [[3, pytest.approx(0.1**0.5)], [5, pytest.approx(0.9**0.5)]]
    logged = spread([5, 3, 5, 5], 8, "log")
    assert logged.values[1] / logged.values[0] == pytest.approx(1 + np.log(3), abs=1e-3)


@given(st.text(max_size=40))
def test_edges_are_where_characters_begin(text: str) -> None:
    """U3.3: no n-gram ever holds half a character."""
    data = text.encode("utf-8", "surrogatepass")
    places = edges(data)
    cut = [data[a:b] for a, b in pairwise(places)]
    assert [piece.decode() for piece in cut] == list(text)


def test_the_memory_of_n_grams_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-31: a process that runs for months does not grow with every text it reads."""
    monkeypatch.setattr(hashed, "_KNOWN_PIECES", 100)
    embedder = Hashed()
    first = fingerprint(vector(GOLDEN, embedder))
    for number in range(200):
        embedder.embed([f"문장 {number} {number * 7919}"], "document")
        assert len(embedder._buckets) <= 100
    assert fingerprint(vector(GOLDEN, embedder)) == first
    assert isinstance(embedder._buckets, Buckets)
