"""The commands of leaving: the queue, taking back a source, and what only a person may say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date as calendar_day
from datetime import datetime
from pathlib import Path

import pytest
from saying import Say, handle, kept
from terminals import on_a_terminal, plain

from saegim import Saegim
from saegim.doctor.audit import COUNTED
from saegim.messages import entries, has

Head = Callable[[], tuple[int, str]]
SEOUL = "I have lived in Seoul since 2020"


@pytest.fixture
def proposed(say: Say, opened: Callable[..., Saegim]) -> str:
    """The id of a proposal that waits for an answer."""
    with opened(days_ago=1) as memory:
        id = memory.remember(SEOUL, tier="M365").id
        for _ in range(10):
            memory.feedback(id, "used")
        memory.sleep("promote", "propose")
    (found,) = say("--json", "proposals").json["proposals"]
    assert (found["text"], found["state"], found["reasons"]) == (SEOUL, "open", ["often_used"])
    return str(found["id"])


# -- the queue and the archive --------------------------------------------------------------------


def test_the_queue_says_why_how_long_and_how_to_call_back(
    say: Say, opened: Callable[..., Saegim]
) -> None:
    """Seed D §6: what is leaving is in sight, what goes first first, and comes back as it says."""
    kept(say, "a first memory")
    empty = say("queue").out.splitlines()
    assert empty[0] == "Nothing is leaving."
    assert empty[1].startswith("Forgetting is gentle: ")
    first, second = kept(say, "tea at noon"), kept(say, "coffee at night")
    names = handle(say, first), handle(say, second)
    with opened(days_ago=3.5) as memory:
        memory.forget(second)
    say("forget", first, "--yes")
    told = say("queue").out
    assert re.search(rf"^coffee at night +let go +3 d 1[12] h\n{names[1]}", told, re.M)
    assert told.index(names[1]) < told.index(names[0])
    assert told.splitlines()[-1] == "To call one back: saegim restore ID"
    assert re.search(r"떠나보냄 +6일 23시간", say("--language", "ko", "queue").out)
    listed = say("--json", "queue").json["queue"]
    assert [each["memory"]["id"] for each in listed] == [second, first]
    assert listed[0]["reason"] == "manual"
    assert 0 < listed[0]["left_seconds"] < listed[1]["left_seconds"] <= 7 * 86400
    say("restore", first, second)
    korean = say("--language", "ko", "queue").out.splitlines()
    assert korean[0] == "떠나는 기억이 없습니다."
    assert korean[1].startswith("부드럽게 잊습니다(gentle).")


SPANS = {
    "90d": 90,
    "90일": 90,
    "12w": 84,
    "12주": 84,
    "1mo": 31,
    "1개월": 31,
    "2 달": 61,
    "1y": 365,
    "1년": 365,
}


@pytest.mark.parametrize("span", SPANS)
def test_keep_for_a_time_is_said_as_people_write_it(say: Say, span: str, noon: datetime) -> None:
    """DESIGN 4b: `saegim keep ID --for 90d`; months and years are those of the calendar."""
    id = kept(say, "tea at noon")
    held = say("--json", "keep", id, "--for", span).json["memories"][0]
    ahead = (calendar_day.fromisoformat(held["last_date"]) - noon.astimezone().date()).days
    assert (held["lifetime"], ahead) == ("until", SPANS[span])


def test_keep_says_how_long_in_both_languages(say: Say) -> None:
    """DESIGN 4b: for good, until a date, or for the tier's time; what cannot be is said."""
    id = kept(say, "tea at noon")
    assert say("keep", id).out == f"Kept (no end), {handle(say, id)}: tea at noon\n"
    until = say("keep", id, "--until", "2099-05-30").out
    assert until == f"Kept (until 30 May 2099 + 30 days), {handle(say, id)}: tea at noon\n"
    korean = say("--language", "ko", "keep", id, "--until", "2099-05-30").out
    assert korean == f"간직함(2099년 5월 30일 + 30일까지) {handle(say, id)}: tea at noon\n"
    assert say("--language", "ko", "keep", id, "--passing").out.startswith("간직함(90일) ")
    assert re.search(r"보관 기한 +90일", say("--language", "ko", "get", id).out)
    both = ("--for", "1d", "--passing")
    for wrong in (("--for", "3q"), ("--for", "0d"), ("--until", "someday"), both):
        refused = say("--language", "ko", "keep", id, *wrong)
        assert (refused.code, refused.out) == (2, "")
        assert "There" not in refused.err
        assert "Give" not in refused.err
    assert say("--json", "get", id).json["lifetime"] == "passing"


def test_the_law_of_the_seeds_is_named_and_keeps_nothing(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 4b: under `forgetting = "seed"` status and queue say so, and keep advises to pin."""
    monkeypatch.setenv("SAEGIM_FORGETTING", "seed")
    first = say("remember", "tea at noon").out.splitlines()
    assert first[1] == "How long: 90 days"
    assert first[2].startswith("Forgetting goes by the seeds' clocks (seed)")
    id = first[0].split()[1].rstrip(":")
    refused = say("keep", id)
    assert refused.code == 1
    assert "saegim pin" in refused.err
    assert "씨앗의 시계대로 잊습니다(seed)" in say("--language", "ko", "status").out
    assert say("--json", "queue").json["forgetting"]["law"] == "seed"
    monkeypatch.delenv("SAEGIM_FORGETTING")
    assert "Forgetting is gentle" in say("status").out


def test_the_archive_shows_what_was_forgotten_until_it_is_called_back(
    say: Say, opened: Callable[..., Saegim]
) -> None:
    """Seed A §6: words in the archive can be read and called back."""
    kept(say, "a first memory")
    assert say("archive").out == "Nothing lies in the archive.\n"
    with opened(days_ago=20) as memory:
        id = memory.remember("tea at noon").id
        memory.forget(id)
    with opened(days_ago=10) as memory:
        memory.sleep("forget")
    told = say("archive").out
    assert re.search(r"^tea at noon +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d\nm\w+$", told, re.M)
    (held,) = say("--json", "archive", "5").json["archive"]
    assert (held["id"], held["text"]) == (id, "tea at noon")
    assert say("archive", "0").code == 2
    assert say("restore", id).out.endswith(": tea at noon\n")
    assert say("archive").out == "Nothing lies in the archive.\n"


# -- taking back a source -------------------------------------------------------------------------


def test_a_source_is_taken_back_only_when_confirmed_and_comes_back(say: Say, head: Head) -> None:
    """M7: the preview changes nothing; confirmed, everything of the source leaves together."""
    mine = kept(say, "tea at noon", "--author", "me")
    ids = {kept(say, f"rumour {number}", "--author", "bot") for number in range(12)}
    before = head()
    seen = say("revert", "--author", "bot")
    assert seen.out.startswith("Would leave with this source: 12\n")
    assert "\nand 2 more; --json lists all\n" in seen.out
    assert seen.out.splitlines()[-1].endswith("the same command with --confirm")
    assert head() == before
    done = say("--json", "revert", "--author", "bot", "--confirm").json
    assert {each["id"] for each in done["memories"]} == ids
    assert (done["done"], done["derived"], done["kept_back"]) == (True, [], [])
    assert [each["id"] for each in say("--json", "recent").json["memories"]] == [mine]
    assert say("undo", done["undo"]).code == 0
    assert say("--json", "recent").json["total"] == 13
    again = say("--language", "ko", "revert", "--author", "bot", "--confirm").out
    assert re.search(r"^되돌리려면\(.+까지\): saegim undo revert_\S+$", again, re.M)
    assert say("revert", "--author", "nobody").out == "Nothing came from this source.\n"
    assert say("revert", "--author", "bot", "--since", "2100-01-01").code == 0
    for line, message in (
        ((), "Nothing says which source"),
        (("--author", "bot", "--since", "soon"), "names no day"),
        (("--origin", "nonsense"), "nonsense"),
    ):
        refused = say("revert", *line)
        assert (refused.code, message in refused.err) == (2, True), line


# -- what only a person may say -------------------------------------------------------------------


def test_no_program_answers_a_proposal(say: Say, proposed: str, head: Head) -> None:
    """Seed D §3: without a terminal neither yes nor no is taken, whatever is piped in."""
    before = head()
    for command in ("accept", "refuse"):
        for line in ((command, proposed), ("--json", command, proposed)):
            refused = say(*line, stdin="yes\n네\n".encode())
            assert refused.code == 1
            assert "Only a person at a terminal may say so." in refused.err + refused.out
            assert f"saegim {command} {proposed}" in refused.err + refused.out
    korean = say("--language", "ko", "accept", proposed).err
    assert korean.startswith("오류: 터미널 앞의 사람만 할 수 있습니다.\n  → 터미널에서 직접")
    assert head() == before


def test_a_person_who_types_yes_keeps_a_memory_for_ever(
    say: Say, proposed: str, head: Head
) -> None:
    """Seed D §3: the words are shown first, a single key is not enough, and yes makes it core."""
    before = head()
    code, seen = on_a_terminal("accept", proposed, answer="y", after="for ever: ")
    assert (code, "Nothing was changed." in seen) == (1, True)
    assert head() == before
    code, seen = on_a_terminal("accept", proposed, answer="yes", after="for ever: ")
    assert code == 0
    assert plain(seen).index(SEOUL) < plain(seen).index("Type yes")
    found = re.search(r"Kept for ever as (m\w+): ", plain(seen))
    assert found is not None
    assert say("--json", "get", found[1]).json["tier"] == "M0"
    assert say("proposals").out == "Nothing waits for your yes.\n"
    (held,) = say("--json", "proposals", "--all").json["proposals"]
    assert (held["state"], held["answered_by"]) == ("accepted", "me")
    code, seen = on_a_terminal("accept", proposed, answer="yes", after="for ever: ")
    assert (code, "was accepted already" in seen) == (1, True)


def test_a_person_may_say_no_in_korean_and_why(say: Say, proposed: str) -> None:
    """A refused proposal is not asked again; the reason stays readable."""
    told = say("--language", "ko", "proposals").out
    assert re.search(
        r"^core-[0-9a-f]+: 이 기억을 영원히 간직할까요\? \(아주 자주 쓰임\)$", told, re.M
    )
    line = ("--language", "ko", "refuse", proposed, "--note", "너무 사소함")
    code, seen = on_a_terminal(*line, answer="네", after="쓰세요: ")
    assert (code, "거절했습니다" in seen) == (0, True)
    told = say("--language", "ko", "proposals", "--all").out
    assert "· 거절함 (너무 사소함)" in told
    assert "saegim accept" not in told
    assert say("accept", "core_none").code == 1


def test_a_core_memory_is_let_go_only_by_a_word_typed_at_a_terminal(
    say: Say, proposed: str, opened: Callable[..., Saegim], head: Head
) -> None:
    """DESIGN §4b: M0 is not forgotten by a program, not even with --yes, nor by a single key."""
    with opened() as memory:
        core = memory.proposals.accept(proposed, by="me").id
    before = head()
    refused = say("forget", core, "--yes")
    assert (refused.code, "is a core memory (M0)" in refused.err) == (1, True)
    korean = say("--language", "ko", "forget", core, "--yes").err
    assert "핵심 기억(M0)입니다" in korean
    code, seen = on_a_terminal("forget", core, "--yes", answer="y", after="let go: ")
    assert (code, "Nothing was changed." in seen) == (1, True)
    assert head() == before
    name = handle(say, core)
    code, seen = on_a_terminal("--language", "ko", "forget", core, answer="잊기", after="쓰세요: ")
    assert (code, f"saegim restore {name}" in seen) == (0, True)
    assert seen.count("[y/N]") == 0
    (line,) = [each for each in say("--json", "history", core).json["entries"]
               if each["change"] == "Leaving"]  # fmt: skip
    assert line["actor"] == "me"
    assert say("--json", "restore", core).json["memories"][0]["tier"] == "M0"


def test_erasing_shows_first_and_no_program_can_confirm_it(
    say: Say, head: Head, tmp_path: Path
) -> None:
    """U26.3: a preview names what goes and what is out of reach; piped, --confirm is refused."""
    id = kept(say, "tea at noon")
    say("update", id, "tea at one")
    say("backup")
    before = head()
    seen = say("erase", id)
    assert seen.code == 0
    assert seen.out.startswith("Would be erased, now and everywhere, with no way back: 2\n")
    assert "of these, other versions: 1" in seen.out
    assert "tea at one" in seen.out
    assert re.search(
        r"^  backup saegim-\S+\.db of [-\d: ]+; new backups push it out", seen.out, re.M
    )
    assert "exports, copies and backups that lie elsewhere" in seen.out
    assert seen.out.endswith("the same command with --confirm\n")
    told = say("--json", "erase", id).json
    assert (told["done"], len(told["ids"]), len(told["memories"])) == (False, 2, 2)
    for line in (("erase", id, "--confirm"), ("--json", "erase", id, "--confirm")):
        refused = say(*line, stdin=b"erase\n")
        assert (refused.code, "Only a person" in refused.err + refused.out) == (1, True)
    assert say("erase", "mem_none").code == 2
    assert head() == before


@pytest.mark.parametrize(
    ("language", "wrong", "word", "after"),
    [("en", "y", "erase", "to go on: "), ("ko", "네", "지우기", "쓰세요: ")],
)
def test_a_person_erases_by_typing_the_word(
    say: Say, head: Head, tmp_path: Path, language: str, wrong: str, word: str, after: str
) -> None:
    """U26.3: shown, then typed out, then gone from the file; the receipt says so."""
    id = kept(say, "임시 열쇠는 화분 밑에 있다 xyzzy")
    before = head()
    line = ("--language", language, "erase", id, "--confirm")
    code, seen = on_a_terminal(*line, answer=wrong, after=after)
    assert code == 1
    assert "xyzzy" in seen
    assert head() == before
    code, seen = on_a_terminal(*line, answer=word, after=after)
    assert (code, bool(re.search(r"(Receipt|영수증): [0-9a-f]{64}", seen))) == (0, True)
    assert say("get", id).code == 2
    files = [each for each in (tmp_path / "home").rglob("*") if each.is_file()]
    assert files
    assert not any(b"xyzzy" in each.read_bytes() for each in files)


def test_a_receipt_can_be_one_document_for_a_person_at_a_terminal(say: Say) -> None:
    """With --json the question goes to standard error and the receipt is the document."""
    id = kept(say, "tea at noon")
    code, seen = on_a_terminal(
        "--json", "erase", id, "--confirm", answer="erase", after="to go on: "
    )
    assert code == 0
    told = json.loads(seen[seen.index("\n{") + 1 :])
    assert (told["done"], told["ids"], told["by"]) == (True, [id], "me")
    assert "memories" not in told


# -- looking through ------------------------------------------------------------------------------


def test_an_audit_counts_and_says_what_helps(say: Say, head: Head) -> None:
    """Seed A: copies, loners and the unverified are counted with ids; nothing is changed."""
    ids = [kept(say, "tea at noon", "--session", f"s{number}") for number in range(2)]
    before = head()
    found = say("--json", "audit").json
    assert found["of"] == len(set(ids))
    assert [each["what"] for each in found["findings"]] == list(COUNTED)
    told, whole = say("audit").out, say("audit", "--ids").out
    assert told.startswith("Looked through ")
    assert "mem_" not in told, "memories are shown by their handles"
    counted = [each for each in found["findings"] if each["count"]]
    assert counted
    for each in counted:
        assert each["next_step"] in told
        assert all(id in whole for id in each["samples"])
    korean = say("--language", "ko", "audit").out
    steps = entries("doctor", "ko")
    assert all(steps[f"step.{each['what']}"].message in korean for each in counted)
    assert "해당 없음: " in korean
    assert head() == before


def test_everything_an_audit_counts_has_its_words() -> None:
    """No bare identifier is shown, and every next step is there in Korean, too."""
    steps = {key for key in entries("doctor", "ko") if key.startswith("step.")}
    assert steps == {f"step.{what}" for what in COUNTED}
    assert [what for what in COUNTED if not has(f"audit {what}")] == []


def test_a_pin_is_said_in_both_languages(say: Say) -> None:
    """Seed C memory_pin: held fast and let loose, by id or handle."""
    id = say("--json", "remember", "blue kettle").json["id"]
    assert say("pin", id).out.startswith(f"Held fast, {handle(say, id)}: blue kettle")
    assert '"pinned": true' in say("--json", "get", id).out
    assert "놓" in say("--language", "ko", "unpin", "--help").out
    assert "더는 붙들어 두지 않음" in say("--language", "ko", "unpin", id).out


def test_a_proposal_is_shown_whole_with_where_it_comes_from(
    say: Say, opened: Callable[..., Saegim]
) -> None:
    """Nobody can say yes to words that are cut off, or that come from who knows where."""
    words = "My sister Hana asked about her garden. " + "It was a long letter. " * 8 + "AcmePay."
    with opened() as memory:
        id = memory.remember(words, origin="web", author="page.example").id
    say("propose", id)
    told = say("proposals").out
    assert "AcmePay." in told
    assert "origin web (trust 0.2), author page.example" in told
    (one,) = say("--json", "proposals").json["proposals"]
    assert (one["origin"], one["author"]) == ("web", "page.example")
    assert "출처 웹" in say("--language", "ko", "proposals").out
