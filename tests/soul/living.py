"""What the tests of the self do again and again: approve, believe, look."""

from __future__ import annotations

from saegim import Saegim
from saegim.memory.memory import Memory
from saegim.recall.compose.prompt import assemble
from saegim.soul.islands import Island
from saegim.store.rows import Where

SEED = (
    "삐돌이가 처음 이름을 지어줬다",
    "실수했을 때 삐돌이가 괜찮다고 했다",
    "삐돌이와 매일 대화한다",
)
TECH = "새로운 기술을 배우면 마음이 설렌다"


def core(memory: Saegim, text: str) -> Memory:
    """Keep a text for ever, as a person does."""
    kept = memory.remember(text)
    made = memory.proposals.accept(memory.proposals.propose(kept.id).id, by="지민")
    assert made is not None
    return made


def believing(memory: Saegim, *texts: str) -> list[str]:
    """Let so many beliefs be approved; return their ids."""
    for text in texts:
        asked = memory.soul.propose_belief(text)
        assert asked is not None
        memory.proposals.accept(asked.id, by="지민")
    return [each.id for each in memory.soul.now().beliefs]


def only(memory: Saegim) -> Island:
    """Return the one island there is."""
    (found,) = memory.soul.islands()
    return found


def system_part(memory: Saegim, given: str = "") -> str:
    """Return the system part of an assembled prompt."""
    where = Where(scope=memory.scope)
    made = assemble(4000, question="안녕", where=where, mind=memory.mind, system=given)
    return made.parts["system"]
