"""Which memories a person means who asks to forget something, and how surely.

People seldom name it in the words it was told in ("wipe what I said about the money thing"). So
what is remembered is looked for twice, by what the wish names and by the whole of it, and what came
back is weighed by nine signs. The weights were learned (`training/forget.py`) on the wishes of
hands who say what was meant; of a hand that was left out, half of what is meant stands first and
three quarters are among the first three.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from typing import Final

from saegim.language.times import Span, spans
from saegim.memory.memory import PERSON, Memory, Scope, Tier
from saegim.mind import Mind
from saegim.recall.flow import recall
from saegim.recall.listing import newest_matching
from saegim.recall.rank import Hit
from saegim.recall.understand import Query
from saegim.store.rows import Where

# Words by which a person points at the last thing they said, and at this very conversation.
_JUST_NOW: Final = re.compile(
    r"(?i)방금|지금|바로\s?전|\bjust (?:now|said|told)\b|\bthat last\b"
    r"|\b(?:rub|scratch|strike) (?:that|it)\b"
)
_HERE: Final = re.compile(
    r"(?i)아까|좀\s?전|(?<![가-힣])이\s(?:\S+\s)?(?:말|얘긴?|이야기|건)|\bearlier\b"
)
# And by which they point further back than this conversation.
_BEFORE: Final = re.compile(
    r"(?i)지난\s?번|저번|예전|며칠\s?전|언젠가|\blast (?:time|week|month)\b"
    r"|\bthe other (?:day|week)\b|\bago\b|\ba while back\b|\bonce told\b"
)
# What asks, and what says that it was said, names nothing: it is taken out before one looks.
_NAMELESS: Final = re.compile(
    r"(?i)(?:잊어|잊으|지워|지우|삭제|말씀드린|얘기|이야기|지난\s?번|저번)[가-힣]{0,4}|얘긴|아까|방금|지금"
    r"|없던\s?(?:걸로|일로|거로|셈)[가-힣]{0,2}|못\s?들은\s?걸로|기[록억]에서|빼\s?[주줘달][가-힣]{0,4}"
    r"|(?<![가-힣])(?:거|건|한|했던|줘|줄래|주세요|해\s?주세요|[그이저]?(?:말|것|거|게|걸)[은을는도]?)(?![가-힣])"
    r"|\b(?:forget|erase|wipe|delete|scratch|remove|strike|drop|unhear|rub|please|what|that|thing"
    r"|stuff|about|said|told|you|out|actually|also|i|it|the|from|my|will|would|can|could|just"
    r"|properly|like|a|few|couple|of|days?|weeks?|months?|ago|back|time|last|other)\b"
)
# "ravis brother": many leave the apostrophe out.
_OWNED: Final = re.compile(r"(?<![A-Za-z])([A-Za-z]{3,})s(?![A-Za-z])")
# "Forget it": so little is left beside the asking. A syllable of Korean is worth two letters, for
# 땅콩 is a name.
_NAMES_NOTHING: Final = 2
_SYLLABLE: Final = re.compile("[가-힣]")
# So many of each look are weighed, and so many of this conversation.
_LOOKED_AT: Final = 100
_OF_THIS_TALK: Final = 30
_MOST_TOLD: Final = 1000
_A_TALK: Final = timedelta(hours=1)
# So likely it must be that one is meant before it leaves.
_SURE: Final = 0.4
# So far below "none of them" one is still named as what may be meant: naming takes nothing away.
_MAY_BE: Final = 4.0
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class WishSigns:
    """What is seen of a memory that a wish to forget may mean."""

    named: float  # how near it lies to what the wish names
    whole: float  # and to all of the wish
    words: float  # which share of the named words it holds
    same: float  # told in this conversation, where the wish does not point further back
    here: float  # the same, where the wish points at it ("just now", 아까)
    last: float  # how near the end of it, where the wish points at what was just said
    dated: float  # told on a day that the wish names
    undated: float  # told on another one
    lately: float  # how many days ago


# Made by training/forget.py on all of its hands, but for `last`: their cases have no last turn.
# What "none of them" is worth stands apart.
_WEIGHTS: Final = WishSigns(
    named=3.55, whole=8.65, words=5.54, same=2.44, here=1.38, last=3.0, dated=3.21,
    undated=0.05, lately=2.28,
)  # fmt: skip
_NONE: Final = 8.82


@dataclass(frozen=True, slots=True)
class Meant:
    """What is surely meant, with what was told in the same turn; else the nearest, best first."""

    surely: tuple[Memory, ...] = ()
    perhaps: tuple[Memory, ...] = ()


def meant(text: str, *, scope: Scope, mind: Mind, spared: Sequence[str] = ()) -> Meant:
    """Return what a wish to forget means; what names nothing means the last thing told here."""
    seen, latest, named = seen_of(text, scope=scope, mind=mind, spared=spared)
    if _says_nothing(named):
        return Meant(tuple(latest[:1]))
    order = sorted(seen, key=lambda each: -worth(each[1]))
    most = max([_NONE, *(worth(signs) for _, signs in order)])
    shares = [math.exp(worth(signs) - most) for _, signs in order]
    whole = sum(shares) + math.exp(_NONE - most)
    turns: dict[str, list[Memory]] = {}
    likely: dict[str, float] = {}
    for (memory, _), share in zip(order, shares, strict=True):
        turn = memory.provenance.turn or memory.id
        turns.setdefault(turn, []).append(memory)
        likely[turn] = likely.get(turn, 0.0) + share / whole
    best = next(iter(turns), "")
    if best and likely[best] >= _SURE:
        return Meant(tuple(turns[best]))
    if latest and _JUST_NOW.search(text):
        return Meant(tuple(latest[:1]))
    least = math.exp(_NONE - most - _MAY_BE) / whole
    near = [held[0] for turn, held in turns.items() if likely[turn] >= least]
    return Meant(perhaps=tuple(near[:MOST_NAMED]))


def worth(signs: WishSigns) -> float:
    """Return what the signs add up to."""
    pairs = zip(astuple(signs), astuple(_WEIGHTS), strict=True)
    return math.fsum(seen * weight for seen, weight in pairs)


def seen_of(
    text: str, *, scope: Scope, mind: Mind, spared: Sequence[str] = ()
) -> tuple[list[tuple[Memory, WishSigns]], list[Memory], str]:
    """Return what may be meant with its signs, what was told here, and what the wish names."""
    now = mind.here(mind.now())
    told_on = [span for span in spans(text, now) if span.start < now]
    named = _plain(text, [span.words for span in told_on])
    far = Where(scope=replace(scope, session=""), origins=PERSON, everywhere=True)
    near = replace(far, session=scope.session) if scope.session else None
    just = near is not None and _JUST_NOW.search(text) is not None
    here = just or (near is not None and _HERE.search(text) is not None)
    before = not here and (bool(told_on) or _BEFORE.search(text) is not None)
    latest = _told_in(near, spared, mind) if near and not before else []
    # Who names no conversation may still be in the middle of one.
    talk = latest if near or before else [
        each for each in _told_in(far, spared, mind) if now - each.time.said < _A_TALK
    ]  # fmt: skip
    looks = [dict(_looked(asked, far, spared, mind)) for asked in (named, text)]
    found: dict[str, Memory] = {each.id: each for each in talk[:_OF_THIS_TALK]}
    found |= {id: hit.memory for look in looks for id, hit in look.items()}
    seen = []
    for id, memory in found.items():
        place = next((at for at, each in enumerate(talk, 1) if _tells(memory, each)), 0)
        if here and not place:
            continue
        dated = _is_told_on(memory, told_on)
        days = max((now - memory.time.said).total_seconds() / 86_400, 0.0)
        by_name, by_all = looks[0].get(id), looks[1].get(id)
        signs = WishSigns(
            named=by_name.vector if by_name else 0.0,
            whole=by_all.vector if by_all else 0.0,
            words=by_name.words if by_name else 0.0,
            same=float(place > 0),
            here=float(place > 0 and here),
            last=1 / place if place and just else 0.0,
            dated=float(dated),
            undated=float(bool(told_on) and not dated),
            lately=math.exp(-days / 20),
        )
        seen.append((memory, signs))
    return seen, latest, named


def _plain(text: str, dates: Sequence[str]) -> str:
    # "On Saturday" says when it was told, which recall would take for when it happened.
    for each in dates:
        text = text.replace(each, " ")
    named = _OWNED.sub(r"\1s \1", _NAMELESS.sub(" ", text))
    return " ".join(named.split()).strip(" .,;:!-")


def _says_nothing(words: str) -> bool:
    return len(words) + len(_SYLLABLE.findall(words)) <= _NAMES_NOTHING


def _told_in(where: Where, spared: Sequence[str], mind: Mind) -> list[Memory]:
    """Return what a person told in a conversation, the latest first, whenever it happened."""
    told = newest_matching(Query(text="", where=where, limit=_MOST_TOLD), mind=mind)
    told = sorted(told, key=lambda each: each.time.said, reverse=True)
    return [each for each in told if each.id not in spared and not _is_protected(each)]


def _tells(memory: Memory, told: Memory) -> bool:
    """Say whether a memory is what was told, or a fact of it."""
    return told.id in (memory.id, memory.provenance.turn)


def _looked(
    asked: str, where: Where, spared: Sequence[str], mind: Mind
) -> Iterator[tuple[str, Hit]]:
    """Yield what words may mean; nothing where they are none."""
    if _says_nothing(asked):
        return
    query = Query(text=asked, where=where, limit=_LOOKED_AT, near_misses=True)
    for hit in recall(query, mind=mind).hits:
        if hit.memory.id not in spared and not _is_protected(hit.memory):
            yield hit.memory.id, hit


def _is_told_on(memory: Memory, days: Sequence[Span]) -> bool:
    said = memory.time.said_at or memory.time.recorded_at
    return any(span.start <= said < span.end for span in days)


def _is_protected(memory: Memory) -> bool:
    """Say whether only a person at a door of their own may let it go."""
    return memory.life.immutable or memory.life.pinned or memory.life.tier is Tier.M0
