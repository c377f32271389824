"""The sense of self (seed D §5): what is believed of oneself, and how it came to be.

One page holds it, with every version: who approved what, when and why. Beliefs are only ever
proposed; a person says yes, no, or puts it in other words. What prompts are told of the self is
written beside it as a page of its own, so that rooms before this one can read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import prod
from typing import Any, Final

from saegim.errors import BadInput, NotFound, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.guard.injection import suspicion
from saegim.language.ko.word_forms import noun_and_part
from saegim.language.tell import is_pale
from saegim.language.words import sentences
from saegim.memory.changes import Change, Written
from saegim.memory.clock import iso, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import STRANGERS, Memory, Scope, State, Tier
from saegim.memory.text import normalise
from saegim.messages import filled, said
from saegim.mind import Mind
from saegim.profile.portrait import drawn
from saegim.soul.consent import Consent, recorded
from saegim.soul.islands import (
    Island,
    Status,
    islands,
    language_of,
    pattern,
    rows,
    theme_of,
)
from saegim.soul.islands import lists as word_lists
from saegim.soul.proposals import (
    BELIEF,
    MOST_WAITING,
    NIGHT,
    OPEN,
    REFUSED,
    WITHDRAWN,
    Proposal,
    a_person,
    answered,
    called,
    proposals,
    put,
    waiting,
)
from saegim.store.rows import Where

KIND: Final = "self"
# Read by `recall`, which stands before this room.
PERSONA: Final = "persona"
ADD, CHANGE, REMOVE = "add", "change", "remove"
# Other reasons of a version: a person went back, a no weakened a belief, words were erased.
ROLLED_BACK, DECLINED, ERASED = "rollback", "decline", "erase"
# The 30 % rule counts these: "one session" is any so many hours (seed D §5).
_SESSION: Final = timedelta(hours=24)
# Why a belief is proposed.
FROM_CORE, FROM_YEARS, BY_MODEL, RECOMPUTED, FROM_FILE = (
    "core_memories", "long_memories", "model", "recomputed", "soul_file",
)  # fmt: skip
# What one supporting memory is worth: more if it was felt, less if it is not a core memory.
_SUPPORT, _FELT, _NOT_CORE, _SUREST = 0.6, 0.3, 0.6, 0.95
# Less gained is not worth a question.
_SURER: Final = 0.1
# A no takes so much of a belief's confidence.
_DOUBTED: Final = 0.8
# What a Korean particle says of someone who acts, or with whom, or to whom.
_DOERS: Final = frozenset(("가", "와", "에게", "는"))
LONGEST: Final = 200
_MOST_AT_ONCE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """One thing believed of oneself: how surely, on which memories, by which island, since when."""

    id: str
    statement: str
    confidence: float
    supporting: tuple[str, ...]
    island: str = ""
    formed_at: datetime | None = None
    # The pattern it was drawn by, also where a person said it in their own words.
    drawn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfVersion:
    """The self at one time: its beliefs, and what this version changed, by whom and why."""

    version: int = 0
    beliefs: tuple[Belief, ...] = ()
    change: str = ""
    belief: str = ""
    by: str = ""
    why: str = ""
    at: datetime | None = None
    # Of an older version whose words were erased since.
    emptied: bool = False


# -- reading and writing --------------------------------------------------------------------------


def history(scope: Scope, mind: Mind) -> list[SelfVersion]:
    """Return every version of the self, the oldest first."""
    return [_read(page) for page in mind.store.pages.of(scope, key=KIND)]


def current(scope: Scope, mind: Mind) -> SelfVersion:
    """Return the self as it was last approved."""
    return (history(scope, mind) or [SelfVersion()])[-1]


def _read(page: Page) -> SelfVersion:
    data: Mapping[str, Any] = page.data
    if not data:
        return SelfVersion(version=page.version, at=page.written_at, emptied=True)
    beliefs = tuple(
        Belief(
            id=each["id"],
            statement=each["statement"],
            confidence=each["confidence"],
            supporting=tuple(each["supporting"]),
            island=each["island"],
            formed_at=parse_instant(each["formed_at"], "formed_at"),
            drawn=each["drawn"],
        )
        for each in data["beliefs"]
    )
    return SelfVersion(
        version=page.version,
        beliefs=beliefs,
        change=str(data["change"]),
        belief=str(data["belief"]),
        by=str(data["by"]),
        why=str(data["why"]),
        at=page.written_at,
    )


def _written(
    beliefs: Sequence[Belief], after: int, *, change: str, belief: str, by: str, why: str
) -> Written:
    data = {
        "beliefs": [
            {
                "id": each.id,
                "statement": each.statement,
                "confidence": each.confidence,
                "supporting": list(each.supporting),
                "island": each.island,
                "formed_at": iso(each.formed_at) if each.formed_at else "",
                "drawn": each.drawn,
            }
            for each in beliefs
        ],
        "change": change,
        "belief": belief,
        "by": by,
        "why": why,
    }
    supports = dict.fromkeys(id for each in beliefs for id in each.supporting)
    return Written(Page(key=KIND, kind=KIND, data=data, derived_from=tuple(supports)), after=after)


def persona(beliefs: Sequence[Belief], every: Sequence[Island]) -> Written:
    """Return the Change that writes what prompts are told of the self.

    What a collapsed island stood for is not in it (seed D §4), nor what reads like an order: a
    self may have come with an export.
    """
    fallen = {each.id for each in every if each.status is Status.COLLAPSED}
    held = [each for each in beliefs if each.island not in fallen and not suspicion(each.statement)]
    standing = [
        each
        for each in every
        if each.status is Status.ACTIVE and not suspicion(f"{each.name}: {each.description}")
    ]
    language = "ko" if any(language_text(each.statement) == "ko" for each in held) else "en"
    if not held and standing:
        language = standing[0].language
    lines = [f"- {each.statement}" for each in held]
    lines += [f"- {each.emoji} {each.name}: {each.description}" for each in standing]
    body = "\n".join([said("soul.persona", {}, language), *lines]) if lines else ""
    sources = [id for each in held for id in each.supporting]
    sources += [id for each in standing for id in each.founders]
    page = Page(key=PERSONA, kind=PERSONA, body=body, derived_from=tuple(dict.fromkeys(sources)))
    return Written(page)


def language_text(text: str) -> str:
    """Return the language a text is written in."""
    return "ko" if any("가" <= letter <= "힣" for letter in text) else "en"


def is_told(scope: Scope, mind: Mind, told: Written) -> bool:
    """Say whether prompts are told this already."""
    pages = mind.store.pages.of(scope, key=PERSONA)
    return told.page.body == (pages[-1].body if pages else "")


def after_islands(changed: Iterable[Island], scope: Scope, mind: Mind) -> Written:
    """Return what prompts are told once these islands stand as given."""
    now = {each.id: each for each in changed}
    every = {each.id: each for each in islands(scope, mind)} | now
    return persona(current(scope, mind).beliefs, list(every.values()))


# -- confidence -----------------------------------------------------------------------------------


def confidence_of(supporting: Sequence[Memory], *, declined: int = 0) -> float:
    """Return how sure a belief is: surer with each support, the more so the more it was felt."""
    doubts = []
    for each in supporting:
        worth = _SUPPORT + _FELT * each.emotion.intensity
        doubts.append(1 - (worth if each.life.tier is Tier.M0 else worth * _NOT_CORE))
    return round(min(1 - prod(doubts), _SUREST) * _DOUBTED**declined, 2)


# -- what could be believed -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Drafted:
    """A belief that could be proposed: its words, and the memories they come from."""

    statement: str
    supporting: tuple[Memory, ...]
    why: str
    # The pattern, by which it is known again in other words.
    key: str = ""


def supports(scope: Scope, mind: Mind) -> list[Memory]:
    """Return the memories a self may rest on: M0, and M365 that somebody vouches for."""
    where = Where(scope=scope, tiers=(Tier.M0, Tier.M365), everywhere=True)
    found = [memory for _, memory in mind.store.memories.walk(where)]
    risen = {each.life.promoted_from for each in found}
    return [
        each
        for each in found
        if each.id not in risen
        and (each.life.tier is Tier.M0 or each.provenance.origin not in STRANGERS)
    ]


def drafts_by_rule(scope: Scope, mind: Mind) -> list[Drafted]:
    """Return the beliefs that patterns of memories allow: templated, in the memories' language."""
    held = supports(scope, mind)
    found: list[Drafted] = []
    for language in ("ko", "en"):
        own = [each for each in held if language_of(each) == language]
        for key, statement in rows(language, "beliefs"):
            said_so = [each for each in own if pattern(language, key).search(each.text)]
            # Of what is no core memory, one is a happening, two are a pattern.
            if any(each.life.tier is Tier.M0 for each in said_so) or len(said_so) > 1:
                who = _who(said_so, own, scope, mind) or said("soul.you", {}, language)
                found.append(_draft(filled(statement, {"who": who}, language), said_so, key))
        found += _of_islands(own, language, scope, mind)
    return found


def _who(supporting: Sequence[Memory], own: Sequence[Memory], scope: Scope, mind: Mind) -> str:
    """Return whom memories are about: the one person they name, else the person by their name.

    Where nobody is known by name, it is who does what they tell and comes up in others of one's
    own: 삐돌이가 이름을 지어줬다, 삐돌이와 매일 대화한다.
    """
    named = Counter(name for each in supporting for name in theme_of(each, mind).names)
    if len(named) == 1:
        return next(iter(named))
    known = drawn(scope, mind)
    if known and known.name:
        return known.name
    met = Counter(noun for each in own for noun in {noun for noun, _ in _nouns(each)})
    doers = (noun for each in supporting for noun, part in _nouns(each) if part == "가")
    return next((noun for noun in doers if met[noun] > 1), "")


def _nouns(memory: Memory) -> list[tuple[str, str]]:
    """Return the nouns of a core memory that do or share something, with their particle's part."""
    if memory.life.tier is not Tier.M0:
        return []
    found = map(noun_and_part, memory.text.split())
    return [
        (noun, part)
        for noun, part in found
        if part in _DOERS and len(noun) > 1 and not is_pale(noun, noun)
    ]


def _draft(statement: str, supporting: Sequence[Memory], key: str) -> Drafted:
    core = any(each.life.tier is Tier.M0 for each in supporting)
    return Drafted(statement, tuple(supporting), FROM_CORE if core else FROM_YEARS, key)


def _of_islands(held: Sequence[Memory], language: str, scope: Scope, mind: Mind) -> list[Drafted]:
    """Return what islands with more than one founder let one say of oneself."""
    known = {each.id: each for each in held}
    sayings = {row[0]: row[4] for row in rows(language, "themes")}
    (template,) = word_lists(language).lines("holds")
    found = []
    for each in islands(scope, mind):
        mine = [known[id] for id in each.founders if id in known]
        if each.language == language and each.status is Status.ACTIVE and len(mine) > 1:
            dear = filled(template, {"name": each.name}, language)
            found.append(_draft(sayings.get(each.theme.kind, dear), mine, each.id))
    return found


def proposed(drafts: Iterable[Drafted], scope: Scope, mind: Mind) -> list[Written]:
    """Return the proposals of what is new: nothing believed, waiting, or declined as it stands."""
    now = current(scope, mind)
    every = [each for each in proposals(scope, mind, state=None) if each.about == BELIEF]
    still_open = {normalise(each.text) for each in every if each.state == OPEN}
    room = _MOST_AT_ONCE - len(still_open)
    found: list[Written] = []
    for each in drafts:
        plain = normalise(each.statement)
        known = _known(each, now.beliefs)
        made = None if plain in still_open else _asked_for(each, known, every, mind)
        if made is not None and len(found) < room:
            found.append(made)
        still_open.add(plain)
    return found


def _known(draft: Drafted, held: Sequence[Belief]) -> Belief | None:
    """Return the belief that a draft is: by its words, or by the pattern that drew it."""
    plain = normalise(draft.statement)
    for each in held:
        if normalise(each.statement) == plain or (each.drawn and each.drawn == draft.key):
            return each
    return None


def _asked_for(
    draft: Drafted, known: Belief | None, every: Sequence[Proposal], mind: Mind
) -> Written | None:
    """Return the proposal of a draft: new, or held and borne by much more; None if neither."""
    plain, ids = normalise(draft.statement), {memory.id for memory in draft.supporting}
    nos = [one for one in every if one.state == REFUSED and normalise(one.text) == plain]
    if any(set(one.sources) >= ids for one in nos):
        return None
    sure = confidence_of(draft.supporting, declined=len(nos))
    if known is None:
        return _put(ADD, draft, sure, mind) if is_sound(draft.statement) else None
    if ids <= set(known.supporting) or sure < known.confidence + _SURER:
        return None
    return _put(CHANGE, replace(draft, statement=known.statement), sure, mind, target=known.id)


def is_sound(statement: str) -> bool:
    """Say whether words can be a belief: one short sentence that orders nobody to do anything."""
    short = 0 < len(statement) <= LONGEST and len(sentences(statement)) == 1
    return short and "\n" not in statement and not suspicion(statement)


def _put(
    change: str,
    draft: Drafted,
    sure: float,
    mind: Mind,
    *,
    target: str = "",
    sources: tuple[str, ...] = (),
) -> Written:
    islands_of = [each.life.island for each in draft.supporting if each.life.island]
    details = {"change": change, "confidence": sure, "island": islands_of[0] if islands_of else ""}
    details |= {"drawn": draft.key} if draft.key else {}
    return put(
        Proposal(
            id=mind.new_id(BELIEF),
            about=BELIEF,
            text=draft.statement,
            target=target,
            reasons=(draft.why,),
            details=details,
            sources=sources or tuple(each.id for each in draft.supporting),
        )
    )


def asked(
    statement: str, scope: Scope, mind: Mind, *, belief: str = "", remove: bool = False, why: str
) -> Written | None:
    """Return the proposal of a person or a program to add, reword or remove a belief."""
    now = current(scope, mind)
    held = called(belief, now.beliefs)
    if belief and held is None:
        raise NotFound("soul.no_belief", id=belief[:60])
    belief = held.id if held else ""
    text = held.statement if held and remove else masked(statement.strip(), MaskTally())
    if not remove and not is_sound(text):
        raise BadInput("soul.no_belief_in_it", most=LONGEST)
    change = REMOVE if remove else CHANGE if held else ADD
    if not remove and any(normalise(each.statement) == normalise(text) for each in now.beliefs):
        return None
    key = (normalise(text), belief, change)
    asked_before = waiting(BELIEF, scope, mind)
    for each in asked_before:
        if key == (normalise(each.text), each.target, each.details.get("change")):
            return None
    if len(asked_before) >= MOST_WAITING:
        raise Refused("sleep.changes_wait_already", most=MOST_WAITING)
    sources = held.supporting if held else ()
    details = {
        "change": change,
        "confidence": held.confidence if held else 0.5,
        "island": held.island if held else "",
    }
    return put(
        Proposal(
            id=mind.new_id(BELIEF), about=BELIEF, text=text, target=belief, reasons=(why,),
            details=details, sources=sources,
        )
    )  # fmt: skip


def recomputed(
    gone: Iterable[str], scope: Scope, mind: Mind, *, instead: Memory | None = None
) -> list[Written]:
    """Return proposals to remove or doubt what rested on memories that are gone or changed.

    `instead` is the new version of one that changed; where it says the same, it bears the same.
    """
    lost, found = frozenset(gone), []
    asked = _recomputings(scope, mind)
    for each in current(scope, mind).beliefs:
        if not lost & set(each.supporting):
            continue
        found += [answered(one, WITHDRAWN, by=NIGHT) for one in asked if one.target == each.id]
        left = [_here(id, scope, mind) for id in each.supporting if id not in lost]
        left += [instead] if instead is not None and _bears(instead, each) else []
        held = [memory for memory in left if memory is not None]
        draft = Drafted(each.statement, tuple(held), RECOMPUTED, each.drawn)
        # Its words came from its memories: while they wait they are still erased with them.
        rests = () if held else each.supporting
        change = CHANGE if held else REMOVE
        sure = confidence_of(held)
        found.append(_put(change, draft, sure, mind, target=each.id, sources=rests))
    return found


def _recomputings(scope: Scope, mind: Mind) -> list[Proposal]:
    return [each for each in waiting(BELIEF, scope, mind) if RECOMPUTED in each.reasons]


def _here(id: str, scope: Scope, mind: Mind) -> Memory | None:
    found = mind.store.memories.get(scope, id)
    here = found is not None and found.text and found.life.state in (State.ACTIVE, State.DORMANT)
    return found if here else None


def _bears(memory: Memory, belief: Belief) -> bool:
    """Say whether other words of a memory still let one believe this: as its pattern says."""
    language = language_of(memory)
    if belief.drawn not in (key for key, _ in rows(language, "beliefs")):
        return True
    return pattern(language, belief.drawn).search(memory.text) is not None


def borne_again(scope: Scope, mind: Mind) -> list[Written]:
    """Return what takes back the doubt in beliefs whose every memory is here again."""
    held = {each.id: each for each in current(scope, mind).beliefs}
    return [
        answered(each, WITHDRAWN, by=NIGHT)
        for each in _recomputings(scope, mind)
        if (one := held.get(each.target)) is not None
        and all(_here(id, scope, mind) is not None for id in one.supporting)
    ]


# -- a person's answer ----------------------------------------------------------------------------


def believed(consent: Consent) -> list[Change]:
    """Return what a yes to a belief changes; refuse a self that would change too fast."""
    proposal, mind, scope = consent.proposal, consent.mind, consent.scope
    now = current(scope, mind)
    change = str(proposal.details.get("change", ADD))
    held = next((each for each in now.beliefs if each.id == proposal.target), None)
    if change != ADD and held is None:
        raise Refused("soul.belief_is_gone", id=proposal.target)
    if change != REMOVE and not is_sound(consent.text):
        raise BadInput("soul.no_belief_in_it", most=LONGEST)
    _refuse_haste(scope, mind)
    made = Belief(
        id=held.id if held else mind.new_id("b"),
        statement=consent.text,
        confidence=float(proposal.details.get("confidence", 0.5)),
        supporting=proposal.sources,
        island=str(proposal.details.get("island", "")),
        formed_at=held.formed_at if held else mind.now(),
        drawn=str(proposal.details.get("drawn", held.drawn if held else "")),
    )
    left = [each for each in now.beliefs if held is None or each.id != held.id]
    beliefs = left if change == REMOVE else [*left, made] if held is None else [
        made if each.id == held.id else each for each in now.beliefs
    ]  # fmt: skip
    why = ", ".join(proposal.reasons)
    page = _written(beliefs, now.version, change=change, belief=made.id, by=consent.person, why=why)
    return [page, persona(beliefs, islands(scope, mind))]


def doubted(consent: Consent) -> list[Change]:
    """Return what a no to a belief changes: one that is held is held less surely."""
    proposal, scope, mind = consent.proposal, consent.scope, consent.mind
    now = current(scope, mind)
    if proposal.details.get("change") == REMOVE or all(
        each.id != proposal.target for each in now.beliefs
    ):
        return []
    beliefs = [
        replace(each, confidence=round(each.confidence * _DOUBTED, 2))
        if each.id == proposal.target
        else each
        for each in now.beliefs
    ]
    told = {"change": DECLINED, "belief": proposal.target, "by": consent.person}
    return [_written(beliefs, now.version, why=", ".join(proposal.reasons), **told)]


def _refuse_haste(scope: Scope, mind: Mind) -> None:
    """Refuse a change that would be 30 % or more of the self within a day (seed D §5).

    One change is always possible, and a new self may form its first beliefs.
    """
    since = mind.now() - _SESSION
    before, changed = 0, 0
    for each in history(scope, mind):
        if each.at is not None and each.at <= since:
            before = len(each.beliefs)
        elif each.change in (ADD, CHANGE, REMOVE):
            changed += 1
        elif each.change == ROLLED_BACK:
            changed += len(each.beliefs) or 1
    share = mind.settings.self_change_share
    if before and changed and (changed + 1) / before >= share:
        raise Refused(
            "soul.self_changes_too_fast", changed=changed, of=before, share=round(share * 100)
        )


def roll_back(
    version: int, *, by: str, scope: Scope, mind: Mind, after: int | None = None
) -> SelfVersion:
    """Make an earlier self the current one again; only a person does that."""
    person = a_person(by)
    every = {each.version: each for each in history(scope, mind)}
    wanted = every.get(version)
    if wanted is None or wanted.emptied:
        raise NotFound("soul.no_version", version=version)
    now = max(every)
    if after not in (None, now):
        raise Refused("soul.self_changed_since_shown", version=now)
    page = _written(wanted.beliefs, now, change=ROLLED_BACK, belief="", by=person, why=str(version))
    told = persona(wanted.beliefs, islands(scope, mind))
    recorded([page, told], person, scope, mind)
    return current(scope, mind)


def unsaid(ids: Iterable[str], changed: Sequence[Island], scope: Scope, mind: Mind) -> list[Change]:
    """Return the self without what rested on erased memories alone, and what prompts are told."""
    gone = frozenset(ids)
    now = current(scope, mind)
    touched = any(gone & set(each.supporting) for each in now.beliefs)
    beliefs = []
    for each in now.beliefs:
        left = tuple(id for id in each.supporting if id not in gone)
        if left or not each.supporting:
            beliefs.append(replace(each, supporting=left))
    told = {"belief": "", "by": "", "why": ""}
    pages = [_written(beliefs, now.version, change=ERASED, **told)] if touched else []
    if not touched and not changed:
        return []
    every = {each.id: each for each in islands(scope, mind)} | {each.id: each for each in changed}
    founders = [each for each in every.values() if not gone & {*each.founders, *each.lost}]
    return [*pages, persona(beliefs, founders)]
