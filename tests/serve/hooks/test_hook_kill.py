"""Killed at any step, a hook loses nothing that was said and keeps nothing twice."""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path

from attending import assistant, user, written
from dying import FACTS, warm

from faults.processes import Warm
from saegim import Saegim
from stand_ins import NIGHTLY, rounds

__all__ = ["warm"]

# Found by burning to the end; every step at night, a share of them by day.
EVERY = 1 if NIGHTLY else 5


def turns(file: Path) -> Path:
    """A transcript in which everything the person said is worth keeping."""
    lines = [user(text, number) for number, text in enumerate(FACTS)]
    return written(file, *lines, assistant("Noted.", 9))


def kept(home: Path) -> Counter[str]:
    """Count how often each of the facts is kept, in whatever state."""
    with Saegim.open(home / "saegim.db", background=False) as memory:
        found = memory.by_session("s")
    return Counter(each.text for each in found)


def died_at(
    warm: Warm, folder: Path, fuse: int, broken: str = "", *, gone: bool = False
) -> tuple[bool, Counter[str]]:
    """Attend until the fuse has burnt down, then once more in peace; say what is kept.

    With `gone`, the transcript is cleared away in between if it was read to its end.
    """
    home = folder / f"{broken}{fuse}"
    home.mkdir()
    file = turns(home / "t.jsonl")
    died = warm.do("attend", home=str(home), name="stop", transcript=str(file), fuse=fuse,
                   broken=broken) is None  # fmt: skip
    if gone and any((home / "hooks").glob("*.json")):
        marked = (next((home / "hooks").glob("*.json"))).read_text()
        if f'"offset": {file.stat().st_size}' in marked:
            file.unlink()
    warm.do("attend", home=str(home), name="stop", transcript=str(file), broken=broken)
    return died, kept(home)


def steps(warm: Warm, folder: Path, broken: str = "") -> int:
    """Return how many steps touch the disk from the beginning to the end."""
    home = folder / f"whole{broken}"
    home.mkdir()
    file = turns(home / "t.jsonl")
    burnt = warm.do("attend", home=str(home), name="stop", transcript=str(file), broken=broken)
    assert isinstance(burnt, int)
    return burnt


def nearest_first(last: int) -> list[int]:
    """Every step, beginning where the mark is moved: three quarters of the way."""
    return sorted(range(1, last + 1), key=lambda each: abs(each - 3 * last // 4))


def test_killed_at_any_step_everything_is_kept_once(warm: Warm, tmp_path: Path) -> None:
    """U31.3: at each step that touches the disk, even if the transcript is gone afterwards."""
    last = steps(warm, tmp_path)
    assert last > 20
    for fuse in range(1, last + 1, EVERY):
        died, found = died_at(warm, tmp_path, fuse, gone=True)
        assert died, fuse
        assert found == Counter(FACTS), fuse


def test_without_the_spool_a_kill_loses_words(warm: Warm, tmp_path: Path) -> None:
    """The control: who moves the mark and then keeps, loses what lies between."""
    fuses = nearest_first(steps(warm, tmp_path, "no spool"))
    assert any(died_at(warm, tmp_path, each, "no spool")[1] < Counter(FACTS) for each in fuses)


def test_without_looking_a_kill_keeps_words_twice(warm: Warm, tmp_path: Path) -> None:
    """The control: who does not look what is kept already, keeps it again."""
    fuses = nearest_first(steps(warm, tmp_path, "no look"))
    assert any(max(died_at(warm, tmp_path, each, "no look")[1].values()) > 1 for each in fuses)


def test_killed_by_the_clock_anywhere_nothing_is_lost(warm: Warm, tmp_path: Path) -> None:
    """U31.3: killed from outside after so many milliseconds, again and again, then once whole."""
    home = tmp_path / "clock"
    home.mkdir()
    file = turns(home / "t.jsonl")
    for turn in range(rounds(12, 4)):
        child = warm.start("attend", home=str(home), name="stop", transcript=str(file))
        child._end.settimeout(0.004 * (turn + 1))
        with contextlib.suppress(TimeoutError):
            child.hear()
        child.kill()
        child.close()
    warm.do("attend", home=str(home), name="session-end", transcript=str(file))
    assert kept(home) == Counter(FACTS)
