"""Language models behind HTTP, against a server that really listens and really fails."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import traceback
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from engines.llm_server import HEALTHY, HUGE, PATIENT, LLMServer, Turn, untrusted, waits
from saegim.engines.llm.json_repair import items
from saegim.engines.llm.models import (
    Anthropic,
    Chat,
    LanguageModel,
    OllamaModel,
    OpenAIModel,
    Request,
    closed,
    patience,
    tokens_of,
)
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
from stand_ins import wait_until

KEY = "sk-secret-4711-abcdef"
SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {"type": "object", "properties": {"content": {"type": "string"}}},
        }
    },
}
PROMPT = "문장에서 사실을 찾아 목록으로 적어 줘. 문장: 민호는 지난주에 부산으로 이사했다."
REQUEST = Request(system="You extract facts.", prompt=PROMPT, schema=SCHEMA)
KINDS = ("ollama", "openai", "anthropic")
Make = Callable[..., Chat]


def made(kind: str, host: str, model: str = "m", key: str = KEY, **options: object) -> Chat:
    """Return a model of that kind for the server at a host."""
    if kind == "ollama":
        return OllamaModel(host, model, key, **options)  # type: ignore[arg-type]
    if kind == "openai":
        return OpenAIModel(f"{host}/v1", model, key, **options)  # type: ignore[arg-type]
    return Anthropic(host, model, key, **options)  # type: ignore[arg-type]


def closed_port() -> int:
    """Return a port on which nothing listens any more."""
    with LLMServer() as gone:
        return gone.port


def contents(model: Chat, request: Request = REQUEST) -> list[str]:
    """Ask and return what was found, as the house does it."""
    answer = model.ask(request)
    found = items(answer.text, prompt=request.prompt, who=str(model))
    return [str(each["content"]) for each in found]


def answers(model: Chat) -> bool:
    """Say whether it answers; who is given up soon may be given up on a busy machine."""
    try:
        return bool(contents(model))
    except Unavailable:
        return False


@pytest.fixture
def server() -> Iterator[LLMServer]:
    """Run a server for one test."""
    with LLMServer() as running:
        yield running


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Name each kind of server in turn."""
    return str(request.param)


@pytest.fixture
def make(kind: str, server: LLMServer) -> Make:
    """Return a way to make each kind of model for the running server."""

    def ready(**options: object) -> Chat:
        return made(kind, server.url, **options)  # type: ignore[arg-type]

    return ready


# -- a healthy server -----------------------------------------------------------------------------


def test_a_healthy_server_answers(make: Make, server: LLMServer) -> None:
    """R-23, control: without a fault each kind of server answers, once, with its own counts."""
    model: LanguageModel = make()
    answer = model.ask(REQUEST)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == (HEALTHY, 11, 7)
    assert answer.finished
    assert answer.model.startswith("m")
    assert len(server.seen) == 1
    assert model.local
    model.close()


def test_each_protocol_is_spoken_as_its_server_reads_it(server: LLMServer) -> None:
    """U14.1: schema enforced, thinking off, output capped and the key in the right header."""
    ask = Request(system="You.", prompt="가", schema=SCHEMA, max_tokens=99)
    made("ollama", server.url, key="").ask(ask)
    made("openai", server.url).ask(ask)
    made("anthropic", server.url).ask(ask)
    ollama, openai, anthropic = server.seen
    told = [{"role": "system", "content": "You."}, {"role": "user", "content": "가"}]
    assert (ollama.path, ollama.body["messages"]) == ("/api/chat", told)
    assert (ollama.body["stream"], ollama.body["think"]) == (False, False)
    assert ollama.body["format"] == closed(SCHEMA)
    assert ollama.body["options"] == {"temperature": 0.0, "num_predict": 99}
    assert "authorization" not in ollama.headers
    assert (openai.path, openai.body["messages"]) == ("/v1/chat/completions", told)
    assert openai.body["max_tokens"] == 99
    assert openai.body["response_format"]["json_schema"]["schema"] == closed(SCHEMA)
    assert openai.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert openai.headers["authorization"] == f"Bearer {KEY}"
    assert (anthropic.path, anthropic.body["messages"]) == ("/v1/messages", told[1:])
    assert (anthropic.body["system"], anthropic.body["max_tokens"]) == ("You.", 99)
    assert anthropic.body["output_config"]["format"]["schema"] == closed(SCHEMA)
    assert anthropic.headers["x-api-key"] == KEY
    assert anthropic.headers["anthropic-version"]
    assert "authorization" not in anthropic.headers


def test_without_a_schema_no_form_is_asked_for(make: Make, server: LLMServer) -> None:
    """U14.1: a free answer is free, and an empty system text is not sent."""
    server.turn = Turn(text="그냥 문장이다.")
    assert make().ask(Request(system="", prompt="가")).text == "그냥 문장이다."
    body = server.seen[0].body
    assert not {"format", "response_format", "output_config", "tools", "system"} & set(body)
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_a_thinking_switch_is_not_sent_to_servers_of_others() -> None:
    """U14.1: what only self-hosted servers know is kept from the others."""
    far = OpenAIModel("https://api.example.com/v1", "m", KEY)
    assert "chat_template_kwargs" not in far._question(REQUEST, "schema")
    assert not far.local


def test_a_model_that_ollama_runs_elsewhere_is_not_local(server: LLMServer) -> None:
    """U18.3: a local server that passes the text on is told apart from one that keeps it."""
    assert OllamaModel(server.url, "qwen3:4b").local
    assert not OllamaModel(server.url, "gpt-oss:120b-cloud").local
    assert not OllamaModel("http://192.168.0.9:11434", "qwen3:4b").local


def test_a_schema_is_closed_where_it_does_not_say() -> None:
    """U14.1: strict servers accept only closed objects; what the schema says itself stays."""
    shut = closed(SCHEMA)
    assert shut["additionalProperties"] is False
    assert shut["required"] == ["facts"]
    assert shut["properties"]["facts"]["items"]["required"] == ["content"]
    told = {"type": "object", "properties": {"properties": {"type": "string"}}, "required": []}
    assert closed(told)["required"] == []
    assert closed(told)["properties"] == {"properties": {"type": "string"}}
    frozen: Mapping[str, object] = MappingProxyType(
        {"anyOf": ({"properties": MappingProxyType({"a": {}})},)}
    )
    assert json.loads(json.dumps(closed(frozen)))["anyOf"][0]["required"] == ["a"]


# -- giving way -----------------------------------------------------------------------------------

LADDERS = [
    ("openai", {"json_schema"}, "json_object", 2),
    ("openai", {"json_schema", "json_object"}, None, 3),
    ("ollama", {"format"}, "json", 2),
    ("ollama", {"format", "format json"}, None, 3),
    ("anthropic", {"output_config"}, "answer", 2),
    ("anthropic", {"output_config", "tools"}, None, 3),
]


@pytest.mark.parametrize(("kind", "turns_down", "form", "requests"), LADDERS)
def test_a_form_that_is_turned_down_is_given_up_and_remembered(
    server: LLMServer, kind: str, turns_down: set[str], form: str | None, requests: int
) -> None:
    """U14.1: structured output where the server has it; the schema in words where it has not."""
    server.turns_down = turns_down
    model = made(kind, server.url)
    assert contents(model) == ["민호는 부산으로 이사했다"]
    assert len(server.seen) == requests
    assert contents(model) == ["민호는 부산으로 이사했다"]
    assert len(server.seen) == requests + 1, "the second question knows it from the first"
    body = server.seen[-1].body
    asked = body.get("format") or body.get("response_format", {}).get("type")
    assert (asked or body.get("tool_choice", {}).get("name")) == form
    system = body.get("system") or body["messages"][0]["content"]
    assert ("fits this schema" in system) == (kind != "anthropic" or form is None)


@pytest.mark.parametrize(
    ("kind", "option", "instead"),
    [
        ("openai", "max_tokens", "max_completion_tokens"),
        ("openai", "temperature", ""),
        ("openai", "chat_template_kwargs", ""),
        ("anthropic", "temperature", ""),
        ("ollama", "think", ""),
    ],
)
def test_an_option_that_is_turned_down_is_left_out_and_remembered(
    server: LLMServer, kind: str, option: str, instead: str
) -> None:
    """U14.1: newer models that take another cap or no temperature work without configuration."""
    server.turns_down = {option}
    model = made(kind, server.url)
    assert contents(model) == ["민호는 부산으로 이사했다"]
    assert contents(model) == ["민호는 부산으로 이사했다"]
    assert len(server.seen) == 3
    assert option in server.seen[0].body, "the control: it was sent, and turned down"
    assert option not in server.seen[-1].body
    assert not instead or server.seen[-1].body[instead] == 1024


def test_giving_way_ends(server: LLMServer) -> None:
    """U14.2: a server that turns everything down is asked a bounded number of times."""
    server.fail(*["400"] * 20)
    with pytest.raises(BadReply, match="invalid messages"):
        made("openai", server.url).ask(REQUEST)
    assert len(server.seen) == 1
    server.faults.clear()
    server.turns_down = {"json_schema", "json_object", "temperature", "chat_template_kwargs"}
    server.fail("401")
    with pytest.raises(EngineError, match="key"):
        made("openai", server.url).ask(REQUEST)
    assert len(server.seen) == 6


def test_a_question_that_is_too_long_gives_nothing_up(server: LLMServer) -> None:
    """U14.2: a complaint about length that names an option does not take that option away."""
    model = made("openai", server.url)
    server.fail("too long")
    with pytest.raises(BadReply, match="context length"):
        model.ask(REQUEST)
    assert len(server.seen) == 1
    model.ask(REQUEST)
    assert server.seen[-1].body["response_format"]["type"] == "json_schema"


# -- the faults of R-23 ---------------------------------------------------------------------------

FAULTS = [
    ("401", EngineError, "key"),
    ("403", EngineError, "key"),
    ("404", EngineError, "does not have this model"),
    ("400", BadReply, "invalid messages"),
    ("429", Unavailable, "7 seconds"),
    ("500", Unavailable, "runner has stopped"),
    ("503", Unavailable, "loading"),
    ("529", Unavailable, "Overloaded"),
    ("silence", Unavailable, "in time"),
    ("stall", Unavailable, "in time"),
    ("reset", Unavailable, "broke the connection"),
    ("half", Unavailable, "broke the connection"),
    ("html", BadReply, "web page"),
    ("cut json", BadReply, "cut-off JSON"),
    ("bad json", BadReply, "broken"),
    ("deep json", BadReply, "broken"),
    ("no body", BadReply, "broken"),
    ("other json", BadReply, "no message"),
    ("list json", BadReply, "no message"),
    ("error in 200", BadReply, "no credits left"),
    ("huge", BadReply, "more than"),
    ("empty", BadReply, "answered nothing"),
    ("blank", BadReply, "answered nothing"),
    ("tool call", BadReply, "called a tool"),
    ("only thinking", BadReply, "thought but did not answer"),
    ("cut thinking", BadReply, "used up its tokens"),
    ("schema tool cut", BadReply, "used up its tokens"),
    ("wrong schema", BadReply, "another shape"),
    ("invalid content", BadReply, "prose"),
    ("refusal text", BadReply, "refused"),
    ("deep content", BadReply, "too deeply"),
    ("prompt echo", BadReply, "repeated the question"),
]


@pytest.mark.parametrize(("fault", "error", "says"), FAULTS)
def test_every_fault_is_one_error_that_names_who_and_what_next(
    make: Make, server: LLMServer, fault: str, error: type[SaegimError], says: str
) -> None:
    """R-23, U18.4: each fault gives its class, the URL, the model and a next step, asked once."""
    model = make(model="tiny-model", settings=waits(fault))
    wait_until(lambda: answers(model))  # the control: without the fault it answers
    server.seen.clear()
    server.fail(fault)
    with pytest.raises(EngineError, match=says) as caught:
        contents(model)
    # A server that says nothing may read the question after it was given up.
    wait_until(lambda: not server.faults)
    assert type(caught.value) is error
    assert server.url in caught.value.message
    assert "tiny-model" in caught.value.message
    assert caught.value.next_step
    assert len(server.seen) == 1, "no second try: who asks decides"
    wait_until(lambda: answers(model))  # and after the fault it answers again


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_refusal_of_the_server_is_named(server: LLMServer, kind: str) -> None:
    """R-23: what the server itself marks as refused is no answer."""
    server.fail("refusal")
    with pytest.raises(BadReply, match="refused to answer"):
        made(kind, server.url).ask(REQUEST)
    server.turn = Turn(text="", ended="content_filter")
    if kind == "openai":
        with pytest.raises(BadReply, match="content_filter"):
            made(kind, server.url).ask(REQUEST)


def test_a_server_that_is_not_running_is_named(kind: str) -> None:
    """R-23, U18.4: connection refused says who, and how to start it."""
    nowhere = f"http://127.0.0.1:{closed_port()}"
    with pytest.raises(Unavailable, match="not running") as caught:
        contents(made(kind, nowhere, settings=PATIENT))
    assert nowhere in caught.value.message
    assert "(model m)" in caught.value.message
    assert caught.value.next_step


def test_a_name_that_leads_nowhere_is_named(kind: str) -> None:
    """R-23: a DNS failure is told apart from a server that is down."""

    def lost(host: str, port: int) -> list[str]:
        raise OSError("no such host")

    with pytest.raises(Unavailable, match=r"model\.test leads nowhere") as caught:
        contents(made(kind, "http://model.test:1", resolve=lost))
    assert caught.value.next_step


def test_a_certificate_that_nobody_trusts_is_named(kind: str, tmp_path: Path) -> None:
    """R-23: TLS is not waved through, and nothing of the question is sent."""
    with LLMServer(context=untrusted(tmp_path)) as server:
        with pytest.raises(Unavailable, match="certificate") as caught:
            contents(made(kind, f"https://localhost:{server.port}", settings=PATIENT))
        assert server.seen == []
    assert "certificate" in caught.value.next_step


def test_a_server_without_tls_is_told_from_one_that_is_down(kind: str, server: LLMServer) -> None:
    """R-23: https in front of a plain server says so."""
    with pytest.raises(Unavailable, match="TLS") as caught:
        contents(made(kind, f"https://localhost:{server.port}", settings=PATIENT))
    assert "http://" in caught.value.next_step
    assert contents(made(kind, f"http://localhost:{server.port}", settings=PATIENT))


@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [("429", 7, 7), ("429 past", 0, 0), ("429 future", 1e6, 1e11)],
)
def test_the_wait_a_server_asks_for_reaches_the_caller(
    make: Make, server: LLMServer, fault: str, least: float, most: float
) -> None:
    """R-23: Retry-After, as a number or as a date, is on the error."""
    server.fail(fault)
    with pytest.raises(Unavailable) as caught:
        make().ask(REQUEST)
    assert caught.value.retry_after is not None
    assert least <= caught.value.retry_after <= most


@pytest.mark.parametrize("fault", ["429 odd", "503", "silence"])
def test_no_wait_is_made_up(make: Make, server: LLMServer, fault: str) -> None:
    """R-23: a server that names no time is not given one."""
    server.fail(fault)
    with pytest.raises(Unavailable) as caught:
        make(settings=waits(fault)).ask(REQUEST)
    assert caught.value.retry_after is None


def test_a_huge_answer_is_not_read(make: Make, server: LLMServer) -> None:
    """R-23, M11: of fifty megabytes a few are read, and memory stays small."""
    model = make()
    model.ask(REQUEST)
    server.fail("huge")
    tracemalloc.start()
    try:
        with pytest.raises(BadReply, match="more than"):
            model.ask(REQUEST)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert server.released.wait(120)
    assert server.sent < HUGE
    assert peak < 16 * 1024 * 1024


@pytest.mark.parametrize("fault", ["schema tool", "thinking", "parts", "nul", "other language"])
def test_what_can_be_used_is_used(make: Make, server: LLMServer, fault: str) -> None:
    """R-23, U14.1: the schema's own tool, thinking, parts and NUL do not cost the answer."""
    server.fail(fault)
    expected = "Minho moved to Busan" if fault == "other language" else "민호는 부산으로 이사했다"
    assert contents(make()) == [expected]


@pytest.mark.parametrize("fault", ["surrogates", "broken tool"])
def test_broken_unicode_does_not_travel_on(make: Make, server: LLMServer, fault: str) -> None:
    """R-23: half characters are replaced, whole ones kept, and the answer can be stored."""
    server.fail(fault, fault)
    model = make()
    model.ask(REQUEST).text.encode()
    (found,) = contents(model)
    assert found.startswith("\ufffd민호 🍭")
    assert "\x00" not in found


def test_an_answer_cut_by_the_cap_keeps_its_whole_items(make: Make, server: LLMServer) -> None:
    """U14.1: a truncated answer says so, and what is whole in it is saved."""
    server.fail("cut")
    model = make()
    assert not model.ask(REQUEST).finished
    server.fail("cut")
    assert contents(model) == ["민호는 부산으로 이사했다"]


@pytest.mark.parametrize("fault", ["no usage", "odd usage"])
def test_tokens_that_are_not_counted_are_estimated(
    make: Make, server: LLMServer, fault: str
) -> None:
    """U9.2: every call has a cost, also where the server does not say it."""
    server.fail(fault)
    answer = make().ask(REQUEST)
    assert answer.tokens_in == tokens_of(REQUEST) > estimate(REQUEST.prompt)
    assert answer.tokens_out == estimate(HEALTHY)


# -- never another server -------------------------------------------------------------------------


def test_a_failing_server_is_never_replaced(
    kind: str, server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U18.3: with the server down, keys and proxies in the environment, nobody else is asked."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST"):
        monkeypatch.setenv(name, server.url)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, server.url)
    with pytest.raises(Unavailable):
        contents(made(kind, f"http://127.0.0.1:{closed_port()}", settings=PATIENT))
    assert server.seen == []
    contents(made(kind, server.url))
    assert len(server.seen) == 1, "the control: the server would have noticed"


def test_a_redirect_is_not_followed(make: Make, server: LLMServer) -> None:
    """M11, attack 74: a server cannot send our texts to another host."""
    with LLMServer() as other:
        server.elsewhere = f"{other.url}/api/chat"
        server.fail("redirect")
        with pytest.raises(BadReply, match="elsewhere"):
            make().ask(REQUEST)
        assert other.seen == []


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254"])
def test_a_name_that_leads_to_metadata_is_not_asked(
    kind: str, server: LLMServer, address: str
) -> None:
    """M11, attack 74: where a name leads is checked before anything is sent."""
    model = made(
        kind, f"http://model.test:{server.port}", resolve=lambda host, port: ["127.0.0.1", address]
    )
    with pytest.raises(EngineError, match="no model server"):
        model.ask(REQUEST)
    assert server.seen == []


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/",
        "http://[::ffff:169.254.169.254]/",
        "http://2852039166/",
        "file:///etc/passwd",
        "gopher://localhost:11434/",
        "http://user:password@localhost:11434",
        "http://localhost:11434\r\nX-Evil: 1",
    ],
)
def test_addresses_that_no_model_server_has_are_refused(kind: str, url: str) -> None:
    """M11, attack 74: refused when configured, before any request."""
    with pytest.raises(SettingsError) as caught:
        made(kind, url)
    assert "password@" not in str(caught.value)


# -- names, keys and questions --------------------------------------------------------------------


@pytest.mark.parametrize("model", ["", "  ", "m\r\nX-Evil: 1", "m\x00", "x" * 201])
def test_a_model_name_that_no_model_has_is_refused(kind: str, model: str) -> None:
    """Attack 77: a line break in the name of a model never reaches a request."""
    with pytest.raises(SettingsError, match="model"):
        made(kind, "http://localhost:1", model=model)


@pytest.mark.parametrize("key", ["with space", "line\r\nX-Evil: 1", "clé"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(kind: str, key: str) -> None:
    """Attack 77, 78: a broken key is a setting to mend, not a crash that prints it."""
    with pytest.raises(SettingsError) as caught:
        made(kind, "http://localhost:1", key=key)
    assert key not in str(caught.value)


def test_a_prompt_cannot_leave_the_body(make: Make, server: LLMServer) -> None:
    """Attack 77: line breaks of a prompt arrive as text, and broken Unicode does not stop it."""
    prompt = "하나\r\nX-Evil: 1\r\n\r\n둘 \ud800\x00"
    make().ask(Request(system="", prompt=prompt))
    assert server.seen[0].prompt == "하나\r\nX-Evil: 1\r\n\r\n둘 \ufffd"
    assert "x-evil" not in server.seen[0].headers


def test_the_key_is_shown_to_the_server_only(
    make: Make, kind: str, server: LLMServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Attack 78: neither repr nor errors nor logs give the key away, even if the server does."""
    caplog.set_level(logging.DEBUG)
    model = make()
    said = [repr(model), str(model), repr(vars(model)), repr(vars(model._wire))]
    for fault in ("key echo", "401", "429", "html", "reset", "refusal text"):
        server.fail(fault)
        with pytest.raises(EngineError) as caught:
            contents(model)
        said += [repr(caught.value), *traceback.format_exception(caught.value)]
    header = "x-api-key" if kind == "anthropic" else "authorization"
    assert KEY in server.seen[0].headers[header], "the control: it was sent"
    assert KEY not in "\n".join([*said, caplog.text])
    assert "[key]" in "\n".join(said), "the control: the echo did reach the error"


@pytest.mark.parametrize(
    "request_", [Request(system="s", prompt=" \n"), Request(system="", prompt="a", max_tokens=0)]
)
def test_a_question_that_has_no_answer_is_not_sent(
    make: Make, server: LLMServer, request_: Request
) -> None:
    """U14.2: an empty prompt and an answer of no tokens cost no call."""
    with pytest.raises(BadInput):
        make().ask(request_)
    assert server.seen == []


def test_waiting_is_bounded_by_one_number() -> None:
    """U14.2: the seconds of the settings bound connecting, the first byte and the whole answer."""
    short, usual = patience(0.5), patience(120.0)
    assert (short.connect_seconds, short.read_seconds, short.total_seconds) == (0.5, 0.5, 0.5)
    assert (usual.connect_seconds, usual.largest_reply) == (5.0, 2 * 1024 * 1024)


def test_a_missing_http_client_is_named(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """U18.4: who has not installed the optional part is told its name at once."""
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"saegim\[remote\]"):
        made(kind, "http://localhost:1")


def test_the_http_client_is_loaded_only_when_asked() -> None:
    """DESIGN 2: importing the models costs no HTTP client and no numpy."""
    code = (
        "import sys, saegim.engines.llm.models, saegim.engines.llm.json_repair\n"
        "sys.exit(bool({'httpx2', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
