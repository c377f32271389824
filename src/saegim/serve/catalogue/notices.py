"""What the beginning of a session is told once: what someone approved, and how it is undone."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.guard.injection import suspicion
from saegim.recall.compose.card import quoted, shortened
from saegim.saegim import Saegim
from saegim.sleep.distil.promotions import APPROVED, Promotion, told_to, untold
from saegim.sleep.proposals import ACCEPTED, proposals

TOPIC = 80
# The rest waits for the next session.
_AT_ONCE = 5


def core_notices(memory: Saegim, session: str) -> list[str]:
    """Return a line for each core memory no other session was told of: by whom, how, its undo."""
    scope, mind = memory.scope, memory.mind
    lines: list[str] = []
    told: list[Promotion] = []
    for each, line in _cores(memory, session):
        if len(lines) < _AT_ONCE:
            lines.append(line)
            told.append(each)
    told_to(session, told, scope=scope, mind=mind)
    return lines


def _cores(memory: Saegim, session: str) -> Iterator[tuple[Promotion, str]]:
    scope, mind = memory.scope, memory.mind
    new = [each for each in untold(scope, mind, session) if each.why == APPROVED]
    answers = {each.memory: each for each in proposals(scope, mind, state=ACCEPTED)} if new else {}
    for each in new:
        made = mind.store.memories.get(scope, each.memory)
        said = answers.get(each.sources[0])
        # An answer of before channels were noted is old news.
        if made is None or said is None or not said.channel:
            continue
        if made.scope.project not in ("", scope.project):
            continue
        words = "" if suspicion(made.text) else f" memory={quoted(shortened(made.text, TOPIC))}"
        yield (
            each,
            f"core_memory_added {each.at.date().isoformat()} by={quoted(said.answered_by)} "
            f'channel={said.channel} id={made.id}{words} undo="saegim forget {made.id}"',
        )
