"""How an MCP client is seen: where it stands, which agent it is, how much it is shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from saegim.errors import BadInput
from saegim.serve.access import OWN, Grant
from saegim.serve.backend import Call

PROFILES = ("core", "default", "full")
_ROOMS = ("project", "folder", "agent")
# The SDK's name for one conversation over HTTP.
_TALK = "mcp-session-id"


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """One client; without a project of its own, the folder it stands in says which."""

    profile: str = "default"
    project: str | None = None
    folder: str | None = None
    agent: str | None = None
    # What is asked and observed through this client is one session, unless it names another.
    session: str | None = None
    by: Grant = OWN

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise BadInput("server.no_profile", profile=self.profile, known=", ".join(PROFILES))

    def seen(self, headers: Mapping[str, str], by: Grant = OWN) -> ClientInfo:
        """Return the guest as a request over HTTP describes it; the user is never taken from one.

        Whoever names a place in a request leaves the place of the server's own start behind.
        What its token opens, `by` says.
        """
        named = {each: headers[f"saegim-{each}"] for each in _ROOMS if f"saegim-{each}" in headers}
        if talk := headers.get(_TALK):
            # Any text can be an id elsewhere.
            digest = hashlib.sha256(talk.encode()).hexdigest()[:16]
            return replace(self, session=f"mcp-{digest}", by=by)._seen_from(named)
        return replace(self, by=by)._seen_from(named)

    def _seen_from(self, named: Mapping[str, str]) -> ClientInfo:
        if not named:
            return self
        elsewhere = "project" in named or "folder" in named
        return replace(
            self,
            project=named.get("project", None if elsewhere else self.project),
            folder=named.get("folder", None if elsewhere else self.folder),
            agent=named.get("agent", self.agent),
        )

    def wish(self, name: str, arguments: Mapping[str, Any]) -> Call:
        """Return a call of this guest."""
        return Call(
            name=name,
            arguments=arguments,
            project=self.project,
            folder=self.folder,
            agent=self.agent,
            session=self.session,
            door="mcp",
            by=self.by,
        )
