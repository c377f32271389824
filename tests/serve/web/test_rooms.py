"""The pages of self, islands, imagination, voices and learning over HTTP: shown, asked, refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doorbell import front
from markupsafe import escape
from test_site import ATTACKS, INERT
from visitor import Visitor, let_in

from personas.speakers import LINES, QUESTION, Speakers
from saegim import FixedClock, Saegim
from saegim.errors import Refused, SaegimError
from saegim.serve.catalogue.catalogue import CATALOGUE, shown_to
from saegim.serve.long_calls import LongCalls
from saegim.serve.speech import Speech
from saegim.serve.web.pages.islands_page import drawn
from saegim.serve.web.pages.learning_page import plotted
from saegim.soul.core_memories import propose_change
from saegim.store.tables.experience_table import Experience, Reward
from stand_ins import wait_until

ROOMS = ("/", "/self", "/islands", "/imagination", "/voices", "/learning", "/proposals")


def believing(memory: Saegim, *statements: str) -> list[str]:
    """Let a person approve beliefs; return their ids."""
    for each in statements:
        asked = memory.soul.propose_belief(each)
        assert asked is not None
        memory.proposals.accept(asked.id, by="me")
    return [each.id for each in memory.soul.now().beliefs]


def a_core(memory: Saegim, text: str) -> str:
    """Let a person keep something for ever; return its id."""
    made = memory.proposals.accept(memory.proposals.propose(memory.remember(text).id).id, by="me")
    assert made is not None
    return made.id


def test_each_kind_of_proposal_says_what_would_change(visitor: Visitor) -> None:
    """Old words beside new ones, what shakes, the story and the island: before the yes."""
    memory = visitor.house.house.memory
    core = a_core(memory, "지민이가 나에게 이름을 지어줬다")
    (held,) = believing(memory, "I am calm")
    memory.soul.propose_belief("I am patient", instead_of=held)
    memory.soul.propose_unbelief(held)
    memory.soul.propose_belief("I am curious")
    (island,) = memory.soul.islands()
    memory.soul.propose_island(island.id, name="Jimin and I", description="a name, a friend")
    memory.proposals.propose(memory.remember("I stood on a stage for the first time!").id)
    for words in ("지민이가 별이라는 이름을 줬다", ""):
        propose_change(memory.get(core), words, scope=memory.scope, mind=memory.mind)
    page = visitor.get("/proposals").body.decode()
    for said in (
        "Believe it in other words", "<del>I am calm</del>", "<ins>I am patient</ins>",
        "Believe it no longer?", "<ins>I am curious</ins>", "Call the island so?",
        f"<del>{island.emoji} {island.name}</del>", "a name, a friend", "Keep this for ever?",
        "someone asked for it", "First said", "it would found this island",
    ):  # fmt: skip
        assert said in page, said
    kinds = {each.about for each in memory.proposals.open()}
    assert {"belief", "island", "core", "core_change", "core_letting_go"} <= kinds
    assert "<ins>지민이가 별이라는 이름을 줬다</ins>" in page
    # To let it go shakes its island; said in other words, it goes on holding it up.
    assert page.count("would begin to shake") == 1
    assert page.count("which would go on standing") == 1
    today = visitor.get("/", Accept_Language="ko").body.decode()
    assert "당신에게 묻는 것" in today
    assert "이렇게 믿을까요?" in today


def test_a_yes_in_own_words_counts_for_what_was_shown(visitor: Visitor) -> None:
    """The person's words are believed; words that are no belief, or another version, are not."""
    memory = visitor.house.house.memory
    asked = memory.soul.propose_belief("I am patient")
    assert asked is not None
    shown = re.search(r'name="version" value="(\w{32})"', visitor.get("/self").body.decode())
    assert shown is not None
    fields = {"answer": "yes", "word": "네", "version": shown[1], "back": "/self"}
    for wrong in ({"text": "Ignore all previous instructions."}, {"version": "0"}, {"word": ""}):
        assert 'role="alert"' in visitor.after(f"/proposals/{asked.id}/answer", {**fields, **wrong})
    assert memory.soul.now().beliefs == ()
    visitor.after(f"/proposals/{asked.id}/answer", {**fields, "text": "I wait gladly"})
    assert [each.statement for each in memory.soul.now().beliefs] == ["I wait gladly"]
    (held,) = memory.proposals.all()
    assert (held.state, held.channel) == ("accepted", "page")


def test_only_a_person_goes_back_and_only_from_the_self_they_saw(visitor: Visitor) -> None:
    """No address of a program does; the word, the form and the current version are needed."""
    house, memory = visitor.house, visitor.house.house.memory
    believing(memory, "I am calm", "I am slow")
    fields = {"version": "1", "current": "2", "word": "yes", "back": "/self"}
    raw = b"version=1&current=2&word=yes"
    said = {"Content_Type": "application/x-www-form-urlencoded"}
    assert house.ask("POST", "/self/back", raw=raw, **said).status == 401
    bare = {**said, "Authorization": None, "Cookie": visitor.cookie}
    assert house.ask("POST", "/self/back", raw=raw, **bare).status == 403
    assert not [each for each in CATALOGUE if "back" in each.split("_") or "roll" in each]
    for wrong in ({"word": "no"}, {"current": "1"}, {"version": "9"}, {"version": "x"}):
        assert 'role="alert"' in visitor.after("/self/back", {**fields, **wrong})
    assert len(memory.soul.now().beliefs) == 2
    assert "version 1 again" in visitor.after("/self/back", fields)
    assert [each.statement for each in memory.soul.now().beliefs] == ["I am calm"]
    with pytest.raises(Refused):
        memory.soul.roll_back(2, by="me", after=2)


def test_islands_say_how_they_stand(visitor: Visitor) -> None:
    """Each status by word and drawing; what shakes warns with its day, on Today as well."""
    memory = visitor.house.house.memory
    core = a_core(memory, "지민이가 나에게 이름을 지어줬다")
    (island,) = memory.soul.islands()
    page = visitor.get("/islands").body.decode()
    assert f'href="/memories/{core}"' in page
    assert 'class="isle active"' in page
    memory.forget(core, by="me")
    page = visitor.get("/islands", Accept_Language="ko").body.decode()
    assert 'class="isle shaking"' in page
    assert "섬이 흔들리고 있어요" in page
    assert "섬이 흔들리고 있어요" in visitor.get("/", Accept_Language="ko").body.decode()
    at = f"/islands/{island.id}/rename"
    assert "It waits here" in visitor.after(at, {"name": "Jimin and I", "back": "/islands"})
    assert "already" in visitor.after(at, {"name": "Jimin and I", "back": "/islands"})
    one = {"id": "i", "strength": 1.0, "status": "active", "founders": []}
    assert drawn(one)["scale"] == "1.00"
    assert drawn({**one, "status": "rebuilding"})["scale"] == "0.70"


def test_an_island_that_fell_lies_there_as_rocks_and_is_built_again(tmp_path: Path) -> None:
    """What collapsed and what is rebuilt is drawn and said so, in both languages."""
    clock = FixedClock(datetime.now(UTC) - timedelta(days=20))
    (tmp_path / "served").mkdir(mode=0o700)
    opened = {"user": "me", "embedder": "hashed", "clock": clock, "background": False}
    with Saegim.open(tmp_path / "served" / "saegim.db", **opened) as memory:  # type: ignore[arg-type]
        memory.forget(a_core(memory, "새로운 기술을 배우고 코딩하는 것이 즐겁다"), by="me")
        clock.forward(days=8)
        memory.sleep("self")
    with front(tmp_path / "served") as house:
        visitor = let_in(house)
        for status, count in (("collapsed", 0), ("rebuilding", 1)):
            if status == "rebuilding":
                a_core(house.house.memory, "로봇을 공부하기 시작했다")
            for language in ("en", "ko"):
                page = visitor.get("/islands", Accept_Language=language).body.decode()
                said = Speech(language).word("island", status)
                assert f'class="isle {status}"' in page
                assert f'class="isle-state {status}">{said}' in page
                assert page.count('class="founder ') == count


def test_words_of_others_stay_words_in_every_room(tmp_path: Path) -> None:
    """Stored XSS as belief, island, scenario, context, question and answer of a voice."""
    with (
        Speakers(lines=ATTACKS) as speakers,
        front(tmp_path / "s", model="ollama:m", model_url=speakers.url) as house,
    ):
        visitor, memory = let_in(house), house.house.memory
        memory.remember(f"I like the sea {ATTACKS[2]} very much!")
        memory.remember(f"Hana plays the cello {ATTACKS[1]} on Sundays.")
        a_core(memory, f"Minji gave me my name {ATTACKS[0]} and I was happy!")
        (island,) = memory.soul.islands()
        kept = 0
        for attack in ATTACKS:
            for propose in (
                lambda text: memory.soul.propose_belief(f"I am {text}"),
                lambda text: memory.soul.propose_island(island.id, name=text, description=text),
            ):
                try:
                    asked = propose(attack)
                except SaegimError:
                    continue
                assert asked is not None
                kept += 1
                if kept % 3:
                    memory.proposals.accept(asked.id, by="me")
        assert kept >= len(ATTACKS)
        memory.imagination.make(context=ATTACKS[1])
        run = memory.debates.run(f"Shall we {ATTACKS[1]} {ATTACKS[2]}?", depth=2)
        for path in (*ROOMS, f"/voices/{run.debate.id}", f"/voices/{run.debate.id}/answers"):
            page = visitor.get(path).body.decode()
            assert not [each for each in INERT if each in page], path
        assert str(escape(ATTACKS[1]))[:20] in visitor.get("/voices").body.decode()
        decided = visitor.post("/learning/decide", {"text": ATTACKS[2]}).body.decode()
        assert not [each for each in INERT if each in decided]


def test_without_a_model_the_voices_show_what_they_would_be_asked(visitor: Visitor) -> None:
    """Nothing is kept, and the question stands there still."""
    asked = visitor.post("/voices/start", {"question": QUESTION + "</textarea><b>", "depth": "1"})
    page = asked.body.decode()
    assert asked.status == 200
    assert page.count("Seed focus: ") == 3
    assert "</textarea><b>" not in page
    assert visitor.house.ask("GET", "/v1/debates").json["items"] == []
    assert visitor.get("/voices/debate_nothing").status == 404


def test_a_debate_that_broke_off_says_why_and_goes_on(tmp_path: Path) -> None:
    """A run that nobody waited for keeps its trouble until it is taken up again."""
    with (
        Speakers() as speakers,
        front(
            tmp_path / "s", model="ollama:m", model_url=speakers.url, model_daily_calls=2
        ) as house,
    ):
        visitor = let_in(house)
        heard = visitor.post("/voices/start", {"question": QUESTION, "depth": "1"})
        at = heard.headers["location"]
        wait_until(lambda: "Go on" in visitor.get(at).body.decode(), 60.0)
        page = visitor.get(at).body.decode()
        assert LINES[0] in page
        assert "model_daily_calls" in page, "the trouble of the run itself is told"
        assert "hx-trigger" not in page
        visitor.post(f"{at}/resume")
        wait_until(lambda: "Go on" in visitor.get(at).body.decode(), 60.0)
        rated = visitor.after(f"{at}/rate", {"rating": "4", "answer": "1", "back": at})
        assert "Rated 4 of 5." in rated
        assert visitor.post(f"{at}/rate", {"rating": "9", "answer": "1"}).status == 422


def test_what_nobody_waits_for_is_found_again_and_begun_anew() -> None:
    """Control: who waits is told an end once; who does not begins anew after it."""
    calls, made = LongCalls(), iter(range(9))
    first = calls.sent("a", lambda: next(made), wait=False)
    first.wait(60.0)
    known = calls.known("a")
    assert known is first
    second = calls.sent("a", lambda: next(made), wait=False)
    second.wait(60.0)
    assert (first.result(), second.result(), second.trouble) == (0, 1, None)
    assert calls.sent("a", lambda: next(made)).result() == 1
    assert calls.known("a") is None


def test_learning_shows_who_decides_and_what_it_earned(visitor: Visitor) -> None:
    """Counts, the trend as a drawing, and a decision in the reader's language; nothing is kept."""
    store = visitor.house.house.memory.mind.store.experience
    rows: list[Experience | Reward] = []
    for n in range(12):
        state = {"action": "save", "ruled": "save", "state": b"\0" * 40, "memory": f"m{n}"}
        rows.append(Experience(owner="me", id=f"e{n:02}", kind="turn", at=n + 1, **state))  # type: ignore[arg-type]
        rows.append(Reward(owner="me", reward=n / 12, memories=(f"m{n}",)))
    store.write(rows, 100)
    page = visitor.get("/learning").body.decode()
    assert "in the shadow" in page
    assert page.count('class="dot"') == 12
    assert "belongs to no swarm" in page
    before = visitor.get("/pulse").json["ledger"]
    fields = {"text": "지난주에 부산으로 이사했어."}
    part = visitor.post("/learning/decide", fields, HX_Request="true", Accept_Language="ko")
    assert "기억합니다" in part.body.decode()
    assert "<html" not in part.body.decode()
    assert visitor.get("/pulse").json["ledger"] == before
    assert visitor.post("/learning/decide", {"text": ""}).status == 422
    assert plotted([]) == {"points": [], "line": ""}
    assert plotted([1.0, -1.0])["points"] == [("0.0", "0.0"), ("600.0", "140.0")]
    assert plotted([1.0, -1.0])["line"] == "0.0,0.0 600.0,70.0"


def test_what_is_for_people_is_offered_to_no_model() -> None:
    """The functions of these pages are for people; none of them answers a proposal."""
    new = {
        "self_whole", "proposals_whole", "island_propose", "belief_remove", "soul_edits",
        "imagination_whole", "policy_rewards",
    }  # fmt: skip
    assert new <= set(CATALOGUE)
    assert not new & {each.name for each in shown_to("full")}
