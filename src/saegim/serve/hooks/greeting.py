"""What a session is told at its start: the person, the project, what is at hand; quoted as data.

The same store gives the same bytes: nothing of now stands in it, and being shown changes nothing
(U9.3). No trace is left either, as nobody asked for these memories. One thing is news: what rose
lately is told to one session, which gets the same again if it begins anew, and to no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from saegim.engines.tokens import estimate
from saegim.guard.instructions import suspicion
from saegim.memory.coordinate import PERSON, Kind
from saegim.memory.memory import Memory
from saegim.memory.tiers import Tier
from saegim.memory.weighing import Weighed
from saegim.recall.compose.choose import choose
from saegim.recall.compose.fit import fitted
from saegim.recall.compose.quote import block, quoted, shortened
from saegim.recall.compose.recipe import recipe_of
from saegim.recall.conflict import marked
from saegim.recall.score import Hit
from saegim.saegim import Saegim
from saegim.sleep.distil.promotions import told_to, untold
from saegim.store.where import Where

# Less than a prompt may have: it stands in every session from the beginning.
TOKENS: Final = 1000
_LASTING: Final = 12
_PERSONAL: Final = 8
_HERE: Final = 10
# So many of the newest are looked through for those of this project.
_LOOKED_AT: Final = 64
_SESSIONS: Final = 50
_TOPIC: Final = 80
_PROMOTIONS: Final = 5
_ABOUT_A_PERSON: Final = (Kind.PREFERENCE, Kind.FACT, Kind.PRINCIPLE)


def greeting(memory: Saegim, *, session: str, budget: int = TOKENS) -> str:
    """Return the block for the start of a session, or nothing where there is nothing to say."""
    mind, where = memory.mind, Where(scope=memory.scope)
    rows = dict(_rows(memory))
    hits = [_hit(number, each, rank, len(rows)) for rank, (number, each) in enumerate(rows.items())]
    found = marked(hits, memory.scope, mind.store)
    recipe = recipe_of("auto_search")
    header = recipe.header(found[0].memory.text if found else "")
    extra = list(_open_ends(memory, session))
    room = budget - sum(estimate(f"{line}\n") for line in extra)
    made = fitted(choose(found, where, mind=mind), found, recipe, header=header, room=room)
    return block(header, [*made.lines, *extra])


def _rows(memory: Saegim) -> Iterator[tuple[int, Memory]]:
    """Yield what belongs to the start of a session, what lasts first; some come twice."""
    scope = memory.scope
    lasting = (Where(scope=scope, pinned=True), Where(scope=scope, tiers=(Tier.M0,)))
    for where in lasting:
        yield from _newest(memory, where, _LASTING)
    yield from _newest(memory, Where(scope=scope, kinds=_ABOUT_A_PERSON, origins=PERSON), _PERSONAL)
    here = _newest(memory, Where(scope=scope), _LOOKED_AT)
    of_here = [row for row in here if row[1].scope.project == scope.project]
    yield from of_here[:_HERE]


def _newest(memory: Saegim, where: Where, most: int) -> list[tuple[int, Memory]]:
    store = memory.mind.store
    numbers = store.latest(where, limit=most)
    found = store.by_numbers(where.scope, numbers)
    return [(number, found[number]) for number in numbers if number in found]


def _hit(number: int, memory: Memory, rank: int, count: int) -> Hit:
    """Show a memory as if it had come back in this place."""
    worth = memory.worth.importance
    weighed = Weighed(score=1 - rank / count, relevance=1.0, recency=0.0, importance=worth)
    return Hit(memory, weighed, words=0.0, vector=0.0, context=0.0, number=number)


def _open_ends(memory: Saegim, session: str) -> Iterator[str]:
    """Yield what the last session was about, and how much waits for a person's yes."""
    for each in memory.sessions.recent(_SESSIONS):
        if each.id != session and each.topic:
            if not suspicion(each.topic):
                topic = quoted(shortened(each.topic, _TOPIC))
                yield f"last_session {each.started_at.date().isoformat()} topic={topic}"
            break
    if waiting := len(memory.proposals.open()):
        yield f"proposals_waiting={waiting}"
    yield from _news(memory, session)


def _news(memory: Saegim, session: str) -> Iterator[str]:
    """Yield what rose since a session was last told: from where to where, and why (D §9-6)."""
    scope, mind = memory.scope, memory.mind
    shown = []
    for each in untold(scope, mind, session):
        made = mind.store.memory(scope, each.memory)
        if made is None or made.scope.project not in ("", scope.project) or suspicion(made.text):
            continue
        shown.append((each, quoted(shortened(made.text, _TOPIC))))
    for each, words in shown[:_PROMOTIONS]:
        yield (
            f"promoted {each.at.date().isoformat()} from={each.source_tier} to={each.tier} "
            f"why={each.why} memory={words}"
        )
    if len(shown) > _PROMOTIONS:
        yield f"promoted_more={len(shown) - _PROMOTIONS}"
    told_to(session, (each for each, _ in shown), scope=scope, mind=mind)
