"""Secrets that are told in passing: found by shape or by a reader, held, never in code."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from read_once import real_secrets
from saegim.engines.brain import model
from saegim.engines.brain.secret_reader import SHIPPED, WINDOW, SecretReader, windows_of
from saegim.errors import EngineError
from saegim.guard.guard import screen
from saegim.guard.passwords import passwords
from saegim.guard.told_secrets import parts_of, reader, runs_of
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


@pytest.mark.parametrize("name", [f"soft_secrets_held_{number}" for number in (2, 3, 4, 5)])
def test_the_frozen_lines_are_the_ones_that_were_scored(name: str) -> None:
    """The figures on the page are of this file: nobody changed a line of it since."""
    raw = (ROOT / "tests" / "data" / f"{name}.jsonl").read_bytes()
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
    # 6 of 545 when it was measured; another processor may round one across its bound.
    assert sum(screen(turn).held > 0 for turn in turns) <= 0.015 * len(turns)


# Nothing is taught with these lines.
TECHNICAL = """\
The database of this project is PostgreSQL 16.
이 저장소의 데이터베이스는 PostgreSQL 16이다.
Our message broker is NATS 2.10 on Rocky Linux 9.
메시지 브로커는 NATS 2.10이고 서버는 로키 리눅스 9입니다.
The login service moved from port 8080 to 9443.
로그인 서비스 포트를 8080에서 9443으로 옮겼어요.
We pin numpy to 1.26.4 because 2.0 breaks the wheel.
넘파이는 1.26.4로 고정, 2.0은 빌드가 깨져.
The crash came with commit 7be41c9 on branch fix/token-refresh.
7be41c9 커밋부터 죽어, 브랜치는 fix/token-refresh.
Order 88123047 ships on Thursday with tracking 4471-2290-1183.
주문 88123047은 목요일 출고, 운송장 4471-2290-1183.
Flight LH 713 lands at 14:25, terminal 1, belt 6.
LH713편 14시 25분 도착, 1터미널 6번 벨트.
My desk phone is extension 5519, the lab is 5520.
제 자리는 내선 5519, 실험실은 5520이에요.
The camera is a Sony ILCE-7M4 and the lens a 2470GM2.
카메라는 소니 ILCE-7M4, 렌즈는 2470GM2야.
The lock file pins 412 packages and the vault plugin is 0.9.3.
락 파일에 패키지 412개, 볼트 플러그인은 0.9.3.
Account 40021 has two open invoices, 1,204 and 87 euros.
거래처 40021 미수금이 두 건, 120만 4천 원이랑 8만 7천 원.
The router is an Archer AX55 with firmware 1.3.2.
공유기는 Archer AX55, 펌웨어 1.3.2.
Room 1407 is taken, so the keynote is in hall B at 10:15.
1407호는 찼으니 기조연설은 10시 15분 B홀에서.
The key length is 2048 bits and certificates last 90 days.
키 길이는 2048비트, 인증서는 90일짜리.
Passwords are hashed with argon2id, memory 64 MB, 3 passes.
비밀번호는 argon2id로 해시하고 메모리 64MB에 3번 돌려.
host db-replica-04 lags 12 seconds behind db-primary-01
db-replica-04가 db-primary-01보다 12초 늦어요
The score was 78-74 and number 23 fouled out.
78 대 74로 졌고 23번이 퇴장당했어.
""".splitlines()


def test_technical_talk_is_left_alone() -> None:
    """FAULTS 23: versions, ports, hosts, commits, flights, models: too many still, never more."""
    touched = [text for text in TECHNICAL if screen(text).findings]
    assert len(touched) <= 5, touched


def test_a_secret_in_technical_talk_is_held() -> None:
    """Control: the same talk with a value that opens something is not left alone."""
    for text, value in (
        ("The postgres superuser logs in with tin-Rooster_40 on db-primary-01.", "tin-Rooster_40"),
        ("db-primary-01 관리자 비번은 tin-Rooster_40 이야", "tin-Rooster_40"),
        ("Room 1407 is locked, punch 5083 and it opens.", "5083"),
        ("1407호는 5083 누르면 열려요", "5083"),
    ):
        assert value not in screen(text).text


def test_words_of_a_plain_list_are_left_alone() -> None:
    """FAULTS 23: lists, scores, prices and names are nobody's key."""
    for text in (
        "Shopping: onions, mustard, lightbulbs, cat food, ribbon, oat milk, soap, thyme",
        "오늘 외울 단어: abandon, candid, feeble, lucid, ponder, wary. 예문 하나씩 만들어줘",
        "장볼 거 두부 콩나물 대파 계란 우유 감자 양파 당근 식빵 김 참기름 멸치",
        "We won 21-17, 19-21, 15-13 and my knees are filing a complaint.",
    ):
        assert screen(text).text == text


def test_one_word_alone_loads_no_numbers() -> None:
    """The reader is loaded only when a text may need it."""
    reader.cache_clear()
    for text in ("안녕하세요", "kestrel99", "", "보리"):
        screen(text)
    assert reader.cache_info().currsize == 0
    screen("뒷문은 4471 누르면 돼")
    assert reader.cache_info().currsize == 1


def test_plain_talk_is_only_glanced_at() -> None:
    """The look, which costs as much as a vector, waits until the glance is not sure."""
    reader.cache_clear()
    screen("오늘 점심은 칼국수였고 아주 맛있었다")
    screen("We had soup for lunch and it was lovely")
    assert "_look" not in vars(reader())
    screen("뒷문은 4471 누르면 돼")
    assert "_look" in vars(reader())


TALK = "We walked along the river, had tea, and talked about the trip in May. "


@pytest.mark.parametrize("before", [0, 3, 9, 40])
def test_a_long_text_is_read_to_its_end(before: int) -> None:
    """A text is read in parts and windows; wherever it is told, the value is found."""
    text = (
        f"{TALK * before}To get into the pump house you punch 5083 and lift the latch. {TALK * 9}"
    )
    assert "5083" not in screen(text).text
    assert screen(TALK * (before + 9)).findings == ()


def test_every_run_lies_in_a_window_that_holds_its_pieces() -> None:
    """No run is lost or read from pieces that are not its own."""
    text = f"{TALK * 20}the wifi is kestrel99 {chr(0) * 18} 그리고 뒷문은 4471 누르면 돼"
    pieces = model.Static().brain.pieces
    runs = runs_of(see(text), reader().known)
    parts, rows = windows_of(text, runs, pieces)
    assert len(rows) == len(runs)
    assert len(parts) > 1
    assert all(len(part) <= WINDOW for part in parts)
    for run, (window, first, last) in zip(runs, rows, strict=True):
        said = "".join(pieces.names[each] for each in parts[window][first : last + 1])
        word = text[run.start : run.end]
        if word.isascii() and word.isalnum():
            assert word.lower() in said.replace(" ", ""), (word, said)


@pytest.mark.parametrize("text", ["the grinder is set to seven", "grinder is set to 7"])
def test_one_digit_opens_nothing(text: str) -> None:
    """A single digit, also in words, is no secret; two of them are (control)."""
    assert screen(text).findings == ()
    assert screen("the safe opens with seven four one nine").held == 1


def test_what_a_text_repeats_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text that says the same again and again costs one look, not one for each part."""
    asked: list[str] = []
    look = SecretReader.look
    monkeypatch.setattr(
        SecretReader, "look", lambda self, low, *rest: asked.append(low) or look(self, low, *rest)
    )
    seen = see("뒷문은 4471 누르면 열려요. 점심은 국수였어요. " * 100)
    assert len(list(real_secrets(seen))) == 100
    assert 0 < len(asked) == len(set(asked))
    assert len(list(parts_of(seen))) > 2 * len(asked), "the control: more parts than looks"


def test_a_part_is_read_behind_what_precedes_it() -> None:
    """A part but the first begins with the words before it; places are those of the text."""
    text = f"{TALK * 4}To get into the pump house you punch 5083 and lift the latch. {TALK * 3}"
    parts = list(parts_of(see(text)))
    assert len(parts) > 2
    own = ""
    for seen, start, moved in parts:
        own += seen.text[start:]
        assert text[start + moved : len(seen.text) + moved] == seen.text[start:]
        if start:
            assert text[moved : start + moved] == seen.text[:start]
    assert own == text
    (behind, *_) = parts_of(see("뒷부분은 62"), "앞부분은 [held:password#1]이야")
    assert behind.seen.text[behind.own :] == "뒷부분은 62"
    assert behind.own + behind.moved == 0


HALVES = [
    ("The first half of the vault password is copper", "the second half is marmalade", "marm"),
    ("금고 비밀번호 앞부분은 구리야", "뒷부분은 너구리62", "너구리"),
]


@pytest.mark.parametrize(("first", "second", "half"), HALVES, ids=["en", "ko"])
def test_the_other_half_is_read_behind_the_first(first: str, second: str, half: str) -> None:
    """N-15: a secret told over two messages is held in both; plain talk behind one half is not."""
    before = screen(first).text
    assert "held:" in before
    assert half not in screen(second, before=before).text
    assert half in screen(second).text
    told = screen("뒷문은 4471 누르면 열려요").text
    assert screen("하루 종일 걸었더니 피곤하다", before=told).findings == ()


def test_what_was_said_before_is_not_searched() -> None:
    """Places are those of the text itself, whatever stood before it."""
    found = screen("뒷문은 4471 누르면 돼", before="앞문은 9032 누르면 열려")
    assert found.text.startswith("뒷문은 [held:pin#1]")
    assert [(each.start, each.end) for each in found.findings] == [(4, 8)]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """No silent fallback: a byte that changed, a missing file and a strange one are errors."""
    raw = bytearray(SHIPPED.read_bytes())
    good = tmp_path / "good.safetensors"
    shutil.copy(SHIPPED, good)
    assert SecretReader(good).bounds == reader().bounds
    raw[-1] ^= 1
    for name, held in (("bad", bytes(raw)), ("odd", b"no model"), ("cut", bytes(raw[:-9]))):
        path = tmp_path / name
        path.write_bytes(held)
        with pytest.raises(EngineError):
            SecretReader(path)
    with pytest.raises(EngineError):
        SecretReader(tmp_path / "none")


def test_a_reader_of_another_encoder_is_refused(tmp_path: Path) -> None:
    """It reads what the encoder's layers make, and those of another mean something else."""
    tensors = model.read(SHIPPED)
    path = tmp_path / "other.safetensors"
    model.write(path, tensors.arrays(), {**tensors.notes, "encoder": "0" * 32})
    other = SecretReader(path)
    runs = runs_of(see("뒷문은 4471 누르면 돼"), other.known)
    with pytest.raises(EngineError):
        other.look("뒷문은 4471 누르면 돼", runs, 1)


@pytest.mark.parametrize("end", ["f96cc2870dfbd4fd4735", "0a1b2c3d4e5f60718293", "9" * 20])
def test_the_id_of_a_memory_is_no_password(end: str) -> None:
    """People and agents name memories to each other; who calls one a password is believed."""
    named = f"mem_20260308_100000_{end}"
    assert screen(f"id: {named}").text == f"id: {named}"
    assert named not in screen(f"password: {named}").text
    assert named not in screen(f"비밀번호는 {named}").text
