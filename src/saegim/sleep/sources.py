"""`Sources`: what a source brought, kept apart, let out, or taken back with all that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from saegim.errors import BadInput
from saegim.memory.clock import instant_of
from saegim.memory.coordinate import Origin
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.perceive import quarantine as separating
from saegim.recall.handle import named_id
from saegim.sleep import revert as reverting
from saegim.store.where import where_of


@dataclass(frozen=True, slots=True)
class Sources:
    """Where one user's memories came from."""

    scope: Scope
    mind: Mind

    def quarantine(self, *, confirm: bool = False, **filters: Any) -> separating.Separated:
        """Keep apart what a source brought (author=, origin=, session=, domain=); preview first."""
        where = where_of(self.scope, filters, self.mind.zone)
        return separating.quarantine(where, mind=self.mind, confirm=confirm)

    def release(
        self,
        *ids: str,
        source: str | None = None,
        confirm: bool = False,
        suspects: bool = False,
        **filters: Any,
    ) -> separating.Separated:
        """Let memories out of quarantine: these ids, or together all that a source brought.

        `source` is an origin such as "import", or an author; session=, domain= and the others
        narrow as for `quarantine`. A source is previewed until `confirm`, and what still reads like
        an order stays apart unless `suspects`.
        """
        if bool(ids) == (source is not None or bool(filters)):
            raise BadInput("sleep.say_what_to_let_out")
        if not ids:
            where = where_of(self.scope, filters | _brought_by(source), self.mind.zone)
            return separating.release_source(
                where, mind=self.mind, confirm=confirm, suspects=suspects
            )
        known = [named_id(each, scope=self.scope, store=self.mind.store) for each in ids]
        return separating.release(known, scope=self.scope, mind=self.mind)

    def revert(
        self, *, since: datetime | str | None = None, confirm: bool = False, **filters: Any
    ) -> reverting.Reverted:
        """Take back what a source brought since an instant, and all that was made of it (M7)."""
        where = where_of(self.scope, filters, self.mind.zone)
        begin = None if since is None else instant_of(since, "since", self.mind.zone)
        return reverting.revert(where, since=begin, mind=self.mind, confirm=confirm)


def _brought_by(source: str | None) -> dict[str, Any]:
    """Read the name of a source: an origin if there is one of that name, else an author."""
    if source is None:
        return {}
    if not isinstance(source, str) or not source.strip():
        raise BadInput("sleep.source_cannot_be", source=source, origin=", ".join(Origin))
    name = source.strip()
    return {"origin": name} if name in set(Origin) else {"author": name}
