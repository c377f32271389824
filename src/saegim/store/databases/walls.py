"""The second wall on a server: whose rows a thread asks for.

Every query names its owner; that is the first wall. Here the owner is taken from who asked, before
any SQL is written: from the scope that a table is given, or the owner a transaction is for. The
server is told with each transaction, and shows and takes rows of that owner alone, also where a
query forgot to say so.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, Final

from saegim.store.database import Table

# No name begins with it. Who asks for nobody in particular (a migration, a queue, a backup) sees
# everyone; a test lists all of them.
EVERYONE: Final = "*"
TELL: Final = "SELECT set_config('saegim.owner', %s, true)"

Owner = Callable[[Any], str]
_asking = threading.local()
# How an argument says whose rows are asked for, by what it is.
_OWNER_OF: Final[dict[str, Owner]] = {
    "Scope": lambda scope: str(scope.user),
    "Where": lambda where: str(where.scope.user),
    "Job": lambda job: str(job.owner),
    "NightRow": lambda night: str(night.owner),
    "Shard": lambda shard: str(shard.owner),
}


def whose() -> str:
    """Return whose rows this thread asks for now."""
    return getattr(_asking, "owner", EVERYONE)


@contextmanager
def asking_for(owner: str) -> Iterator[None]:
    """Ask for the rows of one owner; of nobody in particular, for everyone's."""
    before = whose()
    _asking.owner = owner or EVERYONE
    try:
        yield
    finally:
        _asking.owner = before


def named_owner(method: Callable[..., Any]) -> tuple[int, str, Owner] | None:
    """Return which argument of a method says whose rows it asks for, if any does."""
    for at, (name, given) in enumerate(inspect.signature(method).parameters.items()):
        if name == "owner" and "str" in str(given.annotation):
            return at, name, str
        if (found := _OWNER_OF.get(str(given.annotation))) is not None:
            return at, name, found
    return None


@lru_cache(maxsize=64)
def walled(kind: Table) -> Table:
    """Return the same table, each method of which asks for the rows of the owner it is given."""
    made = {}
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        alone = isinstance(inspect.getattr_static(kind, name), staticmethod)
        named = None if alone or name.startswith("__") else named_owner(method)
        if named is not None:
            made[name] = _asks(method, *named)
    return type(kind.__name__, (kind,), made)  # type: ignore[return-value]


def _asks(method: Callable[..., Any], at: int, name: str, owner_of: Owner) -> Callable[..., Any]:
    @wraps(method)
    def asked(*given: Any, **named: Any) -> Any:
        told = given[at] if at < len(given) else named.get(name)
        if told is None or not (owner := owner_of(told)):
            return method(*given, **named)
        with asking_for(owner):
            found = method(*given, **named)
        return for_owner(found, owner) if inspect.isgenerator(found) else found

    return asked


def for_owner(rows: Iterator[Any], owner: str) -> Generator[Any, None, Any]:
    """Read on for the same owner, whenever the next is asked for."""
    while True:
        with asking_for(owner):
            try:
                found = next(rows)
            except StopIteration as end:
                return end.value
        yield found
