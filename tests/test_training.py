"""The model that ships is the one its card speaks of, made as `training/` says from clean text."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saegim.engines.brain import heads
from saegim.engines.brain import model as static
from saegim.engines.brain.model import FALLBACKS, Static, read, write
from saegim.engines.embedder import _Asked
from saegim.settings import Settings
from saegim.store.recall_traces import TraceWriter

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "training"))

import self_play  # noqa: E402
from clean import Evaluation, tidy, usable  # noqa: E402
from feel import JOINING, shipped, weighed, written  # noqa: E402
from noise import asked, slipped  # noqa: E402
from pack import arrays_of  # noqa: E402
from probe import probed  # noqa: E402
from recipe import Recipe  # noqa: E402
from sources import SOURCES  # noqa: E402

PROBE = ROOT / "tests" / "data" / "probe.jsonl"
# What may be given away under Apache-2.0 without asking anyone.
FREE = {
    "Apache-2.0",
    "BSD-3-Clause",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC0-1.0",
    "KOGL-1",
    "MIT",
    "MPL-2.0",
    "PSF-2.0",
    "Public-Domain",
    "Unicode-3.0",
    "WordNet",
}


@pytest.fixture(scope="module")
def card() -> dict[str, Any]:
    """The card as machines read it."""
    found: dict[str, Any] = json.loads((ROOT / "training" / "card.json").read_text("utf-8"))
    return found


def sha256(data: bytes) -> str:
    """Return the digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def test_the_files_that_ship_are_the_ones_on_the_card(card: dict[str, Any]) -> None:
    """Digest, size, checksum and number of pieces are the card's; one bit more is not."""
    shipped = static.SHIPPED.read_bytes()
    assert (sha256(shipped), len(shipped)) == (card["sha256"], card["bytes"])
    assert read(static.SHIPPED).notes["checksum"] == card["checksum"]
    assert len(Static().brain.table) == card["pieces"]
    assert sha256(heads.SHIPPED.read_bytes()) == card["heads"]["sha256"]
    assert sha256(shipped[:-1] + bytes([shipped[-1] ^ 1])) != card["sha256"]


def test_the_figures_on_the_card_are_those_of_the_file(
    card: dict[str, Any], tmp_path: Path
) -> None:
    """The probe, measured again, gives what the card says; another table does not."""
    assert probed(Static(), PROBE) == card["figures"]["probe"]
    tensors = read(static.SHIPPED)
    arrays = tensors.arrays()
    shuffled = {**arrays, "table": np.random.default_rng(1).permutation(arrays["table"])}
    write(tmp_path / "other.safetensors", shuffled, tensors.notes)
    other = probed(Static(path=tmp_path / "other.safetensors"), PROBE)
    assert other != card["figures"]["probe"]


def test_the_recipe_on_the_card_is_the_one_in_the_code(card: dict[str, Any]) -> None:
    """Who runs the scripts as they are runs what made the file."""
    assert card["recipe"] == asdict(Recipe())


def test_every_source_is_free_to_give_away_and_accounted_for(card: dict[str, Any]) -> None:
    """Licence, credit, digest and counts of each source stand on the card."""
    known = {each.name: each for each in SOURCES}
    assert {each["name"] for each in card["sources"]} <= set(known)
    for each in card["sources"]:
        source = known[each["name"]]
        assert (each["licence"], each["credit"]) == (source.licence, source.credit)
        assert set(each["licence"].split(" AND ")) <= FREE, each["licence"]
        assert each["input"].startswith(("git:", "sha256:"))
        used = [each["kept"].get(what, 0) for what in ("texts_ko", "texts_en", "pairs")]
        assert each["rows"] > 0 < sum(used)


def test_the_card_for_people_says_the_same(card: dict[str, Any]) -> None:
    """The page names the digest of the file and every source."""
    page = (ROOT / "docs" / "model-card.md").read_text(encoding="utf-8")
    assert card["sha256"] in page
    assert [each["name"] for each in card["sources"] if f"| {each['name']} |" not in page] == []


@pytest.fixture
def kept_out(tmp_path: Path) -> Evaluation:
    """An evaluation set of two sentences of our own."""
    rows = [
        {"q": "할머니 댁 마당에는 오래된 감나무가 한 그루 있다", "tags": ["kept"]},
        {"nested": {"text": "The ferry to the island leaves at seven in the morning"}},
    ]
    with gzip.open(tmp_path / "own.jsonl.gz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return Evaluation(tmp_path)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("할머니 댁 마당에는 오래된 감나무가 한 그루 있다", "same"),
        ("The  FERRY to the island leaves at seven in the morning", "same"),
        ("할머니댁 마당에는 오래된 감나무가 한그루 있다!", "near"),
        ("The ferry to the island leaves at seven in the evening", "near"),
        ("할머니 댁에 다녀왔다", ""),
        ("The ferry was late and we missed our train", ""),
    ],
)
def test_evaluation_rows_are_kept_out(kept_out: Evaluation, text: str, held: str) -> None:
    """The same text and a near duplicate are noticed; what only resembles is not."""
    assert kept_out.holds(tidy(text)) == held


@pytest.mark.parametrize(
    ("text", "language", "fine"),
    [
        ("오늘 커피를 두 잔 마셨다", "ko", True),
        ("I had two coffees today", "en", True),
        ("I had two coffees today", "ko", False),
        ("오늘 커피 two coffees", "en", False),
        ("12 34 :: 56 -- 78", "en", False),
        ("가" * 401, "ko", False),
    ],
)
def test_only_sentences_of_their_language_are_used(text: str, language: str, fine: bool) -> None:
    """Scraps, numbers and the other language are no lessons."""
    assert usable(tidy(text), language) is fine


def test_slips_and_questions_are_seeded() -> None:
    """The same seed gives the same slip and the same question, of the text's own words."""
    text = "지난주에 부산에서 친구를 만났다"
    one, other = (
        [slipped(text, random.Random(3)), asked(text, "ko", random.Random(3))] for _ in "ab"
    )
    assert one == other
    assert one[0] != text
    assert any(word in one[1] for word in ("지난주", "부산", "친구", "만났다"))


def test_what_pack_writes_is_what_the_embedder_reads(tmp_path: Path) -> None:
    """Rounding to bytes turns a vector by next to nothing."""
    dice = np.random.default_rng(5)
    names = [*FALLBACKS, " tea", "차", "를"]
    student = {
        "table": dice.normal(size=(len(names), 256)).astype(np.float32),
        "asking": np.zeros(len(names), np.float32),
        "inner.weight": dice.normal(size=(256, 256)).astype(np.float32) / 16,
        "inner.bias": dice.normal(size=256).astype(np.float32),
        "outer.weight": dice.normal(size=(256, 256)).astype(np.float32) / 64,
    }
    pieces = {"pieces": names, "scores": [-float(at % 7) for at in range(len(names))]}
    notes = {f"{kind}_{size}": "0.3" for kind in ("floor", "ask") for size in (64, 128, 256)}
    path = tmp_path / "student.safetensors"
    write(path, arrays_of(student, pieces), {"model": "toy", **notes})
    mean = student["table"][[len(names) - 2, len(names) - 1]].sum(0)
    mean /= np.linalg.norm(mean)
    hidden = np.maximum(student["inner.weight"] @ (16 * mean) + student["inner.bias"], 0)
    exact = mean + student["outer.weight"] @ hidden
    made = np.asarray(Static(path=path).embed(["차를"], "document")[0])
    assert float(made @ exact / np.linalg.norm(exact)) > 0.999


def test_fitted_numbers_are_written_where_they_are_read() -> None:
    """The numbers that ship, written again, change nothing; another one, only its line."""
    source, numbers = JOINING.read_text("utf-8"), shipped()
    assert written(source, numbers) == source
    for key in numbers:
        other = written(source, {**numbers, key: (9.87, *numbers[key][1:])})
        lines = zip(source.splitlines(), other.splitlines(), strict=True)
        assert [two.count("9.87") for one, two in lines if one != two] == [1]


def test_the_fit_finds_the_weights_that_made_the_labels() -> None:
    """Known weights are found again, and what counts for nothing does not move them."""
    dice = np.random.default_rng(5)
    given = dice.normal(size=(20_000, 2))
    wanted = (dice.random(20_000) < 1 / (1 + np.exp(0.5 - given @ [2.0, -1.0]))).astype(float)
    counted = np.ones(20_000)
    assert np.allclose(weighed(given, wanted, counted, 0.5), [2.0, -1.0], atol=0.1)
    counted[:5_000], wanted[:5_000] = 0.0, 1.0
    assert np.allclose(weighed(given, wanted, counted, 0.5), [2.0, -1.0], atol=0.1)
    counted[:] = 1.0
    assert not np.allclose(weighed(given, wanted, counted, 0.5), [2.0, -1.0], atol=0.1)


# -- self-play ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("default_embedder")
def test_simulated_people_live_and_teach_the_same_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The starting weights come from one command that can be repeated, bit for bit.

    How soon a machine writes down what an answer showed must not be learned.
    """
    monkeypatch.setattr(self_play, "ROUNDS", 2)
    note, made = TraceWriter.note, []

    def at_once(writer: TraceWriter, *told: Any) -> str:
        name = note(writer, *told)
        writer.flush()
        return name

    run = _Asked.run

    def slowly(asked: _Asked, embedder: Any) -> None:
        threading.Event().wait(1.1 * Settings().loading_patience)
        run(asked, embedder)

    for name, writes, reads in (("once", at_once, run), ("again", note, slowly)):
        (tmp_path / name).mkdir()
        # The quickest machine there can be, and one that reads its embedder slowly and whose
        # writer never gets its turn.
        monkeypatch.setattr(_Asked, "run", reads)
        monkeypatch.setattr(TraceWriter, "note", writes)
        monkeypatch.setattr(TraceWriter, "_start", lambda _: None)
        lives = [self_play.live(each, tmp_path / name) for each in self_play.people(2)]
        policy, reranker = self_play.learned(lives[:1], lives[1:])
        made.append((policy.weights().tobytes(), reranker.weights().tobytes(), lives[0].kinds))
    assert all(each.answers for each in lives)
    assert made[0] == made[1]
    # Control: another person teaches something else.
    other, _ = self_play.learned(lives[1:], lives[:1])
    assert other.weights().tobytes() != made[0][0]


def test_simulated_people_are_split_as_the_seed_splits_its_data() -> None:
    """48 are learned from, 6 choose, 6 are only tested on; both languages are in each part."""
    parts = self_play.split(self_play.people(self_play.USERS))  # type: ignore[arg-type]
    assert [len(each) for each in parts] == [48, 6, 6]
    assert all({person.language for person in each} == {"ko", "en"} for each in parts)  # type: ignore[attr-defined]


def test_people_tell_change_ask_and_chat_in_both_languages() -> None:
    """What they know is hidden until they tell it, and some of it changes."""
    for person in self_play.people(2):
        turns = list(person.turns())
        kinds = {kind for _, kind, _ in turns}
        told = [slot for _, kind, slot in turns if kind == "tell"]
        assert kinds == {"tell", "ask", "chat"}
        assert len(told) > len(set(told))
        asked = [slot for _, kind, slot in turns if kind == "ask"]
        assert set(asked) <= set(told)
