"""Embedders behind HTTP, against a server that really listens and really fails."""

from __future__ import annotations

import base64
import logging
import random
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.embedding_server import BAD_ROWS, EmbeddingServer
from saegim.engines.embedder import FAMILIES, PLAIN, Family, Role, family_of
from saegim.engines.http import WireSettings
from saegim.engines.remote import OllamaEmbedder, OpenAIEmbedder, Remote, batches, blend
from saegim.engines.tokens import estimate
from saegim.errors import (
    BadInput,
    BadReply,
    EngineError,
    MissingExtra,
    SaegimError,
    SettingsError,
    Unavailable,
)

KEY = "sk-secret-4711-abcdef"
NOT_IN_A_CONTAINER = WireSettings(container_marks=())
Make = Callable[..., Remote]


def closed_port() -> int:
    """Return a port on which nothing listens any more."""
    with EmbeddingServer() as gone:
        return gone.port


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """Run a server for one test."""
    with EmbeddingServer() as running:
        yield running


@pytest.fixture(params=["ollama", "openai"])
def make(request: pytest.FixtureRequest, server: EmbeddingServer) -> Make:
    """Return a way to make each kind of embedder for the running server."""

    def ollama(model: str = "bge-m3", **options: object) -> Remote:
        return OllamaEmbedder(server.url, model, **options)  # type: ignore[arg-type]

    def openai(model: str = "bge-m3", **options: object) -> Remote:
        return OpenAIEmbedder(f"{server.url}/v1", model, KEY, **options)  # type: ignore[arg-type]

    return ollama if request.param == "ollama" else openai


@pytest.mark.parametrize("dimension", [384, 768, 1024, 4096])
def test_the_dimension_is_measured(make: Make, server: EmbeddingServer, dimension: int) -> None:
    """U7.1: whatever length the model has is found out, with nothing configured."""
    server.dimension = dimension
    embedder = make()
    (vector,) = embedder.embed(["기억"], "document")
    assert isinstance(vector, np.ndarray)
    assert len(vector) == embedder.identity.dimension == dimension


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("someone/unheard-of", "", ""),
    ],
)
def test_each_family_gets_its_prefixes(
    make: Make, server: EmbeddingServer, model: str, query: str, document: str
) -> None:
    """U18.2: what reaches the server begins with what the model was trained to read."""
    embedder = make(model)
    embedder.embed(["회의는 언제야?"], "query")
    embedder.embed(["회의는 화요일이다."], "document")
    assert server.texts == [f"{query}회의는 언제야?", f"{document}회의는 화요일이다."]


def test_qwen_questions_carry_an_instruction_and_documents_none() -> None:
    """U18.2: an instruction model is told the task once, on the side of the question."""
    family = family_of("qwen3-embedding:0.6b")
    assert family.prefix("query").startswith("Instruct: ")
    assert family.prefix("query").endswith("\nQuery:")
    assert family.prefix("document") == ""


def test_prefixes_are_part_of_the_identity(make: Make) -> None:
    """U18.2, U7.2: the same model with other prefixes is another space."""
    plain, prefixed = make("bge-m3", family=PLAIN), make("bge-m3", family=family_of("e5-large"))
    assert plain.identity.dimension == prefixed.identity.dimension
    assert plain.identity.key != prefixed.identity.key
    assert len({family.policy for family in FAMILIES}) == len(FAMILIES)


def test_a_model_pulled_anew_is_another_identity(server: EmbeddingServer) -> None:
    """U7.2: the digest of the weights tells two models of one name apart."""
    before = OllamaEmbedder(server.url, "bge-m3").identity
    again = OllamaEmbedder(server.url, "bge-m3:latest").identity
    server.digest = "sha256:fedcba9876543210"
    after = OllamaEmbedder(server.url, "bge-m3").identity
    assert before == again
    assert before.digest == "sha256:0123456789ab"
    assert before.key != after.key


LONG_TEXTS = {
    "korean": "기억은 사라지지 않고 조용히 자리를 옮긴다. " * 800,
    "no spaces": "새김" * 9000,
    "base64": base64.b64encode(random.Random(3).randbytes(37_500)).decode(),
    "yaml": "- 이름: 값\n  목록: [1, 2, 3]\n  줄: =====================\n" * 900,
}


@pytest.mark.parametrize("kind", LONG_TEXTS)
def test_long_texts_are_split_before_they_are_sent(
    make: Make, server: EmbeddingServer, kind: str
) -> None:
    """U18.1: fifty kilobytes arrive whole, in parts that fit, and become one unit vector."""
    text = LONG_TEXTS[kind]
    embedder = make("bge-m3", family=Family("small", "", limit=512))
    (vector,) = embedder.embed([text], "document")
    assert "".join(server.texts) == text
    assert max(map(estimate, server.texts)) <= 512
    assert np.linalg.norm(np.asarray(vector)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("kind", LONG_TEXTS)
def test_a_length_error_is_halved_and_nothing_is_dropped(
    make: Make, server: EmbeddingServer, kind: str
) -> None:
    """U18.1: a server that reads less than we believed still gets every character."""
    server.longest = 700
    text = LONG_TEXTS[kind]
    embedder = make("bge-m3", family=Family("wide", "", query="q: ", document="d: ", limit=100_000))
    (vector,) = embedder.embed([text], "document")
    accepted = [
        t.removeprefix("d: ")
        for request in server.seen
        if all(len(t) <= server.longest for t in request.texts)
        for t in request.texts
    ]
    assert "".join(accepted) == text
    assert len(accepted) < len(server.texts), "the control: some requests were really refused"
    assert np.linalg.norm(np.asarray(vector)) == pytest.approx(1.0, abs=1e-5)


def test_a_learned_limit_spares_later_texts_the_error(make: Make, server: EmbeddingServer) -> None:
    """U18.1: once halved, the next long text is split in time."""
    server.longest = 700
    embedder = make("bge-m3", family=Family("wide", "", limit=100_000))
    embedder.embed([LONG_TEXTS["korean"]], "document")
    server.seen.clear()
    embedder.embed([LONG_TEXTS["korean"]], "document")
    assert all(len(text) <= server.longest for text in server.texts)


def test_a_server_that_refuses_every_length_is_reported(
    make: Make, server: EmbeddingServer
) -> None:
    """U18.1: halving ends, with an error and not with silence."""
    server.longest = 0
    with pytest.raises(BadReply, match="too long"):
        make().embed(["가나다라마바사아자차카타파하" * 4], "document")


def test_many_texts_travel_in_bounded_requests_and_keep_their_order(
    make: Make, server: EmbeddingServer
) -> None:
    """U18.1: two hundred texts are not one request, and each gets its own vector."""
    texts = [f"기억 {number} 번째 문장" for number in range(200)]
    embedder = make()
    vectors = embedder.embed(texts, "document")
    assert max(len(request.texts) for request in server.seen) <= 64
    for place in (0, 63, 64, 199):
        (alone,) = embedder.embed([texts[place]], "document")
        assert np.array_equal(np.asarray(alone), np.asarray(vectors[place]))


def test_answers_out_of_order_are_put_in_order(server: EmbeddingServer) -> None:
    """U18.1: the index of an answer decides, not its place."""
    embedder = OpenAIEmbedder(f"{server.url}/v1", "m")
    straight = embedder.embed(["하나", "둘", "셋"], "document")
    server.fail("shuffled")
    shuffled = embedder.embed(["하나", "둘", "셋"], "document")
    for one, other in zip(straight, shuffled, strict=True):
        assert np.array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("fault", BAD_ROWS)
def test_vectors_that_cannot_be_are_refused(
    make: Make, server: EmbeddingServer, fault: str
) -> None:
    """U7.2, FAULTS 73: NaN, infinity, zero, wrong counts, lengths and types never get in."""
    embedder = make()
    assert embedder.embed(["하나", "둘"], "document"), "the control: without the fault it works"
    server.fail(fault)
    with pytest.raises(BadReply) as caught:
        embedder.embed(["하나", "둘"], "document")
    assert server.url in str(caught.value)
    assert embedder.embed(["하나", "둘"], "document"), "and after the fault it works again"


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("html", BadReply, "web page"),
        ("cut json", BadReply, "cut-off JSON"),
        ("deep json", BadReply, "cut-off JSON"),
        ("other json", BadReply, "vectors"),
        ("list json", BadReply, "vectors"),
        ("nothing", BadReply, "cut-off JSON"),
        ("bad index", BadReply, "vectors"),
        ("400", BadReply, "invalid option"),
        ("401", EngineError, "key"),
        ("403", EngineError, "key"),
        ("404", EngineError, "does not have this model"),
        ("429", Unavailable, "7 seconds"),
        ("500", Unavailable, "runner has stopped"),
        ("503", Unavailable, "loading"),
        ("hang up", Unavailable, "broke the connection"),
        ("half", Unavailable, "broke the connection"),
    ],
)
def test_every_fault_becomes_an_error_that_names_who_and_what_next(
    make: Make, server: EmbeddingServer, fault: str, kind: type[SaegimError], says: str
) -> None:
    """U18.4: each error says the URL, the model and what to do about it."""
    embedder = make()
    server.fail(fault)
    with pytest.raises(EngineError, match=says) as caught:
        embedder.embed(["기억"], "document")
    assert type(caught.value) is kind
    assert server.url in caught.value.message
    assert "bge-m3" in caught.value.message
    assert caught.value.next_step
    assert len(server.seen) == 1, "no retry here: the indexer decides when to try again"


def test_three_faults_have_three_messages(server: EmbeddingServer, tmp_path: Path) -> None:
    """U18.4: not running, not pulled and inside a container are told apart."""
    nowhere = f"http://localhost:{closed_port()}"
    with pytest.raises(Unavailable) as not_running:
        OllamaEmbedder(nowhere, settings=NOT_IN_A_CONTAINER).embed(["기억"], "query")
    server.fail("404")
    with pytest.raises(EngineError) as not_pulled:
        OllamaEmbedder(server.url, "qwen3-embedding:4b").embed(["기억"], "query")
    boxed = WireSettings(container_marks=(str(tmp_path),))
    with pytest.raises(Unavailable) as in_container:
        OllamaEmbedder(nowhere, settings=boxed).embed(["기억"], "query")
    assert "`ollama serve`" in not_running.value.next_step
    assert "`ollama pull qwen3-embedding:4b`" in not_pulled.value.next_step
    assert "container itself" in in_container.value.message
    assert "host.docker.internal" in in_container.value.next_step
    assert len({e.value.message for e in (not_running, not_pulled, in_container)}) == 3


def test_a_name_that_leads_nowhere_is_unavailable(server: EmbeddingServer) -> None:
    """U18.4: a misspelled host is told apart from a server that is down."""

    def lost(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(Unavailable, match="leads nowhere"):
        OllamaEmbedder("http://model.test:11434", resolve=lost).embed(["기억"], "query")


def test_a_silent_server_is_given_up(make: Make, server: EmbeddingServer) -> None:
    """U18.4: waiting ends."""
    server.fail("silence")
    with pytest.raises(Unavailable, match="in time"):
        make(settings=WireSettings(read_seconds=0.05)).embed(["기억"], "query")


def test_an_answer_that_never_ends_is_given_up(make: Make, server: EmbeddingServer) -> None:
    """U18.4: a server that dribbles cannot hold us for longer than the whole budget."""
    with pytest.raises(Unavailable, match="in time"):
        make(settings=WireSettings(total_seconds=-1.0)).embed(["기억"], "query")


def test_an_answer_that_is_too_large_is_not_read(make: Make, server: EmbeddingServer) -> None:
    """FAULTS M11: no server can fill our memory."""
    server.dimension = 4096
    with pytest.raises(BadReply, match="more than"):
        make(settings=WireSettings(largest_reply=1000)).embed(["기억"], "query")


def test_a_failing_local_server_is_never_replaced(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U18.3: with Ollama down, a key and proxies in the environment, nobody else is asked."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, server.url)
    with pytest.raises(Unavailable):
        OllamaEmbedder(f"http://127.0.0.1:{closed_port()}").embed(["기억"], "document")
    assert server.seen == []
    OllamaEmbedder(server.url).embed(["기억"], "document")
    assert len(server.seen) == 1, "the control: the server would have noticed"


def test_a_redirect_is_not_followed(make: Make, server: EmbeddingServer) -> None:
    """FAULTS M11: a server cannot send our texts to another host."""
    with EmbeddingServer() as other:
        server.elsewhere = f"{other.url}/api/embed"
        server.fail("redirect")
        with pytest.raises(BadReply, match="elsewhere"):
            make().embed(["기억"], "document")
        assert other.seen == []


def test_the_key_is_shown_to_the_server_only(
    server: EmbeddingServer, caplog: pytest.LogCaptureFixture
) -> None:
    """U18.4, FAULTS 78: neither repr nor errors nor logs tell the key, even if the server does."""
    caplog.set_level(logging.DEBUG)
    embedder = OpenAIEmbedder(f"{server.url}/v1", "m", KEY)
    said = [repr(embedder), str(embedder), repr(embedder._wire._key)]
    for fault in ("echo", "401", "429", "html", "hang up", "nan"):
        server.fail(fault)
        with pytest.raises(EngineError) as caught:
            embedder.embed(["기억"], "document")
        said += [repr(caught.value), *traceback.format_exception(caught.value)]
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}", "the control: it was sent"
    assert KEY not in "\n".join([*said, caplog.text])
    assert "[key]" in "\n".join(said), "the control: the echo did reach the error"


@pytest.mark.parametrize("key", ["with space", "line\nbreak", "clé", "tab\t"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    """U18.4: a broken key is a setting to mend, not a crash that prints it."""
    with pytest.raises(SettingsError) as caught:
        OpenAIEmbedder("http://localhost:1/v1", "m", key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "http://169.254.169.254:80/v1",
        "http://[::ffff:169.254.169.254]/",
        "http://[fe80::1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://[fd00:ec2::254]/",
        "http://100.100.100.200/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.254.43518/",
        "file:///etc/passwd",
        "gopher://localhost:11434/",
        "ftp://localhost/",
        "localhost:11434",
        "http://",
        "",
        "http://user:password@localhost:11434",
        "http://localhost:11434@169.254.169.254/",
        "http://localhost:11434\\@169.254.169.254/",
        "http://localhost:11434/?key=secret",
        "http://localhost:11434/#fragment",
        "http://localhost:99999/",
        "http://local host/",
        "http://%6cocalhost/",
        "http://local\nhost/",
        "http://[::1/",
    ],
)
def test_addresses_that_no_model_server_has_are_refused(url: str) -> None:
    """FAULTS M11, attack 74: refused when configured, before any request."""
    for build in (lambda: OllamaEmbedder(url), lambda: OpenAIEmbedder(url, "m", KEY)):
        with pytest.raises(SettingsError) as caught:
            build()
        assert "password" not in str(caught.value).replace("user name or password", "")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://localhost:11434/", "https://api.example.com/v1", "http://192.168.0.9:11434"]
)
def test_ordinary_addresses_are_taken(url: str) -> None:
    """FAULTS M11, control: the local machine, the local network and the internet are allowed."""
    assert url.rstrip("/") in repr(OllamaEmbedder(url))


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1%eth0"])
def test_a_name_that_leads_to_metadata_is_not_asked(server: EmbeddingServer, address: str) -> None:
    """FAULTS M11, attack 74: the check is on where a name leads, also beside a good address."""
    embedder = OllamaEmbedder(
        f"http://model.test:{server.port}", resolve=lambda host, port: ["127.0.0.1", address]
    )
    with pytest.raises(EngineError, match="no model server"):
        embedder.embed(["기억"], "document")
    assert server.seen == []


def test_a_name_that_changes_after_the_check_changes_nothing(server: EmbeddingServer) -> None:
    """FAULTS M11, attack 74: the request goes to the address that was checked."""
    answers = iter([["127.0.0.1"], ["169.254.169.254"]])
    embedder = OllamaEmbedder(
        f"http://model.test:{server.port}", resolve=lambda host, port: next(answers)
    )
    assert embedder.embed(["기억"], "document")
    assert server.seen[0].headers["host"] == f"model.test:{server.port}"
    with pytest.raises(EngineError, match="no model server"):
        embedder.embed(["기억"], "document")
    assert len(server.seen) == 1


def test_localhost_is_found_on_either_protocol(server: EmbeddingServer) -> None:
    """U18.4: a name whose first address is closed is tried on its second."""
    embedder = OllamaEmbedder(
        f"http://localhost:{server.port}", resolve=lambda host, port: ["::1", "127.0.0.1"]
    )
    assert embedder.embed(["기억"], "document")


@pytest.mark.parametrize("model", ["", "  ", "line\nbreak"])
def test_a_model_without_a_name_is_refused(model: str) -> None:
    """U18.4: a forgotten setting is named as such."""
    with pytest.raises(SettingsError, match="model"):
        OpenAIEmbedder("http://localhost:1/v1", model)


def test_calibration_separates_strangers_from_answers(make: Make) -> None:
    """U17.2: the floor belongs to the model that was asked, not to one constant."""
    embedder = make()
    embedder.calibrate()
    assert 0.0 <= embedder.floor < embedder.ask <= 1.0
    assert (embedder.floor, embedder.ask) != (0.3, 0.6)


def test_broken_unicode_travels(make: Make) -> None:
    """U18.1: a lone surrogate does not stop the text around it."""
    assert make().embed(["앞 \ud800 뒤"], "document")


@pytest.mark.parametrize("role", ["query", "document"])
def test_one_empty_text_stops_the_batch_before_it_is_sent(
    make: Make, server: EmbeddingServer, role: Role
) -> None:
    """U18.1: what has no vector is refused, not skipped."""
    with pytest.raises(BadInput):
        make().embed(["기억", " \u200b "], role)
    assert server.seen == []


def test_batches_hold_every_text_once() -> None:
    """U18.1: cutting a list into requests loses and repeats nothing, also with giants in it."""
    texts = ["가" * size for size in (1, 40_000, 2, 3, 31_999, 1, 1)] + ["나"] * 130
    assert [text for batch in batches(texts) for text in batch] == texts
    assert max(map(len, batches(texts))) <= 64


def test_parts_that_cancel_out_still_have_a_direction() -> None:
    """U18.1: the mean of opposite parts falls back to the first one."""
    up = np.array([1.0, 0.0], dtype=np.float32)
    assert np.array_equal(blend(["aa", "bb"], [up, -up]), up)


def test_a_missing_http_client_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """U18.4: who has not installed the optional part is told its name at once."""
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"saegim\[remote\]"):
        OllamaEmbedder("http://localhost:11434")


def test_the_http_client_is_loaded_only_when_asked() -> None:
    """DESIGN 2: importing the embedders costs no HTTP client."""
    code = "import sys, saegim.engines.remote; sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
