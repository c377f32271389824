"""Make ready what the first text of a process would wait for: patterns, word lists, readers.

They are made on first use, and a command that asks once should not pay for all of them. A server
stays: it makes them while nobody waits.
"""

from __future__ import annotations

import contextlib

from saegim.errors import SaegimError
from saegim.guard.guard import screen
from saegim.guard.injection import suspicion
from saegim.language import language
from saegim.language.same import difference
from saegim.memory.memory import Memory, Scope, Time
from saegim.mind import Mind
from saegim.perceive.build import embedded, hear, placed_in_time, understood
from saegim.perceive.turn import Turn
from saegim.perceive.turn_context import judged
from saegim.recall.rewards import observe
from saegim.recall.usage import said_in
from saegim.session.working import WorkingMemories
from saegim.sleep.forget import as_told

# Sentences of both languages with whom, when, how it felt and what holds; nobody said them.
_SAID = (
    "나는 어제 민호와 부산에서 커피를 마셔서 정말 기뻤고, 다음 주 화요일 3시에 다시 만나기로 했다.",
    "I moved to Oslo with Jane last May, I love the sea, and we meet again next Tuesday at 3 pm.",
    "지은이는 12월 3일 새벽에 우리 팀에서 2.3 버전을 배포했어요, 오늘은 좀 쉬고 있어.",
    "Anna's code 4812 shipped on Wednesday; my favourite job is to write a book of ten stories.",
    "민호가 언제 이사했지?",
    "When did Jane move?",
)
_WHO = Scope("nobody")
# What a verb loads when it is called; named here, it is loaded before.
LOADED = (observe, as_told, WorkingMemories)


def warm_up(mind: Mind) -> None:
    """Read sentences that nobody said, as if they were to be kept and asked; nothing is written."""
    # What is wrong with a part, or a file that cannot be opened now, is told to whoever needs it.
    with contextlib.suppress(SaegimError, OSError):
        for text in _SAID:
            _read(text, mind)


def _read(text: str, mind: Mind) -> None:
    screen(text)
    suspicion(text)
    now = mind.here(mind.now())
    memory = Memory(id="mem_0", scope=_WHO, text=text, time=Time(happened_at=now, recorded_at=now))
    memory = placed_in_time(memory, now, fixed=False)
    heard = hear(text, mind)
    memory, _ = understood(memory, heard, mind, kind=None)
    language.deeds(text)
    judged(Turn(scope=_WHO, text=text), [heard], 1, mind)
    mind.names_in(text)
    difference(memory, memory, analyser=mind.store.words.analyser())
    said_in(text, [text])
    embedded([memory], mind)
