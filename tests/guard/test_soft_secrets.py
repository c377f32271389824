"""Secrets that are told in passing: found by shape or by a small model, held, never in code."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import EngineError
from saegim.guard import guard, soft_secrets
from saegim.guard.guard import screen, screen_after
from saegim.guard.soft_secrets import SHIPPED, table
from saegim.perceive import flow
from stand_ins import rounds

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "training"))
sys.path.insert(0, str(ROOT / "bench"))
import soft_secrets as training  # noqa: E402
import told_secrets as bench  # noqa: E402

CARD = json.loads((ROOT / "training" / "soft_secrets.json").read_text("utf-8"))

TOLD = [
    ("My vault opens with five odd words, kettle moss orbit banjo seven, no commas", "kettle moss"),
    ("If the bank asks, my mother's maiden name on file is Thornapple.", "Thornapple"),
    ("은행 본인확인 질문에 첫 강아지 물어보면 방울뱀이라고 대답하면 돼", "방울뱀"),
    ("구글이 만들어준 앱 비밀번호 zkwq trmv bxlo hjpe 이거 맞아?", "zkwq trmv bxlo hjpe"),
    ("the 2fa setup key reads MFZWIZTHNBVGW3DN, keep it", "MFZWIZTHNBVGW3DN"),
    ("자전거 자물쇠 4-0-9-1로 맞춰놨어", "4-0-9-1"),
    ("last two digits of my card PIN are 73", "73"),
    ("What's the alarm code again? never mind, it's 4471", "4471"),
    ("They want my social for the lease. It is 519-22-6048, I think, from the old card.", "519-22"),
]


@pytest.mark.parametrize(("text", "value"), TOLD)
def test_a_secret_told_in_passing_is_held(text: str, value: str) -> None:
    """FAULTS 22: words instead of a keyword, phrases, answers, seeds, parts, ids anywhere."""
    found = screen(text)
    assert value not in found.text
    assert found.held + found.masked >= 1


def test_most_of_these_need_the_model_or_its_shapes() -> None:
    """Control: by the older rules alone most of the same lines would be kept as they are."""
    told = [each for each in TOLD if "social" not in each[0]]
    missed = [
        value
        for text, value in told
        if value in text and not list(soft_secrets.passwords(soft_secrets_seen(text)))
    ]
    assert len(missed) >= 5


def soft_secrets_seen(text: str) -> Any:
    """Return the text as the detectors see it."""
    return guard.see(text)


FENCED = "비번 관리 코드야\n```python\nvault_password = input('password: tiger!904')\n```\n봐 줘"


def test_code_in_a_fence_is_no_password() -> None:
    """FAULTS 23: in code only known forms of keys are secrets."""
    assert screen(FENCED).text == FENCED
    key = "AKIA" + "QWERTYUIOPASDFGH"
    assert key not in screen(f"```\nkey = {key}\n```").text


def test_the_same_words_outside_a_fence_are_held() -> None:
    """Control: without the fence the value of that line is held."""
    assert "tiger!904" not in screen(FENCED.replace("```", "")).text


def test_a_masked_text_stays_as_it_is() -> None:
    """U22.1: what was masked once is not masked further when it is read again."""
    for row in training.rows_in(training.TUNED)[:: rounds(1, 6)]:
        for message in training.messages_of(row):
            once = screen(message).text
            assert screen(once).text == once


def test_the_shipped_detector_is_the_one_that_was_measured() -> None:
    """U5.1: model and data are those of the card, and it still finds what it was taught."""
    assert training.digest(SHIPPED) == CARD["sha256"]
    assert training.digest(training.TUNED, training.OWN) == CARD["data"]
    rows = training.rows_in(training.TUNED)[:: rounds(1, 3)]
    found = bench.counted(rows, bench.judged)["all"]
    assert found["held"][0] >= 0.95 * found["held"][1]
    assert found["alarms"][0] <= 0.02 * found["alarms"][1]


def test_a_hand_nobody_has_learned_from_is_held_as_measured() -> None:
    """The figures of the card come from hands left out: by day one hand, taught without turns."""
    left = CARD["left_out"]
    assert left["held"][0] >= 0.88 * left["held"][1]
    assert left["alarms"][0] <= 0.03 * left["alarms"][1]
    every = training.hands()
    whole = rounds(10) == 10
    plain = [*training.known_lines(), *(training.plain_turns() if whole else ())]
    which = [each for each in every if each != "7"] if whole else ["1"]
    if not whole:
        every = {name: lines[:: 1 if name == "1" else 2] for name, lines in every.items()}
    judged = training.left_out(every, plain, which)
    lines = [each for hand in judged.values() for each in hand]
    told = [training.held(each, table().least) for each in lines if each.line.values]
    calm = [training.alarmed(each, table().least) for each in lines if not each.line.values]
    assert sum(told) >= (0.85 if whole else 0.7) * len(told)
    assert sum(calm) <= (0.04 if whole else 0.12) * len(calm)


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    """No silent fallback: a byte that changed, a missing file and a strange one are errors."""
    raw = bytearray(SHIPPED.read_bytes())
    good = tmp_path / "good.safetensors"
    shutil.copy(SHIPPED, good)
    assert table(good).step == table().step
    raw[-1] ^= 1
    for name, held in (("bad", bytes(raw)), ("odd", b"no model"), ("cut", bytes(raw[:-9]))):
        path = tmp_path / name
        path.write_bytes(held)
        with pytest.raises(EngineError):
            table(path)
    with pytest.raises(EngineError):
        table(tmp_path / "none")


FIRST = "Remember my portal password in two goes, first half is lemurby"
SECOND = "second half: Tide%48, no space between, remember it"


def everything_in(folder: Path) -> bytes:
    """Return every byte of every file below a folder."""
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


def told_twice(folder: Path) -> tuple[int, str]:
    """Tell a password in two turns; return how much was held and what is remembered."""
    with Saegim.open(folder / "s.db") as memory:
        memory.observe(FIRST, session="s")
        second = memory.observe(SECOND, session="s")
        kept = " ".join(hit.memory.text for hit in memory.recall("portal password").hits)
        return second.needs_confirmation, kept


def test_a_secret_told_over_two_turns_is_held_in_both(tmp_path: Path) -> None:
    """FAULTS 22: the second half is held, and the first is masked where it was kept by then."""
    held, kept = told_twice(tmp_path)
    assert held == 2
    assert "portal" in kept
    assert b"lemurby" not in everything_in(tmp_path)
    assert b"Tide%48" not in everything_in(tmp_path)


def test_without_the_turn_before_the_first_half_would_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: judged alone, the first half is an ordinary word and lies in the file."""
    monkeypatch.setattr(flow, "_told_in_pieces", lambda turn, tally, mind: (turn, ()))
    told_twice(tmp_path)
    assert b"lemurby" in everything_in(tmp_path)


def test_another_session_is_not_read_together(tmp_path: Path) -> None:
    """What was said elsewhere is nobody's first half."""
    with Saegim.open(tmp_path / "s.db") as memory:
        memory.observe(FIRST, session="one")
        memory.observe(SECOND, session="two")
    assert b"lemurby" in everything_in(tmp_path)


def test_turns_about_other_things_are_not_touched() -> None:
    """FAULTS 23: a harmless turn stays whole when the next one tells a secret."""
    rows = training.rows_in(training.TUNED)
    calm = [row["text"] for row in rows if row["value"] is None][:: rounds(1, 4)]
    telling = [row["text"] for row in rows if isinstance(row["value"], str)][:: rounds(1, 4)]
    touched: Counter[bool] = Counter()
    for before, now in zip(calm, telling, strict=False):
        found = screen_after(screen(now).text, [screen(before).text])
        touched[bool(found.earlier)] += 1
    assert touched[True] <= 0.05 * touched.total()
