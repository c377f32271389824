"""Searching in a real browser: what was asked for is in the address, and holds from page to page."""

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
