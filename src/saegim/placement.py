"""`Placement`: in which store of a divided installation each owner's memories lie.

The store that the settings name is `main`. It knows the people and their tokens, what models cost,
and who lies elsewhere; everybody whom it does not name lies there. The others have names in the
settings. Whoever is asked for is looked up each time: nobody remembers where somebody was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from saegim.errors import BadInput, SaegimError, SettingsError, StoreMissing
from saegim.memory.memory import SHARED_BY
from saegim.mind import Mind, open_store, over
from saegim.store.transfer import Carried, move_owner, place_owner, remove_owner

MAIN: Final = "main"


class Placement:
    """The stores of one installation; each but `main` is opened when it is first asked for."""

    def __init__(
        self,
        home: Mind,
        file: Path,
        begin: Callable[[Mind], None],
        put_down: Callable[[str], None],
    ) -> None:
        # What begins with a store that is opened; what puts down what is in mind of somebody.
        self.home, self._file, self._begin, self._put_down = home, file, begin, put_down
        self._open: dict[str, Mind] = {}
        self._lock = threading.Lock()

    @property
    def _named(self) -> dict[str, str]:
        return self.home.settings.named_stores()

    def where(self, owner: str) -> str:
        """Return the name of the store in which an owner's memories lie."""
        return self.home.store.database.elsewhere(owner).get(owner, MAIN)

    def mind_of(self, owner: str) -> Mind:
        """Return the mind over the store in which an owner's memories lie."""
        return self.named(self.where(owner))

    def named(self, name: str) -> Mind:
        """Return the mind over one of the stores."""
        if name == MAIN:
            return self.home
        with self._lock:
            if name not in self._open:
                if (place := self._named.get(name)) is None:
                    raise SettingsError("settings.no_such_store", name=name, known=self._known())
                settings = replace(self.home.settings, store=place)
                store = open_store(self._file, settings, self.home.clock)
                self._open[name] = over(store, self.home)
                self._begin(self._open[name])
            return self._open[name]

    def all(self, passed: Callable[[SaegimError], None]) -> list[Mind]:
        """Return the minds over every store that answers now; of each other one, tell why not."""
        found = [self.home]
        for name in self._named:
            try:
                mind = self.named(name)
                mind.store.database.rows("SELECT 1")
            except SaegimError as error:
                passed(StoreMissing("store.passed_over", name=name, why=error))
            else:
                found.append(mind)
        return found

    def move(self, owner: str, to: str) -> Carried:
        """Carry an owner to another store while they write; interrupted, it goes on."""
        if owner.startswith(SHARED_BY):
            raise BadInput("people.name_of_shared", name=owner[:60], prefix=SHARED_BY)
        if not self.home.store.database.is_server:
            raise BadInput("people.dividing_needs_server", path=self.home.store.place)
        if to != MAIN and to not in self._named:
            raise BadInput("people.no_store", name=to, known=self._known())
        before, target = self.where(owner), self.named(to).store.database
        source = self.named(before).store.database
        if before == to:
            return self._finished(owner, to)
        bound = source.elsewhere(owner).get(owner, to)
        if bound != to:
            raise BadInput("people.move_unfinished", owner=owner, to=bound)
        self._put_down(owner)
        if (traces := self.named(before).traces) is not None:
            traces.flush()
        placed = self._note(owner, to)
        carried = move_owner(source, target, owner, here=before, there=to, opened=placed)
        self._sweep(owner, to)
        return carried

    def _note(self, owner: str, to: str) -> Callable[[], None]:
        """Return what lets everyone look for an owner there from now on."""
        main = self.home.store.database
        return lambda: place_owner(main, owner, "" if to == MAIN else to)

    def _finished(self, owner: str, to: str) -> Carried:
        """Do what is left of a move that was interrupted at its end."""
        target, done = self.named(to).store.database, None
        for name in (MAIN, *self._named):
            source = self.named(name).store.database
            if name != to and source.elsewhere(owner).get(owner) == to:
                done = move_owner(
                    source, target, owner, here=name, there=to, opened=self._note(owner, to)
                )
        if done is None:
            raise BadInput("people.lies_there", owner=owner, name=to)
        self._sweep(owner, to)
        return done

    def _sweep(self, owner: str, to: str) -> None:
        """Leave nothing of an owner where a move that was given up had begun."""
        for name in (MAIN, *self._named):
            with suppress(SettingsError):
                held = self.named(name).store.database
                if name != to and held.elsewhere(owner).get(owner, to) != to:
                    remove_owner(held, owner)
                    place_owner(held, owner, to)

    def _known(self) -> str:
        return ", ".join((MAIN, *self._named))

    def close(self) -> None:
        """Let go of every store but `main`."""
        with self._lock:
            others, self._open = list(self._open.values()), {}
        for each in others:
            if each.traces is not None:
                each.traces.close()
            each.store.close()
