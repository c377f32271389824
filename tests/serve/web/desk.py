"""One window of a real browser that is in, and what went wrong in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from doorbell import Front
from playwright.sync_api import Locator, Page, expect
from sharing import moved_in
from visitor import let_in

from saegim import Saegim
from saegim.serve.speech import Speech

# A hang guard, not a measurement.
PATIENCE_MS = 90_000
# The same engine without windows to draw takes less than half of the time.
NAMES = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Desk:
    """One browser window that is in, and what went wrong in it."""

    house: Front
    page: Page
    language: str = "en"
    # Whose memory it looks at: that of "me", whose machine it is, or of somebody who shares it.
    user: str = "me"
    wrong: list[str] = field(default_factory=list)

    def let_in(self) -> str:
        """Come by a link, and return the cookie."""
        if self.user == "me":
            return let_in(self.house).cookie
        return moved_in(self.house, self.user).cookie()

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
        held = self.house.house.memory
        return held if self.user == "me" else held.within(user=self.user)
