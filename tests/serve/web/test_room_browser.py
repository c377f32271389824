"""Self, islands, imagination, voices and learning in a real browser: every act, both languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desk import Desk
from doorbell import Front, front
from playwright.sync_api import expect
from test_rooms import a_core, believing

from personas.speakers import LINES, QUESTION, Speakers

Sit = Callable[..., Desk]


@pytest.fixture(scope="module")
def soul_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where SOUL.md is written."""
    return tmp_path_factory.mktemp("soul") / "SOUL.md"


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory, soul_path: Path) -> Iterator[Front]:
    """One server whose voices have a model, and whose self has a file."""
    home = tmp_path_factory.mktemp("served")
    with (
        Speakers() as speakers,
        front(home, model="ollama:m", model_url=speakers.url, soul_path=str(soul_path)) as served,
    ):
        yield served


def test_a_belief_is_proposed_reworded_approved_and_taken_back(sit: Sit, soul_path: Path) -> None:
    """Every act of the self, a yes by keyboard and by hand; the file is written and read back."""
    desk = sit()
    page = desk.to("/self")
    page.get_by_placeholder("I am …").fill("I am <b>patient</b>")
    page.keyboard.press("Enter")
    desk.notice("It waits here for your yes.")
    card = page.locator(".proposal")
    expect(card.locator("ins")).to_have_text("I am <b>patient</b>")
    card.get_by_text("in my own words").click()
    card.get_by_label(re.compile("Your words instead")).fill("I am patient")
    card.locator("[name=word]").focus()
    page.keyboard.type("yes")
    page.keyboard.press("Enter")
    desk.notice("Done, as you said.")
    expect(page.locator("article .belief")).to_have_text("I am patient")
    page.get_by_text("Say it otherwise, or no longer").click()
    page.get_by_label("In other words").fill("I am calm")
    page.locator("article").get_by_role("button", name="Propose", exact=True).click()
    desk.notice("It waits here for your yes.")
    expect(card.locator("del")).to_have_text("I am patient")
    expect(card.locator("ins")).to_have_text("I am calm")
    card.get_by_role("button", name="Yes").hover()
    page.mouse.down()
    desk.notice("Done, as you said.")
    page.mouse.up()
    page.get_by_text("Say it otherwise, or no longer").click()
    page.get_by_role("button", name="Propose to believe it no longer").click()
    card.get_by_role("button", name="No", exact=True).click()
    desk.notice("Left as it is")
    page.get_by_role("button", name="Propose to write it").click()
    desk.notice("It waits here for your yes.")
    expect(card.locator(".difference")).to_contain_text("+- I am calm")
    card.locator("[name=word]").fill("yes")
    card.get_by_role("button", name="Yes").click()
    desk.notice("Done, as you said.")
    assert "I am calm" in soul_path.read_text("utf-8")
    soul_path.write_text(soul_path.read_text("utf-8").replace("I am calm", "I am very calm"))
    desk.to("/self")
    page.get_by_role("button", name="Propose what was changed by hand").click()
    desk.notice("Proposals from the file: 1")
    card.get_by_role("button", name="No", exact=True).click()
    desk.notice("Left as it is")
    old = page.locator(".version").last
    old.locator("summary").click()
    back = old.get_by_role("button", name="Go back to this")
    back.click()
    expect(old.locator("[name=word]")).to_be_focused()
    assert desk.memory.soul.now().beliefs[0].statement == "I am calm"
    back.hover()
    page.mouse.down()
    desk.notice("version 1 again")
    page.mouse.up()
    expect(page.locator("article .belief")).to_have_text("I am patient")


def test_a_core_candidate_founds_an_island_that_is_named_and_shakes(sit: Sit) -> None:
    """Story, criteria and island before the yes; then the map, another name, and the shaking."""
    desk = sit("ko")
    memory = desk.memory
    memory.proposals.propose(memory.remember("지민이가 나에게 이름을 지어줬다. 기뻤다!").id)
    page = desk.to("/self")
    card = page.locator(".proposal")
    expect(card).to_contain_text("이 섬을 새로 세워요")
    expect(card).to_contain_text("처음 한 말")
    card.locator("[name=word]").fill("네")
    card.get_by_role("button", name="네", exact=True).click()
    desk.notice("그렇게 했어요")
    desk.to("/islands")
    expect(page.get_by_role("img", name=re.compile("활동 중"))).to_be_visible()
    page.get_by_text("다르게 부르기").click()
    page.get_by_label("이름", exact=True).fill("지민과 나")
    page.get_by_role("button", name="이름 제안").click()
    desk.notice("여기서 답을 기다려요")
    page.locator(".proposal [name=word]").fill("네")
    page.locator(".proposal").get_by_role("button", name="네", exact=True).click()
    desk.notice("그렇게 했어요")
    expect(page.locator(".isle-name")).to_contain_text("지민과 나")
    core = memory.soul.islands()[0].founders[0]
    memory.forget(core, by="me")
    desk.to("/islands")
    expect(page.locator(".warning")).to_contain_text("섬이 흔들리고 있어요")
    moves = "getComputedStyle(document.querySelector('.shaking .land-mass')).animationName"
    assert page.evaluate(moves) == "shake"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == "none"
    memory.restore(core)


def test_imaginations_are_made_and_taken(sit: Sit) -> None:
    """Asked for with and without words, until the day's few are used up; each answer is noted."""
    desk = sit()
    for text in ("I love the sea in winter!", "My sister plays the cello on Sundays."):
        desk.memory.remember(text)
    page = desk.to("/imagination")
    page.get_by_role("button", name="Imagine one").click()
    desk.notice("Imagined.")
    page.locator("#context").fill("It rains, and I stay at home")
    page.keyboard.press("Enter")
    desk.notice("Imagined.")
    expect(page.locator(".scene").first.locator(".from a").first).to_be_visible()
    for button, said in (("Liked it", "more"), ("Not now", "less"), ("Please not", "rests")):
        page.locator(".scene").first.get_by_role("button", name=button).click()
        desk.notice(said)
    page.get_by_role("button", name="Imagine one").click()
    expect(page.get_by_role("button", name="Imagine one")).to_be_disabled()


def test_a_debate_is_read_along_and_rated(sit: Sit) -> None:
    """It begins at once, fills while it is read, and its answers are rated where they stand."""
    desk = sit()
    page = desk.to("/voices")
    page.get_by_label("What should they debate?").fill(QUESTION)
    page.get_by_label("Rounds").select_option("1")
    page.get_by_role("button", name="Let them debate").click()
    expect(page.locator("h1")).to_have_text(QUESTION)
    expect(page.locator(".voice")).to_have_count(3)
    expect(page.locator(".voice.final .voice-said")).to_have_text(
        re.compile("|".join(map(re.escape, LINES)))
    )
    page.locator(".voice.final").get_by_label("4 of 5 stars").click()
    desk.notice("Rated 4 of 5.")
    expect(page.locator(".voice.final .lit")).to_have_count(4)
    page.get_by_role("link", name="← Voices").click()
    expect(page.locator("section .list")).to_contain_text(QUESTION)


def test_a_decision_is_explained_by_keyboard(sit: Sit) -> None:
    """Type a turn, and read what would be done with it, in Korean."""
    desk = sit("ko")
    page = desk.to("/learning")
    page.locator("#turn").focus()
    page.keyboard.type("지난주에 부산으로 이사했어.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".decision")).to_contain_text("기억합니다")
    page.get_by_text("본 것").click()
    expect(page.locator(".decision .facts").last).to_be_visible()


def test_the_rooms_fit_a_phone_and_have_one_heading_and_names(sit: Sit) -> None:
    """At 390 pixels nothing sticks out; every control has a name, every id is there once."""
    desk = sit("ko", width=390, scheme="dark")
    memory = desk.memory
    a_core(memory, "엄마와 함께 바다에 갔던 가족 여행이 " + "긴단어" * 40)
    believing(memory, "나는 " + "아주" * 80 + " 밝다")
    memory.soul.propose_belief("나는 <i>느리다</i>")
    memory.proposals.propose(memory.remember("무대에 처음 섰다").id)
    nameless = (
        "[...document.querySelectorAll('button, input:not([type=hidden]), textarea, select, a')]"
        ".filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).length"
    )
    twice = (
        "(() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);"
        " return ids.filter((id, at) => ids.indexOf(id) !== at); })()"
    )
    beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for path in ("/", "/self", "/islands", "/imagination", "/voices", "/learning", "/proposals"):
        page = desk.to(path)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert page.evaluate(beyond) <= 0, path
        assert (page.evaluate(nameless), page.evaluate(twice)) == (0, []), path
        assert page.locator("h1").count() == 1
