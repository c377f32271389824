"""`saegim mcp` as a client starts it: what it loads, what it writes, and in which encoding."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from stdio_client import ERAS, MODERN, Peer, Started, envelope, request

from saegim import Saegim
from saegim.serve.mcp.stdio import whole
from stand_ins import PATIENCE, wait_until

SEEING = Path(__file__).parent / "seeing"
# U6.1: none of these may stand between a client and its first answers.
HEAVY = {
    "torch", "onnxruntime", "tokenizers", "kiwipiepy", "httpx", "httpx2", "httpcore", "numpy",
    "apsw", "mcp", "mcp_types", "pydantic", "anyio", "turbovec", "rich",
}  # fmt: skip
OURS = {"saegim.store", "saegim.saegim", "saegim.engines", "saegim.recall", "saegim.perceive"}


@pytest.fixture
def client() -> Iterator[Callable[..., Started]]:
    """Start servers in processes of their own."""
    peers: list[Started] = []

    def made(*given: Any, **more: Any) -> Started:
        peers.append(Started(*given, **more))
        return peers[-1]

    yield made
    for peer in peers:
        peer.close()


def loaded(notes: Path, at: int) -> set[str]:
    """The modules that were loaded when the server wrote its n-th line."""
    names = notes.read_text(encoding="utf-8").splitlines()[at].split()
    return {*names, *(name.partition(".")[0] for name in names)}


@pytest.mark.parametrize("era", ERAS)
def test_the_first_answers_need_nothing_heavy(
    client: Callable[..., Started], tmp_path: Path, era: str
) -> None:
    """U6.1: initialize (or discovery) and tools/list come before model, store, SDK and network."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    peer = client(home, PYTHONPATH=str(SEEING), LOADED=str(notes))
    peer.open(era)
    assert len(peer.ask("tools/list")["tools"]) == 12
    assert not (HEAVY | OURS) & loaded(notes, 0)
    # The second comes while the rest is being loaded; the store is still untouched.
    assert not {"apsw", "numpy", "saegim.store", "saegim.saegim"} & loaded(notes, 1)
    assert not home.exists()
    peer.told("memory_stats")
    assert {"apsw", "mcp", "saegim.store"} <= loaded(notes, -1)
    assert home.exists()


# -- what is written ------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_nothing_but_the_protocol_is_ever_written(started: Callable[..., Peer], era: str) -> None:
    """U28.1: whatever prints, warns, draws, writes to descriptor 1 or crashes, lines stay lines."""
    peer = started(act="with_noise")
    peer.open(era)
    kept = peer.told("memory_save", text="보리차")["id"]
    for tool in ("memory_stats", "policy_status"):
        said = peer.trouble(tool)
        assert said["kind"] == "SaegimError"
        assert "secret" not in said["message"]
        assert said["next_step"]
    assert peer.told("memory_search", query="보리차")["hits"][0]["id"] == kept
    assert peer.ask("tools/list")["tools"]


def test_noise_on_the_wire_is_seen(started: Callable[..., Peer]) -> None:
    """U28.1 control: with descriptor 1 left where it was, the client reads what is no message."""
    peer = started(act="with_noise_on_the_wire")
    peer.open()
    with pytest.raises((ValueError, AssertionError)):
        peer.told("memory_save", text="보리차")


# -- encodings and paths --------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_any_locale_and_any_path_will_do(
    client: Callable[..., Started], tmp_path: Path, era: str
) -> None:
    """U15.1, U15.2: Hangul, emoji and half characters, in the C locale, in a home like this."""
    place = tmp_path / "홍 길동 (회사)"
    project = place / "새 프로젝트 (1)"
    (project / ".git").mkdir(parents=True)
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "LANG": "C"}
    peer = client(place / "집 (data)", cwd=project, **ascii_only)
    peer.open(era)
    text = "보리차 🍵 좋아해 — «déjà vu» 𠮷"
    kept = peer.told("memory_save", text=text)
    # What someone likes is theirs in every project; what the project runs on is the project's.
    assert kept["scope"]["project"] == ""
    decided = peer.told("memory_save", text="배포 서버 포트는 8080으로 정했다")
    assert decided["scope"]["project"]
    assert peer.told("memory_search", query="보리차 🍵")["hits"][0]["text"] == text
    assert peer.told("memory_save", text=text)["duplicate_of"] == kept["id"]
    # A text that was cut by length may end in half an emoji.
    for cut, mended in (("cut here \ud83c", "cut here �"), ("\udf75 cut there", "� cut there")):
        half = peer.told("memory_save", text=cut)["id"]
        assert mended in peer.told("memory_search", query=cut)["hits"][0]["text"]
        kept_half = peer.ask("resources/read", uri=f"saegim://memories/{half}")["contents"][0]
        assert json.loads(kept_half["text"])["memory"]["text"] == mended
    peer.trouble("memory_search", query="x", **{"열쇠 \ud800": 1})
    with Saegim.open(place / "집 (data)" / "saegim.db", background=False) as memory:
        assert memory.within(project=kept["scope"]["project"]).get(kept["id"]).text == text


def test_halves_of_characters_are_mended_and_nothing_else() -> None:
    r"""U15.1: a lone \ud83d becomes U+FFFD; a pair, an escaped backslash and plain text stay."""
    for given, made in (
        (r'{"a":"\ud83c"}', r'{"a":"\ufffd"}'),
        (r'{"a":"\uD83C x \udf75"}', r'{"a":"\ufffd x \ufffd"}'),
        (r'{"a":"\udf75\ud83c"}', r'{"a":"\ufffd\ufffd"}'),
        (r'{"a":"\ud83c\ud83c\udf75"}', r'{"a":"\ufffd\ud83c\udf75"}'),
        (r'{"a":"\ud83c\udf75"}', r'{"a":"\ud83c\udf75"}'),
        (r'{"a":"\\ud83c"}', r'{"a":"\\ud83c"}'),
        (r'{"a":"\\\ud83c"}', r'{"a":"\\\ufffd"}'),
        ('{"a":"🍵 \\n"}', '{"a":"🍵 \\n"}'),
        (r'{"a":"\ud83"}', r'{"a":"\ud83"}'),
    ):
        assert whole(given.encode()) == made
    assert whole(b'{"a":"\xff"}') == '{"a":"\ufffd"}'


# -- while nobody asks ----------------------------------------------------------------------------


@pytest.mark.parametrize("minutes", ["0.005", "5"])
def test_a_server_nobody_asks_gives_the_store_back(
    started: Callable[..., Peer], tmp_path: Path, minutes: str
) -> None:
    """U11.2: after the set time the store is closed; the next question opens it again."""
    # Whoever closes a store last takes its log away.
    log = tmp_path / "home" / "saegim.db-wal"
    peer = started(SAEGIM_REST_AFTER_MINUTES=minutes)
    peer.open()
    kept = peer.told("memory_save", text="보리차")["id"]
    if minutes == "5":
        assert log.exists()
    else:
        wait_until(lambda: not log.exists())
    assert peer.told("memory_search", query="보리차")["hits"][0]["id"] == kept


def test_broken_settings_are_told_by_a_call_and_not_by_silence(
    started: Callable[..., Peer], tmp_path: Path
) -> None:
    """U1.3: with settings that cannot be read, the client connects and hears what is wrong."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.toml").write_text("no_such_setting = 1\n", encoding="utf-8")
    peer = started()
    peer.open()
    assert len(peer.ask("tools/list")["tools"]) == 12
    said = peer.trouble("memory_stats")
    assert said["kind"] == "SettingsError"
    assert "no_such_setting" in said["message"]


def test_calls_that_come_together_are_answered_each(started: Callable[..., Peer]) -> None:
    """Many calls in flight on one connection are all answered, each under its own id."""
    peer = started()
    peer.open(MODERN)
    for at in range(20):
        arguments = {"name": "memory_save", "arguments": {"text": f"together {at}"}}
        peer.send(request("tools/call", envelope(**arguments), at))
    told = [peer.line() for _ in range(20)]
    assert {each["id"] for each in told if each} == set(range(20))
    assert peer.told("memory_stats")["total"] == 20


@pytest.mark.parametrize("gone", ["<&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null"])
def test_a_client_without_a_stream_is_one_that_is_gone(gone: str) -> None:
    """U11.1: nobody says anything, so the server ends in good order; the control is an open end."""
    ended = subprocess.run(
        ["/bin/sh", "-c", f'exec "{sys.executable}" -m saegim mcp {gone}'],
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
