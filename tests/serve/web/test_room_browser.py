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

from personas.speakers import KOREAN, LINES, QUESTION, Speakers

Sit = Callable[..., Desk]
both = pytest.mark.parametrize("language", ["en", "ko"])


@both
def test_a_belief_is_proposed_reworded_approved_and_taken_back(language: str, sit: Sit) -> None:
    """Every act of the self, a yes by keyboard and by hand, and the way back."""
    desk = sit(language)
    page = desk.to("/self")
    page.get_by_placeholder(desk.says("new_belief")).fill("I am <b>patient</b>")
    page.keyboard.press("Enter")
    desk.notice("proposed")
    card = page.locator(".proposal")
    expect(card.locator("ins")).to_have_text("I am <b>patient</b>")
    card.get_by_text(desk.says("in_own_words")).click()
    card.get_by_label(desk.says("own_words")).fill("I am patient")
    card.locator("[name=word]").focus()
    page.keyboard.type(desk.says("yes_word"))
    page.keyboard.press("Enter")
    desk.notice("answered_yes")
    expect(page.locator("article .belief")).to_have_text("I am patient")
    page.get_by_text(desk.says("say_otherwise")).click()
    page.get_by_label(desk.says("other_words")).fill("I am calm")
    desk.button("propose", page.locator("article")).click()
    desk.notice("proposed")
    expect(card.locator("del")).to_have_text("I am patient")
    expect(card.locator("ins")).to_have_text("I am calm")
    desk.button("say_yes").hover()
    page.mouse.down()
    desk.notice("answered_yes")
    page.mouse.up()
    page.get_by_text(desk.says("file_preview")).click()
    expect(page.locator("pre[aria-label='SOUL.md']")).to_contain_text("I am calm")
    page.get_by_text(desk.says("say_otherwise")).click()
    desk.button("believe_no_more").click()
    desk.button("say_no", card).click()
    desk.notice("answered_no")
    old = page.locator(".version").last
    old.locator("summary").click()
    back = desk.button("roll_back", old)
    back.click()
    expect(old.locator("[name=word]")).to_be_focused()
    assert desk.memory.soul.now().beliefs[0].statement == "I am calm"
    back.hover()
    page.mouse.down()
    expect(page.locator("article .belief")).to_have_text("I am patient")
    page.mouse.up()


@both
def test_soul_md_is_written_after_a_yes_and_read_back(
    language: str, sit: Sit, tmp_path: Path
) -> None:
    """The file is shown line by line before it is written; what was changed in it is asked for."""
    soul = tmp_path / "SOUL.md"
    with front(tmp_path / "served", soul_path=str(soul)) as house:
        desk = sit(language, own=True, house=house)
        believing(desk.memory, "I am calm")
        page = desk.to("/self")
        card = page.locator(".proposal")
        desk.button("propose_file").click()
        desk.notice("proposed")
        expect(card.locator(".difference")).to_contain_text("+- I am calm")
        card.locator("[name=word]").fill(desk.says("yes_word"))
        desk.button("say_yes", card).click()
        desk.notice("answered_yes")
        held = soul.read_text("utf-8")
        assert "I am calm" in held
        soul.write_text(held.replace("I am calm", "I am very calm"))
        desk.to("/self")
        desk.button("offer_edits").click()
        desk.notice("edits_laid", count=1)
        desk.button("say_no", card).click()
        desk.notice("answered_no")


@both
def test_a_core_candidate_founds_an_island_that_is_named_and_shakes(
    language: str, sit: Sit
) -> None:
    """Story, criteria and island before the yes; then the map, another name, and the shaking."""
    desk = sit(language)
    memory = desk.memory
    memory.proposals.propose(memory.remember("지민이가 나에게 이름을 지어줬다. 기뻤다!").id)
    page = desk.to("/self")
    card = page.locator(".proposal")
    expect(card).to_contain_text(desk.says("island_new"))
    expect(card).to_contain_text(desk.says("first_said"))
    card.locator("[name=word]").fill(desk.says("yes_word"))
    desk.button("say_yes", card).click()
    desk.notice("answered_yes")
    desk.to("/islands")
    expect(page.locator(".isle.active")).to_be_visible()
    page.get_by_text(desk.says("call_it_otherwise")).click()
    page.get_by_label(desk.says("island_name"), exact=True).fill("지민과 나")
    desk.button("propose_name").click()
    desk.notice("proposed")
    page.locator(".proposal [name=word]").fill(desk.says("yes_word"))
    desk.button("say_yes", page.locator(".proposal")).click()
    desk.notice("answered_yes")
    expect(page.locator(".isle-name")).to_contain_text("지민과 나")
    core = memory.soul.islands()[0].founders[0]
    memory.forget(core, by="me")
    desk.to("/islands")
    expect(page.locator(".warning")).to_contain_text("지민과 나")
    page.emulate_media(reduced_motion="no-preference")
    moves = "getComputedStyle(document.querySelector('.shaking .land-mass')).animationName"
    assert page.evaluate(moves) == "shake"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == "none"


@both
def test_a_core_memory_is_reworded_and_let_go_by_a_yes_on_the_page(language: str, sit: Sit) -> None:
    """Neither form ends in words for programs: each leads to the proposal, and that does it."""
    desk = sit(language)
    memory = desk.memory
    asked = memory.proposals.propose(memory.remember("지민이가 나에게 이름을 지어줬다.").id)
    core = memory.proposals.accept(asked.id, by=desk.user)

    def yes() -> None:
        expect(page).to_have_url(re.compile("/proposals$"))
        desk.notice("proposed")
        page.locator(".proposal [name=word]").fill(desk.says("yes_word"))
        desk.button("say_yes", page.locator(".proposal")).click()
        desk.notice("answered_yes")

    page = desk.to(f"/memories/{core.id}?edit=1")
    expect(page.get_by_text(desk.says("core_edit"))).to_be_visible()
    page.get_by_label(desk.says("new_words")).fill("지민이가 나를 새김이라고 불렀다.")
    desk.button("propose_words").click()
    yes()
    held = memory.get(core.id, counts=False)
    assert held.text == "지민이가 나를 새김이라고 불렀다."
    desk.to(f"/memories/{held.id}")
    expect(page.get_by_label(desk.says("tags_hint"))).to_have_count(0)
    desk.button("forget").click()
    assert memory.get(held.id, counts=False).life.state == "active"
    yes()
    assert memory.get(held.id, counts=False).life.state == "leaving"
    # Among others, the others go at once, and that can be taken back.
    desk.button("undo", page.locator(".notice")).click()
    desk.notice("restored", count=1)
    other = memory.remember("우산은 현관에 있다.")
    desk.to("/memories")
    for each in page.locator("#found [data-pick]").all():
        each.check()
    desk.button("forget", page.locator("#bulk")).click()
    desk.notice("core_waits", count=1)
    expect(page.locator(".proposal")).to_have_count(1)
    states = [memory.get(each, counts=False).life.state for each in (held.id, other.id)]
    assert states == ["active", "leaving"]
    desk.button("undo", page.locator(".notice")).click()
    assert memory.get(other.id, counts=False).life.state == "active"


@both
def test_imaginations_are_made_and_taken(language: str, sit: Sit) -> None:
    """Asked for with and without words, until the day's few are used up; each answer is noted."""
    desk = sit(language)
    for text in ("I love the sea in winter!", "My sister plays the cello on Sundays."):
        desk.memory.remember(text)
    page = desk.to("/imagination")
    desk.button("imagine_now").click()
    desk.notice("imagined")
    page.locator("#context").fill("It rains, and I stay at home")
    page.keyboard.press("Enter")
    desk.notice("imagined")
    expect(page.locator(".scene").first.locator(".from a").first).to_be_visible()
    for label in ("liked", "ignored", "refused"):
        desk.button(f"take_{label}", page.locator(".scene").first).click()
        desk.notice(f"taken_{label}")
    desk.button("imagine_now").click()
    expect(desk.button("imagine_now")).to_be_disabled()


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A server whose voices have a model."""
    home = tmp_path_factory.mktemp("talking")
    with (
        Speakers() as speakers,
        front(home, model="ollama:m", model_url=speakers.url) as served,
    ):
        yield served


@both
def test_a_debate_is_read_along_and_rated(language: str, sit: Sit, talking: Front) -> None:
    """It fills while it is read and is rated where it stands; one broken off is taken up again."""
    desk = sit(language, house=talking)
    page = desk.to("/voices")
    page.get_by_label(desk.says("voices_question")).fill(QUESTION)
    page.get_by_label(desk.says("voices_depth")).select_option("1")
    desk.button("voices_start").click()
    expect(page.locator("h1")).to_have_text(QUESTION)
    expect(page.locator(".voice")).to_have_count(3)
    expect(page.locator(".voice.final .voice-said")).to_have_text(
        re.compile("|".join(map(re.escape, LINES)))
    )
    page.locator(".voice.final").get_by_label(desk.says("rate_as", count=4)).click()
    expect(page.locator(".voice.final .lit")).to_have_count(4)
    page.get_by_role("link", name=f"← {desk.says('nav_voices')}").click()
    expect(page.locator("section .list")).to_contain_text(QUESTION)
    broken = desk.memory.debates.begin(KOREAN, depth=1)
    desk.to(f"/voices/{broken.id}")
    expect(page.locator(".notice.wrong")).to_contain_text(desk.says("debate_broke_off"))
    desk.button("debate_resume").click()
    expect(page.locator(".voice")).to_have_count(3)
    expect(page.locator(".voice.final")).to_be_visible()


@both
def test_without_a_model_the_voices_show_what_they_would_ask(language: str, sit: Sit) -> None:
    """What each voice would be asked stands there, and the question still in its field."""
    desk = sit(language)
    page = desk.to("/voices")
    page.get_by_label(desk.says("voices_question")).fill(QUESTION)
    desk.button("voices_start").click()
    expect(page.get_by_text(desk.says("voices_no_model"))).to_be_visible()
    expect(page.locator("pre").first).to_contain_text(QUESTION)
    expect(page.get_by_label(desk.says("voices_question"))).to_have_value(QUESTION)


@both
def test_a_decision_is_explained_by_keyboard(language: str, sit: Sit) -> None:
    """Type a turn, and read what would be done with it."""
    desk = sit(language)
    page = desk.to("/learning")
    page.locator("#turn").focus()
    page.keyboard.type("지난주에 부산으로 이사했어.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".decision .badge")).to_have_text(desk.says("action_save"))
    page.get_by_text(desk.says("what_it_saw")).click()
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
