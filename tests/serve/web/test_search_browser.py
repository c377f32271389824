"""Searching in a real browser: what was asked for is in the address and holds on every page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from desk import Desk
from playwright.sync_api import expect

Sit = Callable[..., Desk]
both = pytest.mark.parametrize("language", ["en", "ko"])


@both
def test_back_from_a_search_leads_to_the_whole_page(language: str, sit: Sit) -> None:
    """The page before the search is there with its heading, and so is the search going forward."""
    desk = sit(language)
    desk.memory.remember(f"The {language} kettle stands on the stove.")
    desk.memory.remember("The teapot is chipped.")
    for path, field, typed, found in (
        ("/memories", "#query", "kettle", "#found .shelf > li"),
        ("/recall", "#query", "kettle", "#found #block"),
        ("/ledger", "[name=subject]", "mem_nothing", "#found td[colspan]"),
    ):
        page = desk.to(path)
        page.locator(field).press_sequentially(typed)
        expect(page).to_have_url(re.compile(f"={typed}"))
        expect(page.locator(found)).to_have_count(1)
        page.go_back()
        expect(page.locator(field)).to_have_value("")
        expect(page).not_to_have_url(re.compile(f"={typed}"))
        for there in ("h1", ".nav", "#found"):
            expect(page.locator(there)).to_have_count(1)
        page.go_forward()
        expect(page.locator(field)).to_have_value(typed)
        expect(page.locator(found)).to_have_count(1)
        expect(page.locator("h1")).to_have_count(1)


@both
def test_a_search_holds_whatever_is_chosen_after_it(language: str, sit: Sit) -> None:
    """Another view, another light, the other language and an act on many: the words stay asked."""
    desk = sit(language)
    for text in (f"The {language} kettle stands on the stove.", "The teapot is chipped."):
        desk.memory.remember(text)
    page = desk.to("/memories")
    query, found = page.locator("#query"), page.locator("#found [data-pick]")
    query.press_sequentially("kettle")
    expect(page).to_have_url(re.compile("=kettle"))
    expect(found).to_have_count(1)
    for view in ("list", "timeline", "orbs"):
        page.get_by_role("link", name=desk.says(f"view_{view}"), exact=True).click()
        expect(page.locator(".views [aria-current]")).to_have_text(desk.says(f"view_{view}"))
        expect(query).to_have_value("kettle")
        expect(found).to_have_count(1)
        # What was chosen of a search after that is of that one.
        query.fill("teapot")
        expect(page).to_have_url(re.compile("=teapot"))
        expect(found).to_have_count(1)
        desk.button("theme_dark").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(query).to_have_value("teapot")
        desk.button("theme_light").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        query.fill("kettle")
        expect(page).to_have_url(re.compile("=kettle"))
    other = "en" if language == "ko" else "ko"
    page.locator(f"[name=language][value={other}]").click()
    expect(page.locator("html")).to_have_attribute("lang", other)
    desk.language = other
    expect(query).to_have_value("kettle")
    found.check()
    desk.button("pin", page.locator("#bulk")).click()
    desk.notice("pinned_many", count=1)
    expect(query).to_have_value("kettle")
    expect(found).to_have_count(1)


@both
def test_enter_in_the_field_of_the_project_moves(language: str, sit: Sit) -> None:
    """What was chosen goes where the field says, and nothing else is done with it."""
    desk = sit(language)
    kept = desk.memory.remember(f"The {language} kettle stands on the stove.")
    page = desk.to("/memories")
    page.locator("#found [data-pick]").check()
    page.locator("#bulk [name=to]").fill("kitchen")
    page.locator("#bulk [name=to]").press("Enter")
    desk.notice("moved", count=1, to="kitchen")
    moved = desk.memory.get(kept.id, counts=False)
    assert (moved.scope.project, moved.life.pinned) == ("kitchen", False)
