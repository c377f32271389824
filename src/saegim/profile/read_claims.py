"""Read what memories claim of whom, behind everything else: by night, and when somebody asks.

Only what a person said themselves is read. Nothing is hidden or changed by it: it fills an index
beside the memories, which is emptied and filled again at will.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from saegim.engines.brain.claim_reader import ClaimReader, Place, ReadClaim, Understood
from saegim.errors import EngineError
from saegim.language.claims import is_dated
from saegim.language.deeds import SPEAKER
from saegim.language.kin import relation_of
from saegim.language.names import korean_person
from saegim.language.quoting import quotation
from saegim.memory.memory import BY_NIGHT, PERSON, Kind, Memory, Scope
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.store.tables.profile_table import ProfileClaim

# The person whose memory this is.
ME: Final = "me:"
# A relative who has no name yet: "kin:mother".
KIN: Final = "kin:"
# How sure a claim is that the rules read in the same words too, who do not know of the reader.
AGREED: Final = 0.8
# "My name is Tessa and I'm 34": the rules say outright what the reader takes for a relative.
_NAMES: Final = frozenset(("name is", "nickname is", "이름", "별명"))
BATCH: Final = 16
T = TypeVar("T")
_LONGEST_VALUE: Final = 60
_LONGEST_NAME: Final = 40
_TOPIC: Final = ("께서는", "께서", "이는", "이가", "은", "는", "이", "가", "도")
# How a sentence begins: with a Korean word, or with one capital and a verb after it.
_BEGINS: Final = re.compile(r"\W*(?:(?P<word>[가-힣]{3,6})\s|(?P<name>[A-Z][a-z]+)\s+[a-z])")
# Where the speaker comes in, they may be meant.
_OWN: Final = re.compile(
    r"\b(?:I|my|me|mine|we|our|us)\b|(?:^|\s)(?:나|내|난|저|제|우리|저희)(?=[은는도의가를랑와\s])"
)
# What stands after a letter that is no word by itself: another letter, but no particle.
_CUT_OFF: Final = re.compile(r"(?![은는이가을를도에와과로랑만의야])[가-힣]")
_MARKS: Final = " \t\n.,!?~…'\"“”‘’()[]{}:;-"


def catch_up(mind: Mind, most: int, owner: str = "") -> int:
    """Read what is unread, the newest first, at most so many; return how many still wait.

    With an owner, only theirs. Can be stopped at any time and taken up by any process.
    """
    reader = mind.claim_reader
    if reader is None:
        return 0
    table = mind.store.profiles
    if mind.store.readonly:
        return table.waiting(reader.name, owner)
    unread = table.unread(reader.name, most, owner)
    for rows in batched(unread, BATCH):
        read = []
        for number, whose in rows:
            memory = mind.store.memories.by_numbers(Scope(whose), [number]).get(number)
            try:
                told = [] if memory is None else claims_of(memory, reader)
            except EngineError:
                # The file is damaged: nothing more can be read with it; doctor names it.
                return table.waiting(reader.name, owner)
            read.append((number, whose, told))
        table.keep(reader.name, read)
    if len(unread) < most and not owner:
        table.settle(reader.name)
    return table.waiting(reader.name, owner)


def batched(every: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Return a sequence in pieces of one size."""
    for at in range(0, len(every), size):
        yield every[at : at + size]


def claims_of(memory: Memory, reader: ClaimReader) -> list[ProfileClaim]:
    """Return what a memory claims of whom; nothing where nobody speaks for themselves."""
    provenance = memory.provenance
    told_again = bool(provenance.turn) or provenance.source in BY_NIGHT
    told_again = told_again or memory.kind is Kind.IMAGINED
    if provenance.origin not in PERSON or told_again or memory.agent.role == "assistant":
        return []
    text = unicodedata.normalize("NFC", memory.text)
    found, quoting = reader.read(text), quotation(text)
    aliens = [*found.quoted, *quoting.pasted, *quoting.reported]
    ruled = _whose(memory.content.triples)
    names = {normalise(thing) for _, what, thing in memory.content.triples if what in _NAMES}
    made: list[ProfileClaim] = []
    for claim in found.claims:
        if any(_overlap(claim.place, each) for each in aliens):
            continue
        subject = subject_of(claim, found, text)
        if subject == ME and provenance.author:
            # Somebody else speaks here: "I" is they.
            subject = normalise(provenance.author)
        value = text[slice(*claim.place)].strip(_MARKS)
        slot, sure = claim.slot, claim.sure
        own = subject == ME and slot == "pet"  # one's animal is, whatever it is called
        if subject in (ME, "") and not own and (whose := ruled.get(normalise(value))):
            subject, sure = whose, max(sure, AGREED)
        if normalise(value) in names and not own:
            slot = "name"
        # Whom it is about is not what is said of them, and one letter may be the rest of a word.
        if not subject or not value or len(value) > _LONGEST_VALUE or normalise(value) == subject:
            continue
        if len(value) == 1 and _CUT_OFF.match(text, claim.place[1]):
            continue
        made.append(
            ProfileClaim(
                subject=subject,
                slot=slot,
                value=value,
                denied=claim.denied,
                unsure=claim.unsure,
                changes=round(claim.changes, 3),
                sure=round(sure, 3),
                place=claim.place[0],
            )
        )
    return made


def _whose(triples: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Return whom the rules found each thing to be said of.

    The reader takes the speaker where it is unsure: in "보리는 산책을 좋아한다" it is the dog.
    """
    whose: dict[str, str] = {}
    # What has a date is no person: a launch may well be somebody's plan.
    for subject, _, thing in (each for each in triples if not is_dated(each)):
        kin = relation_of(subject)
        who = ME if normalise(subject) in SPEAKER else KIN + kin if kin else normalise(subject)
        # Whoever is spoken of is not what is said of the speaker.
        whose |= {normalise(thing): who, **({who: who} if who != ME else {})}
    return whose


def subject_of(claim: ReadClaim, found: Understood, text: str) -> str:
    """Return whom a claim is about, "" if the text does not say."""
    first = max((text.rfind(mark, 0, claim.place[0]) for mark in ".!?\n"), default=-1) + 1
    topic = _topic(text, first, found)
    if claim.subject == "user":
        kin = (each for each in found.names if each.type == "kin" and each.place[0] >= first)
        relative = next((each for each in kin if each.place[1] <= claim.place[0]), None)
        if claim.slot == "name" and relative is not None:
            # "내 동생 이름은 수진이야" gives the sister her name, not the speaker.
            return KIN + (relation_of(said := text[slice(*relative.place)]) or normalise(said))
        own = _OWN.search(text, first, claim.place[1])
        return ME if own else normalise(topic) or ME
    if not isinstance(claim.subject, tuple):
        return ""
    said = text[slice(*claim.subject)].strip(_MARKS)
    kind = next((each.type for each in found.names if each.place == claim.subject), "")
    if kind == "kin":
        return KIN + (relation_of(said) or normalise(said))
    if topic and topic.startswith(said):
        said = topic
    return normalise(said) if len(said) <= _LONGEST_NAME else ""


def _topic(text: str, first: int, found: Understood) -> str:
    """Return whom the sentence that begins at `first` names first, as its topic; "" for none.

    The reader of claims takes the speaker where it is unsure; who stands there as the topic is
    surer than that.
    """
    if (match := _BEGINS.match(text, first)) is None:
        return ""
    if match["word"] is None:
        people = (each for each in found.names if each.type in ("person", "pet"))
        at = match.span("name")
        return match["name"] if any(each.place == at for each in people) else ""
    for particle in _TOPIC:
        bare = match["word"].removesuffix(particle)
        if bare != match["word"] and (person := korean_person(bare)):
            return person
    return ""


def _overlap(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]
