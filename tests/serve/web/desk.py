"""One window of a real browser that is in, and what went wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from doorbell import Front
from playwright.sync_api import Locator, Page, expect

from saegim import Saegim
from saegim.serve.speech import Speech

# A hang guard, not a measurement.
PATIENCE_MS = 30_000
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Desk:
    """One browser window that is in, and what went wrong in it."""

    house: Front
    page: Page
    language: str = "en"
    wrong: list[str] = field(default_factory=list)

    def to(self, path: str) -> Page:
        """Go to a page of the house."""
        self.page.goto(f"http://127.0.0.1:{self.house.port}{path}")
        return self.page

    def notice(self, key: str, /, **values: object) -> None:
        """Wait for what the page tells after a form."""
        expect(self.page.locator(".notice")).to_contain_text(self.says(key, **values))

    def says(self, key: str, /, **values: object) -> str:
        """Return a sentence of the pages, as a person reads it there."""
        return Speech(self.language)(f"web.{key}", **values)

    def button(
        self, key: str, /, within: Locator | Page | None = None, **values: object
    ) -> Locator:
        """Find the button that says this."""
        place = within if within is not None else self.page
        return place.get_by_role("button", name=self.says(key, **values), exact=True)

    @property
    def memory(self) -> Saegim:
        """The memory behind the pages."""
        return self.house.house.memory
