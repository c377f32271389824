"""What a hook loads before its slip is written, and what is caught up with from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from attending import (
    SESSION,
    attend,
    event,
    heard,
    hooked,
    journal,
    run,
    slips,
    spooled,
    user,
    written,
)
from hypothesis import given
from hypothesis import strategies as st
from saying import Say

from elsewhere import SECRET
from saegim import Saegim
from saegim.errors import StoreError
from saegim.serve.hooks import event_note, hook_main, spool_worker
from saegim.serve.hooks.event import EVENTS
from saegim.serve.hooks.transcript_position import Marks, root_of, roots
from saegim.serve.server_file import Served, ServerFile
from saegim.serve.surroundings import client_checks as examined
from saegim.settings import data_directory
from serve.rest.doorbell import front

FACT = "My sister Mina works as a nurse in Busan."
OTHER_FACT = "나는 땅콩 알레르기가 있다."
# What costs more than a hook has, and what our own package would bring along.
HEAVY = {"apsw", "numpy", "pydantic", "typer", "rich", "xxhash", "fastapi", "uvicorn", "mcp",
         "http.client", "email", "dataclasses", "pathlib", "subprocess", "asyncio"}  # fmt: skip
OURS = {
    "saegim",
    "saegim.serve",
    "saegim.serve.main",
    "saegim.serve.hooks.ask_server",
    "saegim.serve.hooks",
    "saegim.serve.hooks.hook_main",
    "saegim.serve.hooks.event_note",
}
# Tells what is loaded when the process ends itself, which it does without any farewell.
TELLING = """
import os, sys
def leave(code, really=os._exit):
    sys.stderr.write("\\n".join(sys.modules)); sys.stderr.flush(); really(code)
os._exit = leave
sys.argv = ["saegim", "hook", sys.argv[1]]
from saegim.serve.main import main
main()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that holds nothing yet."""
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    return made


def transcript(tmp_path: Path, session: str, *lines: Any, project: str = "-kettle") -> Path:
    """Write a transcript where Claude Code puts it."""
    file = tmp_path / "claude" / "projects" / project / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    return written(file, *lines)


def at_work(text: str, number: int, folder: Path, at: datetime | None = None) -> dict[str, Any]:
    """A line as Claude Code writes it now: it says in which folder."""
    at = at or datetime.now(UTC)
    stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return user(text, number, cwd=str(folder), timestamp=stamp)


def caught_up(home: Path) -> int:
    """Catch up as `saegim hook drain` does; return how many turns were judged."""
    with Saegim.open(home / "saegim.db", background=False) as memory:
        return spool_worker.worked_off(home, memory).heard


def left_by_the_dead(home: Path, name: str, **told: str) -> None:
    """Leave the slip of a hook whose process is gone."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    path = event_note.write(str(home), name, **told)
    os.replace(path, path.replace(f"-{os.getpid()}.", f"-{child.pid}."))


# -- what is loaded -------------------------------------------------------------------------------


def loaded(name: str, home: Path, told: dict[str, Any]) -> tuple[bytes, set[str]]:
    """Run a hook as the executable does; return its answer, and what it had loaded at its end."""
    ended = subprocess.run(
        [sys.executable, "-c", TELLING, name],
        input=json.dumps(told).encode(),
        capture_output=True,
        env={**os.environ, "SAEGIM_HOME": str(home), "SAEGIM_HOOK_MS": "60000"},
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, set(ended.stderr.decode().split())


@pytest.mark.parametrize("name", EVENTS)
def test_with_a_server_a_hook_loads_next_to_nothing(tmp_path: Path, name: str) -> None:
    """A hook is a slip and a question over a socket: seven small modules of ours, and no other."""
    home = tmp_path / "served"
    with front(home) as served:
        served.house.memory.remember("My dog is called Bori.", pinned=True)
        told = event(tmp_path, tmp_path / "t.jsonl", prompt="What is my dog called?")
        said, modules = loaded(name, home, told)
    assert {each for each in modules if each.split(".")[0] == "saegim"} == OURS
    assert modules & HEAVY == set()
    assert (b"Bori" in said) == (name in ("session-start", "user-prompt-submit"))


def test_without_a_server_the_package_is_loaded(home: Path, tmp_path: Path) -> None:
    """The control: who answers by itself needs more than that."""
    _, modules = loaded("user-prompt-submit", home, event(tmp_path, prompt="What is it called?"))
    assert {"apsw", "numpy"} <= modules


def test_the_slip_is_written_before_the_package_is_loaded(home: Path, tmp_path: Path) -> None:
    """Whatever holds the package up or breaks it, the event has left its trace."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    broken = tmp_path / "broken"
    broken.mkdir()
    # What the guard and the store need first cannot be loaded.
    (broken / "dataclasses.py").write_text("raise ImportError('no')")
    ended = run("stop", event(tmp_path, file), home, {"PYTHONPATH": str(broken)})
    assert (ended.returncode, ended.stdout) == (0, b"{}\n")
    assert "stop failed: ImportError" in journal(home)
    (left,) = event_note.slips(str(home))
    assert (left.event, left.session, left.transcript) == ("stop", SESSION, str(file))
    assert left.position == file.stat().st_size
    assert caught_up(home) == 1
    assert [each.text for each in heard(home)] == [FACT]


def test_a_hook_ends_in_time_while_the_package_is_being_loaded(home: Path, tmp_path: Path) -> None:
    """A loaded machine takes seconds to load it: the answer is there all the same, and the slip."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "dataclasses.py").write_text("import time; time.sleep(600)")
    more = {"PYTHONPATH": str(slow), "SAEGIM_HOOK_MS": "3000"}
    ended = run("session-end", event(tmp_path, file), home, more)
    assert (ended.returncode, ended.stdout) == (0, b"{}\n")
    assert slips(home) == [".slip"]
    assert "session-end cut short: nothing could be told in time" in journal(home)


def test_no_words_stand_in_a_slip(home: Path, tmp_path: Path) -> None:
    """Secrets are masked before they touch the disk, and a slip is written before that."""
    told = event(tmp_path, prompt=f"The key is {SECRET}", session_id=SESSION)
    given_to = hook_main.Given("user-prompt-submit", {"path": str(home / "saegim.db")})
    path = hook_main._slip(given_to, hook_main.read_told(json.dumps(told).encode()) or {})
    held = Path(path).read_text()
    assert "key" not in held
    assert SECRET not in held
    assert os.stat(path).st_mode & 0o077 == 0


def test_a_session_whose_name_may_be_a_secret_is_not_written_before_the_guard_was_asked(
    home: Path, tmp_path: Path
) -> None:
    """Any text can be an id elsewhere; what could be a key is given another name."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    assert run("stop", event(tmp_path, file, session_id=SECRET), home).returncode == 0
    left = [each for each in home.rglob("*") if each.is_file()]
    assert all(SECRET.encode() not in each.read_bytes() for each in left)
    assert not event_note.is_plain(SECRET)
    assert not event_note.is_plain("AKIAIOSFODNN7EXAMPLE")
    assert event_note.is_plain(SESSION)


@given(
    st.dictionaries(
        st.sampled_from(["SAEGIM_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"]),
        st.sampled_from(["/a/b", "/a b/", "~/x", "/가"]),
    )
)
def test_the_small_part_and_the_package_agree_on_the_home(environment: dict[str, str]) -> None:
    """Two ways to find it, one place: a slip lies where the others look."""
    assert Path(event_note.home_of(environment)) == data_directory(environment).absolute()


@given(st.text(max_size=12) | st.sampled_from(["/compact now", "!ls", "/mcp__x:y", "/ x", "//"]))
def test_what_is_trivial_is_a_command_or_nothing(prompt: str) -> None:
    """A word after one slash is a command of the client; everything else is said to its model."""
    words = prompt.split()
    if not words or words[0].startswith("!"):
        assert event_note.is_trivial(prompt)
    elif not words[0].startswith("/"):
        assert not event_note.is_trivial(prompt)


# -- catching up ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_that_was_cut_is_named_and_caught_up_with(
    home: Path, tmp_path: Path, say: Say, name: str
) -> None:
    """`hook status` tells what began and did not end, and afterwards what was caught up with."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    left_by_the_dead(home, name, session=SESSION, transcript=str(file), folder=str(tmp_path))
    state = spool_worker.state_of(home)
    assert [each["event"] for each in state["cut"]] == [name]
    assert name in say("hook", "status").out
    assert "따라잡을 이벤트: 1개" in say("--language", "ko", "hook", "status").out
    assert say("--json", "hook", "drain").json["heard"] == 1
    assert [each.text for each in heard(home)] == [FACT]
    after = spool_worker.state_of(home)
    assert after["cut"] == []
    (line,) = after["caught_up"]
    assert f" {name} was cut off at " in line
    assert "caught up with since" in say("hook", "status").out
    assert FACT not in journal(home)


def test_the_end_of_a_session_that_was_cut_is_noted(home: Path, tmp_path: Path) -> None:
    """`session-end` leaves a trace: the session is ended by whoever catches up."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    told = {"session": SESSION, "transcript": str(file), "folder": str(tmp_path)}
    left_by_the_dead(home, "session-start", **told)
    left_by_the_dead(home, "session-end", **told)
    caught_up(home)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        assert memory.sessions.one(SESSION).ended_at is not None


def test_the_next_hook_of_any_session_catches_up(home: Path, tmp_path: Path) -> None:
    """Also where it is a prompt, of another session."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    left_by_the_dead(home, "stop", session=SESSION, transcript=str(file), folder=str(tmp_path))
    attend("user-prompt-submit", event(tmp_path, session_id="next", prompt=OTHER_FACT), home)
    assert [each.text for each in heard(home)] == [FACT]
    assert slips(home) == []


def test_a_hook_that_is_still_at_it_is_not_called_cut(home: Path, tmp_path: Path) -> None:
    """What runs is left to itself; a number that another process got since says nothing."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    path = event_note.write(str(home), "stop", session=SESSION, transcript=str(file))
    assert spool_worker.state_of(home)["cut"] == []
    assert caught_up(home) == 0
    old = f"{(time.time_ns() // 1000) - 3_600_000_000:020d}"
    os.replace(path, Path(path).with_name(old + Path(path).name[20:]))
    assert len(spool_worker.state_of(home)["cut"]) == 1
    assert caught_up(home) == 1


def test_a_torn_slip_is_named_and_keeps_nobody_waiting(home: Path, tmp_path: Path) -> None:
    """Killed while it was written: the event is known by the name of the file."""
    left_by_the_dead(home, "stop", session=SESSION)
    (paper,) = (home / "spool").glob("*.slip")
    paper.write_bytes(b'{"sess')
    assert [each["event"] for each in spool_worker.state_of(home)["cut"]] == ["stop"]
    caught_up(home)
    assert slips(home) == []
    assert "there is nothing to catch up with" in journal(home)


def test_a_prompt_of_a_client_without_a_transcript_that_was_cut_is_told_as_lost(
    home: Path, tmp_path: Path
) -> None:
    """What can be lost is said, not hidden."""
    left_by_the_dead(home, "user-prompt-submit", session=SESSION, folder=str(tmp_path))
    caught_up(home)
    assert "names no transcript, so a prompt that was not on the spool is lost" in journal(home)


def test_a_prompt_without_a_transcript_is_safe_before_it_is_answered(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else holds these words, so they are on the spool while the store is not even open."""

    def unable(*_: object, **__: object) -> None:
        raise StoreError("It is being mended.", next_step="Wait.")

    monkeypatch.setattr(Saegim, "open", unable)
    attend("user-prompt-submit", event(tmp_path, prompt=FACT), home)
    monkeypatch.undo()
    assert len(spooled(home)) == 1
    assert caught_up(home) == 1
    assert [each.text for each in heard(home)] == [FACT]


def test_whose_words_they_were_is_not_taken_from_who_catches_up(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U21.1: a slip belongs to who wrote it, whatever is in the environment of the next one."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    told = {"session": SESSION, "transcript": str(file), "folder": str(tmp_path)}
    left_by_the_dead(home, "stop", **told)
    monkeypatch.setenv("SAEGIM_USER", "bob")
    attend("stop", event(tmp_path, session_id="his"), home, user="bob")
    monkeypatch.delenv("SAEGIM_USER")
    assert heard(home, user="bob") == []
    assert [each.text for each in heard(home)] == [FACT]


def test_a_slip_of_another_store_waits_for_it(home: Path, tmp_path: Path) -> None:
    """What belongs into another file of the folder is not heard into this one."""
    file = written(tmp_path / "t.jsonl", user(FACT, 1))
    work = str(home / "work.db")
    left_by_the_dead(home, "stop", session=SESSION, transcript=str(file), store=work)
    assert caught_up(home) == 0
    assert slips(home) == [".slip"]
    with Saegim.open(work, background=False) as memory:
        assert spool_worker.worked_off(home, memory).heard == 1


# -- sessions nobody told of ----------------------------------------------------------------------


def test_a_session_whose_every_hook_was_cut_is_heard(home: Path, tmp_path: Path) -> None:
    """No slip, no mark: its transcript lies beside those of which hooks have told.

    Who someone's sister is belongs to the person, not to the project; where it was said is kept.
    """
    folder = tmp_path / "kettle"
    (folder / ".git").mkdir(parents=True)
    known = transcript(tmp_path, SESSION, at_work(OTHER_FACT, 1, folder))
    attend("stop", event(folder, known), home)
    unheard = str(UUID(int=7))
    hooked(tmp_path / "claude" / "settings.json")
    transcript(tmp_path, unheard, at_work(FACT, 2, folder), project="-elsewhere")
    assert caught_up(home) == 1
    (kept,) = heard(home, unheard)
    assert (kept.text, kept.scope.project, kept.space.project) == (FACT, "", "kettle")
    assert "a session was cut off whole" in journal(home)
    assert caught_up(home) == 0


def test_old_history_is_never_imported(home: Path, tmp_path: Path) -> None:
    """What was said before the first hook is left where it is, also in a session that goes on."""
    hooked(tmp_path / "claude" / "settings.json")
    past = datetime.now(UTC) - timedelta(days=30)
    old, resumed = str(UUID(int=8)), str(UUID(int=9))
    file = transcript(tmp_path, old, at_work("I live in Daegu.", 1, tmp_path, past))
    os.utime(file, (past.timestamp(), past.timestamp()))
    transcript(tmp_path, resumed, at_work("I live in Rome.", 2, tmp_path, past))
    known = transcript(tmp_path, SESSION, at_work(OTHER_FACT, 3, tmp_path))
    attend("stop", event(tmp_path, known), home)
    transcript(tmp_path, resumed, at_work(FACT, 4, tmp_path))
    caught_up(home)
    assert heard(home, old) == []
    assert [each.text for each in heard(home, resumed)] == [FACT]


def test_only_where_hooks_have_told_of_a_session_is_looked(home: Path, tmp_path: Path) -> None:
    """A transcript in a folder of no known client, or without a hook ever, is nobody's business."""
    hooked(tmp_path / "claude" / "settings.json")
    transcript(tmp_path, str(UUID(int=7)), at_work(FACT, 1, tmp_path))
    assert caught_up(home) == 0
    attend("stop", event(tmp_path, written(tmp_path / "t.jsonl", user(OTHER_FACT, 2))), home)
    written(tmp_path / f"{UUID(int=7)}.jsonl", user(FACT, 3))
    assert (roots(home), caught_up(home)) == ([], 0)


@pytest.mark.parametrize(
    ("where", "more", "is_heard"),
    [
        ("claude/settings.json", {}, True),
        ("kettle/.claude/settings.json", {}, True),
        ("kettle/.claude/settings.local.json", {}, True),
        ("claude/settings.json", {"hooks": {}, "enabledPlugins": {"saegim@house": True}}, True),
        ("claude/settings.json", {"hooks": {}, "enabledPlugins": {"saegim@house": False}}, False),
        ("claude/settings.json", {"disableAllHooks": True}, False),
        ("teapot/.claude/settings.json", {}, False),
        ("claude/settings.json", {"hooks": {}}, False),
    ],
)
def test_who_took_the_hooks_out_is_heard_no_longer(
    home: Path, tmp_path: Path, where: str, more: dict[str, Any], is_heard: bool
) -> None:
    """An untold session is ours only where our hooks are in force: everywhere, or in its folder."""
    folder = tmp_path / "kettle"
    folder.mkdir()
    known = transcript(tmp_path, SESSION, at_work(OTHER_FACT, 1, folder))
    attend("stop", event(folder, known), home)
    hooked(tmp_path / where, **more)
    unheard = str(UUID(int=7))
    transcript(tmp_path, unheard, at_work(FACT, 2, folder))
    assert caught_up(home) == int(is_heard)
    assert [each.text for each in heard(home, unheard)] == [FACT] * is_heard


def test_the_install_says_since_when_hooks_are_there(
    home: Path, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a first session whose every hook is cut off is heard, and what was before is not."""
    past = datetime.now(UTC) - timedelta(hours=1)
    session = str(UUID(int=7))
    transcript(tmp_path, session, at_work("I live in Rome.", 1, tmp_path, past))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    assert say("install", "claude-code", "--yes", "--no-import").code == 0
    transcript(tmp_path, session, at_work(FACT, 2, tmp_path))
    assert caught_up(home) == 1
    assert [each.text for each in heard(home, session)] == [FACT]


def test_what_an_install_read_in_is_not_heard_again(
    home: Path, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier sessions come along with a yes, each turn once; what is said afterwards is added."""
    past = datetime.now(UTC) - timedelta(hours=1)
    session = str(UUID(int=7))
    transcript(tmp_path, session, at_work("I live in Rome.", 1, tmp_path, past))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    assert sum(say("--json", "install", "claude-code", "--yes").json["imported"].values()) == 1
    assert caught_up(home) == 0
    transcript(tmp_path, session, at_work(FACT, 2, tmp_path))
    assert caught_up(home) == 1
    assert sorted(each.text for each in heard(home, session)) == ["I live in Rome.", FACT]


def test_where_two_share_a_folder_an_untold_session_is_left_alone(
    home: Path, tmp_path: Path
) -> None:
    """U21.1: nobody can say whose it is, so it is nobody's."""
    hooked(tmp_path / "claude" / "settings.json")
    for number, who in enumerate(("alice", "bob"), start=1):
        session = str(UUID(int=number))
        file = transcript(tmp_path, session, at_work(f"{OTHER_FACT} {who}", number, tmp_path))
        attend("stop", event(tmp_path, file, session_id=session), home, user=who)
    unheard = str(UUID(int=7))
    transcript(tmp_path, unheard, at_work(FACT, 5, tmp_path))
    assert caught_up(home) == 0
    assert heard(home, unheard, user="alice") == heard(home, unheard, user="bob") == []


def test_what_was_looked_at_is_not_looked_at_for_ever(home: Path, tmp_path: Path) -> None:
    """However many sessions there are, a mark that was cleared away costs no second reading."""
    known = transcript(tmp_path, SESSION, at_work(OTHER_FACT, 1, tmp_path))
    attend("stop", event(tmp_path, known), home)
    for each in Marks(home).folder.glob("*.json"):
        each.unlink()
    past = time.time() - 600
    os.utime(known, (past, past))
    (root,) = roots(home)
    with Saegim.open(home / "saegim.db", background=False) as memory:
        spool_worker.worked_off(home, memory)
    (later,) = roots(home)
    assert (later.folder, later.since) == (root.folder, root.since)
    assert [*Marks(home).all_of("saegim.db")] == []


@pytest.mark.parametrize(
    ("path", "root"),
    [
        (f"/h/.claude/projects/-a/{SESSION}.jsonl", "/h/.claude/projects"),
        (f"/h/.claude/projects/-a/{SESSION}.txt", ""),
        ("/h/.claude/projects/-a/agent-1.jsonl", ""),
        (f"/h/.claude/other/-a/{SESSION}.jsonl", ""),
        (f"projects/-a/{SESSION}.jsonl", ""),
        ("", ""),
    ],
)
def test_a_folder_of_transcripts_is_known_by_its_form(path: str, root: str) -> None:
    """Only what looks like the transcripts of Claude Code is watched."""
    assert root_of(path) == root


# -- what doctor says of it -----------------------------------------------------------------------


def test_doctor_counts_events_that_were_cut_as_waiting(home: Path, tmp_path: Path) -> None:
    """Not everything is kept while an event waits to be caught up with; after days it is stuck."""
    now = datetime.now(UTC)
    assert examined.spool(home, now).case == "ok"
    left_by_the_dead(home, "stop", session=SESSION, folder=str(tmp_path))
    waiting = examined.spool(home, now)
    assert waiting.case == "waiting"
    assert "1 events that were cut off" in waiting.detail
    assert examined.spool(home, now + timedelta(days=3)).case == "stuck"
    caught_up(home)
    assert examined.spool(home, now).case == "ok"


def test_doctor_does_not_tell_to_start_a_server_that_runs(home: Path) -> None:
    """Its advice is true: with a server it is the machine that is short of time."""
    for _ in range(examined.MOST_CUT_SHORT):
        event_note.note(str(home), "stop", "cut short: nothing could be told in time")
    assert examined.noted(home, datetime.now(UTC)).case == "cut_short"
    with ServerFile(home) as server_file:
        server_file.write(Served(os.getpid(), 1, "", "", "", str(home / "saegim.db"), "me"))
        # Two processes: whoever holds a lock does not see it as another's.
        code = (
            "import sys; from datetime import UTC, datetime; from pathlib import Path; "
            "from saegim.serve.surroundings import client_checks as hooks; "
            "print(hooks.noted(Path(sys.argv[1]), datetime.now(UTC)).case)"
        )
        told = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True)
    assert told.stdout.split() == [b"overloaded"]
