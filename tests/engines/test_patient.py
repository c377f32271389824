"""Patience with an embedder: nobody waits for one that is late, and the next one profits."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from saegim import Recollection, Saegim
from saegim.engines import embedder as embedders
from saegim.engines.embedder import Identity, Role, Vector
from saegim.errors import BadInput, EngineError, Unavailable
from saegim.mind import Mind
from stand_ins import Toy, wait_until

HASTY = {"semantic_patience": 0.05, "loading_patience": 0.05}


class Loading(Toy):
    """Answers when it is told that it is loaded, and notes who asked it."""

    def __init__(self, *, local: bool) -> None:
        super().__init__(local=local)
        self.loaded = threading.Event()
        self.asked: list[tuple[str, str]] = []

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Wait for the model, then embed."""
        self.asked.append((texts[0], threading.current_thread().name))
        assert self.loaded.wait(30)
        return super().embed(texts, role)


@pytest.fixture(params=[True, False], ids=["local", "remote"])
def loading(request: pytest.FixtureRequest) -> Loading:
    """An embedder that is not loaded yet."""
    return Loading(local=request.param)


def test_a_question_goes_on_while_the_embedder_loads(loading: Loading) -> None:
    """U6.2: it is told `semantic: warming`, and the call it began goes on without it."""
    with pytest.raises(Unavailable, match="semantic: warming"):
        embedders.embed_by_deadline(loading, "a kettle", 0.01)
    assert embedders.is_warming(loading)
    assert not loading.loaded.is_set()
    loading.loaded.set()
    wait_until(lambda: not embedders.is_warming(loading))


def test_while_one_question_hangs_the_next_ones_do_not_even_wait(loading: Loading) -> None:
    """U6.2: one that hangs is enough; no thread piles up behind it, and nobody is kept waiting."""
    with pytest.raises(Unavailable):
        embedders.embed_by_deadline(loading, "a kettle", 0.01)
    wait_until(lambda: len(loading.asked) > 0)
    for number in range(20):
        # An hour's patience would hang this test if it were used.
        with pytest.raises(Unavailable):
            embedders.embed_by_deadline(loading, f"cup {number}", 3600)
    assert len(loading.asked) == 1
    loading.loaded.set()


def test_what_came_late_serves_the_next_one(loading: Loading) -> None:
    """The late answer is given to whoever asks the same, and the model is loaded for all."""
    with pytest.raises(Unavailable):
        embedders.embed_by_deadline(loading, "a kettle", 0.01)
    loading.loaded.set()
    wait_until(lambda: not embedders.is_warming(loading))
    vector, identity = embedders.embed_by_deadline(loading, "a kettle", 0)
    assert identity == loading.identity
    assert len(loading.asked) == (2 if loading.local else 1)
    assert (vector == Toy().embed(["a kettle"], "query")[0]).all()
    assert len(embedders.embed_by_deadline(loading, "a cup", 30)[0]) == 64


def test_a_loaded_local_embedder_is_asked_without_a_thread() -> None:
    """The built-in embedder keeps its speed: after the first question nothing stands between."""
    local, remote = Loading(local=True), Loading(local=False)
    for each in (local, remote):
        each.loaded.set()
        for _ in range(2):
            embedders.embed_by_deadline(each, "a kettle", 30)
    here = threading.current_thread().name
    assert [thread == here for _, thread in local.asked] == [False, True]
    assert [thread == here for _, thread in remote.asked] == [False, False]


@pytest.mark.parametrize("error", [Unavailable("out"), BadInput("no"), ZeroDivisionError("odd")])
def test_what_an_embedder_raises_reaches_who_asked(error: Exception) -> None:
    """A failure in the thread is a failure of the question, and of none after it."""
    broken = Toy()

    def fails(call: int) -> bool:
        if call == 1:
            raise error
        return False

    broken.fails = fails
    with pytest.raises(type(error), match=str(error)):
        embedders.embed_by_deadline(broken, "a kettle", 30)
    assert len(embedders.embed_by_deadline(broken, "a kettle", 30)[0]) == 64


def test_many_ask_at_once_and_each_gets_its_own(loading: Loading) -> None:
    """Questions side by side do not wait for each other and are not mixed up."""
    loading.loaded.set()
    found: dict[str, Vector] = {}

    def asks(text: str) -> None:
        found[text] = embedders.embed_by_deadline(loading, text, 30)[0]

    threads = [threading.Thread(target=asks, args=(f"kettle {n}",)) for n in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all((found[text] == Toy().embed([text], "query")[0]).all() for text in found)
    assert len(found) == 16


@dataclass(slots=True)
class Closed:
    """An embedder that can be neither hashed nor referred to weakly."""

    local: bool = True
    at_once: int = 1_000_000_000
    lexical: bool = False
    floor: float = 0.05
    ask: float = 0.9
    identity: Identity = Toy().identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Embed like the toy."""
        return Toy().embed(texts, role)


def test_any_embedder_can_be_asked() -> None:
    """What an embedder is made of does not matter, as long as it answers."""
    for _ in range(2):
        assert len(embedders.embed_by_deadline(Closed(), "a kettle", 30)[0]) == 64
    assert not embedders.is_warming(Closed())


def test_patience_ends_with_its_embedder() -> None:
    """Nothing is remembered of an embedder that is gone."""
    made = Toy()
    embedders.embed_by_deadline(made, "a kettle", 30)
    assert made in embedders._PATIENCE
    held = weakref.ref(made)
    del made
    # The thread that asked it lets go of it when it ends.
    wait_until(lambda: (gc.collect(), held() is None)[1])


def ran(found: Recollection) -> list[str]:
    """Return the paths that were walked."""
    return [path.name for path in found.paths if path.ran]


def test_recall_answers_by_words_while_meaning_is_warming(loading: Loading) -> None:
    """U6.2: `semantic: warming` beside what words found; loaded, meaning answers too."""
    loading.loaded.set()
    with Saegim.open(embedder=loading, **HASTY) as memory:
        memory.remember("The kettle is blue.")
        wait_until(lambda: memory.mind.store.vectors.waiting(loading.identity) == 0)
        embedders._PATIENCE.pop(loading, None)
        loading.loaded.clear()
        found = memory.recall("Which colour is the kettle, last week?")
        assert [hit.memory.text for hit in found.hits] == ["The kettle is blue."]
        why = {path.name: path for path in found.paths}["vector"]
        assert (why.ran, why.why) == (False, "semantic: warming; words answered alone")
        assert not loading.loaded.is_set()
        loading.loaded.set()
        wait_until(lambda: not embedders.is_warming(loading))
        wait_until(lambda: "vector" in ran(memory.recall("Which colour is the kettle?")))


def test_a_model_of_this_machine_is_waited_for_and_a_server_is_not(loading: Loading) -> None:
    """The first question of a process is not answered without meaning because a file is read."""
    loading.loaded.set()
    with Saegim.open(embedder=loading, semantic_patience=0.05, loading_patience=60) as memory:
        memory.remember("The kettle is blue.")
        wait_until(lambda: memory.mind.store.vectors.waiting(loading.identity) == 0)
        embedders._PATIENCE.pop(loading, None)
        loading.loaded.clear()
        # Answered by words, or because somebody waited: either ends this, and nothing hangs.
        answered = threading.Timer(1.0, loading.loaded.set)
        answered.start()
        found = memory.recall("What is the kettle like?")
        assert ("vector" in ran(found)) is loading.local
        answered.join()


def test_a_question_that_loads_a_model_is_not_cut_off_by_the_end(loading: Loading) -> None:
    """A thread cut off inside a library ends the process with an abort; one that hangs must not."""
    before = set(threading.enumerate())
    with pytest.raises(Unavailable):
        embedders.embed_by_deadline(loading, "a kettle", 0.01)
    (asking,) = set(threading.enumerate()) - before
    assert asking.daemon is not loading.local
    loading.loaded.set()
    asking.join()


@pytest.mark.parametrize(
    ("words", "prompt"),
    [
        ("The kettle is blue.", "Was the kettle in our old kitchen a blue one or a green one?"),
        ("주전자는 파란색이다.", "예전 부엌에서 쓰던 주전자는 파란색이었나 초록색이었나?"),
    ],
)
def test_words_that_answer_alone_are_shown(loading: Loading, words: str, prompt: str) -> None:
    """What shares the words of a prompt stands in its block, though meaning is late."""
    loading.loaded.set()
    with Saegim.open(embedder=loading, **HASTY) as memory:
        for text in (words, "My sister lives in Gwangju.", "동생은 광주에 산다."):
            memory.remember(text)
        wait_until(lambda: memory.mind.store.vectors.waiting(loading.identity) == 0)
        embedders._PATIENCE.pop(loading, None)
        loading.loaded.clear()
        shown = memory.context(prompt)
        assert [each.words for each in shown.cards] == [words]
        loading.loaded.set()


DIARY = "The kettle is blue. " + "It rained in Gwangju and nobody went out that day. " * 20


@pytest.mark.parametrize("loads", [True, False])
def test_nobody_waits_for_one_that_loads_but_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, loads: bool
) -> None:
    """A session that is taken up, the best sentence of a long hit, whether a question asks memory.

    The control is one that is loaded: it is asked for the sentence and for what the question is.
    """
    read: list[str] = []
    monkeypatch.setattr(Mind, "asks_memory", lambda _, text: read.append(text) is None)
    embedder = Loading(local=True)
    embedder.loaded.set()
    file = tmp_path / "memory.db"
    with Saegim.open(file, embedder=embedder) as memory:
        memory.remember(DIARY)
        memory.observe("Did it rain?", session="chat")
        memory.context("Did it rain?", session="chat")
    embedder.loaded = threading.Event()
    embedders._PATIENCE.pop(embedder, None)
    embedder.asked.clear()
    if not loads:
        embedder.loaded.set()
    # Between the two floors a question is read for what it asks.
    patience = HASTY if loads else {"semantic_patience": 60.0, "loading_patience": 60.0}
    with Saegim.open(
        file, embedder=embedder, relevance_floor=1.0, asked_floor=0.0, **patience
    ) as memory:
        assert memory.context("Which kettle is blue?", session="chat").cards
        memory.context("Is the copper kettle in my aunt's cupboard older?", session="chat")
        assert bool(read) is not loads
        assert {name for _, name in embedder.asked} == (
            {"saegim-question"} if loads else {"saegim-question", "MainThread"}
        )
        embedder.loaded.set()


def test_without_patience_recall_would_hang(loading: Loading) -> None:
    """The control: who asks the embedder directly is still waiting while words have answered."""
    asking = threading.Thread(target=loading.embed, args=(["a kettle"], "query"), daemon=True)
    asking.start()
    with pytest.raises(EngineError):
        embedders.embed_by_deadline(loading, "a kettle", 0.01)
    assert asking.is_alive()
    loading.loaded.set()
    asking.join()
