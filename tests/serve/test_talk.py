"""What can go wrong on the command line: every refusal is clear and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from saying import Say, kept

from saegim import errors
from saegim.serve.terminal import exit_code

BAD: list[tuple[tuple[str, ...], int, str]] = [
    (("remember", ""), 2, "The text is empty"),
    (("remember", "x\x00y"), 2, "NUL"),
    (("remember", "x", "--kind", "nonsense"), 2, "There is no kind 'nonsense'"),
    (("remember", "x", "--tier", "M1"), 2, "There is no tier 'M1'"),
    (("remember", "x", "--when", "someday"), 2, "names no day"),
    (("remember", "x", "--importance", "7"), 2, "between 0 and 1"),
    (("remember", "x", "--importance", "nan"), 2, "importance"),
    (("remember", "x", "--importance", "high"), 2, "--importance"),
    (("remember", "x", "--session", "a\x1bb"), 2, "cannot be used as a name"),
    (("remember", "x", "--tag", " "), 2, "The tag is empty"),
    (("remember", "half \ud83d of"), 2, "Argument 2 is not UTF-8"),
    (("remember",), 2, "The text is empty"),
    (("remember", "-5 degrees"), 2, "go after --"),
    (("recall", "  "), 2, "The question is empty"),
    (("recall", "x", "--limit", "0"), 2, "limit cannot be 0"),
    (("recall", "x", "--limit", "100000"), 2, "too large"),
    (("recall", "x", "--since", "soon"), 2, "names no day"),
    (("recall", "x", "--state", "gone"), 2, "states cannot be"),
    (("recall", "x", "--nonsense"), 2, "No such option"),
    (("recall", "x", "--as-of", "then"), 2, "names no day"),
    (("context", " "), 2, "The question is empty"),
    (("context", "x", "--budget", "-1"), 2, "budget cannot be -1"),
    (("context", "x", "--recipe", "soup"), 2, "There is no recipe 'soup'"),
    (("feedback", "mem_none", "up"), 2, "There is no memory mem_none"),
    (("feedback", "mem_none", "meh"), 2, "There is no feedback 'meh'"),
    (("feedback", "mem_none"), 2, "Nothing says how it was taken"),
    (("feedback", "mem_none", "--rating", "6"), 2, "The rating cannot be 6"),
    (("related", "mem_none"), 2, "There is no memory mem_none"),
    (("related", "nobody here"), 2, "There is no memory and nobody called 'nobody here'"),
    (("related", "entity:none"), 2, "There is no entity:none"),
    (("related", "mem_none", "--depth", "x"), 2, "--depth"),
    (("trace", "rec_none"), 2, "There is no trace 'rec_none'"),
    (("recent", "--cursor", "zzz"), 2, "is not a cursor"),
    (("get", "no/id"), 2, "is not a memory id"),
    (("get", "mem_none"), 2, "There is no memory mem_none"),
    (("history", "mem_none"), 2, "There is no memory mem_none"),
    (("update", "mem_none", "x"), 2, "There is no memory mem_none"),
    (("restore", "mem_none"), 2, "There is no memory mem_none"),
    (("forget", "mem_none", "--yes"), 2, "There is no memory mem_none"),
    (("forget",), 2, "in one way"),
    (("--project", "p", "forget", "--matching", " ", "--yes"), 2, "in one way"),
    (("forget", "--session", "", "--yes"), 2, "in one way"),
    (("forget", "mem_none", "--session", "s"), 2, "in one way"),
    (("export", "/nowhere/at/all.jsonl"), 2, "/nowhere/at/all.jsonl"),
    (("export", "x", "--form", "zip"), 2, "There is no form 'zip'"),
    (("import", "/nowhere/at/all.jsonl"), 2, "There is no file or folder"),
    (("restore-backup", "/nowhere.db", "--yes"), 2, "There is no backup"),
    (("nonsense",), 2, "No such command"),
    (("--user", "../x", "recent"), 2, "cannot be used as a name"),
    (("--language", "fr", "recent"), 2, "There is no language 'fr'"),
    (("--path", "/", "remember", "x"), 2, "is a folder"),
    (("--path", "", "remember", "x"), 2, "--path is empty"),
    (("--path", "~nobody-here/x.db", "remember", "x"), 2, "names no home folder"),
    (("--path", "/proc/none/x.db", "remember", "x"), 3, "cannot be used"),
    (("--path", f"{'a' * 300}.db", "remember", "x"), 3, "File name too long"),
    (("--path", "/nowhere/at/all.db", "recent"), 3, "There is no store"),
]


def test_every_bad_input_is_refused_clearly_and_changes_nothing(
    say: Say, head: Callable[[], tuple[int, str]]
) -> None:
    """A clear message with a next step, the right exit code, no traceback, the store as it was."""
    kept(say, "tea")
    before = head()
    for arguments, code, message in BAD:
        refused = say(*arguments)
        assert (refused.code, refused.out) == (code, ""), arguments
        assert message in refused.err, arguments
        assert "\n  → " in refused.err, arguments
        assert "Traceback" not in refused.err
        error = say("--json", *arguments).json["error"]
        assert set(error) == {"kind", "message", "next_step"}
        assert hasattr(errors, error["kind"])
    assert head() == before


def test_standard_input_that_is_not_utf8_is_refused(say: Say) -> None:
    """U15.1: other encodings are named, not guessed."""
    refused = say("remember", "-", stdin="안녕".encode("cp949"))
    assert (refused.code, refused.err.splitlines()[0]) == (
        2,
        "Error: Standard input is not UTF-8 (byte 0).",
    )


def test_a_command_that_only_reads_never_makes_a_store(say: Say, tmp_path: Path) -> None:
    """A misspelt --path is told, not answered with an empty memory."""
    for command in (
        "recall x",
        "context x",
        "trace x",
        "related x",
        "feedback x up",
        "recent",
        "status",
        "verify",
        "doctor",
        "get mem_x",
        "rebuild",
    ):
        assert say("--path", str(tmp_path / "typo" / "x.db"), *command.split()).code in (1, 3)
    assert not (tmp_path / "typo").exists()
    assert say("--path", str(tmp_path / "new" / "x.db"), "remember", "x").code == 0


def test_each_sort_of_error_has_its_exit_code() -> None:
    """2 what was given, 3 the store, 1 everything else."""
    codes = {
        kind.__name__: exit_code(kind())
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.SaegimError)
    }
    assert {name for name, code in codes.items() if code == 2} == {"BadInput", "NotFound"}
    assert {name for name, code in codes.items() if code == 3} == {
        "StoreError",
        "StoreMissing",
        "StoreBusy",
        "StoreReadOnly",
        "StoreReplaced",
        "StoreFull",
        "StoreCorrupt",
        "SchemaMismatch",
        "UnsafeSqlite",
    }
    assert set(codes.values()) == {1, 2, 3}


def test_a_busy_store_is_told_while_reading_goes_on(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U2.2: a write that cannot have the lock ends with 3; recall does not wait for it."""
    kept(say, "tea")
    monkeypatch.setenv("SAEGIM_BUSY_SECONDS", "0.05")
    holder = apsw.Connection(str(tmp_path / "home" / "saegim.db"))
    holder.execute("BEGIN IMMEDIATE")
    busy = say("remember", "more tea")
    assert (busy.code, "is busy" in busy.err) == (3, True)
    assert len(say("--json", "recall", "tea").json["hits"]) == 1
    holder.execute("ROLLBACK")
    holder.close()
    assert say("remember", "more tea").code == 0
