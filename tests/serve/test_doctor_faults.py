"""`saegim doctor` on the command line: every fault by its name, no false alarm, and no trace."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import apsw
import pytest
from saying import Answer, Say

from ports import free_port
from readonly import read_only
from saegim import Saegim, __version__
from saegim.engines.brain import model as static
from saegim.memory.clock import FixedClock
from saegim.messages import entries, has
from saegim.serve import token
from saegim.serve.clients.flow import ClientState, state_of
from saegim.serve.clients.roster import CLIENTS, running
from saegim.serve.hooks import journal
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.spool import Sheet, Spool, SpoolEntry
from saegim.serve.surroundings import client_checks, flow
from saegim.serve.surroundings.outcomes import level_of
from serve.rest.doorbell import front

SAID = entries("surroundings", "en")
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "when-doctor-complains.md"
FIRST = "(SELECT min(number) FROM memory WHERE owner = 'me' AND state = 'active')"
TEXTS = ("우리 강아지 이름은 보리다", "배포는 화요일에만 한다", "My sister is allergic to peanuts")


@dataclass
class Machine:
    """The folders of a person, in which a test may break things."""

    home: Path
    user: Path
    patch: pytest.MonkeyPatch

    @property
    def store(self) -> Path:
        return self.home / "saegim.db"

    @property
    def cursor(self) -> Path:
        return self.user / ".cursor" / "mcp.json"

    @property
    def claude(self) -> Path:
        return self.user / ".claude" / "settings.json"

    def sql(self, *statements: str) -> None:
        """Do to the file what no part of the house would do."""
        with closing(apsw.Connection(str(self.store))) as connection:
            for statement in statements:
                connection.execute(statement).fetchall()

    def set(self, **variables: str) -> None:
        for name, value in variables.items():
            self.patch.setenv(f"SAEGIM_{name.upper()}", value)

    def connect(self, *command: str) -> None:
        """Write our entry into the configuration of Cursor, with this command."""
        entry = {"command": command[0], "args": [*command[1:], "mcp"]}
        self.cursor.write_text(json.dumps({"mcpServers": {"saegim": entry}}), encoding="utf-8")

    def hook(self, **commands: list[str]) -> None:
        """Write hooks into the settings of Claude Code: by event, the words before `hook`."""
        hooks = {}
        for name, words in commands.items():
            event = name.replace("_", "-")
            one = {"type": "command", "command": words[0], "args": [*words[1:], "hook", event]}
            hooks[EVENTS[event]] = [{"hooks": [one]}]
        self.claude.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")

    def program(self, name: str, script: str) -> str:
        """Put a program of the name saegim somewhere."""
        path = self.user / name / "saegim"
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def serve(self, **other: Any) -> None:
        """Tell of a server that is not there."""
        port = free_port()
        told = {"pid": os.getpid(), "port": port, "url": f"http://127.0.0.1:{port}"}
        told |= {"token_file": "", "version": __version__, "store": str(self.store), **other}
        (self.home / "server.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A healthy home: a few memories, a backup of them, a token."""
    home = tmp_path_factory.mktemp("furnished") / "home"
    with Saegim.open(home / "saegim.db") as memory:
        for text in TEXTS:
            memory.remember(text)
        memory.forget(memory.search("peanuts")[0].id)
        memory.maintenance.backup()
    token.token_at(home)
    return home


@pytest.fixture
def machine(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A person's machine with a healthy memory, to which Cursor and Claude Code are connected."""
    user = tmp_path / "홍 길동 (회사)"
    made = Machine(tmp_path / "home", user, monkeypatch)
    shutil.copytree(furnished, made.home)
    for folder in (user, made.cursor.parent, made.claude.parent):
        folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(user))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    made.connect(*running())
    made.hook(stop=list(running()))
    return made


def troubles(answer: Answer) -> set[str]:
    """Return what is not as it should be, as `name.case`; the exit code must agree with it."""
    found = answer.json["findings"]
    assert answer.code == (0 if answer.json["ok"] else 1)
    assert answer.json["ok"] is all(each["level"] != "failure" for each in found)
    assert all(bool(each["fix"]) is (each["level"] != "ok") for each in found)
    return {f"{each['name']}.{each['case']}" for each in found if each["level"] != "ok"}


# -- faults of the store ---------------------------------------------------------------------------

Inject = Callable[[Machine], None]
FAULTS: dict[str, tuple[Inject, set[str]]] = {}


def found_as(*findings: str) -> Callable[[Inject], Inject]:
    """Note by which findings a fault must be found; nothing else may be blamed."""

    def noted(inject: Inject) -> Inject:
        FAULTS[inject.__name__] = inject, set(findings)
        return inject

    return noted


@found_as("file.error")
def the_store_is_gone(machine: Machine) -> None:
    """The store is gone."""
    machine.store.unlink()


@found_as("file.error")
def the_store_is_cut_in_half(machine: Machine) -> None:
    """The store is cut in half."""
    os.truncate(machine.store, machine.store.stat().st_size // 2)


@found_as("file.error")
def the_store_is_empty(machine: Machine) -> None:
    """The store is empty."""
    os.truncate(machine.store, 0)


@found_as("file.error")
def the_store_is_of_another_program(machine: Machine) -> None:
    """The store is of another program."""
    machine.store.unlink()
    machine.sql("CREATE TABLE note (words)")
    machine.store.chmod(0o600)


@found_as("integrity.damaged", "words.missing")
def the_word_index_lost_what_it_indexes(machine: Machine) -> None:
    """The word index lost what it indexes."""
    machine.sql(f"DELETE FROM words_basic_content WHERE id = {FIRST}")


@found_as("words.missing")
def a_row_of_the_word_index_is_gone(machine: Machine) -> None:
    """A row of the word index is gone."""
    machine.sql(f"DELETE FROM words_basic WHERE rowid = {FIRST}")


@found_as("vectors.lost")
def a_vector_is_gone(machine: Machine) -> None:
    """A vector is gone."""
    machine.sql(f"DELETE FROM vector WHERE number = {FIRST}")


@found_as("vectors.unusable")
def a_vector_is_torn(machine: Machine) -> None:
    """A vector is torn."""
    machine.sql(f"UPDATE vector SET data = substr(data, 1, 40) WHERE number = {FIRST}")


@found_as("ledger.broken")
def a_line_of_the_ledger_is_altered(machine: Machine) -> None:
    """A line of the ledger is altered."""
    machine.sql("UPDATE ledger SET actor = 'someone' WHERE owner = 'me' AND seq = 2")


@found_as("memories.lost", "ledger.broken")
def a_memory_is_gone(machine: Machine) -> None:
    """A memory is gone."""
    machine.sql(f"DELETE FROM memory WHERE number = {FIRST}")


@found_as("permissions.open")
def others_can_read_the_store(machine: Machine) -> None:
    """Others can read the store."""
    machine.store.chmod(0o644)


@found_as("disk.full")
def the_disk_is_full(machine: Machine) -> None:
    """The disk is full."""
    real = shutil.disk_usage(machine.home)
    machine.patch.setattr(shutil, "disk_usage", lambda _: real._replace(free=1_000_000))


@found_as("backup.damaged")
def the_backup_is_damaged(machine: Machine) -> None:
    """The backup is damaged."""
    os.truncate(max((machine.home / "backups").glob("*.db")), 4096)


@found_as("backup.old")
def the_backup_is_of_last_season(machine: Machine) -> None:
    """The backup is of last season."""
    backup = max((machine.home / "backups").glob("*.db"))
    backup.rename(backup.with_name("saegim-20200101-000000-000000.db"))
    remember(machine, "오늘 새로 생긴 일")


@found_as("leftovers.some")
def a_backup_was_never_finished(machine: Machine) -> None:
    """A backup was never finished."""
    left = machine.home / "backups" / "saegim-1.db.unfinished"
    left.touch()
    os.utime(left, (0, 0))


@found_as("clock.future")
def the_clock_was_set_back(machine: Machine) -> None:
    """The clock was set back."""
    remember(machine, "내일의 일", FixedClock(datetime.now(UTC) + timedelta(days=3)))


def remember(machine: Machine, text: str, clock: FixedClock | None = None) -> None:
    """Remember one more thing."""
    with Saegim.open(machine.store, clock=clock or FixedClock(datetime.now(UTC))) as memory:
        memory.remember(text)


@found_as("second_process.error")
def a_second_process_cannot_be_started(machine: Machine) -> None:
    """A second process cannot be started."""
    machine.patch.setattr(sys, "executable", "/nonexistent/python")


# -- faults of the engines and the settings --------------------------------------------------------


@found_as("embedder.error")
def the_model_file_is_damaged(machine: Machine) -> None:
    """The model file is damaged."""
    copy = machine.user / "static.safetensors"
    copy.write_bytes(b"\xff" * 100)
    machine.patch.setattr(static.Static.__init__, "__defaults__", (256, copy))


@found_as("embedder.error", "vectors.unknown", "roundtrip.partial")
def the_embedding_server_is_down(machine: Machine) -> None:
    """The embedding server is down."""
    machine.set(embedder="openai:none", embedder_url="http://127.0.0.1:9/v1")


@found_as("model.error")
def the_model_server_is_down(machine: Machine) -> None:
    """The model server is down."""
    machine.set(model="openai:none", model_url="http://127.0.0.1:9/v1")


@found_as("settings.error")
def a_setting_is_misspelt(machine: Machine) -> None:
    """A setting is misspelt."""
    (machine.home / "settings.toml").write_text('usr = "me"\n', encoding="utf-8")


@found_as("settings.error")
def the_embedder_is_unknown(machine: Machine) -> None:
    """The embedder is unknown."""
    machine.set(embedder="psychic:1")


@found_as("in_force.stranger")
def a_variable_is_misspelt(machine: Machine) -> None:
    """A variable is misspelt."""
    machine.set(embeder="static")


@found_as("in_force.exposed")
def others_can_read_a_key(machine: Machine) -> None:
    """Others can read a key."""
    file = machine.home / "settings.toml"
    file.write_text('embedder_key = "sk-1"\n', encoding="utf-8")
    file.chmod(0o644)


# -- faults around the store -----------------------------------------------------------------------


@found_as("client:cursor.unreadable")
def the_configuration_of_a_client_is_torn(machine: Machine) -> None:
    """The configuration of a client is torn."""
    machine.cursor.write_text('{"mcpServers": {"saegim": {', encoding="utf-8")


@found_as("client:cursor.foreign")
def a_configuration_without_us_is_torn(machine: Machine) -> None:
    """A configuration without us is torn."""
    machine.cursor.write_text('{"mcpServers": {', encoding="utf-8")


@found_as("client:cursor.missing")
def the_command_of_a_client_is_gone(machine: Machine) -> None:
    """The command of a client is gone."""
    machine.connect("/gone/bin/saegim")


@found_as("client:cursor.forbidden")
def the_command_of_a_client_may_not_be_run(machine: Machine) -> None:
    """The command of a client may not be run."""
    program = machine.program("barred", "exit 0")
    os.chmod(program, 0o644)
    machine.connect(program)


@found_as("client:cursor.other")
def the_entry_of_a_client_is_of_another_program(machine: Machine) -> None:
    """The entry of a client is of another program."""
    machine.connect(shutil.which("sh") or "/bin/sh")


@found_as("client:claude-code:hooks.hooks_off")
def the_hooks_are_turned_off(machine: Machine) -> None:
    """The hooks are turned off."""
    held = json.loads(machine.claude.read_text(encoding="utf-8"))
    machine.claude.write_text(json.dumps({**held, "disableAllHooks": True}), encoding="utf-8")


@found_as("hook:stop.missing")
def the_program_of_a_hook_is_gone(machine: Machine) -> None:
    """The program of a hook is gone."""
    machine.hook(stop=["/gone/bin/saegim"])


@found_as("spool.stuck")
def the_spool_is_stuck(machine: Machine) -> None:
    """The spool is stuck."""
    entry = SpoolEntry(act="turn", role="user", text="보리", at=datetime.now(UTC))
    sheet = Sheet(session="s", project="", entries=(entry,))
    file = Spool(machine.home).put(sheet, datetime.now(UTC))
    os.utime(file, (0, 0))


@found_as("spool.apart")
def a_file_of_the_spool_was_set_apart(machine: Machine) -> None:
    """A file of the spool was set apart."""
    spool = Spool(machine.home)
    spool.folder.mkdir()
    (spool.folder / "1.json").write_text("{", encoding="ascii")
    spool.set_apart(spool.folder / "1.json")


@found_as("journal.failed")
def a_hook_has_failed(machine: Machine) -> None:
    """A hook has failed."""
    journal.note(machine.home, "stop", "failed: StoreBusy")


@found_as("journal.cut_short")
def prompts_were_cut_short(machine: Machine) -> None:
    """Prompts were cut short."""
    for _ in range(3):
        journal.note(machine.home, "user-prompt-submit", "cut short: nothing could be told in time")


@found_as("server.stale")
def the_server_is_gone(machine: Machine) -> None:
    """The server is gone."""
    machine.serve()


@found_as("server.unreadable")
def the_description_of_the_server_is_torn(machine: Machine) -> None:
    """The description of the server is torn."""
    (machine.home / "server.json").write_text("{", encoding="utf-8")


@found_as("token.open")
def others_can_read_the_token(machine: Machine) -> None:
    """Others can read the token."""
    (machine.home / "token").chmod(0o644)


@found_as("token.unusable")
def the_token_is_too_short(machine: Machine) -> None:
    """The token is too short."""
    (machine.home / "token").write_text("secret\n", encoding="ascii")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_its_name_and_nothing_else_is_blamed(
    say: Say, machine: Machine, fault: str
) -> None:
    """U12.2: far more than twenty injected faults, each found by the finding of its name."""
    inject, expected = FAULTS[fault]
    inject(machine)
    assert troubles(say("--json", "doctor", "--quick")) == expected


def test_there_are_more_than_twenty_faults_of_twenty_names() -> None:
    """U12.2: the table is as long as was promised."""
    assert len(FAULTS) >= 35
    assert len({name for _, names in FAULTS.values() for name in names}) >= 20


def test_a_store_that_cannot_be_written_is_found(say: Say, machine: Machine) -> None:
    """U12.2: a read-only home is told, and everything that can be read is still examined."""
    with read_only(machine.home) as folder:
        machine.patch.chdir(folder)
        machine.patch.setenv("HOME", str(folder))
        found = troubles(say("--path", str(folder / "saegim.db"), "--json", "doctor", "--quick"))
    assert found == {"writable.readonly", "roundtrip.error"}


# -- what is started for it ------------------------------------------------------------------------


def contents(*folders: Path) -> dict[str, tuple[str, int]]:
    """Return a digest and the mode of every file; the log's shared memory is nobody's data."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mode)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_a_healthy_machine_raises_no_alarm_and_is_left_as_it_was(
    say: Say, machine: Machine
) -> None:
    """U12.2, U15.3: server, clients, hooks and MCP are really tried; not a byte changes."""
    assert say("install", "claude-code", "--yes").code == 0
    # One of them names its store, which must not be opened for a trial.
    settings = json.loads(machine.claude.read_text(encoding="utf-8"))
    start = settings["hooks"]["SessionStart"][0]["hooks"][0]
    start["args"] = ["--path", str(machine.store), *start["args"]]
    machine.claude.write_text(json.dumps(settings), encoding="utf-8")
    with front(machine.home, embedder="static") as door:
        assert door.ask("GET", "/v1/stats").status == 200
        before = contents(machine.home, machine.user)
        answer = say("--json", "doctor")
        assert troubles(answer) == set()
        assert contents(machine.home, machine.user) == before
        told = {each["name"]: each for each in answer.json["findings"]}
        assert {f"hook:{event}" for event in EVENTS} <= set(told)
        assert all(told[f"hook:{event}"]["case"] == "ok" for event in EVENTS)
        assert "{}" in told["hook:user-prompt-submit"]["detail"]
        assert (told["mcp"]["case"], told["server"]["case"]) == ("ok", "ok")
        remember(machine, "하나 더")
        assert contents(machine.home, machine.user) != before


def test_what_fails_only_when_it_is_started_is_found(say: Say, machine: Machine) -> None:
    """U15.3: hooks, MCP and the programs of clients are run, and what goes wrong is shown."""
    broken = machine.user / "site"
    broken.mkdir()
    (broken / "apsw.py").write_text("raise ImportError('no apsw here')", encoding="utf-8")
    machine.patch.setenv("PYTHONPATH", str(broken))
    machine.hook(
        session_start=list(running()),
        stop=[machine.program("failing", "echo no luck >&2; exit 3")],
        session_end=[machine.program("talking", "echo hello")],
    )
    machine.connect(machine.program("mute", "exit 1"))
    other = {"command": machine.program("old", 'echo \'{"version": "0.0.1"}\''), "args": ["mcp"]}
    gemini = machine.user / ".gemini" / "settings.json"
    gemini.parent.mkdir()
    gemini.write_text(json.dumps({"mcpServers": {"saegim": other}}), encoding="utf-8")
    answer = say("--json", "doctor")
    assert troubles(answer) == {
        "client:cursor.broken",
        "client:gemini-cli.version",
        "hook:session-start.failed",
        "hook:stop.failed",
        "hook:session-end.answer",
        "mcp.failed",
    }
    told = {each["name"]: each["detail"] for each in answer.json["findings"]}
    assert "no luck" in told["hook:stop"]
    assert "hello" in told["hook:session-end"]
    assert "session-start failed: " in told["hook:session-start"]


def hooked(*words: str) -> ClientState:
    """Return a client with one hook."""
    return ClientState("claude-code", True, False, Path("x"), hooks=(("Stop", words),))


def test_a_hook_that_never_ends_is_ended(machine: Machine) -> None:
    """U15.3: the doctor waits a bounded time for a hook, and says so."""
    machine.patch.setattr(client_checks, "_SECONDS", 0.3)
    lazy = hooked(machine.program("lazy", "exec sleep 600"), "hook", "stop")
    (told,) = client_checks.examine_hooks([lazy], [], run=True)
    assert (told.name, told.case, told.ok) == ("hook:stop", "slow", False)


def test_what_a_folder_alone_names_is_not_run(machine: Machine) -> None:
    """Whoever examines their memory inside a stranger's folder runs nothing of the stranger."""
    mark = machine.user / "ran"
    state = hooked(machine.program("strange", f"touch '{mark}'; echo '{{}}'"), "hook", "stop")
    (told,) = client_checks.examine_hooks([], [state], run=True)
    assert (told.name, told.case, told.ok) == ("hook:stop:here", "untried", True)
    assert not mark.exists()
    assert [each.case for each in client_checks.examine_hooks([state], [state], run=True)] == [
        "ok",
        "ok",
    ]
    assert mark.exists()


def test_words_that_are_not_those_of_a_hook_are_not_run(machine: Machine) -> None:
    """A program that is known does other things as well: only the words of a hook are said."""
    mark = machine.user / "ran"
    saegim = machine.program("busy", f"touch '{mark}'; echo '{{}}'")
    script = (sys.executable, saegim, "-m", "saegim", "hook", "stop")
    for words in ((saegim, "export", "x", "hook"), (saegim, "hook", "stop", "-n")):
        (told,) = client_checks.examine_hooks([hooked(*words)], [], run=True)
        assert (told.case, told.level) == ("words", "warning")
    mine = hooked(sys.executable, "-m", "saegim", "hook", "stop")
    (_, told) = client_checks.examine_hooks([mine], [hooked(*script)], run=False)
    assert (told.case, told.ok) == ("missing", False)
    assert not mark.exists()
    for more in (
        (),
        ("--path", "x.db"),
        ("--path=x.db", "--user", "a"),
        ("--user", "a", "--path=x"),
    ):
        assert client_checks.hook_of((saegim, *more, "hook", "stop")) == (saegim,)


@pytest.mark.parametrize("start", [["--from", "https://e.example/x.zip", "saegim"], ["saegim"]])
def test_a_repository_has_no_hook_run_that_only_looks_like_ours(
    machine: Machine, start: list[str]
) -> None:
    """Whoever examines their memory inside a stranger's repository runs nothing it says."""
    mark = machine.user / "ran"
    tools = machine.user / "tools"
    tools.mkdir()
    for name in ("uvx", "python3"):
        (tools / name).write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{mark}'\necho '{{}}'\n")
        (tools / name).chmod(0o755)
    machine.patch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    machine.hook(stop=["uvx", "saegim"], session_end=["python3", "-P", "-m", "saegim"])
    here = machine.user.parent / "repository"
    code = ["-c", "import os", "-m", "saegim"]
    theirs = [("uvx", start), ("python3", code), ("python3", ["x.py", *code[2:]])]
    group = [
        {"type": "command", "command": name, "args": [*words, "hook", "stop"]}
        for name, words in theirs
    ]
    group.append({"type": "command", "command": "python3 -c 'import os' -m saegim hook stop"})
    settings = here / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": group}]}}), encoding="utf-8")
    client_checks.examine_hooks(state_of(), state_of(project=here), run=True)
    ran = sorted(mark.read_text(encoding="utf-8").splitlines())
    mine = [f"{tools}/python3 -P -m saegim hook session-end", f"{tools}/uvx saegim hook stop"]
    # Control: a hook that is the person's own, word for word, is run there too.
    assert ran == sorted([*mine, *([mine[1]] if start == ["saegim"] else [])])


# -- a server --------------------------------------------------------------------------------------


def test_a_server_that_has_another_token_or_store_is_found(say: Say, machine: Machine) -> None:
    """A server that cannot be used from here is told with what helps; the right one is not."""
    with front(machine.home, embedder="static"):
        assert troubles(say("--json", "doctor", "--quick")) == set()
        shutil.copy(machine.store, machine.home / "other.db")
        other = say("--path", str(machine.home / "other.db"), "--json", "doctor", "--quick")
        assert "server.elsewhere" in troubles(other)
        token.renewed(machine.home)
        assert troubles(say("--json", "doctor", "--quick")) == set(), "the server follows"
        (machine.home / token.FILE).unlink()
        assert "server.refuses" in troubles(say("--json", "doctor", "--quick"))


@contextmanager
def pretending(code: int, told: dict[str, str], held: str) -> Iterator[str]:
    """Listen where a server would, answer everything alike, and prove to know a token."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            nonce = self.path.partition("nonce=")[2]
            end = "{}:{}".format(*self.request.getsockname()[:2])
            proof = {"proof": token.proof_of(held, nonce, end)} if nonce else {}
            body = json.dumps({**told, **proof}).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "told", "expected"),
    [
        (200, {"status": "ok", "version": __version__}, "ok"),
        (200, {"status": "ok", "version": "0.0.1"}, "version"),
        (500, {}, "silent"),
        (200, {"hello": "world"}, "silent"),
    ],
)
def test_a_server_of_another_version_or_in_trouble_is_found(
    machine: Machine, status: int, told: dict[str, str], expected: str
) -> None:
    """The server next door is asked how it is, and which version it has."""
    with pretending(status, told, token.token_at(machine.home)) as url:
        machine.serve(url=url)
        found = flow.examine_server(machine.home, machine.store, __version__)
    assert (found.name, found.case) == ("server", expected)


def test_a_stranger_in_the_servers_place_is_not_told_the_token(machine: Machine) -> None:
    """Who cannot show that it knows the token is found, and hears nothing of it."""
    with pretending(200, {"status": "ok", "version": __version__}, "x" * 43) as url:
        machine.serve(url=url)
        found = flow.examine_server(machine.home, machine.store, __version__)
    assert (found.name, found.case) == ("server", "refuses")


# -- what is told ----------------------------------------------------------------------------------


def test_a_person_is_told_in_their_language(say: Say, machine: Machine) -> None:
    """U12.2: what surrounds the store is told as the store is, in Korean and in English."""
    machine.connect("/gone/bin/saegim")
    machine.serve()
    english = say("doctor", "--quick")
    assert english.code == 1
    assert re.search(r"^✗  Cursor +Cursor starts /gone/bin/saegim", english.out, re.MULTILINE)
    assert "→ Connect it again: saegim install cursor" in english.out
    korean = say("--language", "ko", "doctor", "--quick").out
    assert re.search(r"^✗  Cursor 연결 +Cursor: 시작할 프로그램", korean, re.MULTILINE)
    assert re.search(r"^!  서버 .+ 서버가 이제 없습니다", korean, re.MULTILINE)


def test_both_languages_say_the_same() -> None:
    """Every outcome has the same places in both languages, and a fix unless all is well."""
    for key, said in SAID.items():
        korean = entries("surroundings", "ko")[key]
        assert bool(said.next_step) is bool(korean.next_step) is (level_of(key) != "ok"), key
        assert not re.search("[가-힣]", said.message + said.next_step), key
        if korean.message != "{why}":
            assert re.search("[가-힣]", korean.message), key


def test_every_check_has_its_name_in_both_languages() -> None:
    """No client and no hook is shown as a bare identifier."""
    names = {key.partition(".")[0] for key in SAID} - {"client", "hook", "error"}
    for here in ("", ":here"):
        names |= {f"client:{each.name}{here}" for each in CLIENTS if not here or each.here}
        names |= {f"hook:{event}{here}" for event in EVENTS}
    assert {name for name in names if not has(f"check {name}")} == set()


def test_the_page_knows_every_complaint() -> None:
    """Each outcome that is not fine has a line in the documentation that says what helps."""
    rows = re.findall(
        r"^\| `(\w+)(?::[A-Z]+)?` \| ([\w, ]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    told = {f"{name}.{case}" for name, cases in rows for case in cases.split(", ")}
    wanted = {key for key in SAID if level_of(key) != "ok" and key != "error"}
    assert wanted - told == set()
