"""`Intake`: takes what a file holds, a batch at a time; nothing twice, nothing overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from saegim.errors import BadInput
from saegim.guard.guard import MaskTally, masked
from saegim.guard.injection import suspicion
from saegim.importers import coordinate_folder
from saegim.importers.jsonl import Acquaintance, JsonlRecord, Note, Problem
from saegim.importers.merge import Merge
from saegim.memory.changes import Change, Linked, Met, Saved, Written
from saegim.memory.entities import WEIGHTS, Entity, Link, Page
from saegim.memory.memory import (
    FINDABLE,
    PERSON,
    Lifetime,
    Memory,
    Scope,
    State,
    checked,
    checked_tags,
)
from saegim.memory.record import checked_fields, to_record
from saegim.memory.seed_json import to_coordinate, to_orb
from saegim.mind import Mind
from saegim.perceive.build import (
    embedded,
    kept_apart,
    kept_for,
    placed_in_time,
    reads_like_an_order,
)
from saegim.perceive.decide_turn import ASSISTANT, lifetime_of
from saegim.store.commit import Batch
from saegim.store.rows import COLUMNS, from_row, to_row

OWN, COORDINATES, ORBS = "jsonl", "coordinates", "orbs"
# What goes on changing while a memory lives; a difference here is no other memory.
_LIVED = ("life", "worth", "brief", "triples", "valid_to", "importance", "user_rating")
_LIVED_COORDINATE = ("relations", "response_summary", *_LIVED)
_LIVED_ORB = tuple(
    "tier expiresAt promotedFrom referenceCount lastReferencedAt personalityIsland".split()
)
# What one more meeting changes of an entity, beside the names and interests that it adds.
_MET = "type display_name first_seen_at last_seen_at interactions sentiment sentiment_score".split()


def admitted(found: JsonlRecord, form: str) -> JsonlRecord:
    """Return what was found as it may be kept; refuse what may not."""
    tally = MaskTally()
    clean = _masked(found.value, tally, form)
    count = found.masked + tally.masked + tally.held
    if isinstance(clean, Memory):
        clean = settled(clean)
        ties = tuple(tie for tie in found.ties if masked(tie, MaskTally()) == tie)
        if form != OWN and reads_like_an_order(clean):
            clean, ties = kept_apart(clean), ()
        return replace(found, value=clean, ties=ties, masked=count)
    if _key(clean) != _key(found.value):
        raise BadInput("import.name_holds_what_looks_like")
    if form != OWN:
        checked_fields(clean)
        if suspicion("\n".join(_said_in(clean))):
            raise BadInput("import.reads_like_order_only_memory")
    return replace(found, value=clean, masked=count)


# What prompts are told of the self is written here, from what was approved; it is never brought.
_DERIVED: Final = ("persona",)


def _masked(value: Any, tally: MaskTally, form: str) -> Any:
    """Mask secrets; the prompt of seed A's folder is the agent's own, so only its keys."""
    if form != COORDINATES or not isinstance(value, Memory):
        return masked(value, tally, keep_private=form == OWN)
    prompt = masked(value.content.prompt_digest, tally, keep_private=True)
    bare = value.evolve(content=replace(value.content, prompt_digest=""))
    clean = masked(bare, tally)
    return clean.evolve(content=replace(clean.content, prompt_digest=prompt))


def _key(value: Memory | Link | Acquaintance | Page) -> str:
    match value:
        case Memory(id=key):
            return key
        case Acquaintance(entity=entity):
            return entity.key
        case _:
            return value.key


def _said_in(value: Link | Acquaintance | Page) -> Iterable[str]:
    """Return the words of what cannot be kept apart; a page is a line of a log, shown to none."""
    match value:
        case Link(source=source, type=type, target=target):
            return source, type, target
        case Acquaintance(entity=entity):
            about = (entity.name, entity.display_name, entity.summary, entity.personality_notes)
            return filter(None, (*about, *entity.aliases, *entity.interests))
        case _:
            return ()


def settled(memory: Memory) -> Memory:
    """Return the memory as the store will give it back; refuse what it could not."""
    tags = checked_tags(memory.content.tags)
    memory = memory.evolve(content=replace(memory.content, tags=tags))
    if memory.life.state is State.FORGOTTEN:
        raise BadInput("import.forgotten_memory_has_no_words")
    try:
        row = to_row(checked(memory))
        return from_row([0, *(row[name] for name in COLUMNS)])
    except BadInput:
        raise
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadInput("import.cannot_be_kept", error=error) from error


def differences(here: Memory, there: Memory, form: str) -> list[str]:
    """Name where two memories of one id differ, apart from what living changes.

    The id of what another system told is made from its words: it is the same if they are.
    """
    if form == COORDINATES:
        pairs = to_coordinate(here), to_coordinate(there)
        return list(_differing(*pairs, _LIVED_COORDINATE))
    if form == ORBS:
        return list(_differing(to_orb(here), to_orb(there), _LIVED_ORB))
    if form != OWN:
        return ["text"] if here.text != there.text else []
    return list(_differing(to_record(here), to_record(there), _LIVED))


def same_entity(here: Entity, there: Entity, form: str) -> bool:
    """Say whether a profile is the one that is here, which may have been met again since."""
    # Times that the file leaves open were filled in when it was read the first time.
    first, last = there.first_seen_at or here.first_seen_at, there.last_seen_at or here.last_seen_at
    if here == replace(there, first_seen_at=first, last_seen_at=last):
        return True
    # Two stores of one person meet the same people, each as often as it does.
    if form == COORDINATES or (form != OWN and here.interactions <= there.interactions):
        return False
    grown = ("aliases", "interests")
    if any(set(getattr(there, each)) - set(getattr(here, each)) for each in grown):
        return False
    lived: dict[str, Any] = {each: getattr(here, each) for each in (*_MET, *grown)}
    return here == replace(there, **lived)


def fingerprint(memory: Memory, form: str) -> int:
    """Return what tells two memories of one id apart without holding them, in a rehearsal."""
    return hash(repr(memory) if form in (OWN, COORDINATES, ORBS) else memory.text)


def _differing(here: Any, there: Any, lived: tuple[str, ...]) -> Iterator[str]:
    for name in dict.fromkeys((*here, *there)):
        if name in lived:
            continue
        one, other = here.get(name), there.get(name)
        if isinstance(one, dict) and isinstance(other, dict) and name != "snapshot":
            yield from (f"{name}.{inner}" for inner in _differing(one, other, lived))
        elif one != other:
            yield name


# -- `Intake`: takes what a file holds, a batch at a time; nothing twice, nothing overwritten

# One transaction: few enough to keep the write lock short, many enough to be quick.
BATCH = 500
BATCH_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an import did, or in a dry run would do; conflicts and problems name each case.

    `read` counts the memories that could be read: they were added, known, or in conflict.
    `masked` counts the secrets replaced in the added, `quarantined` the added that are kept apart.
    """

    form: str
    read: int
    added: int
    known: int
    conflicts: tuple[str, ...]
    links: int
    entities: int
    pages: int
    problems: tuple[str, ...]
    dry_run: bool
    trusted: int = 0
    masked: int = 0
    quarantined: int = 0
    notes: tuple[str, ...] = ()
    # What was corrected, let go, called back or kept twice on one of two sides, and is alike now.
    merged: int = 0


def _words_of(page: Page) -> tuple[Any, ...]:
    return page.kind, page.title, page.body, dict(page.data), page.derived_from


def _meetings(known: Acquaintance) -> Iterator[Met]:
    """Meet an entity as often as its sentiment moved, so that the history is there again."""
    for point in known.history:
        at_that_time = replace(
            known.entity,
            last_seen_at=point.at,
            sentiment_score=point.score,
            sentiment=point.label,
        )
        yield Met(at_that_time, point.memory)
    # How they stand now is no meeting: it would take the place of the last one.
    yield Met(known.entity, felt=False)


class Intake:
    """Takes what a file holds, a batch at a time; remembers what it did for the report."""

    def __init__(self, scope: Scope, mind: Mind, form: str, dry_run: bool) -> None:
        self._scope, self.mind, self._form, self._dry_run = scope, mind, form, dry_run
        self._waiting: list[JsonlRecord] = []
        self._characters = 0
        # Memories taken but not kept yet; a dry run, which keeps none, holds their digests.
        self._taken: dict[str, Memory] = {}
        self._rehearsed: dict[str, int] = {}
        self._ties: set[str] = set()
        self._met: dict[str, Entity] = {}
        self._gone: set[str] = set()
        self._page: tuple[str, list[Page], bool] = ("", [], False)
        self._counts = dict.fromkeys(
            "read added known links entities pages trusted masked quarantined merged".split(), 0
        )
        self._conflicts: list[str] = []
        self._problems: list[str] = []
        self._notes: list[str] = []
        # For two stores of one person: what stands elsewhere there, words known here, old versions.
        self._moved: list[tuple[str, Memory]] = []
        self._twins: list[Memory] = []
        self._old: list[str] = []

    def take(self, found: JsonlRecord | Problem | Note) -> None:
        """Take one thing in; what is new waits for its batch."""
        if isinstance(found, Note):
            self._notes.append(found.text)
        elif isinstance(found, Problem):
            self._problems.append(f"{found.where}: {found.reason}")
        else:
            try:
                self._take(admitted(found, self._form))
            except BadInput as error:
                self._problems.append(f"{found.where}: {error.message}")
        if len(self._waiting) >= BATCH or self._characters >= BATCH_CHARACTERS:
            self._keep()

    def _take(self, found: JsonlRecord) -> None:
        if isinstance(found.value, Memory):
            self._take_memory(found, found.value)
        elif self._is_new(found):
            self._waiting.append(found)

    @property
    def read(self) -> int:
        """Return how many memories were read so far."""
        return self._counts["read"]

    def finish(self) -> Report:
        """Keep what still waits and say what was done."""
        self._keep()
        if self._form == OWN and not self._dry_run:
            merge = Merge(self._scope, self.mind)
            merge.settle(self._moved, self._twins, self._old)
            self._counts["merged"] = merge.moved
            self._conflicts += merge.conflicts
        if self._counts["added"] and not self._dry_run:
            self.mind.store.keep_indexed(self.mind.embedder, self.mind.now)
        return Report(
            form=self._form,
            conflicts=tuple(self._conflicts),
            problems=tuple(self._problems),
            notes=tuple(self._notes),
            dry_run=self._dry_run,
            **self._counts,
        )

    # -- is it here already? ----------------------------------------------------------------------

    def _take_memory(self, found: JsonlRecord, memory: Memory) -> None:
        self._counts["read"] += 1
        here = self._taken.get(memory.id) or self.mind.store.memories.get(self._scope, memory.id)
        if here is None and memory.id in self._rehearsed:
            if self._rehearsed[memory.id] == fingerprint(memory, self._form):
                self._counts["known"] += 1
            else:
                self._conflict(found, f"{memory.id} differs from an earlier line")
        elif here is None:
            self._taken[memory.id] = memory
            self._characters += len(memory.text)
            self._waiting.append(found)
        elif here.life.state is State.FORGOTTEN:
            self._gone.add(memory.id)
            self._conflict(found, f"{memory.id} was forgotten here and stays so")
        elif differing := differences(here, memory, self._form):
            self._conflict(found, f"{memory.id} is here with another {', '.join(differing)}")
        else:
            self._counts["known"] += 1
            self._waiting += [JsonlRecord(found.where, tie) for tie in found.ties]
            if here.life.state is not memory.life.state:
                self._moved.append((found.where, memory))
            elif here.life.state is State.SUPERSEDED:
                self._old.append(memory.id)

    def _is_new(self, found: JsonlRecord) -> bool:
        match found.value:
            case Acquaintance(entity=entity):
                return self._is_new_entity(found, entity)
            case Page() as page:
                return self._is_new_page(found, page)
            case _:
                return True

    def _is_new_entity(self, found: JsonlRecord, entity: Entity) -> bool:
        kept = iter(self.mind.store.entities.of(self._scope, entity.key))
        here = self._met.get(entity.key) or next(kept, None)
        if here is None:
            self._met[entity.key] = entity
            return True
        if not same_entity(here, entity, self._form):
            self._conflict(found, f"{entity.key} is here with another profile")
        return False

    def _is_new_page(self, found: JsonlRecord, page: Page) -> bool:
        """Say whether this is the next version of its page; a page that differs stays as it is."""
        if page.kind == WEIGHTS or page.key.startswith(f"{WEIGHTS}:"):
            self._problems.append(f"{found.where}: what was learned elsewhere is not taken over")
            return False
        if page.kind in _DERIVED:
            return False
        if self._page[0] != page.key:
            versions = self.mind.store.pages.of(self._scope, key=page.key)
            self._page = (page.key, versions, False)
        _, versions, differs = self._page
        version = page.version or len(versions) + 1
        if differs or version > len(versions) + 1:
            self._problems.append(f"{found.where}: version {version} of {page.key} does not follow")
            return False
        if version == len(versions) + 1:
            versions.append(page)
            return True
        here = versions[version - 1]
        if _words_of(here) != _words_of(page):
            self._page = (page.key, versions, True)
            self._conflict(found, f"page {page.key}, version {version}, is here with other words")
        return False

    def _conflict(self, found: JsonlRecord, what: str) -> None:
        self._conflicts.append(f"{found.where}: {what}")

    # -- keeping ----------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep what waits in one transaction; if it is refused, each thing on its own."""
        waiting, self._waiting = self._waiting, []
        taken, self._taken, self._characters = self._taken, {}, 0
        if not self._dry_run:
            self._met.clear()
        else:
            self._rehearsed |= {id: fingerprint(each, self._form) for id, each in taken.items()}
        try:
            self._commit(waiting)
        except BadInput as error:
            if len(waiting) == 1:
                self._problems.append(f"{waiting[0].where}: {error.message}")
                return
            # Another process may have kept some of them since we looked: look again.
            self._page = ("", [], False)
            for each in waiting:
                self._counts["read"] -= isinstance(each.value, Memory)
                self.take(each)
                self._keep()

    def _commit(self, waiting: list[JsonlRecord]) -> None:
        memories = [each.value for each in waiting if isinstance(each.value, Memory)]
        entities = [each.value for each in waiting if isinstance(each.value, Acquaintance)]
        pages = [each.value for each in waiting if isinstance(each.value, Page)]
        links = self._new_links(waiting)
        # An export of ours and an orb say themselves how long they last.
        if self._form not in (OWN, ORBS) and not self._dry_run:
            memories = [self._living(each) for each in memories]
        changes: list[Change] = [Saved(memory) for memory in memories]
        changes += [Linked(link) for link in links]
        changes += [met for each in entities for met in _meetings(each)]
        changes += [Written(page) for page in pages]
        if self._form == COORDINATES and memories:
            changes.append(Written(coordinate_folder.as_written(waiting)))
        if self._form == OWN and memories and not self._dry_run:
            keys = [each.canonical_key for each in memories]
            known = self.mind.store.memories.known_keys(self._scope, keys)
            self._twins += [
                each
                for each in memories
                if each.canonical_key in known and each.life.state in FINDABLE
            ]
        if changes and not self._dry_run:
            self.mind.store.commit(self._batch(changes, memories))
        self._counts["added"] += len(memories)
        self._counts["links"] += len(links)
        self._counts["entities"] += len(entities)
        self._counts["pages"] += sum(page.kind != coordinate_folder.KIND for page in pages)
        self._counts["trusted"] += sum(each.provenance.origin in PERSON for each in memories)
        self._counts["masked"] += sum(each.masked for each in waiting)
        if self._form != OWN:
            apart = sum(each.life.state is State.QUARANTINED for each in memories)
            self._counts["quarantined"] += apart

    def _living(self, memory: Memory) -> Memory:
        """Give what was kept elsewhere its lifetime, by what it says and when it was said."""
        reading = self.mind.read_turn(
            memory.text, assistant=memory.agent.role == ASSISTANT, whole=False
        )
        lifetime = Lifetime.LASTING if reading is None else lifetime_of(reading)
        said_at = memory.time.happened_at
        lasting = kept_for(
            placed_in_time(memory, said_at, fixed=True), lifetime, said_at, self.mind
        )
        return memory.evolve(life=lasting.life)

    def _batch(self, changes: list[Change], memories: list[Memory]) -> Batch:
        vectors = embedded(memories, self.mind)
        return Batch(
            owner=self._scope.user,
            changes=changes,
            actor="import",
            at=self.mind.now(),
            vectors=vectors,
            identity=self.mind.embedder.identity if vectors else None,
        )

    def _new_links(self, waiting: list[JsonlRecord]) -> list[Link]:
        """Return the ties that are not here yet; those of forgotten memories do not come back."""
        asked = {
            tie.key: tie
            for each in waiting
            for tie in ((each.value,) if isinstance(each.value, Link) else each.ties)
            if tie.source not in self._gone and tie.target not in self._gone
        }
        if not asked:
            return []
        sources = {tie.source for tie in asked.values()}
        here = {tie.key for tie in self.mind.store.links.of(self._scope, sources)} | self._ties
        if self._dry_run:
            self._ties |= set(asked)
        return [tie for key, tie in asked.items() if key not in here]
