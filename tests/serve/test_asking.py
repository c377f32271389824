"""The commands around a question: what they show, in which order, and what they leave alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from saying import Say, handle, kept

from saegim import Saegim
from saegim.errors import StoreBusy
from saegim.language.times import Span
from saegim.mind import FEATURES
from saegim.profile.portrait import PersonProfile, Trait
from saegim.recall.explain import Replay
from saegim.serve.catalogue import answers
from saegim.serve.cli import render_perceiving, render_recall
from saegim.serve.speech import Speech

MINJI = "민지는 커피를 싫어해서 오후에는 보리차를 마셔."
BORI = "보리는 민지의 강아지 이름이야."


@pytest.fixture
def tied(say: Say) -> tuple[str, str]:
    """Two turns that name the same person; the first says what she does not like."""
    turns = (say("--json", "observe", text, "--session", "s").json for text in (MINJI, BORI))
    first, second = (str(turn["kept"][0]["id"]) for turn in turns)
    return first, second


@pytest.fixture
def open_store(tmp_path: Path) -> Callable[[], Saegim]:
    """The store of the command line, opened by a program."""
    return lambda: Saegim.open(tmp_path / "home" / "saegim.db", background=False)


# -- recall ---------------------------------------------------------------------------------------


def test_the_answer_is_out_before_the_memory_is_closed(
    say: Say, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """U32.2: what was shown is written while closing, so nobody waits for it."""
    kept(say, "tea at noon")
    seen: list[str] = []
    close = Saegim.close

    def closing(self: Saegim) -> None:
        seen.append(capsys.readouterr().out)
        close(self)

    monkeypatch.setattr(Saegim, "close", closing)
    for command in ("recall tea", "context tea", "recent"):
        say(*command.split())
        assert "tea at noon" in seen.pop()
    # Negative control: an error is told after the store was let go.
    say("get", "mem_none")
    assert seen == [""]


def test_an_error_while_closing_does_not_garble_the_answer(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON stays one document: what goes wrong after the answer is told on standard error."""
    kept(say, "tea at noon")
    close = Saegim.close

    def failing(self: Saegim) -> None:
        close(self)
        raise StoreBusy("x is busy.", next_step="Try again.")

    monkeypatch.setattr(Saegim, "close", failing)
    told = say("--json", "recall", "tea")
    assert json.loads(told.out)["hits"][0]["memory"]["text"] == "tea at noon"
    assert (told.code, told.err) == (3, "Error: x is busy.\n  → Try again.\n")
    # Negative control: before the answer, an error is the document.
    early = say("--json", "get", "mem_none")
    assert (early.code, json.loads(early.out)["error"]["kind"]) == (3, "StoreBusy")


def test_json_carries_everything_that_recall_knows(say: Say, tied: tuple[str, str]) -> None:
    """U32.2: every number, the handle, the floor, the trace and what was understood."""
    found = say("--json", "recall", '민지는 지난달에 "보리차"를 마셨나?').json
    hit = found["hits"][0]
    assert set(hit) >= set("graph hops via negative during fit weak handle reason".split())
    assert say("--json", "get", hit["handle"]).json["id"] == hit["memory"]["id"]
    weak = sum(each["weak"] for each in found["hits"])
    assert found["below_floor"] == weak + found["hidden"]
    assert re.fullmatch(r"rec_\S+", found["trace"])
    asked = found["understood"]
    assert (asked["names"][0], asked["phrases"]) == ("entity:민지", ["보리차"])
    assert asked["only_time"] is False
    (span,) = asked["spans"]
    start, end = (datetime.fromisoformat(span[name]) for name in ("start", "end"))
    assert (start.day, end.day, span["words"]) == (1, 1, "지난달")
    assert timedelta(days=27) < end - start < timedelta(days=32)


@pytest.mark.parametrize("columns", ["", "90"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_of_a_long_text_the_lists_show_the_words_that_answer(
    say: Say, monkeypatch: pytest.MonkeyPatch, language: str, columns: str
) -> None:
    """A list shows the place that was found; what fits the line, and no question, the beginning."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    told = " ".join(f"{n}번째 날에는 산책을 했다." for n in range(60))
    kept(say, f"{told} 금고는 옷장 뒤에 있다. {told}")
    recall, search = ("recall", "금고가 어디?"), ("search", "금고가")
    for command in (recall, (*recall, "--explain"), search):
        shown = say(*command).out
        assert "… " in shown
        assert "금고는 옷장" in shown
        assert "0번째 날에는 산책을 했다. 1번째" not in shown
    assert "0번째 날에는 산책을" in say("recent").out
    kept(say, "금고는 은행에도 있다.")
    assert "\n금고는 은행에도 있다. " in say("search", "은행").out


def test_explain_says_what_was_understood_and_why_each_came(
    say: Say, tied: tuple[str, str]
) -> None:
    """U12.1: time, names and phrases; a reason for each memory; the trace that shows it again."""
    told = say("recall", '민지는 지난달에 "보리차"를 마셨나?', "--explain").out
    assert re.search(r"^Time asked for: \d{4}-\d\d-01 – \d{4}-\d\d-\d\d \(지난달\)$", told, re.M)
    assert "\nNamed: 민지" in told
    assert "\nQuoted: “보리차”\n" in told
    assert re.search(r"^ +shares 민지는.* · reads alike 0\.\d\d.*1 tie away: refers_to", told, re.M)
    trace = re.search(r"^Trace of this answer: (rec_\S+)$", told, re.M)
    assert trace is not None
    assert say("trace", trace[1]).code == 0
    korean = say("--language", "ko", "recall", "민지 보리차", "--explain").out
    assert re.search(r"관계 1단계: 언급", korean)
    assert "\n질문에 나온 이름: 민지" in korean


def test_the_eleven_features_are_shown_by_the_names_of_the_seed(
    say: Say, tied: tuple[str, str]
) -> None:
    """Seed C: `--features` shows what a reranker would see; without it there is none of it."""
    told = say("recall", "민지", "--explain", "--features").out
    lines = [line.split() for line in told.splitlines() if line.split()[:1]]
    shown = {line[0]: line[1:] for line in lines if line[0] in FEATURES}
    assert tuple(shown) == FEATURES
    assert {len(row) for row in shown.values()} == {2}
    hits = say("--json", "recall", "민지", "--features").json["hits"]
    assert all(tuple(hit["features"]) == FEATURES for hit in hits)
    assert hits[0]["features"]["chroma_similarity"] == pytest.approx(hits[0]["vector"], abs=1e-3)
    assert "features" not in say("--json", "recall", "민지").json["hits"][0]
    assert "chroma_similarity" not in say("recall", "민지", "--explain").out


def test_weak_matches_are_shown_and_counted(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """U17.2: a search hides nothing; it says how many are below the floor."""
    kept(say, "tea at noon")
    monkeypatch.setenv("SAEGIM_RELEVANCE_FLOOR", "1.0")
    told = say("recall", "coffee or tea?")
    assert "below the floor" in told.out
    assert "\n1 of these is a weak match" in told.out
    kept(say, "green tea")
    assert "\n2 of these are weak matches" in say("recall", "coffee or tea?").out
    assert "이 가운데 2개는 약한 일치" in say("--language", "ko", "recall", "coffee or tea?").out
    monkeypatch.setenv("SAEGIM_RELEVANCE_FLOOR", "0.0")
    strong = say("recall", "coffee or tea?").out
    assert "weak" not in strong
    assert "below the floor" not in strong


def test_what_no_longer_holds_is_shown_on_request_and_marked(say: Say) -> None:
    """U19.1, U20.3: current versions by default; history and as-of bring the others, dated."""
    old = kept(say, "The launch is on 12 March", "--when", "2020-01-01")
    say("update", old, "The launch is on 2 April")
    texts = {"The launch is on 12 March", "The launch is on 2 April"}

    def found(*options: str) -> set[str]:
        hits = say("--json", "recall", "launch", *options).json["hits"]
        return {hit["memory"]["text"] for hit in hits}

    assert found() == {"The launch is on 2 April"}
    assert found("--history") == texts
    assert found("--as-of", "2021-01-01") == {"The launch is on 12 March"}
    told = say("recall", "launch", "--history").out
    assert re.search(r"superseded since \d{4}-\d\d-\d\d", told)
    assert re.search(r"\d\d에 고쳐짐", say("--language", "ko", "recall", "launch", "--history").out)
    assert "superseded" not in say("recall", "launch").out


def test_mood_and_phase_narrow_what_is_recalled(say: Say, open_store: Callable[[], Saegim]) -> None:
    """Seed A: the coordinates of a memory are filters of the command line, too."""
    with open_store() as memory:
        for text, phase, word in (
            ("we agreed on the launch", "integration", "clarity"),
            ("we argued about the launch", "exploration", "doubt"),
        ):
            memory.remember(text, phase=phase, words=[word])
    for options, texts in (
        (("--emotion", "clarity"), ["we agreed on the launch"]),
        (("--phase", "exploration"), ["we argued about the launch"]),
        (("--emotion", "clarity", "--emotion", "doubt", "--phase", "none"), []),
    ):
        hits = say("--json", "recall", "launch", *options).json["hits"]
        assert [hit["memory"]["text"] for hit in hits] == texts, options
    both = say("--json", "recall", "launch", "--emotion", "clarity", "--emotion", "doubt").json
    assert len(both["hits"]) == 2


def test_why_the_new_paths_found_nothing_is_said_in_both_languages(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U12.1: ties that are turned off, and a time in which nothing lies, say so."""
    kept(say, "tea at noon")
    assert "nothing is tied to what was found" in say("recall", "tea", "--explain").out
    monkeypatch.setenv("SAEGIM_GRAPH_HOPS", "0")
    assert "graph: did not run: turned off" in say("recall", "tea", "--explain").out
    assert (
        "관계: 실행하지 않음: 꺼져 있음"
        in say("--language", "ko", "recall", "tea", "--explain").out
    )
    asked = ("recall", "2001년 3월에 뭐 했지?")
    assert "time: searched, candidates: 0 (nothing lies in 2001년 3월" in say(*asked).out
    korean = say("--language", "ko", *asked).out
    assert re.search(r"시간: 검색함, 후보 0개 \(2001년 3월\S*에 해당하는 기억이 없음\)", korean)
    assert "기간만 물으셔서" in korean


@pytest.mark.parametrize(
    ("days", "hours", "said"),
    [
        (1, 0, "2026-03-01"),
        (31, 0, "2026-03-01 – 2026-03-31"),
        (0, 3, "2026-03-01 00:00 – 2026-03-01 03:00"),
    ],
)
def test_a_stretch_of_time_is_written_on_the_clock_of_the_person(
    days: int, hours: int, said: str
) -> None:
    """Whole days need no hours; the zone is the one it was understood in, not the machine's."""
    start = datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=9)))
    span = Span(start, start + timedelta(days=days, hours=hours), "then", 0)
    assert render_recall.stretch(span) == said


# -- handles --------------------------------------------------------------------------------------


def test_a_handle_is_taken_wherever_an_id_is(say: Say) -> None:
    """U23.1: what recall shows in short is enough for every other command."""
    id = kept(say, "The launch is on 12 March")
    shown = say("recall", "launch").out
    name = handle(say, id)
    assert name in shown
    assert say("--json", "recall", "launch").json["hits"][0]["handle"] == name
    assert say("--json", "get", name).json["id"] == id
    assert say("--json", "history", name).json["versions"][0]["id"] == id
    assert say("--json", "feedback", name, "up").json["memory"]["id"] == id
    assert say("--json", "related", name).json["of"] == [id]
    assert say("--json", "forget", name, "--yes").json["memories"][0]["id"] == id
    assert say("--json", "restore", name).json["memories"][0]["id"] == id
    assert say("--json", "update", name, "The launch is on 2 April").json["supersedes"] == [id]
    wrong = name[:-1] + ("0" if name[-1] != "0" else "1")
    assert say("get", wrong).code == 2


# -- context --------------------------------------------------------------------------------------


def test_context_prints_the_block_and_nothing_else(say: Say, tied: tuple[str, str]) -> None:
    """U9.1: what is printed can be piped into a prompt; JSON says what it cost."""
    made = say("--json", "context", "민지는 뭘 마셔?").json
    assert MINJI in made["text"]
    assert 0 < made["tokens"] <= made["budget"]
    plain = say("context", "민지는 뭘 마셔?")
    assert (plain.out, plain.err, plain.code) == (made["text"] + "\n", "", 0)
    assert say("context", "-", stdin="민지는 뭘 마셔?\n".encode()).out == plain.out
    # The language of messages is no part of the block.
    assert say("--language", "ko", "context", "민지는 뭘 마셔?").out == plain.out


def test_nothing_relevant_prints_nothing(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """U17.1: what is below the floor does not come near a prompt; --why says so beside it."""
    kept(say, "tea at noon")
    monkeypatch.setenv("SAEGIM_RELEVANCE_FLOOR", "1.0")
    empty = say("context", "coffee or tea?", "--why")
    assert (empty.code, empty.out) == (0, "")
    assert empty.err.splitlines() == [
        "Nothing belongs into a prompt for this question.",
        "  left out 1: below the floor",
    ]
    monkeypatch.setenv("SAEGIM_RELEVANCE_FLOOR", "0.0")
    assert "tea at noon" in say("context", "coffee or tea?").out


def test_why_says_on_standard_error_what_was_left_out(say: Say) -> None:
    """U9.1: the budget is hard; what found no place is counted, in the reader's language."""
    for number in range(4):
        kept(say, f"tea number {number} is drunk at {number} o'clock in the {number}. kitchen")
    block = say("context", "tea", "--budget", "120").out
    told = say("context", "tea", "--budget", "120", "--why")
    assert told.out == block
    assert re.match(r"\d memor(y|ies), \d+ of 120 tokens\n", told.err)
    assert re.search(r"^  left out \d: no room left in the budget$", told.err, re.M)
    korean = say("--language", "ko", "context", "tea", "--budget", "120", "--why").err
    assert re.search(r"^  \d개 뺌: 예산에 자리가 없음$", korean, re.M)
    made = say("--json", "context", "tea", "--budget", "120", "--why").json
    assert made["reasons"]["budget"] >= 1
    assert say("context", "tea", "--budget", "0").out == ""


def test_context_takes_filters_and_a_recipe(say: Say) -> None:
    """The filters of recall narrow a prompt as well; few-shot takes only what mattered."""
    kept(say, "tea at noon", "--tag", "a", "--importance", "0.2")
    kept(say, "tea at night", "--importance", "0.9")
    assert "night" not in say("context", "tea", "--tag", "a").out
    few = say("context", "tea", "--recipe", "few_shot").out
    assert "tea at night" in few
    assert "tea at noon" not in few


# -- feedback -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "meant"),
    [("up", "up"), ("좋아", "up"), ("틀림", "wrong"), ("Changed-Behaviour", "changed_behaviour")],
)
def test_feedback_speaks_both_languages(say: Say, label: str, meant: str) -> None:
    """Seed D §3: a label may be said in Korean, and the answer names it in the reader's own."""
    id = kept(say, "tea at noon")
    assert say("--json", "feedback", id, label).json["label"] == meant
    told = say("feedback", id, label).out
    word = meant.replace("_", " ")
    assert told.startswith(
        f"Noted as {word}, {handle(say, id)}: tea at noon\nIts importance is now 0."
    )
    assert ("saegim update" in told) == (meant == "wrong")
    assert say("--language", "ko", "feedback", id, label).out.startswith("평가(")


def test_a_rating_needs_no_label_and_a_note_is_kept(say: Say) -> None:
    """Ratings 1-5 move the importance; what is said about it is a memory tied to it."""
    id = kept(say, "tea at noon")
    before = say("--json", "get", id).json["importance"]
    done = say("--json", "feedback", id, "--rating", "5", "--note", "just right").json
    assert (done["label"], done["importance"] > before) == ("rating", True)
    tied = say("--json", "related", id).json["relations"]
    assert [each["memory"]["text"] for each in tied] == ["just right"]


# -- related and trace ----------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "shown"), [("ko", "6월 20일"), ("en", "20 June")])
def test_a_plan_is_told_with_its_day_ahead_and_past(language: str, shown: str) -> None:
    """In both languages and as data; what is over stands under what was."""
    said_at, ends = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 21, tzinfo=UTC)
    ahead = Trait(slot="plan", value="dentist", text="dentist on Saturday", denied=False,
                  unsure=False, since=said_at, memory="mem_1", number=1, ends=ends)  # fmt: skip
    speech = Speech(language)
    for plan, title in (
        (ahead, speech.word("slot", "plan")),
        (replace(ahead, until=ends), speech("profile.before")),
    ):
        profile = PersonProfile("", True, (), (plan,))
        lines = [str(each) for each in render_perceiving.portrayed(profile, speech)]
        assert lines[1] == title
        assert lines[2].endswith(f"dentist on Saturday ({shown})")
        assert answers.portrait(profile)["traits"][0]["last_date"] == "2026-06-20"


def test_related_shows_the_way_as_arrows(say: Say, tied: tuple[str, str]) -> None:
    """Seed C: depth 1-3 with the path; a negative tie is marked; names work like ids."""
    first, second = tied
    near = say("related", first).out
    assert re.search(r"^1 +민지 · person +—refers_to→ +0\.\d\d$", near, re.M)
    assert second not in near
    far = say("related", first, "--depth", "2").out
    assert re.search(rf"^2 +{re.escape(BORI)} +—refers_to→ 민지 ←refers_to— +0\.\d\d$", far, re.M)
    assert re.search(rf"^ +{handle(say, second)}$", far, re.M)
    korean = say("--language", "ko", "related", "민지").out
    assert re.search(r"^1 +커피 · 주제 +—싫어함→ +0\.\d\d\n +entity:커피 +부정$", korean, re.M)
    assert say("related", "민지").out == say("related", "entity:민지").out


def test_related_as_json_has_the_path_step_by_step(say: Say, tied: tuple[str, str]) -> None:
    """U12.1: keys, types, weights and handles for programs."""
    first, second = tied
    found = say("--json", "related", first, "--depth", "2").json
    assert found["of"] == [first]
    other = next(each for each in found["relations"] if each["key"] == second)
    assert [(step["from"], step["type"], step["to"]) for step in other["path"]] == [
        (first, "refers_to", "entity:민지"),
        (second, "refers_to", "entity:민지"),
    ]
    assert (other["hops"], other["memory"]["id"], other["entity"]) == (2, second, None)
    assert say("--json", "get", other["handle"]).json["id"] == second
    negative = {each["key"] for each in say("--json", "related", "민지").json["relations"]
                if each["negative"]}  # fmt: skip
    assert negative == {"entity:커피"}
    assert len(say("--json", "related", "민지", "--limit", "1").json["relations"]) == 1
    lonely = kept(say, "x y z")
    assert say("related", lonely).out == "Nothing is tied to it.\n"


def test_a_trace_shows_the_same_memories_in_the_same_order(say: Say) -> None:
    """U32.2: what an answer showed can be looked at again after its process is gone."""
    for text in ("tea at noon", "tea at night", "green tea"):
        kept(say, text)
    for command in ("recall", "context"):
        found = say("--json", command, "tea").json
        held = found.get("hits") or found["cards"]
        ids = [each["memory"]["id"] if "memory" in each else each["id"] for each in held]
        again = say("--json", "trace", found["trace"]).json
        assert again["ids"] == ids
        assert [each["id"] for each in again["memories"]] == ids
    told = say("trace", found["trace"]).out
    assert re.match(r"Shown on \d{4}-\d\d-\d\d \d\d:\d\d, best first:\n", told)
    places = [told.index(handle(say, id)) for id in ids]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", r"came back in a reply on \d{4}-\d\d-\d\d \(Dr, Alvarez\)"),
     ("ko", r"\d{4}-\d\d-\d\d 답에 다시 나옴 \(Dr, Alvarez\)")],
)  # fmt: skip
def test_a_person_sees_why_something_counts_as_used(say: Say, language: str, told: str) -> None:
    """In `trace`, `history` and `get`, and in their JSON; the reply itself is nowhere."""
    id = kept(say, "My dentist is Dr. Alvarez on Mill Street.")
    trace = say("--json", "context", "Who is my dentist?").json["trace"]
    before = say("--json", "trace", trace).json["used"]
    reply = "Your dentist is Dr. Alvarez, quick and kind."
    seen = say("--json", "observe", reply, "--role", "assistant").json
    assert (before, seen["used"]) == ([], [id])
    for words in (("trace", trace), ("history", id), ("get", id)):
        assert re.search(told, say("--language", language, *words).out)
    (use,) = say("--json", "trace", trace).json["used"]
    assert (use["memory"], use["because"], use["words"]) == (id, "back", ["Dr", "Alvarez"])
    assert "quick" not in str(use)
    assert use in say("--json", "history", id).json["uses"]
    opened = say("--json", "get", id).json
    # The first `get` above counts too, once that day.
    assert [each["because"] for each in opened["uses"]] == ["back", "opened"]
    assert opened["used"] == 2


def test_without_traces_nothing_is_written_behind_an_answer(
    say: Say, monkeypatch: pytest.MonkeyPatch, head: Callable[[], tuple[int, str]]
) -> None:
    """Control: with the setting off there is no trace, and the ledger stays as it was."""
    kept(say, "tea at noon")
    monkeypatch.setenv("SAEGIM_TRACES", "false")
    before = head()
    found = say("--json", "recall", "tea").json
    assert (found["trace"], head()) == ("", before)
    assert "Trace of this answer" not in say("recall", "tea", "--explain").out


def test_what_was_forgotten_since_leaves_its_id_in_the_replay() -> None:
    """U32.2: the replay does not pretend that something else was shown."""
    told = Replay("rec_1", datetime(2026, 3, 1, tzinfo=UTC), (("mem_gone", None),))
    assert answers.replay(told)["ids"] == ["mem_gone"]
    (_, table) = render_recall.again(told, {}, Speech("en"))
    cell = table.columns[1]._cells[0]  # type: ignore[union-attr]
    assert str(cell) == "(forgotten since)\nmem_gone"


def test_sessions_say_what_they_were_about(say: Say, open_store: Callable[[], Saegim]) -> None:
    """Seed E memory_sessions: platform, start, turns and topic of every session, ended or not."""
    with open_store() as memory:
        for text in ("베를린 이사 서류가 뭐야?", "베를린 이사 비용은 얼마야?"):
            memory.working.upsert_query("moving", text)
        memory.working.finalize_session("moving")
        memory.sessions.start("open one", platform="slack")
    told = say("--language", "ko", "sessions").out
    assert re.search(r"^moving · chat · .* · 2마디 · .*베를린", told, re.M)
    assert re.search(r"^open one · slack · .* · 0마디 · 끝나지 않음$", told, re.M)
    held = {each["id"]: each for each in say("--json", "sessions").json["held"]}
    assert held["moving"]["ended_at"]
    assert held["open one"]["ended_at"] is None
