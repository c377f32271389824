"""The contextual encoder: what it promises, and what it must tell apart."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from saegim import FixedClock, Saegim
from saegim.engines.brain import claim_reader, encoder, model
from saegim.engines.brain.claim_reader import ClaimReader
from saegim.engines.brain.encoder import (
    DIMENSIONS,
    SHIPPED,
    WINDOW,
    Contextual,
    EncoderWeights,
)
from saegim.engines.brain.layers import NO_REPORTS, Layers
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Dense, Embedder, Role
from saegim.errors import BadInput, EngineError
from saegim.one_thread import ALONE
from saegim.store.store import Store
from stand_ins import wait_until

READER = Contextual()
LIVES = Path(__file__).parents[3] / "bench/data/lives"
# The encoder's part of some vectors, as recorded on x86-64 with AVX-512.
KNOWN = Path(__file__).with_name("encoder_vectors.json")
# Says, when onnxruntime is first looked for, whether its reports are off by then.
LOOKING = """
import os, sys
class Looking:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print(os.environ.get("{name}"), flush=True)
            if not os.environ.get("{name}"):
                os._exit(0)  # the control is asked, and not let in
sys.meta_path.insert(0, Looking())
"""


def vector(text: str, role: Role = "document", made: Contextual = READER) -> Dense:
    """Return the vector of one text."""
    [found] = made.embed([text], role)
    assert isinstance(found, np.ndarray)
    return found


def within_ten(embedder: Embedder, life: str) -> float:
    """Return how often a turn that answers is among the ten nearest of an invented life."""
    lines = [json.loads(each) for each in (LIVES / f"{life}.jsonl").read_text("utf-8").splitlines()]
    turns = [turn for line in lines for turn in line.get("turns", ()) if turn["role"] == "user"]
    place = {turn["id"]: at for at, turn in enumerate(turns)}
    asked = [line for line in lines if line.get("kind") not in (None, "never", "forgot")]
    right = [{place[each] for each in line["evidence"] if each in place} for line in asked]
    said = np.stack(embedder.embed([turn["text"] for turn in turns], "document"))  # type: ignore[arg-type]
    hits = []
    for line, places in zip(asked, right, strict=True):
        if places:
            near = said @ embedder.embed([line["text"]], "query")[0]  # type: ignore[operator]
            hits.append(bool(places & set(np.argsort(-near)[:10].tolist())))
    return sum(hits) / len(hits)


@pytest.mark.parametrize("life", ["ko_a", "en_a"])
def test_it_finds_what_was_said_in_other_words(life: str) -> None:
    """U1.1: of the questions of a life it was not taught on, a fifth more than the table finds."""
    assert within_ten(READER, life) > within_ten(Static(), life) + 0.15


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_each_length_is_a_space_of_its_own(dimension: int) -> None:
    """U7.2: vectors of two lengths are never compared."""
    made = Contextual(dimension)
    assert vector("엄마 생신은 3월 2일", made=made).shape == (dimension,)
    assert made.identity.dimension == dimension
    assert 0.0 < made.floor < made.ask < 1.0
    others = {Contextual(other).identity.key for other in DIMENSIONS} | {Static().identity.key}
    assert len(others) == len(DIMENSIONS) + 1


@pytest.mark.parametrize("dimension", [0, 128, 256, 385])
def test_other_lengths_are_refused(dimension: int) -> None:
    """Bad input: only what was measured is offered."""
    with pytest.raises(BadInput, match=str(dimension)) as caught:
        Contextual(dimension)
    assert "384" in caught.value.next_step


def test_order_and_role_matter() -> None:
    """What a table cannot see: who did it to whom, and whether it is asked."""
    one, other = "Mina lent Jun the car", "Jun lent Mina the car"
    assert not np.allclose(vector(one), vector(other), atol=1e-3)
    assert not np.allclose(vector(one), vector(one, "query"), atol=1e-3)
    [same, turned] = Static().embed([one, other], "document")
    assert np.allclose(same, turned, atol=1e-6)  # type: ignore[arg-type]


def test_composed_and_decomposed_korean_are_one_text() -> None:
    """U12.1: NFC and NFD are spelled differently and read alike."""
    text = "할머니 댁은 통영이에요"
    assert np.array_equal(vector(text), vector(unicodedata.normalize("NFD", text)))


def test_what_is_longer_than_a_window_is_read_to_its_end() -> None:
    """U18.2: the last words of a long turn count too."""
    long = "오늘은 아무 일도 없었다 " * WINDOW
    assert not np.allclose(vector(long), vector(long + "동생이 캐나다로 이사했다 " * 40), atol=1e-3)


def test_the_numbers_are_those_of_every_processor() -> None:
    """Written on one kind of processor, read on another: the same but for the rounding of a byte.

    The layers multiply whole numbers. A last digit that differs before can move one of them by
    one: single numbers of a vector then differ in the second place, and where it points hardly.
    """
    for text, role, numbers in json.loads(KNOWN.read_text(encoding="utf-8")):
        found = vector(text, role)[256::8]
        assert np.allclose(found, numbers, atol=0.03)
        near = found @ np.array(numbers) / np.linalg.norm(found) / np.linalg.norm(numbers)
        assert near > 0.99
        # The control: other words lie elsewhere.
        assert not np.allclose(vector(text[::-1], role)[256::8], numbers, atol=0.03)


def test_a_last_digit_that_differs_moves_no_vector_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another processor adds up otherwise: every number before the layers a little off."""
    texts = [text for text, _, _ in json.loads(KNOWN.read_text(encoding="utf-8"))]
    before = [vector(text) for text in texts]
    begun, chance = EncoderWeights.begun, np.random.default_rng(5)
    sizes = [1e-6]

    def off(self: EncoderWeights, ids: Sequence[int], role: Role) -> Dense:
        rows = begun(self, ids, role)
        return (rows * (1 + sizes[-1] * chance.standard_normal(rows.shape))).astype(np.float32)

    def nearest() -> float:
        encoder._read.cache_clear()
        fresh = Contextual()
        made = [vector(text, made=fresh) for text in texts]
        return min(float(one @ other) for one, other in zip(made, before, strict=True))

    monkeypatch.setattr(EncoderWeights, "begun", off)
    assert nearest() > 0.998
    sizes.append(5.0)  # the control: what is more than a digit is seen
    assert nearest() < 0.95
    encoder._read.cache_clear()


@pytest.mark.parametrize("ours", [True, False])
def test_what_runs_the_layers_reports_to_nobody(tmp_path: Path, *, ours: bool) -> None:
    """Onnxruntime would report its use to its maker: that is off before it is even loaded."""
    start = (
        "from saegim.engines.brain.encoder import Contextual;"
        "Contextual().embed(['누가 듣고 있나'], 'query')"
        if ours
        else "import onnxruntime"
    )
    told = subprocess.run(
        [sys.executable, "-c", LOOKING.format(name=NO_REPORTS) + start],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert told.split() == (["1"] if ours else ["None"])
    if ours:
        assert not list(tmp_path.rglob("*"))


def test_its_products_use_one_thread_and_leave_the_others_theirs() -> None:
    """A machine with other work is not waited for; what the caller had set stays set."""

    def most() -> int:
        return max(
            (each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"),
            default=1,
        )

    with threadpool_limits(2, user_api="blas"):
        before = most()
        with ALONE:
            assert most() == 1
            vector("한 번 더 들어간다")
            assert most() == 1
        assert most() == before
        threads = [Thread(target=vector, args=(f"turn {n} of many",)) for n in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert most() == before


def copied(folder: Path, **notes: str) -> Path:
    """Return a copy of the shipped file with other notes."""
    data = SHIPPED.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"] |= notes
    text = json.dumps(header).encode()
    path = folder / SHIPPED.name
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])
    return path


@pytest.mark.parametrize(
    "notes", [{"pieces": "another table"}, {"floor_384": "low"}, {"checksum": "0"}]
)
def test_a_file_that_does_not_fit_is_named(tmp_path: Path, notes: dict[str, str]) -> None:
    """U33.2: other pieces, other shape, other numbers: an error that names the file."""
    with pytest.raises(EngineError, match=SHIPPED.name):
        vector("아무 말", made=Contextual(path=copied(tmp_path, **notes)))


def spoilt(arrays: dict[str, Any], name: str) -> Any:
    """Return an array that does not fit: no graph, another's, too few rows, another shape."""
    if name == "no graph":
        return {"layers": np.frombuffer(b"no graph at all", np.uint8)}
    if name == "another's graph":
        return {"layers": model.read(claim_reader.SHIPPED).arrays()["layers"]}
    return {name: arrays[name].ravel() if name == "steps" else arrays[name][:-2]}


@pytest.mark.parametrize(
    "name", ["no graph", "another's graph", "places", "weights", "last", "steps", "gain", "table"]
)
def test_arrays_that_do_not_fit_are_named(tmp_path: Path, name: str) -> None:
    """U33.2: a file whose sums are right and whose numbers are others is named."""
    shipped = model.read(SHIPPED)
    arrays = dict(shipped.arrays())
    model.write(tmp_path / SHIPPED.name, arrays | spoilt(arrays, name), shipped.notes)
    with pytest.raises(EngineError, match=SHIPPED.name):
        vector("아무 말", made=Contextual(path=tmp_path / SHIPPED.name))


def test_where_onnxruntime_cannot_be_loaded_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is missing on this machine is named, with what does without it."""
    graph = model.read(SHIPPED).arrays()["layers"]
    outs = ("states", "middle")
    assert Layers(graph, outs, SHIPPED).width == 384
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EngineError, match=r"onnxruntime.*static"):
        Layers(graph, outs, SHIPPED)


def test_who_needs_the_numbers_at_one_moment_loads_them_once() -> None:
    """The vector and the claims of a turn share one reading of it, whoever comes first."""
    encoder._learned.cache_clear()
    reader, fresh, together = ClaimReader(), Contextual(), Barrier(2)

    def go(act: Callable[[], object]) -> None:
        together.wait()
        act()

    acts = (lambda: vector("둘이 함께", made=fresh), lambda: reader.read("둘이 함께"))
    threads = [Thread(target=go, args=(act,)) for act in acts]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert fresh.reader is reader._words


def test_a_long_prompt_is_seen_to_its_end() -> None:
    """What is asked behind many words counts as much as what stands before them."""
    long = "The build failed again and the log says nothing useful about why. " * 20
    ends = ("By the way, what did I name the cat?", "Have a look at the log, please.")
    one, other = (READER.seen(long + end, "query") for end in ends)
    assert not np.allclose(one, other, atol=1e-3)


def test_an_untouched_copy_fits(tmp_path: Path) -> None:
    """Control: the same file elsewhere is the same space."""
    made = Contextual(path=copied(tmp_path))
    assert np.array_equal(vector("아무 말", made=made), vector("아무 말"))


def test_a_store_that_names_it_finds_by_what_was_meant(tmp_path: Path) -> None:
    """U7.3: `embedder = "encoder"`: kept and found through the door that everybody uses."""
    with Saegim.open(tmp_path / "memory.db", embedder="encoder") as memory:
        memory.remember("도마뱀붙이 먹이로 귀뚜라미 사러 가야 돼")
        memory.remember("동물원 표는 뭐로 사지")
        memory.remember("회의는 화요일로 옮겼다")
        found = memory.recall("내가 키우는 동물이 뭐지").hits
        assert found[0].memory.text.startswith("도마뱀붙이")
        assert found[0].vector > memory.mind.embedder.floor
        assert memory.mind.embedder.identity.model == SHIPPED.stem


def test_nothing_is_loaded_before_the_first_text() -> None:
    """Opening a memory costs a header, not twenty-three megabytes."""
    fresh = Contextual(192)
    assert fresh._reader is None
    fresh.embed(["이제 읽는다"], "query")
    assert fresh._reader is not None
    assert model.SHIPPED.exists()


@pytest.mark.parametrize("sentence", ["우리 집 고양이는 창가를 좋아해. ", "My cat likes sills. "])
def test_a_long_text_is_kept_at_once_and_its_vector_follows(tmp_path: Path, sentence: str) -> None:
    """Nobody waits for a page to be read; by words it is found at once, by meaning right behind."""
    page = sentence * 90
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder="encoder") as memory:
        assert memory.remember(sentence).indexed == "ready"
        kept = memory.remember(page)
        assert kept.indexed == "pending"
        assert kept.id in {hit.memory.id for hit in memory.recall(sentence).hits}
        wait_until(lambda: not memory.mind.store.vectors.waiting(memory.mind.embedder.identity))
        hits = {hit.memory.id: hit.vector for hit in memory.recall(sentence).hits}
        assert hits[kept.id] > 0.0
    # Control: an embedder that takes microseconds lets nothing wait.
    with Saegim.open(tmp_path / "s.db", clock=FixedClock(), embedder="static") as memory:
        assert memory.remember(page).indexed == "ready"


def test_what_waits_for_its_vector_can_be_read_here_and_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`maintenance.index` reads what is missing and says how far it is; a whole store asks none."""
    monkeypatch.setattr(Store, "keep_indexed", lambda *_: None)
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder="encoder") as memory:
        for number in range(3):
            memory.remember(f"{number} 페이지. The ledger goes on. " * 100)
        identity = memory.mind.embedder.identity
        assert memory.mind.store.vectors.waiting(identity) == 3
        assert list(memory.maintenance.index()) == [(3, 3)]
        assert memory.mind.store.vectors.waiting(identity) == 0
        assert list(memory.maintenance.index()) == []


def test_the_same_words_again_give_the_same_vector_and_nobody_elses() -> None:
    """What is remembered belongs to one text in one role, and a changed copy changes nothing."""
    embedder = Contextual()
    asked, told = (embedder.embed(["우산은 어디 있지?"], role)[0] for role in ("query", "document"))
    kept = np.array(asked)
    assert not np.array_equal(kept, np.array(told))
    np.asarray(asked)[:] = 0.0
    assert np.array_equal(np.array(embedder.embed(["우산은 어디 있지?"], "query")[0]), kept)
    fresh = Contextual()
    for number in range(200):
        embedder.embed([f"{number}번째 우산"], "query")
    assert np.array_equal(np.array(embedder.embed(["우산은 어디 있지?"], "query")[0]), kept)
    assert np.array_equal(np.array(fresh.embed(["우산은 어디 있지?"], "query")[0]), kept)
