"""A group of memories, or a single one, distilled into one or two sentences without a model.

A group yields the core that its sources share; a single memory its own words, days written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from saegim.language.core import common
from saegim.language.core__tongue import ENGLISH, KOREAN
from saegim.language.deeds import ME, Core, in_korean, speaker
from saegim.language.en import tell__telling as english
from saegim.language.en.forms__words import DETERMINERS
from saegim.language.ko import tell__telling as korean
from saegim.language.predicates import predicate
from saegim.language.tell__hearing import told_by
from saegim.language.tell__single import LONGEST, Here, alone
from saegim.language.words import Analyser
from saegim.memory.coordinate import Kind
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier

_PREDICATES: Final = {
    **dict.fromkeys(("마시", "drink"), "drinks"),
    **dict.fromkeys(("먹", "eat"), "eats"),
    **dict.fromkeys(("보", "watch"), "watches"),
    **dict.fromkeys(("읽", "read"), "reads"),
    **dict.fromkeys(("듣", "listen"), "listens_to"),
    **dict.fromkeys(("공부하", "study"), "studies"),
    **dict.fromkeys(("피우", "smoke"), "smokes"),
}
_KEPT_KINDS: Final = frozenset((Kind.TECHNICAL, Kind.PRINCIPLE, Kind.PREFERENCE, Kind.EMOTION))


def _as_it_is(at: datetime) -> datetime:
    return at


@dataclass(frozen=True, slots=True)
class Distilled:
    """What is left when the occasion is gone: one or two sentences, their kind and language."""

    text: str
    kind: Kind
    language: str
    triples: tuple[tuple[str, str, str], ...] = ()


def distilled_by_rule(
    sources: Sequence[Memory], *, to: Tier, analyser: Analyser, here: Here = _as_it_is
) -> Distilled | None:
    """Return the essence of the sources, None where they have none that is honest.

    `here` gives the local time of an instant: "tomorrow" is a day of the one who said it.
    """
    if not sources:
        return None
    language = language_of_all(sources)
    if len(sources) == 1:
        return _alone(sources[0], to=to, language=language, here=here)
    told = [told_by(each, language, analyser) for each in sources]
    core = common(told, KOREAN if language == "ko" else ENGLISH)
    if core is None:
        return None
    me = _speaker(sources, language)
    said = korean.said if language == "ko" else english.said
    text = said(core, me, brief=to is Tier.M365)
    if not me or len(text) > LONGEST:
        return None
    return Distilled(text, kind_of(sources, core), language, tuple(_triples(core, language)))


def language_of_all(sources: Sequence[Memory]) -> str:
    """Return the language of most sources: "ko" where they are written in Hangul, else "en"."""
    spoken = Counter(
        each.content.language or ("ko" if in_korean(each.text) else "en") for each in sources
    )
    return max(spoken, key=lambda each: (spoken[each], each)) if spoken else "en"


def kind_of(sources: Sequence[Memory], core: Core | None = None) -> Kind:
    """Return what sort of thing the essence is: a taste, a fact, or what its sources are."""
    if core is not None and core.how in ("likes", "dislikes"):
        return Kind.PREFERENCE
    kinds = Counter(each.kind for each in sources)
    most = max(kinds, key=lambda each: (kinds[each], each.value))
    if most in _KEPT_KINDS:
        return most
    return Kind.FACT


def _alone(memory: Memory, *, to: Tier, language: str, here: Here) -> Distilled | None:
    text = alone(memory, to=to, here=here)
    if not text:
        return None
    return Distilled(text, memory.kind, language, memory.content.triples)


def _speaker(sources: Sequence[Memory], language: str) -> str:
    names = {speaker(each.provenance.author, language) for each in sources}
    return names.pop() if len(names) == 1 else speaker("", language)


def _bare(noun: str) -> str:
    first, _, rest = noun.partition(" ")
    return rest if rest and first.lower() in DETERMINERS else noun


def _triples(core: Core, language: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a core claims in the words of the predicate table, where it has words for it."""
    if core.says < core.of or not core.parts:
        return
    who = core.who.text if core.who.key != ME else ("사용자" if language == "ko" else "user")
    thing = next((_bare(each.text) for each in core.parts if each.role == "thing"), "")
    if core.how in ("likes", "dislikes"):
        denied = core.how == "dislikes"
        yield who, predicate("likes", language, denied=denied), _bare(core.parts[0].text)
    elif core.how == "goes":
        yield who, predicate("attends", language), _bare(core.parts[0].text)
    elif core.how == "habit" and not core.denied and thing and core.verb in _PREDICATES:
        yield who, predicate(_PREDICATES[core.verb], language), thing
