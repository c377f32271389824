"""Whole journeys in real processes: other locales, real terminals, pipes, odd paths."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.cells import cell_len
from saying import Say, handle, kept
from terminals import on_a_terminal, plain

# Python does not rescue this locale by itself: everything is ASCII unless we see to it.
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
EVIL = "evil \x1b[31mred\x1b]0;title\x07 \x9b5m \u202egnp.exe [bold red]markup[/] :smile: 이사"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def saegim(
    *arguments: str | bytes, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "saegim", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
    )


def test_korean_and_emoji_survive_a_locale_of_ascii(tmp_path: Path) -> None:
    """U15.1, R-34: arguments, paths, standard input and output are UTF-8 whatever the locale."""
    folder = tmp_path / "홍 길동 (회사) 🐶" / ("가" * 66)
    assert len(folder.name.encode()) == 198
    path = str(folder / "기억 🧠.db")
    text = "한글과 이모지 🐕‍🦺 그대로"
    kept = saegim("--path", path, "--json", "remember", text, "--tag", "집", env=ASCII)
    assert kept.returncode == 0, kept.stderr
    assert json.loads(kept.stdout)["memory"]["text"] == text
    piped = saegim("--path", path, "remember", "-", stdin="표준 입력 🧠".encode(), env=ASCII)
    assert ": 표준 입력 🧠\n" in piped.stdout.decode()
    found = saegim("--path", path, "--language", "ko", "recall", "이모지", env=ASCII)
    assert text in found.stdout.decode()
    assert "같은 단어 이모지" in found.stdout.decode()
    # The doctor starts a second process, which must find the file as well.
    examined = saegim("--path", path, "--json", "doctor", "--quick", env=ASCII)
    assert json.loads(examined.stdout)["ok"] is True
    assert path in saegim("--path", path, "status", env=ASCII).stdout.decode()


def test_what_is_not_utf8_is_refused_without_a_traceback(tmp_path: Path) -> None:
    """U15.1, R-34: bytes that are no text, as an argument, a path or a home, are told clearly."""
    for arguments, environment in (
        ((b"remember", b"half \xed\xa0\x80"), {}),
        ((b"recall", b"\xff\xfe"), {}),
        ((b"--path", os.fsencode(tmp_path) + b"/\xff.db", b"remember", b"x"), {}),
        ((b"remember", b"x"), {"SAEGIM_HOME": os.fsdecode(os.fsencode(tmp_path) + b"/\xff")}),
        ((b"remember", b"\xff"), ASCII),
    ):
        refused = saegim(*arguments, env=environment)
        assert (refused.returncode, refused.stdout) == (2, b""), arguments
        assert b"is not UTF-8" in refused.stderr
        assert b"Traceback" not in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_version_and_help_load_nothing_heavy() -> None:
    """U33.3: neither numpy nor apsw is loaded to say the version or to help."""
    code = (
        "import sys\n"
        "from saegim.serve.cli.app import run\n"
        "assert 'rich' not in sys.modules\n"
        "codes = [run(line.split()) for line in ('--version', '--help', 'recall --help', 'x')]\n"
        "heavy = {'numpy', 'apsw', 'turbovec', 'saegim.saegim'} & set(sys.modules)\n"
        "assert (codes, heavy) == ([0, 0, 0, 2], set()), (codes, heavy)\n"
        "assert run(['remember', 'tea']) == 0\n"
        "assert {'numpy', 'apsw'} <= set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("saegim ")


def test_tables_fit_a_narrow_terminal_and_never_cut_an_id(say: Say) -> None:
    """80 columns hold every table; wide Hangul counts twice; long words end in an ellipsis."""
    long = "오후에는 커피 대신 보리차를 마시고 저녁에는 아무것도 마시지 않는 습관을 들였다"
    ids = [kept(say, f"{long} {number}", "--kind", "preference") for number in range(2)]
    trace = say("--json", "recall", "보리차").json["trace"]
    names = [handle(say, id) for id in ids]
    for line in (
        ("--language", "ko", "recent"),
        ("--language", "ko", "recall", "커피 대신 보리차를 마시는 습관을 언제 들였지?"),
        ("recall", "보리차", "--explain", "--features"),
        ("--language", "ko", "recall", "보리차", "--explain"),
        ("--language", "ko", "related", "보리차", "--depth", "2"),
        ("trace", trace),
    ):
        code, seen = on_a_terminal(*line)
        assert code == 0
        lines = plain(seen).splitlines()
        assert [each for each in lines if cell_len(each) > 80] == [], line
        assert all(re.search(rf"\b{name}\b", plain(seen)) for name in names), line
        assert "…" in seen


def test_a_terminal_never_receives_what_a_memory_wants_to_send(say: Say) -> None:
    """Attack 53: escapes, controls and bidi marks are shown as text; markup is not interpreted."""
    id = kept(say, EVIL, "--session", "s", "--tag", "t\x1b[2J", "--author", "a\x1b[2J")
    say("update", id, EVIL + " again")
    trace = say("--json", "recall", "이사").json["trace"]
    lines = [("recall", "이사", "--explain"), ("recent",), ("get", id), ("history", id)]
    lines += [("trace", trace), ("related", id), ("feedback", id, "up"), ("context", "이사")]
    for line in lines:
        for said in (say(*line).out, say("--json", *line).out):
            assert not UNSAFE.search(said), line
    code, seen = on_a_terminal("get", id)
    assert code == 0
    shown = plain(seen)
    assert not UNSAFE.search(shown)
    assert r"evil \x1b[31mred\x1b]0;title\x07 \x9b5m \u202egnp.exe" in shown
    assert "[bold red]markup[/] :smile:" in shown
    # Negative control: the words themselves do hold all of it.
    assert say("--json", "get", id, "--exact").json["text"] == EVIL
    assert UNSAFE.search(EVIL)


def test_a_person_at_a_terminal_is_asked_before_anything_leaves(say: Say) -> None:
    """U5.4: the preview comes first; only a clear yes lets go, also on a Korean keyboard."""
    id = kept(say, "보리차")
    name = handle(say, id)
    code, seen = on_a_terminal("forget", id, answer="n")
    assert (code, "Nothing was changed." in seen) == (1, True)
    assert seen.index(name) < seen.index("[y/N]")
    assert say("--json", "recent").json["total"] == 1
    code, seen = on_a_terminal("--language", "ko", "forget", "--matching", "보리차", answer="ㅛ")
    assert (code, f"saegim restore {name}" in seen) == (0, True)
    assert say("--json", "recent").json["total"] == 0
    code, seen = on_a_terminal("rebuild")
    assert (code, "Rebuilding" in seen) == (0, True)


def test_pipes_get_plain_text_and_may_close_early(say: Say) -> None:
    """No colour and no trailing space when piped; a reader that leaves causes no traceback."""
    kept(say, "보리차")
    piped = saegim("recent")
    assert b"\x1b" not in piped.stdout
    assert not any(line.endswith(b" ") for line in piped.stdout.splitlines())
    assert "Rebuilding" not in saegim("rebuild").stderr.decode()
    process = subprocess.Popen(
        [sys.executable, "-m", "saegim", "--json", "recent"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    complaint = process.stderr.read()
    process.stderr.close()
    process.wait()
    assert b"Traceback" not in complaint
