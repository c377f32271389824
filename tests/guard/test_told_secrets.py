"""Secrets that are told in passing: found by shape or by a small network, held, never in code."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from saegim.errors import EngineError
from saegim.guard.guard import screen
from saegim.guard.passwords import passwords
from saegim.guard.told_secrets import SHIPPED, may_tell, reader
from saegim.guard.visible_text import see
from stand_ins import rounds

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("bench_told", ROOT / "bench" / "told_secrets.py")
assert SPEC is not None
assert SPEC.loader is not None
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

CARD = json.loads((ROOT / "training" / "told_secrets" / "card.json").read_text("utf-8"))
ROWS = [json.loads(line) for line in bench.TUNED.read_text("utf-8").splitlines()]
SCENES = ROOT / "training" / "scenes"

TOLD = [
    ("no_keyword", "To get into the pump house you punch 5083 and lift the latch.", "5083"),
    ("passphrase", "My vault opens with four odd words, kettle moss orbit banjo", "kettle moss"),
    ("recovery", "github gave me recovery codes, the unused one is 7be21-c90fa", "7be21-c90fa"),
    ("combination", "자전거 자물쇠 4-0-9-1로 맞춰놨어", "4-0-9-1"),
    ("answer", "은행 본인확인 질문에 첫 강아지 물어보면 방울뱀이라고 대답하면 돼", "방울뱀"),
    ("two factor", "the 2fa setup key reads MFZWIZTHNBVGW3DN, keep it", "MFZWIZTHNBVGW3DN"),
    ("wifi", "손님용 와이파이는 haru_cafe 잡고 sancheck&7712 넣으면 연결돼", "sancheck&7712"),
    ("app password", "구글이 만들어준 앱 비밀번호 zkwq trmv bxlo hjpe 이거 맞아?", "zkwq trmv"),
    ("part", "last two digits of my card PIN are 73", "73"),
    ("question", "What's the alarm code again? never mind, it's 4471", "4471"),
    ("number", "They want my social for the lease. It is 519-22-6048, I think.", "519-22-6048"),
    ("split", "second half of the password: Tide%48, no space between", "Tide%48"),
]


@pytest.mark.parametrize(("text", "value"), [each[1:] for each in TOLD], ids=[e[0] for e in TOLD])
def test_a_secret_told_in_passing_is_held(text: str, value: str) -> None:
    """FAULTS 22: words instead of a keyword, phrases, answers, seeds, parts, numbers anywhere."""
    found = screen(text)
    assert value not in found.text
    assert found.held + found.masked >= 1


def test_most_of_these_need_the_network_or_their_shape() -> None:
    """Control: the rules of announced passwords alone would keep most of them as they are."""
    missed = [text for _, text, _ in TOLD if not list(passwords(see(text)))]
    assert len(missed) >= 6


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
    for row in ROWS[:: rounds(1, 6)]:
        for message in bench.messages_of(row):
            once = screen(message).text
            assert screen(once).text == once


def test_the_file_that_ships_is_the_one_that_was_measured() -> None:
    """U5.1: the file is that of the card, and it still finds what it was taught."""
    assert hashlib.sha256(SHIPPED.read_bytes()).hexdigest() == CARD["sha256"]
    found = bench.counted(ROWS[:: rounds(1, 2)])
    for language in ("language ko", "language en"):
        (held, told), (alarms, calm) = found[language]["held"], found[language]["alarm"]
        assert held >= 0.9 * told
        assert alarms <= 0.03 * calm


def test_the_frozen_lines_are_the_ones_that_were_scored() -> None:
    """The figures on the page are of this file: nobody changed a line of it since."""
    raw = (ROOT / "tests" / "data" / "soft_secrets_held_2.jsonl").read_bytes()
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert hashlib.sha256(raw).hexdigest() in page
    assert hashlib.sha256(raw + b" ").hexdigest() not in page


def test_plain_talk_is_left_alone() -> None:
    """FAULTS 23: scenes of hands it was not taught with, and the open lives, are hardly touched."""
    scenes = [
        text
        for number in (9, 15, 16)
        for line in (SCENES / f"hand_{number}.jsonl").read_text("utf-8").splitlines()
        for texts in json.loads(line)["turns"].values()
        for text in texts
    ][:: rounds(1, 4)]
    touched = [text for text in scenes if screen(text).held]
    assert len(scenes) >= 500
    assert len(touched) <= 0.01 * len(scenes)
    turns = bench.plain_turns()
    assert sum(screen(turn).held > 0 for turn in turns) <= 0.01 * len(turns)


def test_words_of_a_plain_list_are_left_alone() -> None:
    """FAULTS 23: lists, scores, prices and names are nobody's key."""
    for text in (
        "Shopping: onions, mustard, lightbulbs, cat food, ribbon, oat milk, soap, thyme",
        "오늘 외울 단어: abandon, candid, feeble, lucid, ponder, wary. 예문 하나씩 만들어줘",
        "장볼 거 두부 콩나물 대파 계란 우유 감자 양파 당근 식빵 김 참기름 멸치",
        "We won 21-17, 19-21, 15-13 and my knees are filing a complaint.",
    ):
        assert screen(text).text == text


def test_a_text_that_can_tell_nothing_loads_no_numbers() -> None:
    """The network is read from its file only when a text may need it."""
    reader.cache_clear()
    plain = "오늘 점심은 칼국수였고 아주 맛있었다"
    assert may_tell(plain) == 0
    screen(plain)
    assert reader.cache_info().currsize == 0
    screen("뒷문은 4471 누르면 돼")
    assert reader.cache_info().currsize == 1


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """No silent fallback: a byte that changed, a missing file and a strange one are errors."""
    raw = bytearray(SHIPPED.read_bytes())
    good = tmp_path / "good.safetensors"
    shutil.copy(SHIPPED, good)
    assert reader(good).least == reader().least
    raw[-1] ^= 1
    for name, held in (("bad", bytes(raw)), ("odd", b"no model"), ("cut", bytes(raw[:-9]))):
        path = tmp_path / name
        path.write_bytes(held)
        with pytest.raises(EngineError):
            reader(path)
    with pytest.raises(EngineError):
        reader(tmp_path / "none")
