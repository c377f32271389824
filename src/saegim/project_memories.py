"""What each project holds: moving memories between them, merging two into one, what others hold.

Each move bears a name under which `nights.undo` takes it back exactly, as long as its way back is
open. The book of sessions stays as it is: a session was held where it was held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from saegim.errors import BadInput, NotFound, StoreError
from saegim.memory.changes import Change, Rehomed
from saegim.memory.memory import Scope, checked_name
from saegim.mind import Mind
from saegim.recall.handle import named_id
from saegim.sleep.erase import versions
from saegim.sleep.forget import named
from saegim.store.commit import Batch
from saegim.store.tables.project_table import is_place

# So many are moved in one commit: a tenth of a second on a small machine, then others may write.
_AT_ONCE = 500


class ProjectSummary(NamedTuple):
    """A project, how many living memories it has, and when the last of them was kept."""

    project: str
    memories: int
    changed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMove:
    """What belongs to another project now, or in a preview would.

    `id` is the name under which `nights.undo` takes all of it back; "" if nothing was changed.
    """

    id: str
    to: str
    # How many memories came, or would come, from which project.
    memories: Mapping[str, int]
    # How many places on the disk are seen as the other project now.
    places: int
    until: datetime
    done: bool

    @property
    def count(self) -> int:
        """Return how many memories in all."""
        return sum(self.memories.values())


@dataclass(frozen=True, slots=True)
class Projects:
    """The projects of one user."""

    scope: Scope
    mind: Mind

    def all(self) -> list[ProjectSummary]:
        """Return every project by name; "" holds what belongs to all of them."""
        held = self.mind.store.projects.all(self.scope.user)
        return [ProjectSummary(each.project, each.memories, each.changed_at) for each in held]

    def active(self) -> dict[str, int]:
        """Count the active memories of each project that has any."""
        return self.mind.store.projects.active(self.scope.user)

    def move(self, *ids: str, to: str, dry_run: bool = False) -> ProjectMove:
        """Let memories, with all their versions, belong to another project; "" is all projects."""
        target = _target(to)
        moving = {id: was for id, was in self._whole(ids).items() if was != target}
        maker = ""
        if moving and not dry_run:
            maker = self.mind.new_id("move")
            for part in _parts([Rehomed(id, target) for id in moving]):
                self._commit(part, maker)
        return self._moved(maker, target, Counter(moving.values()), 0, done=not dry_run)

    def merge(self, source: str, into: str, dry_run: bool = False) -> ProjectMove:
        """Let all that a project holds, and the places seen as it, belong to another one.

        What was seen as `source` is seen as `into` afterwards; `into` need not be known yet.
        """
        project, target = _source(source), _target(into)
        if project == target:
            raise BadInput("project.cannot_be_merged_into_itself", project=project[:60])
        book, owner = self.mind.store.projects, self.scope.user
        count, places = book.count(owner, project), len(book.places(owner, project))
        if not count and not places:
            raise NotFound("project.no_project", project=project[:60])
        maker = "" if dry_run else self.mind.new_id("merge")
        if maker:
            count = places = 0
            for part in self._all_of(project, target):
                try:
                    self._commit(part, maker)
                except StoreError as error:
                    raise _half_way(error, maker) if count or places else error from error
                seen = sum(is_place(each.memory) for each in part)
                places, count = places + seen, count + len(part) - seen
        held = {project: count} if count else {}
        return self._moved(maker, target, held, places, done=not dry_run)

    def _whole(self, ids: Iterable[str]) -> dict[str, str]:
        """Return these memories and all their versions, each with the project it belongs to."""
        scope, mind = self.scope, self.mind
        known = [named_id(each, scope=scope, store=mind.store) for each in ids]
        held = {each.id: each for each in named(known, scope=scope, mind=mind)}
        for id in versions(list(held), scope, mind):
            if (memory := mind.store.memories.get(scope, id)) is not None:
                held[id] = memory
        return {id: memory.scope.project for id, memory in held.items()}

    def _all_of(self, project: str, target: str) -> Iterator[list[Rehomed]]:
        """Yield what must move, part by part, until nothing is left that came meanwhile.

        The places go first: who comes there while the rest moves is in the other project already.
        """
        owner, book = self.scope.user, self.mind.store.projects
        while found := [
            *book.places(owner, project)[:_AT_ONCE],
            *book.some(owner, project, most=_AT_ONCE),
        ]:
            yield [Rehomed(each, target) for each in found[:_AT_ONCE]]

    def _commit(self, changes: Sequence[Change], maker: str) -> None:
        now = self.mind.now()
        actor = self.scope.agent or self.scope.user
        until = now + self._way_back
        self.mind.store.commit(
            Batch(self.scope.user, changes, actor=actor, at=now, maker=maker, until=until)
        )

    @property
    def _way_back(self) -> timedelta:
        return timedelta(days=self.mind.settings.forgetting_days)

    def _moved(
        self, maker: str, to: str, memories: Mapping[str, int], places: int, *, done: bool
    ) -> ProjectMove:
        until = self.mind.now() + self._way_back
        return ProjectMove(
            id=maker, to=to, memories=dict(memories), places=places, until=until, done=done
        )


def _target(name: str) -> str:
    """Return where to; the empty name is all projects."""
    return "" if name == "" else checked_name("project", name)


def _source(name: str) -> str:
    """Return which project is to be merged; what belongs to all of them is none."""
    if name == "":
        raise BadInput("project.what_belongs_to_all_projects")
    return checked_name("project", name)


def _parts(changes: Sequence[Rehomed]) -> Iterator[Sequence[Rehomed]]:
    for start in range(0, len(changes), _AT_ONCE):
        yield changes[start : start + _AT_ONCE]


def _half_way(error: StoreError, maker: str) -> StoreError:
    """Return the error of a merge that has moved a part: how to go on, and how to go back."""
    return error.advised("project.ask_again_or_undo", maker=maker)
