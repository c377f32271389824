"""A long list in a real browser: only what is near is there, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable

from desk import Desk
from playwright.sync_api import expect


def test_of_a_long_list_only_what_is_near_is_there(sit: Callable[..., Desk]) -> None:
    """Pages far away are emptied and come back; what was chosen stays; nothing jumps."""
    desk = sit()
    for n in range(350):
        desk.memory.remember(f"Entry {n} of the lighthouse log", tags=["log"], kind="fact")
    page = desk.to("/memories?view=list&tag=log")
    page.locator("[data-pick]").first.check()
    for loaded in range(1, 7):
        expect(page.locator("[data-chunk]")).to_have_count(loaded)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_text("Entry 0 of", exact=False)).to_be_visible()
    expect(page.locator("[data-away]")).not_to_have_count(0)
    # The first page holds what was chosen, and stays for it.
    assert page.locator("[data-chunk]").first.locator("[data-pick]").count() == 60
    assert page.locator("[data-pick]").count() < 300
    height = page.evaluate("document.body.scrollHeight")
    page.evaluate("scrollTo(0, document.body.scrollHeight / 3)")
    middle = page.locator("[data-chunk]").nth(2)
    expect(middle.locator("[data-pick]")).to_have_count(60)
    assert abs(page.evaluate("document.body.scrollHeight") - height) < 200
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator("[data-count]")).to_have_text("1")
    expect(page.get_by_text("Entry 349 of", exact=False)).to_be_visible()
