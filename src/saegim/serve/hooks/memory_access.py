"""The two ways to a memory: opened by this very process, or held open by a server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import saegim
from saegim.errors import SettingsError
from saegim.memory.clock import Clock
from saegim.projects import STARTED_IN, Resolved, project_of
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.event_note import AGENT, USER
from saegim.serve.hooks.spool import Owner, store_in
from saegim.settings import STORE, read_settings

_ASKS_AS: Final = (USER, AGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """Where the memory lies and who asks: from the environment or a command line."""

    home: Path
    file: Path | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    # Moved by tests that live through weeks.
    clock: Clock | None = None

    @property
    def owner(self) -> Owner:
        """Return whose the words are that are heard now; the memory need not be open for it."""
        file = (self.file or self.home / STORE).expanduser().absolute()
        try:
            # Who asks is in their own environment, not in that of whoever catches up for them.
            own = {name: self.environment[name] for name in _ASKS_AS if name in self.environment}
            named = read_settings(file.parent, own, user=self.user, agent=self.agent)
            user, agent = named.user, named.agent
        except (SettingsError, OSError):
            # Who is not named here either is found out once the settings can be read.
            user = self.user or self.environment.get(USER, "")
            agent = self.agent or self.environment.get(AGENT, "")
        return Owner(user=user, agent=agent, store=store_in(self.home, file))

    def place(self, folder: str) -> str:
        """Return the folder by which the project is known: where the client was started."""
        started = self.environment.get(STARTED_IN, "")
        return started if started and os.path.isdir(started) else folder


# However long an event may take, meaning is waited for no longer than two seconds of it.
_PATIENCE: Final = ("semantic_patience", "loading_patience")
MOST_PATIENCE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What a prompt is told, and whether meaning had to be left out of it."""

    text: str
    cut_short: bool = False
    recalled: int = 0


class HookDoor(Protocol):
    """Whatever leads to a memory."""

    @property
    def memory(self) -> saegim.Saegim:
        """Return the open memory."""
        ...

    @property
    def is_open(self) -> bool:
        """Say whether the memory was needed already."""
        ...

    def project(self, folder: str) -> str:
        """Return the project of a folder, as it is known in the store."""
        ...

    def context(self, prompt: str, project: str, session: str = "") -> Answered:
        """Return what is remembered for a prompt."""
        ...


class Here:
    """The memory in this process, opened when it is first needed."""

    def __init__(self, given: HookCall, pace: Deadline) -> None:
        self._given, self._pace = given, pace
        self._memory: saegim.Saegim | None = None

    @property
    def memory(self) -> saegim.Saegim:
        """Return the open memory; what is written in a model's time is left to others."""
        if self._memory is None:
            given = self._given
            settings: dict[str, Any] = dict.fromkeys(
                _PATIENCE, min(self._pace.patience, MOST_PATIENCE)
            )
            self._memory = saegim.Saegim.open(
                given.file,
                user=given.user,
                agent=given.agent,
                background=False,
                clock=given.clock,
                **settings,
            )
        return self._memory

    @property
    def is_open(self) -> bool:
        """Say whether the memory was needed already."""
        return self._memory is not None

    def project(self, folder: str) -> str:
        """Return the project of a folder, as it is known in the store."""
        return project_at(folder, self._given, self.memory)

    def context(self, prompt: str, project: str, session: str = "") -> Answered:
        """Recall here; words answer alone where the embedder is late."""
        return _recalled(prompt, self.memory.within(project=project), session)

    def close(self) -> None:
        """Write what was shown, and let go."""
        if self._memory is not None:
            self._memory.close()


class Housed:
    """A memory that somebody else holds open, as seen by whose event it is."""

    is_open = True

    def __init__(self, memory: saegim.Saegim, given: HookCall) -> None:
        self.memory, self._given = memory, given

    def project(self, folder: str) -> str:
        """Return the project of a folder, as it is known in the store."""
        return project_at(folder, self._given, self.memory)

    def context(self, prompt: str, project: str, session: str = "") -> Answered:
        """Recall in the memory that is open."""
        return _recalled(prompt, self.memory.within(project=project), session)


def _recalled(prompt: str, memory: saegim.Saegim, session: str) -> Answered:
    from saegim.engines.embedder import is_warming

    made = memory.context(prompt, session=session or None)
    return Answered(made.text, is_warming(memory.mind.embedder), len(made.cards))


def project_at(folder: str, given: HookCall, memory: saegim.Saegim | None = None) -> str:
    """Return the project at hand; without a memory, the name it would be given."""
    return place_at(folder, given, memory).project


def place_at(folder: str, given: HookCall, memory: saegim.Saegim | None = None) -> Resolved:
    """Return the project at hand, and the one it claims to be without showing it."""
    explicit = given.project
    if explicit is None and memory is not None:
        # What the settings file says holds where nothing nearer does.
        explicit = memory.scope.project or None
    return project_of(
        Path(folder) if folder else None,
        given.environment,
        explicit=explicit,
        store=memory.mind.store if memory is not None else None,
        **({"user": memory.scope.user} if memory is not None else {}),
    )
