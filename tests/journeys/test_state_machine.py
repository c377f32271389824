"""Any programme of verbs, against a dictionary that does the same: no difference, ever."""

from __future__ import annotations

import copy
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from saegim import FixedClock, Saegim
from saegim.errors import NotFound, Refused
from saegim.memory.memory import State
from saegim.memory.text import normalise
from stand_ins import rounds

USERS = ("me", "민호")
CHANCE = st.integers(0, 10**6)


@dataclass
class Kept:
    """What the model knows of one memory."""

    text: str
    word: str
    state: State = State.ACTIVE
    newer: str | None = None
    older: str | None = None


@dataclass
class Model:
    """What should be true: the memories of each user, by id."""

    held: dict[str, dict[str, Kept]] = field(default_factory=lambda: {user: {} for user in USERS})

    def current(self, user: str, id: str) -> str:
        """Follow an id to the version that holds now."""
        while (newer := self.held[user][id].newer) is not None:
            id = newer
        return id

    def chain(self, user: str, id: str) -> list[str]:
        """Return all versions of a memory, oldest first."""
        ids = [self.current(user, id)]
        while (older := self.held[user][ids[0]].older) is not None:
            ids.insert(0, older)
        return ids

    def ids(self, user: str, *states: State) -> list[str]:
        """Return the ids of one user's memories in these states."""
        return [id for id, kept in self.held[user].items() if kept.state in states]


class Journey(RuleBasedStateMachine):
    """Remembers, corrects, forgets, restores, rebuilds and reopens, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="saegim-journey-")
        self.path = Path(self.folder.name, "m.db")
        self.clock = FixedClock()
        self.memory = self.opened()
        self.model = Model()
        self.user = USERS[0]
        self.words = 0
        self.backups: list[tuple[Path, Model]] = []

    def opened(self) -> Saegim:
        """Open the memory of this journey."""
        return Saegim.open(self.path, clock=self.clock, durability="fast")

    def teardown(self) -> None:
        """Let go of the store and its folder."""
        self.memory.close()
        self.folder.cleanup()

    @property
    def view(self) -> Saegim:
        """Return the memory as the user at hand sees it."""
        return self.memory.within(user=self.user)

    @property
    def mine(self) -> dict[str, Kept]:
        """Return what the model knows of the user at hand."""
        return self.model.held[self.user]

    def new_text(self, korean: bool) -> tuple[str, str]:
        """Return a text with a word nobody has said before, and that word."""
        self.words += 1
        self.clock.forward(seconds=1)
        word = f"uniq{self.words}q"
        return (f"{word} 주전자를 샀다" if korean else f"a kettle called {word}"), word

    def any(self, chance: int, *states: State) -> str | None:
        """Return some id of the user at hand in these states."""
        ids = self.model.ids(self.user, *states)
        return ids[chance % len(ids)] if ids else None

    # -- what can be done -------------------------------------------------------------------------

    @rule(user=st.sampled_from(USERS))
    def switch_user(self, user: str) -> None:
        """Someone else takes the keyboard."""
        self.user = user

    @rule(korean=st.booleans())
    def remember(self, korean: bool) -> None:
        """A new text is stored."""
        text, word = self.new_text(korean)
        kept = self.view.remember(text)
        assert kept.status == "stored"
        assert kept.id not in self.mine
        self.mine[kept.id] = Kept(text, word)

    @rule(chance=CHANCE)
    def say_again(self, chance: int) -> None:
        """The same words again reinforce what is here, or are new if it had left."""
        id = self.any(chance, *State)
        if id is None:
            return
        kept = self.mine[id]
        self.clock.forward(seconds=1)
        done = self.view.remember(f"  {kept.text.upper()} ")
        twins = {
            other
            for other, each in self.mine.items()
            if normalise(each.text) == normalise(kept.text) and each.state is State.ACTIVE
        }
        if twins:
            assert (done.status, done.duplicate_of in twins) == ("duplicate", True)
        else:
            assert done.status == "stored"
            self.mine[done.id] = Kept(f"  {kept.text.upper()} ", kept.word)

    @rule(chance=CHANCE, korean=st.booleans())
    def correct(self, chance: int, korean: bool) -> None:
        """A correction of any version makes a new one hold; what is leaving is refused."""
        id = self.any(chance, State.ACTIVE, State.SUPERSEDED, State.LEAVING)
        if id is None:
            return
        text, word = self.new_text(korean)
        old = self.model.current(self.user, id)
        if self.mine[old].state is State.LEAVING:
            with pytest.raises(Refused):
                self.view.update(id, text)
            return
        new = self.view.update(id, text)
        self.mine[new.id] = Kept(text, word, older=old)
        self.mine[old].newer, self.mine[old].state = new.id, State.SUPERSEDED

    @rule(chance=CHANCE)
    def forget(self, chance: int) -> None:
        """Forgetting any version lets go of what holds now."""
        id = self.any(chance, *State)
        if id is None:
            return
        now = self.model.current(self.user, id)
        assert [each.id for each in self.view.forget(id).memories] == [now]
        self.mine[now].state = State.LEAVING

    @rule(chance=CHANCE)
    def restore(self, chance: int) -> None:
        """Restoring any version makes the one that holds active again."""
        id = self.any(chance, *State)
        if id is None:
            return
        now = self.model.current(self.user, id)
        assert [each.id for each in self.view.restore(id)] == [now]
        self.mine[now].state = State.ACTIVE

    @rule()
    def rebuild(self) -> None:
        """The indexes are written anew from the text."""
        list(self.memory.maintenance.rebuild())

    @rule(late=st.booleans())
    def reopen(self, late: bool) -> None:
        """The process ends, before or after the next one has started."""
        if late:
            new = self.opened()
            self.memory.close()
            self.memory = new
        else:
            self.memory.close()
            self.memory = self.opened()

    @rule()
    def back_up(self) -> None:
        """A backup is made; the model keeps one too."""
        self.clock.forward(seconds=1)
        made = self.memory.maintenance.backup()
        living = sum(len(held) for held in self.model.held.values())
        assert made.memories == living
        # Older ones leave when a new one is verified.
        self.backups = [*self.backups[-9:], (made.path, copy.deepcopy(self.model))]

    @precondition(lambda self: self.backups)
    @rule(chance=CHANCE)
    def bring_back(self, chance: int) -> None:
        """A backup takes the place of the store."""
        path, model = self.backups[chance % len(self.backups)]
        self.clock.forward(seconds=1)
        self.memory.maintenance.restore_backup(path)
        self.model = copy.deepcopy(model)

    # -- what must be true ------------------------------------------------------------------------

    @rule(chance=CHANCE)
    def look_up(self, chance: int) -> None:
        """An id leads to what holds now, exactly to itself, and to its whole story."""
        id = self.any(chance, *State)
        if id is None:
            return
        kept, now = self.mine[id], self.model.current(self.user, id)
        assert self.view.get(id).text == self.mine[now].text
        exact = self.view.get(id, exact=True)
        assert (exact.text, exact.life.state) == (kept.text, kept.state)
        story = [each.id for each in self.view.history(id).versions]
        assert story == self.model.chain(self.user, id)
        other = next(user for user in USERS if user != self.user)
        with pytest.raises(NotFound):
            self.memory.within(user=other).get(id)

    @rule(chance=CHANCE)
    def ask(self, chance: int) -> None:
        """A word finds exactly the active memories of this user that hold it."""
        if not self.words:
            return
        word = f"uniq{1 + chance % self.words}q"
        expected = {
            id for id, kept in self.mine.items() if kept.word == word and kept.state is State.ACTIVE
        }
        assert {each.id for each in self.view.search(word, limit=100)} == expected
        hits = [hit.memory.id for hit in self.view.recall(word, limit=100).hits]
        assert set(hits[: len(expected)]) == expected
        assert set(hits) <= set(self.model.ids(self.user, State.ACTIVE))

    @invariant()
    def the_lists_are_true(self) -> None:
        """Every user has exactly the memories of the model, each in its state."""
        for user in USERS:
            view: Any = self.memory.within(user=user)
            page = view.recent(200, states=["active", "leaving", "superseded"])
            assert page.total == len(self.model.held[user])
            assert {each.id: each.life.state for each in page.memories} == {
                id: kept.state for id, kept in self.model.held[user].items()
            }

    @rule()
    def verify(self) -> None:
        """The chains and every digest fit, and nothing waits for its vector."""
        for user in USERS:
            self.memory.within(user=user).maintenance.verify()
        assert self.memory.status()["index"]["failed"] == 0
        assert self.memory.mind.store.check() == []


TestJourney = Journey.TestCase
# A thousand journeys of sixty steps are five minutes of one processor.
TestJourney.settings = settings(max_examples=rounds(1000, 20), stateful_step_count=rounds(60, 30))


def test_the_journey_is_tried() -> None:
    """R-26: the state machine above runs against a dictionary; a wrong model would differ."""
    machine = Journey()
    try:
        machine.remember(korean=True)
        machine.the_lists_are_true()
        next(iter(machine.mine.values())).state = State.LEAVING
        with pytest.raises(AssertionError):
            machine.the_lists_are_true()
    finally:
        machine.teardown()
