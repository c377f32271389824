"""The two ways to a memory: the server next door if one runs, and this very process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import saegim
from saegim.errors import SettingsError
from saegim.perceive.guard.fence import OPEN, closing
from saegim.plugins import Late
from saegim.projects.resolve import project_of
from saegim.serve.hooks import journal
from saegim.serve.hooks.event import PROMPT
from saegim.serve.hooks.pace import Pace
from saegim.serve.hooks.spool import Owner, store_in
from saegim.settings import STORE, read_settings

if TYPE_CHECKING:
    from saegim.engines import patient
    from saegim.serve import nextdoor
else:
    # What these load, a hook that finds a server or nothing to do is quicker without.
    patient = Late("saegim.engines.patient")
    nextdoor = Late("saegim.serve.nextdoor")

_SERVER: Final = "server.json"
# A server knows whose memories it serves; who is someone else here does not ask it.
_USER, _AGENT = "SAEGIM_USER", "SAEGIM_AGENT"
_ASKS_AS: Final = (_USER, _AGENT)
_FIRST_LINE: Final = re.compile(rf'{OPEN} boundary="([a-z]+)">')


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Where the memory lies and who asks: from the environment or a command line."""

    home: Path
    file: Path | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def owner(self) -> Owner:
        """Return whose the words are that are heard now; the memory need not be open for it."""
        file = (self.file or self.home / STORE).expanduser().absolute()
        try:
            named = read_settings(file.parent, user=self.user, agent=self.agent)
            user, agent = named.user, named.agent
        except (SettingsError, OSError):
            # Who is not named here either is found out once the settings can be read.
            user = self.user or self.environment.get(_USER, "")
            agent = self.agent or self.environment.get(_AGENT, "")
        return Owner(user=user, agent=agent, store=store_in(self.home, file))


@dataclass(frozen=True, slots=True)
class Told:
    """What a prompt is told, and whether meaning had to be left out of it."""

    text: str
    cut_short: bool = False


class Door(Protocol):
    """Whatever can tell what belongs to a prompt."""

    def context(self, prompt: str, project: str, pace: Pace) -> Told | None:
        """Return what is remembered for a prompt; None if nobody is there to ask."""
        ...


class NextDoor:
    """The server that runs on this machine, if one does."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def context(self, prompt: str, project: str, pace: Pace) -> Told | None:
        """Ask the server of this home; None if there is none, or it does not answer."""
        given = self._given
        named = given.user or given.agent or any(map(given.environment.get, _ASKS_AS))
        if named or not (given.home / _SERVER).exists():
            return None
        store = given.file or given.home / STORE
        if (neighbour := nextdoor.Neighbour.find(given.home, store, given.owner.user)) is None:
            return None
        try:
            # The catalogue takes so much of a question, and it asks enough.
            told = neighbour.call(
                "auto_search", {"query": prompt[:4000]}, project=project, timeout=pace.patience
            )
        except nextdoor.Gone:
            return None
        text = told.get("context")
        if not isinstance(text, str) or (text and not is_block(text)):
            # Whoever listens there: what stands in no fence of ours is not put into a prompt.
            journal.note(given.home, PROMPT, "failed: the server told no block of ours; dropped")
            return None
        return Told(text)


class Here:
    """The memory in this process, opened when it is first needed."""

    def __init__(self, given: Given, pace: Pace) -> None:
        self._given, self._pace = given, pace
        self._memory: saegim.Saegim | None = None

    @property
    def memory(self) -> saegim.Saegim:
        """Return the open memory; what is written in a model's time is left to others."""
        if self._memory is None:
            given = self._given
            settings: dict[str, Any] = {"semantic_patience": min(self._pace.patience, 2.0)}
            self._memory = saegim.Saegim.open(
                given.file,
                user=given.user,
                agent=given.agent,
                background=False,
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

    def context(self, prompt: str, project: str, pace: Pace) -> Told:  # noqa: ARG002
        """Recall here; words answer alone where the embedder is late."""
        made = self.memory.within(project=project).context(prompt)
        return Told(made.text, patient.is_warming(self.memory.care.mind.embedder))

    def close(self) -> None:
        """Write what was shown, and let go."""
        if self._memory is not None:
            self._memory.close()


def is_block(text: str) -> bool:
    """Say whether a text is one fenced block: opened, closed, and nothing in it that could be."""
    first, _, rest = text.partition("\n")
    if (opened := _FIRST_LINE.fullmatch(first)) is None:
        return False
    boundary = opened[1]
    ends = rest.endswith(f"\n{closing(boundary)}")
    return ends and text.count(boundary) == 2 and text.count("<") == 2


def project_at(folder: str, given: Given, memory: saegim.Saegim | None = None) -> str:
    """Return the project at hand; without a memory, the name it would be given."""
    explicit = given.project
    if explicit is None and memory is not None:
        # What the settings file says holds where nothing nearer does.
        explicit = memory.scope.project or None
    return project_of(
        Path(folder) if folder else None,
        given.environment,
        explicit=explicit,
        store=memory.care.mind.store if memory is not None else None,
        **({"user": memory.scope.user} if memory is not None else {}),
    ).project
