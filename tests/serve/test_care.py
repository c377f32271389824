"""The commands of care on a real store: how it is, backups, coming and going, the ledger."""

from __future__ import annotations

import json
import re
from pathlib import Path

import apsw
import pytest
from saying import Say, kept

from saegim.errors import NotFound
from saegim.serve.cli import maintenance_commands
from saegim.serve.cli.talk import Talk

CHECKS = {"sqlite", "settings", "file", "integrity", "ledger", "words", "vectors", "roundtrip"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The store that the command line uses when nothing else is said."""
    return tmp_path / "home" / "saegim.db"


def damage(store: Path) -> None:
    """Overwrite the head of the file, as a failing disk or a careless copy does."""
    with store.open("r+b") as file:
        file.write(b"\xde\xad" * 2048)


def test_status_says_what_there_is_and_where(say: Say, store: Path) -> None:
    """A person sees path, counts, index, ledger and the lack of a backup; JSON has it all."""
    kept(say, "봄에 이사했다", "--kind", "experience")
    shown = say("status").out
    assert str(store) in shown
    for line in (r"memories +active 1", r"vectors .*1 of 1 ready", r"ledger +1 lines, head"):
        assert re.search(line, shown), line
    assert "none; saegim backup makes one" in shown
    state = say("--json", "status").json
    assert (state["path"], state["memories"]["kind"]) == (str(store), {"experience": 1})
    assert re.search(r"기억 +유효 1\n +경험 1", say("--language", "ko", "status").out)


def test_doctor_ends_with_nought_on_a_healthy_store(say: Say) -> None:
    """U12.2: every check passes; what deserves care is a warning with a fix, not a fault."""
    kept(say, "tea")
    found = say("--json", "doctor", "--quick")
    assert (found.code, found.json["ok"]) == (0, True)
    assert {each["name"] for each in found.json["findings"]} >= CHECKS
    shown = say("doctor", "--quick")
    assert (shown.code, shown.out.count("✓"), shown.out.count("✗")) == (
        0,
        len(found.json["findings"]) - 1,
        0,
    )
    assert re.search(r"^!  backup +There is no backup.*\n +→ Run saegim backup\.$", shown.out, re.M)
    korean = say("--language", "ko", "doctor", "--quick").out
    assert "→ saegim backup을 실행하세요." in korean


def test_doctor_ends_with_one_when_something_does_not_work(say: Say, store: Path) -> None:
    """U12.2: a fault, even one that keeps the store from opening, is a finding with a fix."""
    kept(say, "tea")
    store.with_name("settings.toml").write_text("busy_seconds = 'long'\n", encoding="utf-8")
    broken = say("doctor", "--quick")
    assert (broken.code, broken.err) == (1, "")
    assert re.search(r"^✗  settings .+busy_seconds", broken.out, re.M)
    store.with_name("settings.toml").unlink()
    damage(store)
    damaged = say("--json", "doctor", "--quick")
    assert (damaged.code, damaged.json["ok"]) == (1, False)
    assert [each["name"] for each in damaged.json["findings"] if not each["ok"]] == ["file"]
    assert re.search(r"1 of \d+ checks failed", say("doctor", "--quick").out)


def test_a_damaged_or_missing_store_ends_with_three(say: Say, store: Path) -> None:
    """A store that cannot be used is told as such by every command, never replaced by a new one."""
    kept(say, "tea")
    damage(store)
    for command in ("recall tea", "recent", "remember coffee", "verify", "status"):
        refused = say(*command.split())
        assert (refused.code, "damaged" in refused.err) == (3, True), command
    for part in store.parent.glob("saegim.db*"):
        part.unlink()
    for command in ("recall tea", "remember coffee"):
        gone = say("--json", *command.split())
        assert (gone.code, gone.json["error"]["kind"]) == (3, "StoreMissing")
    assert not store.exists()


def test_a_backup_comes_back_when_the_store_still_opens(say: Say, tmp_path: Path) -> None:
    """restore-backup needs a yes, puts the backup in place and keeps the store aside."""
    kept(say, "tea")
    shown = say("backup", str(tmp_path / "elsewhere"))
    assert re.match(
        r"Backed up and verified: \S+\n1 memory, \d+ kB\nLedger head of me: ", shown.out
    )
    backup = say("--json", "backup").json
    kept(say, "coffee")
    refused = say("restore-backup", backup["path"])
    assert (refused.code, "needs a yes" in refused.err) == (2, True)
    assert say("--json", "recent").json["total"] == 2
    done = say("--json", "restore-backup", backup["path"], "--yes").json
    assert done["restored"]["memories"] == 1
    assert say("--json", "recent").json["total"] == 1
    assert say("--json", "restore-backup", done["kept_aside"], "--yes").code == 0
    assert say("--json", "recent").json["total"] == 2


def test_a_backup_comes_back_when_the_store_does_not_open(say: Say, store: Path) -> None:
    """What the messages advise works: a damaged store is set aside, a missing one is replaced."""
    kept(say, "tea")
    backup = say("--json", "backup").json["path"]
    damage(store)
    bytes_before = store.read_bytes()
    done = say("--json", "restore-backup", backup, "--yes").json
    assert Path(done["kept_aside"]).read_bytes() == bytes_before
    assert len(say("--json", "recall", "tea").json["hits"]) == 1
    for part in store.parent.glob("saegim.db*"):
        part.unlink()
    assert "Restored 1 memory" in say("restore-backup", backup, "--yes").out
    assert len(say("--json", "recall", "tea").json["hits"]) == 1


def test_a_backup_that_cannot_be_used_leaves_even_a_damaged_store_alone(
    say: Say, store: Path, tmp_path: Path
) -> None:
    """Nothing is moved before the backup has proved itself."""
    kept(say, "tea")
    damage(store)
    before = store.read_bytes()
    fake = tmp_path / "fake.db"
    fake.write_bytes(b"not a database at all" * 100)
    assert say("restore-backup", str(fake), "--yes").code == 3
    assert store.read_bytes() == before
    assert not list(store.parent.glob("*damaged*"))


def test_a_rescue_that_fails_half_way_puts_everything_back(say: Say, store: Path) -> None:
    """If the backup vanishes after it was looked at, the damaged store lies where it lay."""
    kept(say, "tea")
    backup = maintenance_commands.inspected(say("--json", "backup").json["path"])
    damage(store)
    log = store.with_name("saegim.db-wal")
    before = [part.read_bytes() if part.exists() else b"" for part in (store, log)]
    backup.path.unlink()
    with pytest.raises(NotFound):
        maintenance_commands.put_in_place(Talk(), backup)
    after = [part.read_bytes() if part.exists() else b"" for part in (store, log)]
    assert after == before
    assert not list(store.parent.glob("*damaged*"))
    assert say("recent").code == 3


def test_what_is_exported_comes_back_on_another_machine(say: Say, tmp_path: Path) -> None:
    """Export and import carry everything; a rehearsal writes nothing; the second time adds none."""
    kept(say, "봄에 이사했다")
    kept(say, "tea")
    file, there = tmp_path / "내보냄 1.jsonl", str(tmp_path / "there" / "x.db")
    assert say("export", str(file)).out == f"Exported 2 memories to {file}\n"
    assert say("--path", there, "import", str(file), "--dry-run").code == 3
    say("--path", there, "remember", "mine")
    rehearsed = say("--path", there, "--json", "import", str(file), "--dry-run").json
    assert (rehearsed["added"], rehearsed["dry_run"]) == (2, True)
    assert say("--path", there, "--json", "recent").json["total"] == 1
    assert "2 added, 0 already here" in say("--path", there, "import", str(file)).out
    assert "0 added, 2 already here" in say("--path", there, "import", str(file)).out
    before = file.read_bytes()
    assert "--yes" in say("export", str(file), "--form", "orbs").err
    assert file.read_bytes() == before
    streamed = say("export", "-")
    assert (streamed.out.splitlines()[0], "2 memories" in streamed.err) == (
        before.decode().splitlines()[0],
        True,
    )
    assert "2 memories" not in streamed.out
    assert say("export", "-", "--form", "coordinates").code == 2
    assert say("export", str(file), "--yes").code == 0
    folder = tmp_path / "folder"
    assert say("--json", "export", str(folder), "--form", "coordinates").json["count"] == 2
    assert say("--json", "import", str(folder)).json["form"] == "coordinates"


def test_an_import_with_unreadable_lines_names_them_and_ends_with_one(
    say: Say, tmp_path: Path
) -> None:
    """What could be read is kept; what could not is named; a script notices."""
    kept(say, "tea")
    file = tmp_path / "x.jsonl"
    say("export", str(file))
    broken = ['{"memory": {"id": "\\u001b[31m"}}', "not json at all"] * 7
    file.write_text(file.read_text("utf-8") + "\n".join(broken) + "\n", encoding="utf-8")
    read = say("import", str(file))
    assert read.code == 1
    assert "14 unreadable" in read.out
    assert read.out.count("  unreadable  ") == 10
    assert "and 4 more" in read.out
    assert "\x1b" not in read.out
    assert len(say("--json", "import", str(file)).json["problems"]) == 14


def test_rebuild_writes_the_indexes_anew(say: Say, store: Path) -> None:
    """After the word index is emptied, rebuild makes other forms of a word findable again."""
    kept(say, "봄에 이사했다")
    thief = apsw.Connection(str(store))
    thief.execute("DELETE FROM words_basic")
    thief.close()
    assert say("--json", "search", "이사하다").json["memories"] == []
    assert say("rebuild").out.startswith("The word index and the vectors")
    assert len(say("--json", "search", "이사하다").json["memories"]) == 1
    assert say("--json", "rebuild").json["rebuilt"] is True


def test_verify_tells_length_and_head_and_finds_what_was_changed_from_outside(
    say: Say, store: Path
) -> None:
    """The ledger vouches for every memory; words changed behind its back are found."""
    id = kept(say, "tea")
    whole = say("--json", "verify").json
    assert (whole["length"], len(whole["head"])) == (1, 64)
    assert say("verify").out.endswith(f"Head: {whole['head']}\n")
    forger = apsw.Connection(str(store))
    forger.execute("UPDATE memory SET text = 'coffee' WHERE id = ?", (id,))
    forger.close()
    forged = say("--json", "verify")
    assert (forged.code, forged.json["error"]["kind"]) == (1, "LedgerBroken")
    assert id in forged.json["error"]["message"]


def test_json_is_one_document_for_every_command_of_care(say: Say, tmp_path: Path) -> None:
    """`--json` prints exactly one document, whatever the command."""
    kept(say, "tea")
    backup = say("--json", "backup").json["path"]
    for line in (
        ("status",),
        ("doctor", "--quick"),
        ("verify",),
        ("rebuild",),
        ("demo",),
        ("export", str(tmp_path / "x.jsonl")),
        ("import", str(tmp_path / "x.jsonl")),
        ("restore-backup", backup, "--yes"),
        ("--version",),
    ):
        answer = say("--json", *line)
        assert isinstance(json.loads(answer.out), dict), line
        assert answer.out.count("\n") == 1, line


def test_an_event_is_logged_and_shown(say: Say) -> None:
    """A6: the resonance ledger from the command line, in both languages; bad data is named."""
    say("remember", "a first memory")
    assert say("log").out.strip() == "Nothing has been logged."
    kept = say("--json", "remember", "합: 골라 모으자").json["id"]
    data = '{"evaluation": {"score": 0.8}, "impact_score": 0.7}'
    made = say("--json", "log", "evaluation", "--session", "s", "--persona", "synthesis",
               "--memory", kept, "--data", data, "--when", "2026-03-01").json["event"]  # fmt: skip
    assert (made["memory_id"], made["memory_refs"], made["impact_score"]) == (kept, [kept], 0.7)
    assert say("log", "tool_call").code == 0
    told = say("log").out
    assert "tool_call" in told
    assert kept in told
    assert [each["event_type"] for each in say("--json", "log", "-n", "1").json["events"]] == [
        "tool_call"
    ]
    for wrong in (["no such type"], ["tool_call", "--data", "[1]"], ["x", "--memory", "mem_none"]):
        assert say("log", *wrong).code == 2
        assert say("--language", "ko", "log", *wrong).code == 2


def test_the_head_is_signed_and_compared_by_one_command(say: Say, tmp_path: Path) -> None:
    """`verify --sign` and `--against`: in both languages, and for programs."""
    say("remember", "우산은 현관에 있다")
    file = str(tmp_path / "head.json")
    told = say("--json", "verify", "--sign", file).json
    assert told["signed"]["head"] == told["head"]
    say("remember", "열쇠는 서랍에 있다")
    assert "signed at" in say("verify", "--against", file).out
    assert "서명한 그대로" in say("--language", "ko", "verify", "--against", file).out
    assert "signed" not in say("verify").out
    Path(file).write_text("{}", "utf-8")
    assert "no signed head" in say("verify", "--against", file).err
