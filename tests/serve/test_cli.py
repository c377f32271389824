"""The command line, command by command, on a real store in this process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from saying import Say, handle, kept

from saegim.serve.cli import app

FIELDS = set(
    "id text kind tier state happened_at recorded_at session project author origin trust tags "
    "importance pinned".split()
)
COMMANDS = (
    "remember recall search get recent sessions session forget restore update history status "
    "doctor backup restore-backup export import rebuild verify demo observe about people "
    "quarantine release work derive context feedback related trace sleep nights night undo "
    "propose proposals accept promotions year migrate "
    "refuse keep pin unpin queue archive revert erase audit projects move move-store merge serve "
    "token user install uninstall mcp hook distil completion log debate debates soul "
    "islands imagine mood federate open"
).split()


# -- remembering and recalling --------------------------------------------------------------------


def test_remember_says_what_was_stored_under_which_id_and_for_how_long(say: Say) -> None:
    """U1.3: success names the id and the words; a duplicate names what it is a duplicate of.

    DESIGN 4b: the answer says how long it is kept; the very first one, by which law.
    """
    first = say("remember", "봄에 부산으로 이사했다", "--tag", "집", "--pin")
    assert first.code == 0
    said, how_long, law = first.out.splitlines()
    assert re.fullmatch(r"Remembered (m\d\w+): 봄에 부산으로 이사했다", said)
    assert how_long == "How long: no end"
    assert law.startswith("Forgetting is gentle: ")
    id = first.out.split()[1].rstrip(":")
    again = say("remember", "봄에 부산으로 이사했다")
    known = f"Already known, duplicate of {id}: 봄에 부산으로 이사했다\n"
    assert again.out == f"{known}How long: no end\n"
    same = say("--json", "remember", "봄에 부산으로 이사했다").json["duplicate_of"]
    assert handle(say, same) == id


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_keeps_a_masked_number_is_an_option_that_the_named_command_has(
    say: Say, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """U26.1: a phone number may be kept by its owner; a turn is heard without such an option."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    by_hand = 'remember "..." --keep-private'
    for text in ("기억해줘: 내 전화번호는 010-1234-5678이야", "기억해줘: 현관 비번은 4471이야"):
        heard = say("observe", text).out
        assert by_hand in heard
        kept_here = say("remember", text).out
        assert "--keep-private" in kept_here
        assert by_hand not in kept_here
        # The control: with it nothing is masked, and nothing is said of it.
        assert "--keep-private" not in say("remember", text, "--keep-private").out
    key = f"키 sk-ant-api03-{'aB3dE5gH' * 6}"
    for more in ((), ("--keep-private",)):
        masked = say("remember", key, *more).out
        assert "[secret:" in masked
        assert "--keep-private" not in masked, "no option keeps a key"


def test_the_same_key_is_carried_out_once(say: Say) -> None:
    """A write that is repeated under its key stores nothing twice."""
    first = say("--json", "remember", "one", "--key", "k").json
    again = say("--json", "remember", "two", "--key", "k").json
    assert (again["id"], again["status"]) == (first["id"], "repeated")
    assert say("--json", "recent").json["total"] == 1


def test_every_option_of_remember_reaches_the_memory(say: Say) -> None:
    """What is said about a memory on the command line is what JSON shows of it."""
    options = (
        "--kind preference --tag 차 --tag 오후 --session s-1 --author 민호 --when 2026-03-04T05:06 "
        "--importance 0.8 --tier M365 --pin"
    ).split()
    id = str(say("--project", "p", "--json", "remember", "보리차를 마신다", *options).json["id"])
    held = say("--json", "get", id).json
    assert set(held) >= FIELDS
    told = {name: held[name] for name in ("kind", "tags", "session", "author", "tier", "pinned")}
    assert told == {
        "kind": "preference",
        "tags": ["차", "오후"],
        "session": "s-1",
        "author": "민호",
        "tier": "M365",
        "pinned": True,
    }
    assert (held["importance"], held["project"], held["origin"]) == (0.8, "p", "user_said")
    # A person at a terminal means local time.
    local = datetime(2026, 3, 4, 5, 6).astimezone()
    assert datetime.fromisoformat(held["happened_at"]) == local


def test_standard_input_is_kept_word_for_word_but_for_the_last_line_break(say: Say) -> None:
    """U15.1: `-` reads UTF-8; only what the shell and the editor add is taken off."""
    text = "첫 줄\n둘째 줄 🧠"
    kept = say("--json", "remember", "-", stdin=b"\xef\xbb\xbf" + text.encode() + b"\r\n")
    assert kept.json["memory"]["text"] == text
    assert say("get", kept.json["id"]).out.startswith(text)


def test_recall_shows_rank_words_date_kind_and_why(say: Say) -> None:
    """A person sees what came back, when it happened, what it is, and why it came back."""
    id = kept(
        say, "봄에 수원에서 부산으로 이사했다", "--when", "2026-04-01", "--kind", "experience"
    )
    kept(say, "The staging server is called Lighthouse")
    table = say("recall", "어디로 이사했지?").out
    assert re.search(
        r"^1 +봄에 수원에서 부산으로 이사했다 +2026-04-01 +shares 이사했지", table, re.M
    )
    assert re.search(rf"^ +{handle(say, id)} +experience", table, re.M)
    assert "Lighthouse" not in table


def test_recall_as_json_carries_every_number_the_paths_and_the_scope(say: Say) -> None:
    """U12.1: hits in rank order with their numbers; each path says whether it ran."""
    id = kept(say, "봄에 수원에서 부산으로 이사했다")
    found = say("--user", "me", "--json", "recall", "이사").json
    hit = found["hits"][0]
    assert (hit["memory"]["id"], hit["matched"]) == (id, ["이사"])
    numbers = "score relevance recency importance words vector context graph fit".split()
    assert all(isinstance(hit[name], float) for name in numbers)
    assert [(path["name"], path["ran"]) for path in found["paths"]] == [
        ("words", True),
        ("vector", True),
        ("context", False),
        ("graph", True),
    ]
    assert found["paths"][2]["why"]
    assert found["scope"] == {"user": "me", "agent": "", "project": "", "session": ""}


def test_explain_adds_the_numbers_and_the_paths(say: Say) -> None:
    """U12.1: every factor is a column, and a path that did not run says why."""
    kept(say, "봄에 수원에서 부산으로 이사했다")
    told = say("recall", "이사", "--explain").out
    assert told.splitlines()[0].split() == (
        "memory words vector context graph time fit recency importance score".split()
    )
    assert re.search(r"^1 +봄에 .+?( +(\d\.\d\d|–)){9}$", told, re.M)
    assert "words: searched, candidates: 1" in told
    assert "context: did not run: no hit has turns beside it" in told
    assert "graph: searched, candidates: 0 (nothing is tied to what was found)" in told
    assert "Looked in: user me" in told


def test_filters_narrow_what_is_recalled(say: Say) -> None:
    """Each filter of recall leaves out what it should, and only that.

    `--session` names the session at hand and puts it first (seed B6): it leaves nothing out.
    """
    id = kept(say, "tea at noon", "--kind", "preference", "--tag", "a", "--session", "s1")
    kept(say, "tea at night", "--when", "2020-01-01", "--session", "s2", "--importance", "0.9")
    for narrowed in (
        ("--kind", "preference"),
        ("--tag", "a"),
        ("--since", "2021-01-01"),
    ):
        hits = say("--json", "recall", "tea", *narrowed).json["hits"]
        assert [hit["memory"]["id"] for hit in hits] == [id], narrowed
    for none in (("--domain", "x"), ("--persona", "x"), ("--state", "leaving"), ("--author", "x")):
        assert say("--json", "recall", "tea", *none).json["hits"] == [], none
    at_hand = say("--json", "recall", "tea", "--session", "s1").json
    assert len(at_hand["hits"]) == 2
    assert at_hand["paths"][-1]["name"] == "session"
    for other in (("--until", "2021-01-01"), ("--min-importance", "0.8")):
        assert [
            hit["memory"]["text"] for hit in say("--json", "recall", "tea", *other).json["hits"]
        ] == ["tea at night"], other


def test_a_project_sees_itself_and_what_belongs_to_all(say: Say) -> None:
    """`--everywhere` lifts the wall between projects, never the one between users."""
    say("--project", "a", "remember", "tea of a")
    say("--user", "other", "remember", "tea of another")
    assert say("--project", "b", "--json", "recall", "tea").json["hits"] == []
    assert len(say("--project", "b", "--json", "recall", "tea", "--everywhere").json["hits"]) == 1


def test_nothing_found_is_not_the_same_as_could_not_search(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """U12.3: searched and empty ends with 0; no path could run with 1; no store with 3."""
    kept(say, "tea")
    empty = say("recall", "없는이야기")
    assert (empty.code, empty.out.splitlines()[0]) == (0, "Searched, nothing found.")
    assert "words: searched, candidates: 0" in empty.out
    monkeypatch.setenv("SAEGIM_EMBEDDER", "ollama:none")
    monkeypatch.setenv("SAEGIM_EMBEDDER_URL", "http://127.0.0.1:9")
    blind = say("recall", "!!!")
    assert (blind.code, blind.out.splitlines()[0]) == (
        1,
        "Could not search: no path could be walked.",
    )
    assert "words: did not run: the question has no words to look for" in blind.out
    assert say("--json", "recall", "!!!").json["searched"] is False
    # The words still answer when the vectors cannot.
    assert say("--json", "recall", "tea").json["searched"] is True
    gone = say("--path", str(tmp_path / "none.db"), "recall", "tea")
    assert (gone.code, gone.out) == (3, "")


def test_search_wants_every_word_and_lists_the_newest_first(say: Say) -> None:
    """Seed A §5: all words must be there; without words the newest are listed."""
    old = kept(say, "green tea at home", "--when", "2020-01-01")
    new = kept(say, "green tea at work", "--when", "2021-01-01")
    kept(say, "green grass")
    found = say("--json", "search", "tea green").json["memories"]
    assert [each["id"] for each in found] == [new, old]
    assert "No memory holds all these words" in say("search", "tea grass").out
    assert len(say("--json", "search").json["memories"]) == 3


# -- lists ----------------------------------------------------------------------------------------


def test_recent_walks_without_gap_or_repeat_while_the_list_grows(say: Say) -> None:
    """U30.1: a cursor that stays, and the true total."""
    ids = {kept(say, f"memory number {number}") for number in range(7)}
    seen: list[str] = []
    page = say("--json", "recent", "-n", "3").json
    assert page["total"] == 7
    while True:
        seen += [each["id"] for each in page["memories"]]
        if page["next"] is None:
            break
        kept(say, f"added after {len(seen)}")
        page = say("--json", "recent", "-n", "3", "--cursor", page["next"]).json
    assert (len(seen), set(seen)) == (7, ids)
    shown = say("recent", "-n", "2").out
    assert re.search(r"^2 of 9 memories\nMore: the same command with --cursor \S+$", shown, re.M)


def test_sessions_are_listed_and_shown_in_their_order(say: Say) -> None:
    """Seed A §5: the sessions, and what one of them holds in the order it was said."""
    kept(say, "said in no session")
    assert say("sessions").out == "There are no sessions yet.\n"
    ids = [kept(say, f"turn {number}", "--session", "회의 1") for number in range(3)]
    assert say("sessions").out == "회의 1\n"
    held = say("--json", "sessions", "회의 1").json
    assert [each["id"] for each in held["memories"]] == ids
    assert "no memories" in say("sessions", "none").out


def test_a_correction_leads_from_the_old_id_and_keeps_the_old_words(say: Say) -> None:
    """An update is a new version: the old id finds it, and history shows both."""
    old = kept(say, "The launch is on 12 March")
    done = say("update", old, "-", stdin=b"The launch is on 2 April\n")
    assert done.out.startswith("Corrected m2")
    assert say("--json", "get", old).json["text"] == "The launch is on 2 April"
    assert say("--json", "get", old, "--exact").json["state"] == "superseded"
    told = say("--json", "history", old).json
    assert [each["text"] for each in told["versions"]] == [
        "The launch is on 12 March",
        "The launch is on 2 April",
    ]
    assert {"Saved", "Superseded"} <= {each["change"] for each in told["entries"]}
    assert "superseded" in say("history", old).out


def test_a_correction_may_be_of_tags_alone(say: Say) -> None:
    """Seed C `memory_update`: --tag without words keeps them; neither is an error that says so."""
    old = kept(say, "The launch is on 12 March", "--tag", "work")
    done = say("--json", "update", old, "--tag", "launch", "--tag", "spring").json
    assert (done["memory"]["text"], done["memory"]["tags"]) == (
        "The launch is on 12 March",
        ["launch", "spring"],
    )
    both = say("--json", "update", old, "The launch is on 2 April", "--tag", "late").json
    assert (both["memory"]["text"], both["memory"]["tags"]) == (
        "The launch is on 2 April",
        ["late"],
    )
    nothing = say("update", old)
    assert (nothing.code, "text is empty" in nothing.err) == (2, True), "a pipe that is empty"
    assert "비어 있습니다" in say("--language", "ko", "update", old).err
    assert len(say("--json", "history", old).json["versions"]) == 3


# -- letting go -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
def test_words_in_the_place_of_an_id_are_told_how_words_are_given(
    say: Say, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """U5.4: who names a memory by its words is shown the way; as it says, it finds it."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    id = kept(say, "치과 예약은 화요일이다")
    refused = say("forget", "치과 예약")
    assert refused.code == 2
    assert "saegim recent" in refused.err
    assert 'saegim forget --matching "치과 예약"' in refused.err
    assert handle(say, id) in say("forget", "--matching", "치과 예약").out
    # The control: what has the form of a name and names nothing is not taken for words.
    assert "--matching" not in say("forget", "mem_none").err


def test_forgetting_shows_first_and_needs_a_yes(
    say: Say, head: Callable[[], tuple[int, str]]
) -> None:
    """U5.4: without a yes nothing leaves, and the preview names what would."""
    id = kept(say, "tea")
    name = handle(say, id)
    before = head()
    for how in ((id,), ("--matching", "tea")):
        refused = say("forget", *how)
        assert refused.code == 2
        assert name in refused.out
        assert "Nothing was forgotten" in refused.err
    seen = say("--json", "forget", id)
    assert (seen.code, seen.json["done"], seen.json["error"]["kind"]) == (2, False, "BadInput")
    assert [each["id"] for each in seen.json["memories"]] == [id]
    assert head() == before


def test_what_was_let_go_can_be_called_back_as_it_says(say: Say) -> None:
    """Seed D §6: forgetting says until when and how to undo it, and that command works."""
    id = kept(say, "tea")
    name = handle(say, id)
    gone = say("forget", id, "--yes")
    assert re.match(
        r"1 memory let go\. Until \d{4}-\d\d-\d\d \d\d:\d\d this can be undone:", gone.out
    )
    undo = gone.out.splitlines()[1].split()
    assert undo == ["saegim", "restore", name]
    assert say("--json", "recall", "tea").json["hits"] == []
    assert say("--json", "recent", "--state", "leaving").json["total"] == 1
    assert say(*undo[1:]).out == f"Here again {name}: tea\n"
    assert len(say("--json", "recall", "tea").json["hits"]) == 1


def test_a_session_or_what_matches_leaves_together(say: Say) -> None:
    """A whole session, or everything that holds the words, leaves with one yes."""
    for number in range(5):
        kept(say, f"tea {number}", "--session", "s")
    other = kept(say, "coffee with milk")
    left = say("--json", "forget", "--session", "s", "--yes").json
    assert (left["done"], len(left["memories"])) == (True, 5)
    assert "Nothing matches" in say("forget", "--matching", "nonsense", "--yes").out
    left = say("--json", "forget", "--matching", "coffee milk", "--yes").json
    assert [each["id"] for each in left["memories"]] == [other]


# -- the line itself ------------------------------------------------------------------------------


def test_json_may_stand_anywhere_but_after_two_dashes(say: Say) -> None:
    """People write --json where they think of it; after -- it is a text like any other."""
    assert say("remember", "tea", "--json").json["status"] == "stored"
    assert say("remember", "--", "--json").out.splitlines()[0].endswith(": --json")


def test_every_command_has_help_in_both_languages(say: Say) -> None:
    """`--help` of every command explains each of its options, in English and in Korean."""
    assert sorted(app.COMMANDS) == sorted(COMMANDS)
    for command in COMMANDS:
        english, korean = (
            say("--language", language, command, "--help") for language in ("en", "ko")
        )
        assert (english.code, korean.code) == (0, 0)
        assert not re.search(r"[가-힣]", english.out), command
        assert re.search(r"[가-힣]", korean.out), command
    overview = say()
    assert overview.out.startswith("Usage: saegim")
    assert sorted(re.findall(r"^  ([a-z][\w-]+)", overview.out, re.M)) == sorted(COMMANDS)
    assert "처음이신가요" in say("--language=ko", "--help").out


def test_a_command_that_is_unknown_to_the_rest_of_the_line_stays_unknown(say: Say) -> None:
    """Negative control: not every word is a command."""
    assert say("recal", "x", "--help").code == 2


def test_a_parent_is_named_on_the_command_line(say: Say) -> None:
    """A1: `remember` and `observe` take it; an unknown one is refused, and nothing is kept."""
    first = say("--json", "remember", "우리는 이사 이야기를 하고 있다").json["id"]
    child = say("--json", "remember", "반: 덜 모으자", "--parent", first).json["id"]
    heard = say("--json", "observe", "나는 지난달에 부산으로 이사했어", "--parent", first).json
    found = {each["key"] for each in say("--json", "related", first).json["relations"]}
    assert {child, heard["kept"][0]["id"]} <= found
    wrong = say("remember", "합: 골라 모으자", "--parent", "mem_nothing")
    assert (wrong.code, "mem_nothing" in wrong.err) == (2, True)
    assert say("--json", "search", "골라").json["memories"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "--language", "ko", "recall", "tea"),
        ("recall", "--json", "--language", "ko", "tea"),
        ("recall", "tea", "--language=ko", "--json"),
        ("recall", "tea", "-n", "3", "--json", "--language", "ko"),
    ],
)
def test_json_and_language_stand_anywhere(say: Say, words: tuple[str, ...]) -> None:
    """People write `--json` and `--language` where they think of them: one answer all the same."""
    kept(say, "I drink barley tea")
    assert [hit["memory"]["text"] for hit in say(*words).json["hits"]] == ["I drink barley tea"]
    spoken = say(*(word for word in words if word != "--json")).out
    assert "기억" in spoken


def test_a_language_after_the_command_is_checked_and_spoken(say: Say) -> None:
    """Help and errors speak it too; a language nobody knows is refused; after `--` it is a word."""
    assert "사용법" in say("session", "--help", "--language", "ko").out
    assert "오류" in say("get", "nosuch", "--language", "ko").err
    assert say("recall", "tea", "--language", "fr").code == 2
    assert say("recall", "tea", "--language").code == 2
    assert say("remember", "--", "--language").code == 0
    assert "--language" in say("recent").out


def test_only_the_module_of_the_command_is_loaded(tmp_path: Path) -> None:
    """A question loads no other command and no web framework."""
    code = (
        "import sys; from saegim.serve.cli.app import run\n"
        "run(['recall', 'tea'])\n"
        "print(*(name for name in sys.modules))"
    )
    environment = {**os.environ, "SAEGIM_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    loaded = set(ended.stdout.splitlines()[-1].split())
    # The parser brings pydantic by itself; what makes the catalogue's calls and schemas stays out.
    assert not {"fastapi", "starlette", "mcp", "saegim.serve.catalogue.entry"} & loaded
    commands = {name for name in loaded if name.startswith("saegim.serve.cli.")}
    kept_out = ("daily", "leaving", "nights", "care", "agents", "install", "demo", "made")
    assert not {f"saegim.serve.cli.{name}" for name in kept_out} & commands
    assert not any(
        name.startswith(("saegim.serve.hooks.", "saegim.serve.rest.")) for name in loaded
    )
