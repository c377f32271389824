"""What all sources of a group say, or nothing: the search for an honest common core.

It claims only what every source tells, or the clear majority, and then says so. Where sources
contradict each other or feel opposite things, there is no core.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from saegim.language.deeds import Core, Deed, How, Part, Role, SourceTelling
from saegim.language.en.tell import GOING as GOING_ENGLISH
from saegim.language.ko.tell import GOING as GOING_KOREAN
from saegim.language.ko.verbs import describes

# ---- `Tongue`: what the search for a core must know of a language's verbs.


@dataclass(frozen=True, slots=True)
class Tongue:
    """Verbs by how they may be told of again.

    `going` leads to a place, `states` hold without being done, of `lasting` states there is one
    at a time, `ceasing` ends what another verb does, `single` happens once, `faint` says nothing
    without its object; `describes` tells a quality from a deed.
    """

    name: str
    going: frozenset[str]
    states: frozenset[str]
    lasting: frozenset[str]
    ceasing: frozenset[str]
    single: frozenset[str]
    faint: frozenset[str]
    homes: frozenset[str]
    describes: Callable[[str], bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _is_be(verb: str) -> bool:
    return verb in ("be", "feel")


KOREAN: Final = Tongue(
    name="ko",
    going=GOING_KOREAN,
    states=_words("살 거주하 근무하 있 없 이 알 모르 믿 키우 기르 가지 사용하 쓰 다니 닮"),
    lasting=_words("살 거주하 근무하 태어나"),
    ceasing=_words("끊 그만두 관두 때려치우 멈추 취소하 중단하 그만하 접 포기하"),
    single=_words("결혼하 졸업하 퇴사하 입사하 이혼하 태어나 죽 돌아가시 은퇴하 입학하 제대하 사"),
    faint=_words(
        """하 가 오 보 먹 마시 쓰 주 받 사 내 나 되 지 들 듣 놓 두 만나 있 없
        이 말하 얘기하 이야기하 싶 같 알 모르 생각하 시작하 끝내 끝나 다니 다녀오
        찾 만들 입 타 열 걸 고르 빌리 보내 가져오 좋 싫 정하 바꾸 느끼 그러 어떻
        이렇 그렇 반갑 고맙 감사하 미안하 아니 맞 괜찮 오르 내리 넣 가져가"""
    ),
    homes=_words("집 회사 학교 사무실 직장 방 여기 거기 곳"),
    describes=describes,
)
ENGLISH: Final = Tongue(
    name="en",
    going=GOING_ENGLISH,
    states=_words("live reside own know believe work have belong speak use keep"),
    lasting=_words("live reside"),
    ceasing=_words("quit stop cancel drop abandon finish end"),
    single=_words("marry graduate retire divorce die resign bear buy adopt"),
    faint=_words(
        """go come see eat drink have get make take give use do put let set say tell know think feel
        want need like look be become find keep bring send hold spend start begin watch read hear
        buy try talk ask mean seem help show meet leave turn move open play visit attend sort plan
        lend borrow add order carry choose pick"""
    ),
    homes=_words("home work office school hous room bed"),
    describes=_is_be,
)


# ---- What all sources of a group say, or nothing: the search for an honest common core.

# On so many different days something is done often; of so many sources three in four are clear.
OFTEN: Final = 3
_OPPOSED: Final = 0.3
# How much a core of each form says beside its parts; a mere presence says least.
_RANK: Final[dict[How, int]] = {
    "likes": 6,
    "dislikes": 6,
    "state": 6,
    "wish": 5,
    "habit": 5,
    "goes": 4,
    "together": 3,
    "there": 2,
    "past": 1,
}


# Whose deed, which verb, its mode and its denial.
Key = tuple[str, str, str, str]


def common(told: Sequence[SourceTelling], tongue: Tongue) -> Core | None:
    """Return the core of the sources, None where they have none or are at odds.

    That several speak of the same thing is no core: a count is nothing to remember.
    """
    if at_odds(told, tongue):
        return None
    found = [core for core in _cores(told, tongue) if _clear(core) and _tells(core, tongue)]
    whole = [core for core in found if core.says == core.of]
    return max(whole or found, key=_worth, default=None)


def _clear(core: Core) -> bool:
    return core.says == core.of or (core.says >= OFTEN and core.says * 4 >= core.of * 3)


def _tells(core: Core, tongue: Tongue) -> bool:
    """Say whether a core is worth its own sentence.

    What happened once is no pattern, and without its day it is half a fact: only an end that holds
    on is told, of something that is named.
    """
    if core.how == "past":
        return core.verb in tongue.ceasing and any(part.role == "thing" for part in core.parts)
    return not core.various or core.how == "habit"


def _worth(core: Core) -> tuple[int, int, int, str, str]:
    tells = len({part.role for part in core.parts}) + bool(core.nouns)
    named = bool(core.parts) or core.how == "habit"
    return core.says, _RANK[core.how] + 2 * tells, int(named), core.who.key, core.verb


def _cores(told: Sequence[SourceTelling], tongue: Tongue) -> Iterator[Core]:
    yield from _tastes(told)
    yield from _deeds(told, tongue)
    yield from _places(told, tongue)
    yield from _companions(told)


def _days(told: Sequence[SourceTelling], sources: set[int]) -> int:
    return len({told[at].day for at in sources})


def _tastes(told: Sequence[SourceTelling]) -> Iterator[Core]:
    """Find what one person likes, or dislikes, in the sources."""
    held: dict[tuple[str, How, str], dict[int, tuple[Deed, Part]]] = defaultdict(dict)
    for at, each in enumerate(told):
        for deed in each.deeds:
            if deed.mode in ("likes", "dislikes"):
                how: How = "likes" if deed.mode == "likes" else "dislikes"
                for part in deed.parts:
                    if part.role in ("thing", "place"):
                        held[deed.who.key, how, part.key].setdefault(at, (deed, part))
    for (_, how, _), sources in held.items():
        deed, part = next(iter(sources.values()))
        yield Core(
            how=how, who=deed.who, verb=deed.verb, parts=(part,), says=len(sources), of=len(told)
        )


def _deeds(told: Sequence[SourceTelling], tongue: Tongue) -> Iterator[Core]:
    """Find the same verb of the same person, with the parts that all its sources share."""
    whole: dict[Key, set[int]] = defaultdict(set)
    parted: dict[tuple[Key, str, str], set[int]] = defaultdict(set)
    for at, each in enumerate(told):
        for deed in each.deeds:
            if deed.mode in ("done", "wish"):
                key = _key(deed)
                whole[key].add(at)
                for part in deed.parts:
                    parted[key, part.role, part.key].add(at)
    groups = {(key, frozenset(at)) for key, at in whole.items()}
    groups |= {(key, frozenset(at)) for (key, _, _), at in parted.items()}
    for key, sources in sorted(groups, key=lambda each: (each[0], sorted(each[1]))):
        if core := _deed_core(told, key, set(sources), tongue):
            yield core


def _key(deed: Deed) -> Key:
    return deed.who.key, deed.verb, deed.mode, deed.denied


def _deed_core(
    told: Sequence[SourceTelling], key: Key, sources: set[int], tongue: Tongue
) -> Core | None:
    mine = [[deed for deed in told[at].deeds if _key(deed) == key] for at in sorted(sources)]
    verb = key[1]
    parts = _shared_parts(mine)
    how = _how(told, sources, mine, tongue)
    if how == "habit" and _only_there(verb, parts):
        how = "goes"
    tells = verb not in tongue.faint | tongue.states | tongue.ceasing
    if not (parts or tells) or (verb in ("be", "이") and not _has(parts, "how")):
        return None
    felt = tongue.describes(verb) and how in ("habit", "state")
    things = [any(part.role == "thing" for deed in each for part in deed.parts) for each in mine]
    nouns = _shared_nouns([told[at] for at in sorted(sources)]) if felt else []
    named = {part.text for part in parts} | {mine[0][0].who.text, mine[0][0].who.key}
    return Core(
        how=how,
        who=mine[0][0].who,
        verb=verb,
        parts=parts,
        says=len(sources),
        of=len(told),
        denied=mine[0][0].denied,
        nouns=tuple([noun for noun in nouns if noun not in named][:1]),
        various=all(things) and not _has(parts, "thing"),
    )


def _only_there(verb: str, parts: Sequence[Part]) -> bool:
    """Say whether a verb of going has nothing but the place it leads to."""
    plain = verb in ("가", "go") and len(parts) == 1 and parts[0].role == "place"
    return plain and parts[0].mark in ("에", "to")


def _has(parts: Sequence[Part], role: str) -> bool:
    return any(part.role == role for part in parts)


def _how(
    told: Sequence[SourceTelling], sources: set[int], mine: list[list[Deed]], tongue: Tongue
) -> How:
    """Say how it may be told again: as done often, as so, as wished, or only as having been."""
    verb = mine[0][0].verb
    over = sum(any(deed.over for deed in deeds) for deeds in mine)
    dated = sum(told[at].dated for at in sources)
    if mine[0][0].mode == "wish":
        return "wish"
    if verb in tongue.ceasing or verb in tongue.single or (over and verb in tongue.lasting):
        return "past"
    able = mine[0][0].denied != "cannot"
    lasts = verb in tongue.states or tongue.describes(verb) or verb == "이" or not able
    if lasts and not over and dated * 2 < len(mine):
        return "state"
    return "habit" if _days(told, sources) >= OFTEN else "past"


def _shared_parts(mine: list[list[Deed]]) -> tuple[Part, ...]:
    """Return the parts that a deed of each source has; the narrower name where both are shared."""
    shared: dict[tuple[Role, str], Part] | None = None
    for deeds in mine:
        held = {(part.role, part.key): part for deed in deeds for part in deed.parts}
        shared = held if shared is None else {k: p for k, p in shared.items() if k in held}
    found = list((shared or {}).values())
    said = [part for part in found if not part.wide]
    roles = {part.role for part in said}
    return tuple(said) + tuple(part for part in found if part.wide and part.role not in roles)


def _places(told: Sequence[SourceTelling], tongue: Tongue) -> Iterator[Core]:
    """Find where someone is again and again, whatever is done there."""
    held: dict[tuple[str, str], dict[int, tuple[Deed, Part]]] = defaultdict(dict)
    goes: set[tuple[str, str]] = set()
    inside: set[tuple[str, str]] = set()
    for at, each in enumerate(told):
        for deed in each.deeds:
            for part in deed.parts:
                if part.role == "place" and deed.mode == "done" and not deed.denied:
                    held[deed.who.key, part.key].setdefault(at, (deed, part))
                    if deed.verb in tongue.going:
                        goes.add((deed.who.key, part.key))
                    if part.mark in ("에서", "at", "in"):
                        inside.add((deed.who.key, part.key))
    for key, sources in held.items():
        deed, part = next(iter(sources.values()))
        home = part.key in tongue.homes or deed.verb in tongue.states
        if home or key not in goes | inside or _days(told, set(sources)) < OFTEN:
            continue
        how: How = "goes" if key in goes else "there"
        yield Core(how=how, who=deed.who, verb="", parts=(part,), says=len(sources), of=len(told))


def _companions(told: Sequence[SourceTelling]) -> Iterator[Core]:
    """Find with whom someone does one thing and another."""
    held: dict[tuple[str, str], dict[int, tuple[Deed, Part]]] = defaultdict(dict)
    for at, each in enumerate(told):
        for deed in each.deeds:
            for part in deed.parts:
                if part.role == "with" and deed.mode == "done" and not deed.denied:
                    held[deed.who.key, part.key].setdefault(at, (deed, part))
    for sources in held.values():
        deed, part = next(iter(sources.values()))
        if _days(told, set(sources)) >= OFTEN:
            yield Core(
                how="together",
                who=deed.who,
                verb="",
                parts=(part,),
                says=len(sources),
                of=len(told),
            )


def _shared_nouns(told: Sequence[SourceTelling]) -> list[str]:
    """Return the nouns of all sources, people that deeds are about first."""
    keys = [key for key in told[0].nouns if all(key in each.nouns for each in told[1:])]
    about = {deed.who.key for each in told for deed in each.deeds}
    keys.sort(key=lambda key: (key not in about, list(told[0].nouns).index(key)))
    return [told[0].nouns[key] for key in keys]


def at_odds(told: Sequence[SourceTelling], tongue: Tongue) -> bool:
    """Say whether sources deny each other, feel opposite things or end what others go on with."""
    felt = [each.felt for each in told]
    if max(felt) >= _OPPOSED and min(felt) <= -_OPPOSED:
        return True
    return _denied(told) or _tasted(told) or _ceased(told, tongue) or _moved(told, tongue)


def _denied(told: Sequence[SourceTelling]) -> bool:
    """Say whether one source denies what another tells of the same person."""
    said: dict[tuple[str, str], list[tuple[int, Deed]]] = defaultdict(list)
    for at, each in enumerate(told):
        for deed in each.deeds:
            if deed.mode in ("done", "wish"):
                said[deed.who.key, deed.verb].append((at, deed))
    return any(
        bool(one.denied) is not bool(two.denied) and _alike(one, two)
        for deeds in said.values()
        for at, one in deeds
        for other, two in deeds
        if at < other
    )


def _alike(one: Deed, two: Deed) -> bool:
    """Say whether two deeds speak of the same: they share a part, or one of them has none."""
    keys = [{part.key for part in deed.parts} for deed in (one, two)]
    return not all(keys) or not keys[0].isdisjoint(keys[1])


def _tasted(told: Sequence[SourceTelling]) -> bool:
    """Say whether the same is liked and disliked, or liked by one source and left by another."""
    liked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in told:
        for deed in each.deeds:
            if deed.mode in ("likes", "dislikes"):
                for part in deed.parts:
                    liked[deed.who.key, part.key].add(deed.mode)
    return any(len(modes) > 1 for modes in liked.values())


def _ceased(told: Sequence[SourceTelling], tongue: Tongue) -> bool:
    """Say whether one source ends what another one goes on with."""
    ended: dict[tuple[str, str], set[int]] = defaultdict(set)
    goes_on: dict[tuple[str, str], set[int]] = defaultdict(set)
    for at, each in enumerate(told):
        for deed in each.deeds:
            for part in deed.parts:
                held = ended if deed.verb in tongue.ceasing else goes_on
                if deed.mode != "other" and not deed.denied:
                    held[deed.who.key, part.key].add(at)
    return any(goes_on.get(key, set()) - sources for key, sources in ended.items())


def _moved(told: Sequence[SourceTelling], tongue: Tongue) -> bool:
    """Say whether sources name different places, of which only one can be at a time."""
    places: dict[tuple[str, str], list[set[str]]] = defaultdict(list)
    for each in told:
        for deed in each.deeds:
            if deed.verb in tongue.lasting and not deed.denied:
                keys = {part.key for part in deed.parts if part.role == "place"}
                if keys:
                    places[deed.who.key, deed.verb].append(keys)
    return any(not set.intersection(*held) for held in places.values())
