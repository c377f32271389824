"""The bag of words: sparse, hashed, and faithful to its analyser."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from saegim.engines.embedder import Sparse, cosine
from saegim.engines.hashed import Bag, BagSettings, Hashed
from saegim.errors import BadInput, WrongIdentity
from saegim.language.words import Basic


class Renamed(Basic):
    """The same words under another name, as a later version of the rules would be."""

    name = "later-rules"


def vector(text: str, bag: Bag | None = None) -> Sparse:
    """Embed one text."""
    (made,) = (bag or Bag()).embed([text], "document")
    assert isinstance(made, Sparse)
    return made


def test_each_word_of_the_analyser_has_its_place() -> None:
    """Seed B D2: the sparse bag of words is the analyser's words, hashed and scaled to one."""
    words = set(Basic().index("두유를 마신다"))
    made = vector("두유를 마신다")
    assert len(made.indices) == len(words)
    assert np.linalg.norm(made.values) == pytest.approx(1.0, abs=1e-6)
    assert made.dimension == 16_384


def test_shared_words_bring_texts_together() -> None:
    """Seed B D2: cosine over sparse words finds the text that speaks of the same thing."""
    asked = vector("강아지 이름")
    assert cosine(asked, vector("우리 강아지 이름은 보리다")) > Bag.floor
    assert cosine(asked, vector("The lease ends in March")) == 0.0


@pytest.mark.parametrize("text", ["!!!", "😀", "…", "→", "\ud800", "."])
def test_a_text_without_words_is_a_word_of_its_own(text: str) -> None:
    """Seed B D2: nothing that can be seen is without a vector."""
    assert cosine(vector(text), vector(text)) == pytest.approx(1.0, abs=1e-6)


def test_a_snapshot_restores_the_same_bag() -> None:
    """Seed B D2: dimension, seed, weighting and analyser travel with a snapshot."""
    made = Bag(BagSettings(dimension=4096, seed=9, weighting="count"))
    again = Bag.from_state(json.loads(json.dumps(made.export_state())))
    assert again.identity == made.identity
    assert vector("새김", again).pairs() == vector("새김", made).pairs()


def test_a_bag_is_bound_to_its_analyser() -> None:
    """U7.2: words cut by other rules are another space."""
    state = Bag().export_state()
    assert Bag(analyser=Renamed()).identity.key != Bag().identity.key
    with pytest.raises(WrongIdentity, match="later-rules"):
        Bag.from_state(state, Renamed())
    assert Bag.from_state(state, Basic()).identity == Bag().identity, "the control"


def test_words_and_n_grams_are_never_compared() -> None:
    """U7.2: the same dimension does not make the same space."""
    assert Bag().identity.dimension == Hashed().identity.dimension
    assert Bag().identity.key != Hashed().identity.key


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"dim": None}, BadInput),
        ({"dim": 1}, BadInput),
        ({"weighting": "loud"}, BadInput),
        ({"hash_algo": "md5"}, WrongIdentity),
        ({"norm_version": "0"}, WrongIdentity),
    ],
)
def test_a_broken_state_is_refused(change: dict[str, Any], kind: type[Exception]) -> None:
    """Seed B D2: a damaged or foreign snapshot is an error that says so."""
    with pytest.raises(kind):
        Bag.from_state({**Bag().export_state(), **change})


def test_a_state_without_its_analyser_is_refused() -> None:
    """Seed B D2: which rules cut the words is not guessed."""
    state = Bag().export_state()
    del state["analyser"]
    with pytest.raises(BadInput, match="analyser"):
        Bag.from_state(state)
