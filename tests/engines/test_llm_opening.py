"""Which model the settings open: none unless a person says so, and then that one alone."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from engines.llm_server import LLMServer
from saegim import Saegim, Settings
from saegim.engines.llm.models import Anthropic, OllamaModel, OpenAIModel, Request, Scripted
from saegim.errors import SettingsError, Unavailable
from saegim.mind import MODEL_URLS, open_model
from saegim.settings import read_settings
from stand_ins import wait_until

KEY = "sk-secret-4711-abcdef"
ASK = Request(system="", prompt="가")


@pytest.fixture
def wire_tap(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Write down every connection that is opened, and every name that is looked up."""
    reached: list[object] = []
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def connecting(self: socket.socket, address: object) -> None:
        reached.append(address)
        connect(self, address)  # type: ignore[arg-type]

    def resolving(host: str, *rest: Any, **options: Any) -> object:
        reached.append(host)
        return resolve(host, *rest, **options)

    monkeypatch.setattr(socket.socket, "connect", connecting)
    monkeypatch.setattr(socket, "getaddrinfo", resolving)
    return reached


def test_keys_in_the_environment_turn_nothing_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wire_tap: list[object]
) -> None:
    """U9.2: beside the keys of other programs, a fresh install connects nowhere."""
    with LLMServer() as server:
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY"):
            monkeypatch.setenv(name, KEY)
        for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "HTTP_PROXY"):
            monkeypatch.setenv(name, server.url)
        settings = read_settings(tmp_path)
        assert settings.model == ""
        assert open_model(settings) is None
        before = threading.active_count()
        with Saegim.open(tmp_path / "memory.db") as memory:
            memory.remember("지민은 커피 대신 홍차를 마신다")
            assert memory.recall("홍차")
        wait_until(lambda: threading.active_count() <= before)
        assert wire_tap == []
        assert server.seen == []
        model = open_model(Settings(model="ollama:m", model_url=server.url))
        assert model is not None
        model.ask(ASK)
        assert len(server.seen) == 1, "the control: turned on, it is asked"
        assert wire_tap, "the control: the tap does hear"


def test_keys_of_other_programs_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """U9.2: who turns a model on gives its key to Saegim; another's is neither read nor sent."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(SettingsError, match="needs a key") as caught:
        open_model(Settings(model="anthropic:m"))
    assert "SAEGIM_MODEL_KEY" in caught.value.next_step
    with LLMServer() as server:
        for name, path in (("openai", "/v1"), ("anthropic", "")):
            model = open_model(Settings(model=f"{name}:m", model_url=server.url + path))
            assert model is not None
            model.ask(ASK)
        assert len(server.seen) == 2
        assert not any(KEY in str(request.headers) for request in server.seen)


def test_each_name_opens_its_own_kind() -> None:
    """U18.3: the model that is named is the model that is opened."""
    kinds = {"ollama": OllamaModel, "openai": OpenAIModel, "anthropic": Anthropic}
    for name, kind in kinds.items():
        settings = Settings(model=f"{name}:a:b", model_url="http://127.0.0.1:1/v1", model_key=KEY)
        model = open_model(settings)
        assert type(model) is kind
        assert model.model == "a:b"
        assert "127.0.0.1:1" in repr(model)
    far = open_model(Settings(model="anthropic:m", model_key=KEY))
    assert far is not None
    assert MODEL_URLS["anthropic"] in repr(far)
    assert not far.local
    near = open_model(Settings(model="ollama:m"))
    assert near is not None
    assert near.local
    assert MODEL_URLS["ollama"] in repr(near)


def test_the_time_to_wait_is_a_setting() -> None:
    """U18.4: a model that does not answer in the time of the settings is given up."""
    with LLMServer() as server:
        server.fail("silence")
        settings = Settings(model="ollama:m", model_url=server.url, model_timeout=0.05)
        model = open_model(settings)
        assert isinstance(model, OllamaModel)
        assert model._wire._settings.read_seconds == 0.05
        with pytest.raises(Unavailable, match="in time"):
            model.ask(ASK)


def test_the_scripted_model_is_opened_only_by_name() -> None:
    """U9.2: the model for tests is never a default, and reaches nothing."""
    assert isinstance(open_model(Settings(model="scripted")), Scripted)
    named = open_model(Settings(model="scripted:other"))
    assert named is not None
    assert named.model == "other"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (Settings(model="ollama"), "needs the name"),
        (Settings(model="ollama:"), "needs the name"),
        (Settings(model="openai:m"), "needs the address"),
        (Settings(model="gpt"), "no model called"),
        (Settings(model="ollama:m", model_url="file:///x"), "http"),
        (Settings(model="ollama:m\r\nX-Evil: 1"), "line breaks"),
        (Settings(model="openai:m", model_url="http://127.0.0.1:1", model_key="a b"), "key"),
    ],
)
def test_a_model_that_cannot_be_opened_is_named(settings: Settings, says: str) -> None:
    """U18.4: a setting that cannot be used is an error that says what would do."""
    with pytest.raises(SettingsError, match=says) as caught:
        open_model(settings)
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model_daily_calls", -1),
        ("model_max_tokens", 1),
        ("model_max_tokens", 10**9),
        ("model_timeout", 0.0),
        ("model_timeout", 10_000.0),
    ],
)
def test_numbers_of_the_model_have_bounds(name: str, value: float) -> None:
    """U9.2: caps cannot be set to something that caps nothing."""
    with pytest.raises(SettingsError, match=name):
        Settings(**{name: value})  # type: ignore[arg-type]


def test_the_key_of_the_model_is_never_shown(tmp_path: Path) -> None:
    """Attack 78: neither printing nor status tells it, and it can come from the environment."""
    settings = read_settings(tmp_path, {"SAEGIM_MODEL_KEY": KEY, "SAEGIM_MODEL": "ollama:m"})
    assert (settings.model, settings.model_key) == ("ollama:m", KEY)
    assert KEY not in repr(settings)
    assert settings.shown()["model_key"] == "…"
    assert Settings().shown()["model_key"] == ""
    assert Settings(embedder_key=KEY).shown()["embedder_key"] == "…"
