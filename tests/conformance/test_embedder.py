"""What every embedder promises, whoever makes its vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from engines.embedding_server import EmbeddingServer
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, Role, Sparse, Vector, cosine
from saegim.engines.hashed import Bag, Hashed, HashedSettings
from saegim.engines.remote import OllamaEmbedder, OpenAIEmbedder
from saegim.errors import BadInput

Make = Callable[[ExitStack], Embedder]


def static(stack: ExitStack) -> Embedder:
    """Return the small brain, which is the default."""
    return Static()


def short_static(stack: ExitStack) -> Embedder:
    """Return its shortest prefix."""
    return Static(64)


def hashed(stack: ExitStack) -> Embedder:
    """Return the embedder that needs nothing."""
    return Hashed()


def short_hashed(stack: ExitStack) -> Embedder:
    """Return it with other settings."""
    return Hashed(HashedSettings(low=2, high=4, dimension=4096, weighting="count"))


def bag(stack: ExitStack) -> Embedder:
    """Return the bag of words."""
    return Bag()


def ollama(stack: ExitStack) -> Embedder:
    """Return an embedder behind an Ollama server of this test."""
    return OllamaEmbedder(stack.enter_context(EmbeddingServer(dimension=384)).url, "bge-m3")


def prefixed(stack: ExitStack) -> Embedder:
    """Return one whose questions and documents are written differently."""
    return OllamaEmbedder(
        stack.enter_context(EmbeddingServer(dimension=768)).url, "nomic-embed-text"
    )


def openai(stack: ExitStack) -> Embedder:
    """Return an embedder behind an OpenAI-compatible server of this test."""
    server = stack.enter_context(EmbeddingServer(dimension=1024))
    return OpenAIEmbedder(f"{server.url}/v1", "text-embedding-3-small", "key")


def contextual(stack: ExitStack) -> Embedder:
    """Return the encoder, which reads sentences."""
    return Contextual()


def short_contextual(stack: ExitStack) -> Embedder:
    """Return its shorter form."""
    return Contextual(192)


EMBEDDERS: tuple[Make, ...] = (
    contextual,
    short_contextual,
    static,
    short_static,
    hashed,
    short_hashed,
    bag,
    ollama,
    prefixed,
    openai,
)
ODD = ("가", "a", "😀", "ㅋㅋ", "!?", "\x00", "\ud800", "漢字", "가나다 " * 1000, "x" * 6_000)


@pytest.fixture(params=EMBEDDERS, ids=lambda make: make.__name__)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Return the embedder under test, with its server running if it has one."""
    with ExitStack() as stack:
        yield request.param(stack)


def length(vector: Vector) -> float:
    """Return the Euclidean length of any vector."""
    values = vector.values if isinstance(vector, Sparse) else vector
    return float(np.linalg.norm(values.astype(np.float64)))


def size(vector: Vector) -> int:
    """Return the dimension of any vector."""
    return vector.dimension if isinstance(vector, Sparse) else len(vector)


def same(one: Vector, other: Vector) -> bool:
    """Say whether two vectors are equal in every number."""
    if isinstance(one, Sparse) and isinstance(other, Sparse):
        return one.pairs() == other.pairs()
    return np.array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("role", ["query", "document"])
def test_each_text_has_one_unit_vector_of_the_named_dimension(
    embedder: Embedder, role: Role
) -> None:
    """U7.1: the identity names the dimension that the vectors really have."""
    vectors = embedder.embed(["회의는 화요일이다", "The lease ends in March", "가"], role)
    assert [size(vector) for vector in vectors] == [embedder.identity.dimension] * 3
    assert [length(vector) for vector in vectors] == pytest.approx([1.0] * 3, abs=1e-5)


def test_the_identity_stays_the_same(embedder: Embedder) -> None:
    """U7.2: before, between and after embedding, it is the same space."""
    before = embedder.identity
    embedder.embed(["기억"], "query")
    assert embedder.identity == before
    assert before.provider
    assert before.model
    assert before.policy
    assert len(before.key) == 16


def test_a_batch_is_its_texts_one_by_one(embedder: Embedder) -> None:
    """U18.1: order is kept, and the company of other texts changes nothing."""
    texts = ["하나", "둘 셋", "four five", "하나"]
    together = embedder.embed(texts, "document")
    for text, vector in zip(texts, together, strict=True):
        (alone,) = embedder.embed([text], "document")
        assert same(alone, vector)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    """U18.1: an empty batch is not an error."""
    assert embedder.embed([], "document") == []


@pytest.mark.parametrize("text", ["", "  ", "\n", "\u200b"])
def test_an_empty_text_is_refused(embedder: Embedder, text: str) -> None:
    """U17.1: nothing has no direction, for any embedder."""
    with pytest.raises(BadInput):
        embedder.embed(["기억", text], "query")


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_every_text_that_is_not_empty_has_a_vector(embedder: Embedder, text: str) -> None:
    """U18.1: short, long and broken texts are embedded, none is dropped."""
    (vector,) = embedder.embed([text], "document")
    assert length(vector) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("강아지 이름이 뭐지?", "우리 강아지 이름은 보리다", "전세 계약은 삼월까지"),
        ("Where are the backups?", "The backups are on the disk", "She plays cello"),
    ],
)
def test_what_speaks_of_the_same_is_nearer(
    embedder: Embedder, question: str, near: str, far: str
) -> None:
    """U18.2: a question is nearer to its answer than to a stranger."""
    (asked,) = embedder.embed([question], "query")
    close, distant = embedder.embed([near, far], "document")
    assert cosine(asked, close) > cosine(asked, distant)


def test_floor_and_ask_are_cosines_in_order(embedder: Embedder) -> None:
    """U17.2: each embedder says for itself what is a stranger and what is an answer."""
    assert 0.0 <= embedder.floor < embedder.ask <= 1.0
    assert embedder.local is (embedder.identity.provider == "saegim")
