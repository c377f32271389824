"""Memories in; something that could be done out: imagined, recorded as imagined, never a fact.

Choose, take a place of the day, make, keep. Seed D §7.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from saegim.engines.tokens import estimate
from saegim.errors import BadInput, Refused
from saegim.guard.guard import screen
from saegim.guard.visible_text import PLACEHOLDER
from saegim.imagine import places
from saegim.imagine.imagine_by_model import scene_by_model
from saegim.imagine.places import ImaginationPlace, Pattern, day_of
from saegim.imagine.scenes import Scene, scene_by_rule, theme_of
from saegim.language.language import script_of
from saegim.memory.changes import Change, Linked, Saved
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import DERIVED_FROM, Link
from saegim.memory.memory import (
    BY_NIGHT,
    QUOTED,
    STRANGERS,
    Content,
    Emotion,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Scope,
    Source,
    State,
    Tier,
    Time,
    Worth,
    expiry,
    least_trusted,
    recency,
)
from saegim.mind import Mind
from saegim.perceive.build import embedded, quarantined
from saegim.recall.compose.choose import overlap
from saegim.recall.compose.choose import said as pieces_of
from saegim.store.ledger import Batch
from saegim.store.rows import Where

IDLE, MORNING, EVENING, CONTEXT, ASKED = TRIGGERS = "idle morning evening context asked".split()
# Between the scenario and the action in the words of an imagination; a scenario is one line.
_ACTION: Final = "\n→ "
TAG: Final = "imagination"
_LONGEST_CONTEXT: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Imagination:
    """One thing that was imagined: what set it off, from which memories, and what came of it."""

    id: str
    trigger: str
    theme: str
    memories_used: tuple[str, ...]
    scenario: str
    action: str | None
    # One of the ten, and the word it was given: "fear", "caring (걱정)".
    feeling: str
    felt: str
    at: datetime
    context: str = ""
    # model or rule; and why the model's own was not taken, where one was asked.
    made_by: str = "rule"
    trouble: str = ""

    @property
    def pattern(self) -> str:
        """Return the key under which answers to it count."""
        return f"{self.trigger}:{self.theme}"

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for JSON, by the names of seed D."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return told | {"memories_used": list(self.memories_used), "at": iso(self.at)}


def imagine(
    trigger: str = ASKED,
    *,
    scope: Scope,
    mind: Mind,
    context: str = "",
    unless: Callable[[ImaginationPlace], bool] = lambda _: False,
) -> Imagination:
    """Imagine once from what is remembered; the place of the day is taken before it is made."""
    if trigger not in TRIGGERS:
        raise BadInput("imagine.no_trigger", trigger=trigger, known=", ".join(TRIGGERS))
    context = screen(" ".join(context.split())[:_LONGEST_CONTEXT]).text
    chosen = choose(trigger, context, scope=scope, mind=mind)
    place = places.reserve(trigger, scope=scope, mind=mind, unless=unless)
    with contextlib.ExitStack() as failed:
        failed.callback(places.release, place, scope=scope, mind=mind)
        made = _made(chosen, place, context, scope, mind)
        failed.pop_all()
    return made


def _made(
    chosen: Sequence[Memory], place: ImaginationPlace, context: str, scope: Scope, mind: Mind
) -> Imagination:
    """Make a scene, by the model where one is turned on, and keep it."""
    language = _language(chosen, mind)
    theme, trouble = theme_of(chosen[0], mind.now()), ""
    scene: Scene | None = None
    if mind.model is not None:
        when = f"{mind.here(mind.now()):%H:%M}"
        scene, trouble = scene_by_model(
            chosen, when=when, context=context, language=language, mind=mind
        )
    made_by = "model" if scene else "rule"
    scene = scene or scene_by_rule(
        theme,
        chosen,
        trigger=place.trigger,
        context=context,
        at=place.at,
        language=language,
    )
    tags = (TAG, f"trigger:{place.trigger}", f"theme:{theme}", f"made_by:{made_by}")
    memory = _memory(scene, tags, context, scope, mind)
    _keep(memory, scene.sources, place, scope, mind)
    return replace(imagination_of(memory, [each.id for each in scene.sources]), trouble=trouble)


def _language(chosen: Sequence[Memory], mind: Mind) -> str:
    if mind.settings.language in ("ko", "en"):
        return mind.settings.language
    return "ko" if any(script_of(each.text) == "ko" for each in chosen) else "en"


# -- choosing -------------------------------------------------------------------------------------

_POOL: Final = 120
_LONGEST: Final = 240
_HALF_LIFE: Final = timedelta(days=7).total_seconds()
# Seed D: recent memories; DESIGN §5: feeling and surprise beside them.
_RECENT, _FELT, _SURPRISE, _FITS = 0.5, 0.3, 0.4, 0.5
# What an imagination of this week was made from comes up again only if nothing else does.
_USED: Final = 0.6
_WEEK: Final = timedelta(days=7)


def choose(trigger: str, context: str, *, scope: Scope, mind: Mind) -> list[Memory]:
    """Return two memories, or three: recent, felt, and seldom thought of together."""
    now, known = mind.now(), places.patterns(scope, mind)
    used = _used_lately(scope, mind)
    told = pieces_of(_as_memory(context, scope, now)).pieces if context else frozenset()
    scores: dict[str, float] = {}
    fit: dict[str, Memory] = {}
    for each in _candidates(scope, mind):
        pattern = known.get(f"{trigger}:{theme_of(each, now)}", Pattern(""))
        if pattern.rests(now):
            continue
        age = (now - each.time.said_by(now)).total_seconds()
        score = _RECENT * recency(age, _HALF_LIFE) + _FELT * each.emotion.intensity
        score += _FITS * bool(told & pieces_of(each).pieces)
        scores[each.id] = score * pattern.weight - _USED * (each.id in used)
        fit[each.id] = each
    if len(fit) < 2:
        raise Refused("imagine.too_little")
    chosen = [max(fit.values(), key=lambda each: (scores[each.id], each.id))]
    while len(chosen) < min(3 if mind.model is not None else 2, len(fit)):
        rest = [each for each in fit.values() if each not in chosen]
        tied = {
            end
            for link in mind.store.links.of(scope, [each.id for each in chosen])
            for end in (link.source, link.target)
        }
        surprise = {
            each.id: _SURPRISE * (each.id not in tied) * (1 - _nearness(each, chosen, now))
            for each in rest
        }
        chosen.append(max(rest, key=lambda each: (scores[each.id] + surprise[each.id], each.id)))
    return chosen


def _nearness(memory: Memory, chosen: Sequence[Memory], now: datetime) -> float:
    """Return how near a memory is to those chosen: by words, and by theme."""
    words = max(overlap(pieces_of(memory).pieces, pieces_of(each).pieces) for each in chosen)
    same = any(theme_of(memory, now) == theme_of(each, now) for each in chosen)
    return 0.5 * words + 0.5 * same


def _candidates(scope: Scope, mind: Mind) -> list[Memory]:
    """Return the newest that may be imagined from: of the person, whole, and no secret."""
    origins = tuple(each for each in Origin if each not in STRANGERS)
    numbers = mind.store.memories.latest(Where(scope=scope, origins=origins), limit=_POOL)
    turns: dict[str, Memory] = {}
    for each in mind.store.memories.by_numbers(scope, numbers).values():
        if (
            each.provenance.source not in BY_NIGHT
            and each.agent.role not in ("assistant", QUOTED)
            and len(each.text) <= _LONGEST
            and not each.text.rstrip().endswith("?")
            and not PLACEHOLDER.search(each.text)
            and not quarantined(each)
            and not screen(each.text).findings
        ):
            # A turn and the facts read from it are one telling.
            turns.setdefault(each.provenance.turn or each.id, each)
    return list(turns.values())


def _used_lately(scope: Scope, mind: Mind) -> set[str]:
    recent = imagined(scope, mind, since=mind.now() - _WEEK)
    return {id for each in recent for id in each.memories_used}


def _as_memory(text: str, scope: Scope, now: datetime) -> Memory:
    return Memory(id="context", scope=scope, text=text, time=Time(happened_at=now, recorded_at=now))


# -- keeping and reading --------------------------------------------------------------------------


def _memory(scene: Scene, tags: tuple[str, ...], context: str, scope: Scope, mind: Mind) -> Memory:
    now, sources = mind.now(), scene.sources
    text = f"{scene.scenario}{_ACTION}{scene.action}" if scene.action else scene.scenario
    strength = sum(each.emotion.intensity for each in sources) / len(sources)
    origin = least_trusted(Origin.AGENT_INFERRED, *(each.provenance.origin for each in sources))
    return Memory(
        id=mind.new_id(),
        scope=replace(scope, session=""),
        text=text,
        kind=Kind.IMAGINED,
        # What was imagined from something private is private.
        visibility=min(each.visibility for each in sources),
        time=Time(happened_at=now, recorded_at=now),
        # Like a reflection it stands and falls with its sources.
        provenance=Provenance(origin=origin, source=Source.REFLECTION),
        emotion=Emotion(feelings=(scene.feeling,), intensity=strength, words=(scene.felt,)),
        content=Content(
            type="system_event",
            prompt_digest=context,
            language="ko" if script_of(scene.scenario) == "ko" else "en",
            tags=tags,
            token_count=estimate(text),
        ),
        worth=Worth(importance=0.1),
        life=Life(tier=Tier.M30, expires_at=expiry(Tier.M30, now)),
    )


def _keep(
    memory: Memory, sources: Sequence[Memory], place: ImaginationPlace, scope: Scope, mind: Mind
) -> None:
    """Keep an imagination with its sources, in its place, if all of them still stand."""
    vectors = embedded([memory], mind)

    def batch() -> Batch:
        for each in sources:
            held = mind.store.memories.get(scope, each.id)
            if held is None or held.text != each.text or held.life.state is not State.ACTIVE:
                raise Refused("imagine.memory_left", id=each.id)
        changes: list[Change] = [Saved(memory)]
        changes += [
            Linked(Link(source=memory.id, type=DERIVED_FROM, target=each.id)) for each in sources
        ]
        changes.append(places.filled(place, memory.id, scope=scope, mind=mind))
        return Batch(
            scope.user,
            changes,
            actor=scope.agent or scope.user,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
        )

    mind.store.commit(batch)


def imagination_of(memory: Memory, used: Sequence[str]) -> Imagination:
    """Read an imagination out of the memory that holds it."""
    scenario, _, action = memory.text.partition(_ACTION)
    about = dict(each.partition(":")[::2] for each in memory.content.tags)
    return Imagination(
        id=memory.id,
        trigger=about.get("trigger", ASKED),
        theme=about.get("theme", "open"),
        memories_used=tuple(used),
        scenario=scenario,
        action=action or None,
        feeling=memory.emotion.blend.value,
        felt=next(iter(memory.emotion.words), memory.emotion.blend.value),
        at=memory.time.recorded_at,
        context=memory.content.prompt_digest,
        made_by=about.get("made_by", "rule"),
    )


def imagined(
    scope: Scope, mind: Mind, *, since: datetime | None = None, limit: int = 30
) -> list[Imagination]:
    """Return what was imagined here, the newest first."""
    where = Where(scope=scope, kinds=(Kind.IMAGINED,), tags=(TAG,), since=since)
    memories = mind.store.memories.page(where, limit=limit).memories
    used: dict[str, list[str]] = {each.id: [] for each in memories}
    for link in mind.store.links.of(scope, list(used), [DERIVED_FROM]) if used else ():
        if link.source in used:
            used[link.source].append(link.target)
    return [imagination_of(each, used[each.id]) for each in memories]


# -- when it is due -------------------------------------------------------------------------------

_HOURS: Final = 3
_NIGHT: Final = 22
# Nobody has been here for so long: there is nobody to imagine for.
_AWAY: Final = timedelta(days=7)


def imagine_if_due(scope: Scope, mind: Mind) -> Imagination | None:
    """Imagine if the hour or a long quiet asks for it; nothing if not, or it was done already."""
    settings, now = mind.settings, mind.now()
    if not settings.imagination or not settings.imagination_per_day:
        return None
    newest = mind.store.memories.latest(Where(scope=scope, everywhere=True), limit=1)
    held = mind.store.memories.by_numbers(scope, newest).values()
    heard = max((each.time.said_by(now) for each in held), default=None)
    if heard is None or now - heard > _AWAY:
        return None
    hour = mind.here(now).hour
    quiet = now - heard >= timedelta(hours=settings.imagination_idle_hours)
    starts = {MORNING: settings.imagination_morning, EVENING: settings.imagination_evening}
    due = [each for each, start in starts.items() if start <= hour < start + _HOURS]
    due += [IDLE] if quiet and settings.imagination_morning <= hour < _NIGHT else []
    today = places.places(day_of(now, mind), scope, mind)
    for trigger in due:
        since = heard if trigger == IDLE else None
        serves = _serves(trigger, since)
        earlier = [each for each in imagined(scope, mind, since=since) if since] if since else []
        if any(map(serves, today)) or any(each.trigger == trigger for each in earlier):
            continue
        with contextlib.suppress(Refused):
            return imagine(trigger, scope=scope, mind=mind, unless=serves)
    return None


def _serves(trigger: str, since: datetime | None) -> Callable[[ImaginationPlace], bool]:
    """Return what says that a place was taken for this hour, or for this quiet, already."""
    return lambda place: (
        place.trigger == trigger and (since is None or parse_instant(place.at) >= since)
    )
