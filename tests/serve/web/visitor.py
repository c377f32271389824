"""A browser without a screen: it keeps its cookie and sends the token of its forms."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from doorbell import Front, Heard

from saegim.serve.web import door

FORM = "application/x-www-form-urlencoded"


@dataclass
class Visitor:
    """Someone who was let in."""

    house: Front
    cookie: str

    def get(self, path: str, **more: str | None) -> Heard:
        """Ask for a page."""
        said = {"Authorization": None, "Cookie": self.cookie, **more}
        return self.house.ask("GET", path, **said)

    def post(self, path: str, fields: dict[str, object] | None = None, **more: str | None) -> Heard:
        """Send a form with its token, as the page would."""
        token = door.token_for(self.cookie.partition("=")[2])
        held = {"form": token, **(fields or {})}
        said = {"Authorization": None, "Cookie": self.cookie, "Content_Type": FORM, **more}
        return self.house.ask("POST", path, raw=urlencode(held, doseq=True).encode(), **said)

    def after(self, path: str, fields: dict[str, object] | None = None, **more: str | None) -> str:
        """Send a form and return the page that it leads to."""
        heard = self.post(path, fields, **more)
        assert heard.status == 303, (heard.status, heard.body[:2000])
        return self.get(heard.headers["location"], **more).body.decode()


def let_in(house: Front) -> Visitor:
    """Come by a new link."""
    heard = house.ask("GET", f"/in?code={door.new_code(house.home)}", Authorization=None)
    assert heard.status == 303, heard
    return Visitor(house, heard.headers["set-cookie"].partition(";")[0])
