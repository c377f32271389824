"""The commands of the night: what they tell, in both languages, and what they leave alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len
from saying import Say
from terminals import on_a_terminal, plain

from saegim import Saegim
from saegim.memory.memory import Scope
from saegim.serve.cli import night_commands
from saegim.serve.cli.talk import Talk
from saegim.sleep.flow import NIGHT

TWINS = ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다.")
LIGHTHOUSE = "The staging server is called Lighthouse"
SEOUL = "I have lived in Seoul since 2020"

Opened = Callable[..., Saegim]


@pytest.fixture
def lived(opened: Opened) -> None:
    """A store with twins, a passing note whose time is over, and one that was used often."""
    with opened(days_ago=40) as memory:
        for text in TWINS:
            memory.remember(text, tier="M90")
        memory.remember(LIGHTHOUSE, tier="M30", lifetime="passing")
    with opened(days_ago=5) as memory:
        kept = memory.remember(SEOUL, tier="M365")
        for _ in range(10):
            memory.feedback(kept.id, "used")


# -- the night ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("lived")
def test_a_night_is_told_in_plain_words_and_can_be_taken_back_as_it_says(say: Say) -> None:
    """U5.1: what was merged, what leaves and until when, what waits for a yes; one call back."""
    night = say("sleep")
    assert (night.code, night.err) == (0, "")
    lines = night.out.splitlines()
    assert re.match(r"Slept on \d{4}-\d\d-\d\d \d\d:\d\d \(.+\)\.$", lines[0])
    at = lines.index("Said the same as another and became one with it: 1")
    assert re.fullmatch(rf"    m\w+  {TWINS[0]}\.?", lines[at + 1])
    leaving = r"^Leaving, because its time is over; can be called back until [-\d: ]{16}: 1$"
    assert re.search(rf"{leaving}\n    m\w+  {LIGHTHOUSE}$", night.out, re.M)
    assert re.search(rf"\(saegim proposals\): 1\n    m\w+  {SEOUL}$", night.out, re.M)
    # What is done every night is not news.
    assert "Looked" not in night.out
    assert "Judged" not in night.out
    undo = lines[-1].split("saegim ")[1].split()
    assert (undo[0], undo[1][:6]) == ("undo", "night_")
    assert len(say("--json", "queue").json["queue"]) == 1
    back = say(*undo)
    assert re.match(r"Taken back: .*is leaving 1", back.out)
    assert say("--json", "queue").json["queue"] == []
    assert say("--json", "proposals").json["proposals"] == []
    again = back.out.splitlines()[-1].split("saegim ")[1].split()
    assert say(*again).code == 0
    assert len(say("--json", "queue").json["queue"]) == 1
    assert say(*undo).code == 2


@pytest.mark.usefixtures("lived")
def test_the_night_is_told_in_korean_and_as_one_document(say: Say) -> None:
    """`night` tells the same again in either language; JSON carries counts, ids and words."""
    night = say("--json", "sleep").json["night"]
    assert night["told"]["leave"]["expired"] == 1
    assert (night["state"], night["done"]) == ("done", night["stages"])
    (id,) = night["told"]["leave"]["expired:ids"]
    assert night["memories"][id]["text"] == LIGHTHOUSE
    assert say("--json", "get", night["memories"][id]["handle"]).json["id"] == id
    assert say("--json", "night").json["night"] == night
    assert say("--json", "night", night["id"]).json["night"] == night
    korean = say("--language", "ko", "night").out
    assert "겹친 기억을 하나로 합쳤습니다: 1\n" in korean
    assert re.search(
        r"^보관 기간이 끝나 떠납니다\. \S+ \S+까지 되살릴 수 있습니다: 1$", korean, re.M
    )
    assert korean.splitlines()[-1].endswith(f"saegim undo {night['id']}")
    assert not re.search(r"[a-z]+_(again|failed|file)", korean)


def test_what_rises_is_told_with_its_new_words(say: Say) -> None:
    """Seed D §3: what a memory comes to is shown in its new words, before and after it rises."""
    say("remember", "내 생일은 3월 4일이야. 꼭 기억해 줘.", "--tier", "M30")
    stages = ("--stage", "promote", "--stage", "distil", "--stage", "deepen")
    would = say("sleep", "--rehearse", *stages).out
    assert "    “내 생일은 3월 4일이야.” (to M90 · you asked to keep it · from 1)\n" in would
    told = say("sleep", *stages).out
    rose = (
        r"^Rose: new memories, distilled from older ones: 1\n"
        r"    M30 → M90, because: you asked to keep it\n    (m\w+)  내 생일은 3월 4일이야\.$"
    )
    found = re.search(rose, told, re.M)
    assert found is not None
    # What was marked has risen in the same night, so it is told once.
    assert "Marked" not in told
    assert say("--json", "get", found[1]).json["tier"] == "M90"
    assert re.search(r"night_\S+ +rose 1$", say("nights").out, re.M)


@pytest.mark.usefixtures("lived")
def test_words_of_what_is_gone_are_not_told_again(say: Say, opened: Opened) -> None:
    """U26.3: a report shows the words of what lives; of the forgotten only the count is left.

    Under the gentle law it sleeps between the queue and the archive (decision 0012).
    """
    id = say("--json", "sleep", "--stage", "leave").json["night"]["id"]
    assert LIGHTHOUSE in say("night", id).out
    with opened(days_ago=-8) as memory:
        assert memory.sleep("forget") is not None
    assert LIGHTHOUSE in say("night", id).out
    for day in range(-8 - 30, -8 - 7 * 30, -30):
        with opened(days_ago=day) as memory:
            memory.sleep("forget")
    told = say("night", id).out
    assert LIGHTHOUSE not in told
    assert "\n    m" not in told
    assert "because its time is over" in told
    assert "Forgotten; the words lie in the archive (saegim archive): 1" in say("night").out
    assert LIGHTHOUSE in say("archive").out


@pytest.mark.usefixtures("lived")
def test_a_rehearsal_says_why_and_changes_nothing(
    say: Say, head: Callable[[], tuple[int, str]]
) -> None:
    """U5.1: what would happen to which memory and why, before anything does."""
    before = head()
    told = say("sleep", "--rehearse").out
    assert re.search(r"^merging twins \(merge\)\n  Would become one .*: 1$", told, re.M)
    assert re.search(rf"^    m\w+  {TWINS[0]}\.? \(into m\w+\)$", told, re.M)
    assert re.search(rf"^    m\w+  {LIGHTHOUSE} \(tier M30 · for 40 days\)$", told, re.M)
    assert re.search(rf"^    m\w+  {SEOUL} \(used very often\)$", told, re.M)
    korean = say("--language", "ko", "sleep", "--rehearse", "--stage", "leave").out
    assert korean.splitlines()[2:4] == ["떠나보내기 (leave)", "  보관 기간이 끝나 떠납니다: 1"]
    steps = say("--json", "sleep", "--rehearse").json["steps"]
    assert {"merged", "expired", "proposed"} <= {each["why"] for each in steps}
    assert head() == before
    assert say("--json", "queue").json["queue"] == []
    # Negative control: the same without --rehearse does it.
    assert say("--json", "sleep").json["night"]["told"]["merge"]["merged"] == 1
    assert head() != before


def test_a_long_rehearsal_shows_a_few_and_counts_the_rest(say: Say, opened: Opened) -> None:
    """A person sees examples and a number; JSON has every step."""
    with opened(days_ago=40) as memory:
        for number in range(7):
            memory.remember(
                f"room {number} has {number * 3} chairs", tier="M30", lifetime="passing"
            )
    told = say("sleep", "--rehearse", "--stage", "leave").out
    assert told.count("chairs") == 5
    assert "\n    and 2 more; --json lists all\n" in told
    steps = say("--json", "sleep", "--rehearse", "--stage", "leave").json["steps"]
    assert [each["why"] for each in steps] == ["expired"] * 7
    assert say("sleep", "--rehearse", "--stage", "fade").out.startswith("A night would change")


def test_a_night_in_which_nothing_happened_says_so(say: Say) -> None:
    """Nothing to tell is told as such, with no way back offered from nothing."""
    say("remember", "tea at noon")
    assert say("sleep", "--stage", "fade").out.splitlines()[1:] == [
        "A quiet night: there was nothing to do."
    ]
    assert "정리할 것이 없었습니다" in say("--language", "ko", "sleep", "--stage", "merge").out
    made = say("sleep", "--stage", "backup").out
    assert made.splitlines()[1:] == ["Made a verified backup."]


def test_a_stage_that_fails_is_told_and_the_exit_code_says_so(say: Say, tmp_path: Path) -> None:
    """U12.2: a night with trouble ends with 1 and names the stage; the others were done."""
    say("remember", "tea at noon")
    (tmp_path / "home" / "backups").write_text("in the way")
    night = say("sleep", "--stage", "backup", "--stage", "fade")
    assert night.code == 1
    assert re.search(r"^Trouble while backing up: ", night.out, re.M)
    assert "trouble" in say("nights").out
    (tmp_path / "home" / "backups").unlink()
    assert say("sleep", "--stage", "backup").code == 0


@pytest.mark.usefixtures("lived")
def test_a_store_that_sleeps_already_is_left_to_the_other(say: Say, opened: Opened) -> None:
    """FAULTS: two sleepers do not do the same night; the second says so and ends with 1."""
    with opened() as other:
        mind = other.mind
        nights = mind.store.nights
        vigil = nights.vigil("me")
        held = nights.begin(Scope("me"), "night_held", ["leave"], mind.now(), vigil=vigil)
        assert held is not None
        busy = say("sleep")
        assert (busy.code, busy.out.split(",")[0]) == (
            1,
            "Another process is sleeping here already",
        )
        assert say("--json", "sleep").json == {"night": None}
        assert "has not ended; so far:" in say("night").out
        assert "not ended" in say("nights").out
        nights.end(held, mind.now())
    assert say("sleep").code == 0


# -- the list of nights ---------------------------------------------------------------------------


@pytest.mark.usefixtures("lived")
def test_nights_lists_what_was_and_what_is_due(say: Say) -> None:
    """The history, the times of every stage, and whether the rota rests."""
    empty = say("nights").out
    assert empty.startswith("No night was slept yet. To sleep now: saegim sleep\n")
    assert say("night").out == "No night was slept yet. To sleep now: saegim sleep\n"
    assert say("--json", "night").json == {"night": None}
    first = say("--json", "sleep", "--stage", "merge").json["night"]["id"]
    second = say("--json", "sleep", "--stage", "leave").json["night"]["id"]
    told = say("nights").out
    assert told.index(second) < told.index(first)
    assert re.search(rf"{first} +merged 1$", told, re.M)
    assert re.search(rf"{second} +leaving 1$", told, re.M)
    assert re.search(r"^ *\d{4}-\d\d-\d\d \d\d:\d\d +.*merging twins.*$", told, re.M)
    book = say("--json", "nights", "1").json
    assert [each["id"] for each in book["nights"]] == [second]
    assert set(book["due"]) == {stage.name for stage in NIGHT}
    assert book["paused"] is False


def test_the_rota_rests_and_goes_on(say: Say) -> None:
    """Seed D: a person may let the nights rest; the list says so and how to go on."""
    say("remember", "tea")
    assert "paused" not in say("nights").out.lower().replace("--pause", "")
    assert say("--json", "sleep", "--pause").json == {"paused": True}
    assert "Nights are paused" in say("nights").out
    assert "시킬 때만 정리합니다" in say("--language", "ko", "nights").out
    assert say("--json", "nights").json["paused"] is True
    assert say("sleep", "--stage", "fade").code == 0
    assert say("sleep", "--resume").out == "Nights happen by their times again.\n"
    assert say("--json", "nights").json["paused"] is False


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sleep --stage nope", "There is no stage 'nope'"),
        ("sleep --pause --resume", "in one way at a time"),
        ("sleep --watch --rehearse", "in one way at a time"),
        ("sleep --watch --stage leave", "in one way at a time"),
        ("nights 0", "n cannot be 0"),
        ("nights many", "[N]"),
        ("night night_none", "There is no night 'night_none'"),
        ("undo night_none", "nothing of 'night_none' to take back"),
        ("undo 999999", "nothing of '999999' to take back"),
        ("undo", "Missing argument"),
    ],
)
def test_what_cannot_be_done_by_night_is_refused_clearly(
    say: Say, head: Callable[[], tuple[int, str]], line: str, message: str
) -> None:
    """A clear message with a next step, exit code 2, the store as it was."""
    say("remember", "tea")
    before = head()
    refused = say(*line.split())
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert "\n  → " in refused.err
    assert head() == before


# -- real processes -------------------------------------------------------------------------------


@pytest.mark.usefixtures("lived")
def test_a_watch_sleeps_what_is_due_and_tells_each_night_in_a_line(opened: Opened) -> None:
    """Seed D: in the foreground until it is asked to end; each night is one line, at once."""
    with opened(days_ago=2) as memory:
        with closing(memory.nights.watch()) as keeping:
            assert keeping.look() == 0  # planned two days ago: everything daily is due now
    process = subprocess.Popen(
        [sys.executable, "-m", "saegim", "sleep", "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert process.stdout is not None
    first, second = process.stdout.readline(), process.stdout.readline()
    assert re.match(r"Keeping watch; next: .+ on [-\d: ]+\. Ctrl-C ends it\.$", first)
    assert re.match(r"[-\d]+ [\d:]+  slept: .*leaving 1.*\(.* -m saegim night night_\S+\)$", second)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "No longer keeping watch.\n", "")


def test_a_watch_ends_when_whoever_started_it_says_so(say: Say) -> None:
    """A daemon is ended by SIGTERM as a person ends it by Ctrl-C; paused, it says so."""
    say("remember", "tea")
    say("sleep", "--pause")
    process = subprocess.Popen(
        [sys.executable, "-m", "saegim", "--language", "ko", "sleep", "--watch"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert process.stdout is not None
    first, second = process.stdout.readline().decode(), process.stdout.readline().decode()
    assert first.startswith("지켜보고 있습니다. 다음: ")
    assert "--resume" in second
    process.terminate()
    out, _ = process.communicate()
    assert (process.returncode, out.decode()) == (0, "그만 지켜봅니다.\n")
    assert say("--json", "sleep", "--watch").json["error"]["kind"] == "BadInput"


@pytest.mark.usefixtures("lived")
def test_a_watch_says_nothing_twice(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However often it looks, a night or a trouble is one line."""
    looks = iter(range(3))

    def look_again(_: float) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(night_commands, "time", SimpleNamespace(sleep=look_again))
    with opened() as memory:
        keeping = memory.nights.watch()
        # It has looked and found nothing to do; what it says from now on is ours.
        keeping.close()
        before = memory.mind.now() - timedelta(seconds=1)
        memory.sleep("leave")
        keeping.trouble = "x is busy."
        with pytest.raises(KeyboardInterrupt):
            night_commands._look_on(Talk(), memory, keeping, before)
    told = capsys.readouterr()
    assert told.out.count("slept: leaving 1") == 1
    assert told.err == "x is busy. It is tried again.\n"


@pytest.mark.usefixtures("lived")
def test_a_bar_moves_on_a_terminal_and_every_line_fits(say: Say) -> None:
    """80 columns hold the rehearsal, the report and the list; piped there is no bar."""
    for line in (
        ("--language", "ko", "sleep", "--rehearse"),
        ("sleep",),
        ("nights",),
        ("--language", "ko", "night"),
        ("--language", "ko", "queue"),
        ("proposals",),
    ):
        code, seen = on_a_terminal(*line)
        assert code == 0, seen
        shown = plain(seen)
        if line == ("sleep",):
            assert "Sleeping" in shown
            continue
        # Sentences are left to the terminal to wrap; tables and words fit by themselves.
        lines = [each for each in shown.splitlines() if each.startswith(("    ", "m", "20"))]
        assert [each for each in lines if cell_len(each) > 80] == [], line
    assert "Sleeping" not in say("sleep").err


def test_a_report_never_sends_what_a_memory_wants_to_send(say: Say, opened: Opened) -> None:
    """Attack 53: escapes and controls in words, authors or names are shown, not obeyed."""
    evil = "evil \x1b[31mred\x1b]0;title\x07 \x9b5m \u202egnp.exe [bold red]markup[/]"
    with opened(days_ago=40) as memory:
        memory.remember(evil, tier="M30", lifetime="passing")
    unsafe = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
    for line in ("sleep --rehearse", "sleep", "night", "nights", "queue", "revert --author me"):
        for said in (say(*line.split()).out, say("--json", *line.split()).out):
            assert not unsafe.search(said), line
    assert r"evil \x1b[31mred" in say("queue").out


@pytest.mark.usefixtures("lived")
def test_a_night_that_was_taken_back_says_so(say: Say) -> None:
    """Nobody is told to take back what was taken back already."""
    told = say("sleep").out
    night = re.search(r"saegim undo (night_\w+)", told)
    assert night is not None
    assert f"saegim undo {night[1]}" in say("night", night[1]).out
    say("undo", night[1])
    again = say("night", night[1]).out
    assert "This night was taken back." in again
    assert "saegim undo" not in again


# -- what rose, and the year ----------------------------------------------------------------------


@pytest.fixture
def risen(opened: Opened) -> None:
    """A store in which something often used has risen, and a year was summed up."""
    with opened(days_ago=9) as memory:
        kept = memory.remember(LIGHTHOUSE, tier="M30")
        for _ in range(3):
            memory.feedback(kept.id, "used")
    with opened(days_ago=1) as memory:
        memory.sleep()


@pytest.mark.usefixtures("risen")
def test_what_rose_is_told_with_from_to_and_why(say: Say) -> None:
    """Seed D §9-6: in a list, in the night's own report, and as data; in both languages."""
    told = say("promotions")
    assert (told.code, told.err) == (0, "")
    assert "M30 → M90, because: used often" in told.out
    assert LIGHTHOUSE in told.out
    assert "M30 → M90, 이유: 자주 쓰임" in say("--language", "ko", "promotions").out
    [row] = say("--json", "promotions", "1").json["promotions"]
    assert (row["from"], row["to"], row["why"], row["text"]) == ("M30", "M90", "used", LIGHTHOUSE)
    assert "M30 → M90, because: used often" in say("night").out
    [again] = say("--json", "night").json["night"]["rose"]
    assert again == row


def test_where_nothing_rose_the_list_says_so(say: Say, opened: Opened) -> None:
    """The control: a young store has no promotions, and says when there will be some."""
    with opened() as memory:
        memory.remember(SEOUL)
    assert "Nothing has risen yet" in say("promotions").out
    assert "아직 올라간 기억이 없습니다" in say("--language", "ko", "promotions").out
    assert say("--json", "promotions").json == {"promotions": []}


@pytest.mark.usefixtures("risen")
def test_the_year_is_read_out_in_plain_words(say: Say) -> None:
    """Seed D §3, yearly: what came, rose and stayed, by the words of either language."""
    told = say("year")
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[0].startswith("The year ")
    assert "Kept: 2 (M30 1, M90 1)" in lines
    assert "Rose: 1 (M90 1)" in lines
    korean = say("--language", "ko", "year").out
    assert "올라감: 1 (M90 1)" in korean
    assert "년 한 해" in korean
    data = say("--json", "year").json
    assert (data["rose"], data["years"]) == ({"M90": 1}, [data["year"]])
    missing = say("year", "1999")
    assert missing.code != 0
    assert "There is no report of 1999." in missing.err
    assert "1999년 보고서는 없습니다." in say("--language", "ko", "year", "1999").err
