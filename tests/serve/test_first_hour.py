"""The first hour: what a newcomer types, pipes, misspells and deletes (FIRST_HOUR)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len
from saying import Say, kept

from saegim import Saegim
from saegim.errors import NotFound, StoreMissing
from saegim.serve.cli.agent_commands import _served
from saegim.serve.hooks.spool_worker import told
from saegim.serve.mcp.results import for_a_model, result_of
from saegim.serve.speech import Speech
from saegim.serve.terminal import pasteable

HANDLE = re.compile(r"\bm\d\w{3,}\b")
LONG = re.compile(r"mem_\d{8}_\d{6}_")


def test_every_list_shows_handles_and_ids_only_when_asked(say: Say) -> None:
    """D3: what remember, recent, search, history, recall and the queue show can be typed again."""
    first = say("remember", "우리 강아지 이름은 보리다")
    handle = HANDLE.search(first.out)
    assert handle is not None
    assert not LONG.search(first.out)
    name = handle[0]
    assert say("update", name, "우리 강아지 이름은 초롱이다").code == 0
    for command in ("recent", "search 강아지", "recall 강아지?", f"history {name}"):
        shown = say(*command.split())
        assert HANDLE.search(shown.out), command
        assert not LONG.search(shown.out), command
        assert LONG.search(say(*command.split(), "--ids").out), command
    told = HANDLE.search(say("search", "초롱이").out)
    assert told is not None
    gone = say("forget", told[0], "--yes")
    assert f"saegim restore {told[0]}" in gone.out
    assert told[0] in say("queue").out
    assert say("restore", told[0]).code == 0


def test_json_keeps_the_long_ids(say: Say) -> None:
    """Programs get what never changes: the id, as ever."""
    id = kept(say, "tea at four")
    assert LONG.match(id)
    assert say("--json", "recent").json["memories"][0]["id"] == id


def test_a_text_may_come_through_a_pipe(say: Say) -> None:
    """D10: echo text | saegim remember, observe, recall and context, without a dash."""
    assert "파이프로 온 글" in say("remember", stdin="파이프로 온 글\n".encode()).out
    assert say("observe", stdin="나는 부산에 살아".encode()).code == 0
    assert "파이프로 온 글" in say("recall", stdin="파이프".encode()).out
    id = kept(say, "the meeting is on Monday")
    assert "Tuesday" in say("update", id, stdin=b"the meeting is on Tuesday").out
    empty = say("remember", stdin=b"")
    assert empty.code == 2


def test_without_a_text_and_a_pipe_the_next_step_is_told(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a terminal nothing is waited for: what is missing is said."""
    terminal = SimpleNamespace(isatty=lambda: True)
    around = SimpleNamespace(stdin=terminal, stdout=sys.stdout, stderr=sys.stderr)
    around.argv, around.executable = sys.argv, sys.executable
    monkeypatch.setattr("saegim.serve.terminal.sys", around)
    refused = say("remember")
    assert (refused.code, "pipe it in" in refused.err) == (2, True)


def test_days_kinds_states_and_stages_are_taken_as_they_are_shown(say: Say, noon: datetime) -> None:
    """D6: --when 어제, --kind 취향, --state 잠듦, --stage 백업; the English words as ever."""
    say("remember", "점심에 김밥을 먹었다", "--when", "어제", "--kind", "취향")
    (held,) = say("--json", "recent", "--kind", "취향", "--since", "그저께").json["memories"]
    day = datetime.fromisoformat(held["happened_at"]).astimezone().date()
    assert (held["kind"], day) == ("preference", noon.astimezone().date() - timedelta(days=1))
    assert say("--json", "recent", "--until", "그저께").json["memories"] == []
    assert say("--json", "recent", "--state", "잠듦").json["memories"] == []
    assert say("sleep", "--stage", "백업").code == 0
    assert say("remember", "x", "--when", "언젠가").code == 2


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("3일 전", "2026-05-12"),
        ("3 days ago", "2026-05-12"),
        ("2019년", "2019-01-01"),
        ("2019년 5월 3일", "2019-05-03"),
        ("2019. 5. 3.", "2019-05-03"),
        ("May 3 2019", "2019-05-03"),
        ("3 May 2019", "2019-05-03"),
        ("2019-05-03", "2019-05-03"),
        ("20190503", "2019-05-03"),
        ("2019-05-03T09:30", "2019-05-03"),
        ("last Friday", "2026-05-08"),
    ],
)
def test_a_day_is_taken_as_people_write_it(
    say: Say, noon: datetime, monkeypatch: pytest.MonkeyPatch, told: str, day: str
) -> None:
    """D6: what the readers of dates know is a date wherever a date is asked for, on its own day."""
    monkeypatch.setenv("SAEGIM_TIMEZONE", "Asia/Seoul")
    held = say("--json", "remember", "소풍을 갔다", "--when", told).json["memory"]
    assert datetime.fromisoformat(held["happened_at"]).date().isoformat() == day
    assert noon.date().isoformat() > day
    assert say("--json", "recent", "--since", told).json["total"] == 1
    assert say("--json", "observe", "나는 어제 강릉에 갔어", "--when", told).code == 0


@pytest.mark.parametrize("unclear", ["언젠가", "5월 3일", "2019-13-45", "3 apples", "어제 그저께"])
@pytest.mark.parametrize(("language", "taken"), [("ko", "3일 전"), ("en", "3 days ago")])
def test_an_unclear_day_is_refused_with_what_is_taken(
    say: Say, monkeypatch: pytest.MonkeyPatch, unclear: str, language: str, taken: str
) -> None:
    """The control: nothing is guessed, and the next step names what is understood."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    for command in (("remember", "x", "--when"), ("recent", "--since"), ("recall", "x", "--as-of")):
        refused = say(*command, unclear)
        assert refused.code == 2
        assert taken in refused.err


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("install cluade-code", "claude-code"),
        ("remember x --kind preferense", "preference"),
        ("recent --state activ", "active"),
        ("sleep --stage bakup", "backup"),
    ],
)
def test_a_near_name_is_named(say: Say, command: str, meant: str) -> None:
    """D7: a slip in the name of a client, a kind, a state or a stage is understood and asked."""
    kept(say, "tea")
    refused = say(*command.split())
    assert refused.code == 2
    assert f"Did you mean '{meant}'?" in refused.err


@pytest.mark.parametrize(
    ("typed", "meant"), [("recal", "recall"), ("remeber", "remember"), ("list", "recent")]
)
def test_a_mistyped_command_is_guessed(say: Say, typed: str, meant: str) -> None:
    """A slip in a command, or what other tools call it, is answered with the one that was meant."""
    assert f"Did you mean {meant}?" in say(typed, "x").err
    assert f"혹시 {meant}인가요?" in say("--language", "ko", typed, "x").err
    assert "Did you mean" not in say("qqqqqq").err


def test_options_of_every_command_may_stand_behind_it(say: Say, tmp_path: Path) -> None:
    """C10: --language, --path, --user and --project work where a person thinks of them."""
    other = str(tmp_path / "other.db")
    assert "기억했습니다" in say("remember", "tea", "--path", other, "--language", "ko").out
    assert say("recent", "--json", "--user", "minji", f"--path={other}").json["memories"] == []
    assert "proj" in say("remember", "the build needs make", "--project", "proj").out


@pytest.mark.parametrize("command", ["status", "recent", "recall tea", "queue", "about", "nights"])
def test_looking_makes_no_store(say: Say, tmp_path: Path, command: str) -> None:
    """C14: where nothing is yet, a command that looks says so and makes no file."""
    told = say(*command.split())
    assert (told.code, "no memories here yet" in told.err) == (3, True)
    assert not (tmp_path / "home" / "saegim.db").exists()
    kept(say, "tea")
    assert say(*command.split()).code == 0


# -- beginning again ------------------------------------------------------------------------------


def test_a_small_store_of_a_script_may_be_deleted_and_begun_again(tmp_path: Path) -> None:
    """C5: rm memories.db and start again just works, and the new ledger is whole."""
    path = tmp_path / "memories.db"
    for round in range(3):
        with Saegim.open(path) as memory:
            memory.remember(f"tea {round}")
            assert memory.recent().total == 1
            assert memory.maintenance.verify()[0] > 0
        path.unlink()
    assert not (tmp_path / ".memories.db.known").exists()


def test_a_store_that_would_be_missed_is_missed(tmp_path: Path) -> None:
    """Control: with more than a handful of memories, or as the machine's store, it is missed."""
    many, machine = tmp_path / "memories.db", tmp_path / "saegim.db"
    with Saegim.open(many) as memory:
        for number in range(21):
            memory.remember(f"tea number {number}")
    with Saegim.open(machine) as memory:
        memory.remember("tea")
    for path in (many, machine):
        path.unlink()
        with pytest.raises(StoreMissing):
            Saegim.open(path)


# -- at the edges ---------------------------------------------------------------------------------


def test_an_interrupt_at_any_moment_prints_no_traceback(tmp_path: Path) -> None:
    """D4: Ctrl-C while modules are still loading ends with 130 and in silence."""
    code = (
        "import signal, sys, importlib\n"
        "from saegim.serve import main\n"
        "real = main.import_module\n"
        "def loading(name):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    return real(name)\n"
        "main.import_module = loading\n"
        "sys.argv = ['saegim', 'recent']\n"
        "main.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "SAEGIM_HOME": str(tmp_path)},
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, b"")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_serve_prints_can_be_pasted(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that no shell would find is called by its path; one that is found, by its name."""
    script = tmp_path / "my house" / "bin" / "saegim"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o755)
    served = {"url": "http://u", "mcp": "http://u/mcp", "token_file": "/t", "forgetting": "seed"}
    monkeypatch.setattr(sys, "argv", [str(script)])

    def printed() -> str:
        return "\n".join(_served(served, "", Speech(language, paste=pasteable)))

    monkeypatch.setenv("PATH", os.defpath)
    for word in ("open", "install claude-code", "pin"):
        assert f" 'my house/bin/saegim' {word}" in printed()
    monkeypatch.chdir(script.parent)
    assert f" '{script}' open" in printed()
    monkeypatch.setenv("PATH", str(script.parent))
    assert " saegim open" in printed()
    assert "my house" not in printed()


def test_every_command_that_is_printed_can_be_pasted(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps, hints and errors call the program as it can be typed; people's words stay theirs."""
    script = tmp_path / "bin" / "saegim"
    script.parent.mkdir()
    script.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", os.defpath)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True, mode=0o700)
    (home / "token").write_text("x" * 43)
    (home / "token").chmod(0o644)
    assert "`bin/saegim token --new`" in say("serve", "--port", "0").err
    (home / "token").chmod(0o600)
    assert 'bin/saegim remember "..."' in say("demo").out
    assert (
        "bin/saegim move"
        in say("remember", "배포는 saegim remember 뒤에 한다", "--project", "p").out
    )
    assert "배포는 saegim remember 뒤에 한다" in say("recent", "--project", "p").out
    assert "`bin/saegim recent`" in say("update", "nope", "x").err
    monkeypatch.setenv("PATH", str(script.parent))
    assert "`saegim recent`" in say("update", "nope", "x").err


def test_an_end_of_make_serve_is_no_failure_of_make(tmp_path: Path) -> None:
    """Ctrl+C reaches make, the shell and the server: none of them complains."""
    program = tmp_path / "bin" / "saegim"
    program.parent.mkdir()
    waits = (
        "import signal, sys\nsignal.signal(signal.SIGINT, lambda *_: sys.exit())\n"
        "print('ready', flush=True)\nsignal.pause()\n"
    )
    program.write_text(f"#!{sys.executable}\n{waits}")
    program.chmod(0o755)
    for name in (".made", ".installed"):
        (tmp_path / name).touch()
    line = ["make", "--no-print-directory", "-C", str(Path(__file__).parents[2]), "serve"]
    made = subprocess.Popen(
        [*line, f"VENV={tmp_path}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    )
    assert made.stdout is not None
    with made.stdout as said:
        assert said.readline() == "ready\n"
        os.killpg(made.pid, signal.SIGINT)
        assert said.read() == ""
    made.wait(240)


def test_errors_of_tools_name_tools() -> None:
    """D9: a model has no shell; what only a person can do is said to be theirs."""
    told = result_of(NotFound("recall.no_memory", id="mem_1"))
    said = json.loads(told.content[0].text)["error"]  # type: ignore[union-attr]
    assert "`memory_search`" in said["next_step"]
    assert "saegim" not in said["next_step"]
    assert for_a_model("See `saegim backup`.") == "See `saegim backup` (by the user)."


# -- the first day --------------------------------------------------------------------------------


def person(tmp_path: Path) -> Path:
    """A home where Claude Code was used before: notes, sessions, the reference server's file."""
    home = tmp_path / "person"
    talk = home / ".claude" / "projects" / "-work" / "0b3f6a52-7c1d-4e7a-9f05-2f4f4a1d7c11.jsonl"
    talk.parent.mkdir(parents=True)
    at = datetime.now(UTC) - timedelta(days=9)
    said = (
        "나는 판교에서 백엔드 개발자로 일해",
        "나는 매주 토요일에 등산을 가",
        "이 함수 좀 고쳐줘",  # heard, and let pass: it is not counted
    )
    lines = [
        {"type": "user", "uuid": f"u{number}", "isSidechain": False, "sessionId": talk.stem,
         "message": {"role": "user", "content": text}, "cwd": str(tmp_path),
         "timestamp": (at + timedelta(minutes=number)).isoformat()}
        for number, text in enumerate(said)
    ]  # fmt: skip
    talk.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    (home / ".claude" / "CLAUDE.md").write_text("- 답은 한국어로 짧게 해 줘\n", encoding="utf-8")
    graph = {
        "type": "entity",
        "name": "민호",
        "entityType": "person",
        "observations": ["차를 좋아한다"],
    }
    (home / "mem.json").write_text(json.dumps(graph) + "\n", encoding="utf-8")
    server = {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-memory"],
        "env": {"MEMORY_FILE_PATH": str(home / "mem.json")},
    }
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"memory": server}}))
    (tmp_path / "AGENTS.md").write_text("- Tests run with make test\n", encoding="utf-8")
    return home


def test_connecting_reads_in_what_was_there_before(say: Say, tmp_path: Path) -> None:
    """Love 9: notes, the reference server's memories and earlier sessions come along."""
    home = person(tmp_path)
    told = say("--json", "install", "claude-code", "--yes").json
    assert told["imported"][str(home / "mem.json")] == 1
    assert told["imported"][str(home / ".claude" / "projects")] == 2
    texts = [each["text"] for each in say("--json", "recent", "--everywhere").json["memories"]]
    for words in ("한국어로 짧게", "차를 좋아한다", "판교", "등산", "make test"):
        assert any(words in each for each in texts), words
    rules = say("--json", "search", "make test", "--everywhere").json["memories"]
    assert rules[0]["origin"] == "import"
    again = say("--json", "install", "claude-code", "--yes").json
    assert again["imported"] == {}


def test_a_script_may_connect_without_reading_anything(say: Say, tmp_path: Path) -> None:
    """--no-import connects and reads nothing; a dry run neither asks nor reads."""
    person(tmp_path)
    assert say("--json", "install", "claude-code", "--dry-run").json["imported"] == {}
    told = say("--json", "install", "claude-code", "--yes", "--no-import").json
    assert (told["changed"], told["imported"]) == (True, {})
    assert not (tmp_path / "home" / "saegim.db").exists()


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("command", [("recent",), ("recall", "자전거"), ("queue",), ("people",)])
def test_a_narrow_list_keeps_days_handles_and_kinds_whole(
    command: tuple[str, ...], width: int, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is too wide, the words of a memory give way, not what names and dates it."""
    say(
        "remember", "나는 매주 토요일 아침마다 한강에서 민수와 자전거를 타는 것을 아주 좋아한다" * 2
    )
    (handle,) = HANDLE.findall(say("recent").out)
    if command == ("queue",):
        assert not say("forget", handle, "--yes").code
    monkeypatch.setenv("COLUMNS", str(width))
    shown = say(*command).out
    table = shown.split("Forgetting")[0]
    assert re.search(r"6 d 23 h" if command == ("queue",) else r"\b20\d\d-\d\d-\d\d\b", table)
    assert command == ("people",) or handle in table
    assert command[0] not in ("recent", "recall") or "preference" in table
    assert max(map(cell_len, table.splitlines())) <= width


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_answer_that_cannot_be_written_is_told_without_a_traceback(
    form: tuple[str, ...], tmp_path: Path
) -> None:
    """A full disk behind `>`: what was done is done, and one sentence says what was not."""
    program = [sys.executable, "-m", "saegim"]
    own = {**os.environ, "SAEGIM_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*program, "remember", "하나", *form], stdout=full, stderr=subprocess.PIPE, env=own
        )
    told = done.stderr.decode()
    assert done.returncode == 1
    assert told.startswith("Error: The command was carried out, but its answer")
    assert "Traceback" not in told
    assert "Exception ignored" not in told
    after = subprocess.run([*program, "recent"], capture_output=True, env=own, check=True)
    assert "하나" in after.stdout.decode()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("recall", "x", "--limit", "영"), "'--limit' / '-n'에는 정수를 적어야 합니다."),
        (("serve", "--port", "99999"), "'--port'에는 65535 이하의 수를 적어야 합니다."),
        (("recall", "x", "--since"), "'--since' 옵션에는 값이 필요합니다."),
        (("sleep", "xyz"), "쓰이지 않는 인자가 있습니다: xyz"),
        (("recall", "x", "--kind", "취항"), "혹시 '취향'인가요?"),
        (("remember", "x", "--kind", "prefrence"), "혹시 'preference'인가요?"),
        (("remember", "x", "--kind", "취항"), "혹시 '취향'인가요?"),
    ],
)
def test_a_misused_option_is_told_in_korean_without_an_english_tail(
    say: Say, words: tuple[str, ...], told: str
) -> None:
    """What the parser says in English is said in the language of the person."""
    error = say("--language", "ko", *words).err
    assert told in error
    assert "Input should" not in error
    assert "argument" not in error


def test_what_the_system_refuses_is_told_in_korean(say: Say) -> None:
    """D5: the reason of the system is translated; in English it stays what the system says."""
    words = ("remember", "x", "--path", "/proc/none/y.db")
    told = say("--language", "ko", *words).err
    assert "/proc/none을 쓸 수 없습니다: 그런 파일이나 폴더가 없습니다" in told
    assert "No such file or directory" in say(*words).err


def test_a_reason_in_json_is_in_the_language_that_was_asked_for(say: Say) -> None:
    """D5: observe --json with --language ko says why in Korean; codes stay the same."""
    words = ("--json", "observe", "나는 부산에 살아")
    english, korean = say(*words).json, say("--language", "ko", *words).json
    assert english["reason"].startswith("Kept")
    assert "기억합니다" in korean["reason"]
    assert english["why"] == korean["why"]


def test_what_would_leave_is_the_version_that_stands(say: Say) -> None:
    """Called by the name of an older version, the memory that leaves is the one that is shown."""
    say("remember", "회의는 월요일이다")
    (old,) = HANDLE.findall(say("recent").out)
    say("update", old, "회의는 화요일이다")
    shown = say("forget", old)
    assert "화요일" in shown.out
    assert "월요일" not in shown.out
    assert say("forget", old, "--yes").code == 0
    assert "화요일" in say("queue").out


@pytest.mark.parametrize(
    "what",
    [
        "cut short: nothing could be told in time",
        "cut short: words answered alone",
        "a session was cut off whole; caught up: 1074 bytes of its transcript",
        "was cut off at 2026-11-18T09:26:22Z; caught up: 0 bytes of its transcript",
        "was cut off at 2026-11-18T09:26:22Z; its client names no transcript",
        "handed over: 3 files wait",
        "failed: KeyError",
    ],
)
def test_the_journal_of_hooks_is_told_in_korean(what: str) -> None:
    """D5: what hooks noted in English is told in the language of the person, with its figures."""
    line = f"2026-11-18T09:27:13Z stop {what}"
    state = {"waiting": 0, "apart": [], "cut": [], "caught_up": [], "file": "x", "journal": [line]}
    *_, korean = told(state, Speech("ko"))
    assert korean.startswith("  2026-11-18T09:27:13Z stop ")
    assert set(re.findall(r"[A-Za-z]{3,}", korean)) <= {"stop", "KeyError"}
    assert set(re.findall(r"\b\d+\b", what)) <= set(re.findall(r"\d+", korean))
    *_, english = told(state, Speech("en"))
    assert english == f"  {line}"


def test_a_time_is_nobody(say: Say) -> None:
    """D2: what is met by name are people and things, not the hour at which they meet."""
    say("remember", "The team meets on Mondays at ten")
    say("remember", "회의는 월요일 열 시에 한다")
    names = {each["name"] for each in say("--json", "people").json["entities"]}
    assert {"team", "회의"} <= names
    assert not [each for each in names if "Monday" in each or "월요일" in each]
