"""The places of a day, and how each pattern was taken: pages of ids and numbers, without words.

A place is taken inside the transaction that counts them, before anything is made, so that two
processes cannot both take the last one. A maker that crashed loses its place when its time is
over: the next who asks takes it, and the late one finds it gone and records nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from saegim.errors import Refused
from saegim.memory.changes import Change, Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.store.ledger import Batch

KIND: Final = "imagination"
_PATTERNS: Final = "imagination:patterns"
# Longer than any answer takes: a local model that loads first, asked with the default patience.
_LEASE: Final = timedelta(minutes=15)
# How each answer moves a pattern, and between which bounds: three that are liked make it twice as
# likely or more, and what is ignored for weeks still comes up now and then.
LIKED, IGNORED, REFUSED = "liked", "ignored", "refused"
ANSWERS: Final = {LIKED: 1.5, IGNORED: 0.8, REFUSED: 0.5}
_LEAST, _MOST = 0.2, 4.0
# Who says no to something does not want it again this fortnight.
_REST: Final = timedelta(days=14)
# Answers that are remembered, so that a second one takes the place of the first.
_MOST_ANSWERS: Final = 60


@dataclass(frozen=True, slots=True)
class ImaginationPlace:
    """One place of a day: who holds it, since when, and what was made in it, if it was."""

    token: str
    day: str
    trigger: str
    at: str
    memory: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A trigger with a theme, and how it was taken so far."""

    key: str
    weight: float = 1.0
    liked: int = 0
    ignored: int = 0
    refused: int = 0
    rests_until: str = ""

    def rests(self, now: datetime) -> bool:
        """Say whether it was refused lately."""
        return bool(self.rests_until) and now < parse_instant(self.rests_until)


def day_of(at: datetime, mind: Mind) -> str:
    """Return the day of an instant on the person's own clock."""
    return f"{mind.here(at):%Y-%m-%d}"


def places(day: str, scope: Scope, mind: Mind) -> list[ImaginationPlace]:
    """Return the places of a day that are taken: made, or being made by someone alive."""
    page = mind.store.pages.latest(scope, f"{KIND}:{day}")
    held = [ImaginationPlace(**each) for each in page.data["places"]] if page else []
    lease = max(_LEASE, timedelta(seconds=2 * mind.settings.model_timeout))
    now = mind.now()
    return [each for each in held if each.memory or now - parse_instant(each.at) < lease]


def reserve(
    trigger: str,
    *,
    scope: Scope,
    mind: Mind,
    unless: Callable[[ImaginationPlace], bool] = lambda _: False,
) -> ImaginationPlace:
    """Take a place of this day, or refuse: they are all taken, or one of them serves already."""
    taken: list[ImaginationPlace] = []

    def batch() -> Batch:
        now, most = mind.now(), mind.settings.imagination_per_day
        day = day_of(now, mind)
        held = places(day, scope, mind)
        if any(map(unless, held)):
            raise Refused("imagine.imagined_already", trigger=trigger)
        if len(held) >= most:
            raise Refused("imagine.day_is_full", day=day, most=most)
        taken.append(ImaginationPlace(mind.new_id("img"), day, trigger, iso(now)))
        return _batch([_written(day, [*held, taken[-1]])], scope, mind)

    mind.store.commit(batch)
    return taken[-1]


def release(place: ImaginationPlace, *, scope: Scope, mind: Mind) -> None:
    """Give a place back in which nothing could be made."""

    def batch() -> Batch:
        held = places(place.day, scope, mind)
        rest = [each for each in held if each.token != place.token]
        return _batch([_written(place.day, rest)] if len(rest) < len(held) else [], scope, mind)

    mind.store.commit(batch)


def filled(place: ImaginationPlace, memory: str, *, scope: Scope, mind: Mind) -> Written:
    """Return the page with this place filled; refuse where it went to another.

    Called inside the transaction that keeps the memory.
    """
    held = places(place.day, scope, mind)
    if not any(each.token == place.token for each in held):
        raise Refused("imagine.place_was_lost", day=place.day)
    made = [replace(each, memory=memory) if each.token == place.token else each for each in held]
    return _written(place.day, made)


def _written(day: str, held: Sequence[ImaginationPlace]) -> Written:
    data = {"places": [asdict(each) for each in held]}
    return Written(Page(key=f"{KIND}:{day}", kind=KIND, data=data))


def _batch(changes: Sequence[Change], scope: Scope, mind: Mind) -> Batch:
    return Batch(scope.user, changes, actor=scope.agent or scope.user, at=mind.now())


# -- patterns -------------------------------------------------------------------------------------


def patterns(scope: Scope, mind: Mind) -> dict[str, Pattern]:
    """Return every pattern that was answered to, by its key."""
    return _read(mind.store.pages.latest(scope, _PATTERNS))[0]


def _read(page: Page | None) -> tuple[dict[str, Pattern], dict[str, str]]:
    data: Mapping[str, Any] = page.data if page else {}
    known = {key: Pattern(key, **each) for key, each in data.get("patterns", {}).items()}
    return known, dict(data.get("answers", {}))


def answered(memory: str, key: str, label: str, *, scope: Scope, mind: Mind) -> Pattern:
    """Move a pattern by an answer to one imagination; a second answer replaces the first."""
    moved: list[Pattern] = []

    def batch() -> Batch:
        known, answers = _read(mind.store.pages.latest(scope, _PATTERNS))
        pattern, before = known.get(key, Pattern(key)), answers.pop(memory, "")
        moved.append(_moved(pattern, label, before, mind.now()))
        latest = dict([*answers.items(), (memory, label)][-_MOST_ANSWERS:])
        numbers = {each.key: _numbers(each) for each in (known | {key: moved[-1]}).values()}
        page = Page(key=_PATTERNS, kind=KIND, data={"patterns": numbers, "answers": latest})
        return _batch([Written(page)], scope, mind)

    mind.store.commit(batch)
    return moved[-1]


def _moved(pattern: Pattern, label: str, before: str, now: datetime) -> Pattern:
    if label == before:
        return pattern
    counts = {label: getattr(pattern, label) + 1}
    factor = ANSWERS[label]
    if before:
        counts[before] = getattr(pattern, before) - 1
        factor /= ANSWERS[before]
    weight = min(_MOST, max(_LEAST, pattern.weight * factor))
    rests = iso(now + _REST) if label == REFUSED else ""
    return replace(pattern, **counts, weight=round(weight, 4), rests_until=rests)


def _numbers(pattern: Pattern) -> dict[str, Any]:
    return {name: value for name, value in asdict(pattern).items() if name != "key"}
