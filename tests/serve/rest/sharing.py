"""People who share a server in tests: each with a token, a cookie, and a way to ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from doorbell import Front, Heard

from saegim.serve import access
from saegim.store.tables.people_table import Quota


@dataclass
class Person:
    """Someone who shares a server."""

    house: Front
    name: str
    token: str
    id: str

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Heard:
        """Ask with their own token."""
        return self.house.ask(method, path, body, **bearer(self.token), **more)

    def call(self, function: str, arguments: dict[str, Any] | None = None, **more: Any) -> Heard:
        """Call a function of the catalogue by name."""
        return self.ask("POST", f"/v1/call/{function}", {"arguments": arguments or {}}, **more)

    def save(self, text: str, **more: Any) -> str:
        """Keep a text; return its id."""
        heard = self.ask("POST", "/v1/memories", {"text": text, "source": "user", **more})
        assert heard.status == 200, heard
        return str(heard.json["id"])

    def cookie(self) -> str:
        """Come to the pages by a link, and return the cookie."""
        code = access.new_link(self.house.house.memory, self.name)
        heard = self.house.ask("GET", f"/in?code={code}", Authorization=None)
        assert heard.status == 303, heard
        return heard.headers["set-cookie"].partition(";")[0]


def bearer(token: str) -> dict[str, Any]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


def moved_in(house: Front, name: str, quota: Quota | None = None, **more: Any) -> Person:
    """Add a person to a server that runs, and give them a token."""
    memory = house.house.memory
    if not memory.mind.store.people.is_here(name):
        access.add_person(memory, name, quota or Quota())
    token, row = access.new_token(memory, name, **more)
    return Person(house, name, token, row.id)


def administrator(house: Front) -> str:
    """Return a token of the administrator."""
    return access.new_token(house.house.memory, "")[0]
