"""Every error the house raises on purpose.

SaegimError                    anything this library raises on purpose
├── SettingsError              a setting cannot be used as it is
│   └── MissingExtra           an optional part is not installed (also ImportError)
├── BadInput                   what was given cannot be remembered or asked (also ValueError)
├── NotFound                   no memory, page or file of that name (also LookupError)
├── Refused                    the house said no, by a rule
│   ├── TakenOver              another process goes on with this work
│   ├── Forbidden              this token or cookie does not open that
│   └── QuotaReached           a person has, or asked, as much as they may
├── StoreError                 the place where memories rest said no
│   ├── StoreMissing           memories were expected here and are not
│   ├── StoreBusy              another process kept the store for too long
│   ├── StoreReadOnly          the store can be read but not written
│   ├── StoreFull              the disk has no room left
│   ├── StoreCorrupt           the file is damaged or is not ours
│   ├── SchemaMismatch         the store was written by a newer version
│   ├── UnsafeSqlite           this SQLite can corrupt a shared file
│   └── LedgerBroken           the chain of the ledger does not verify
└── EngineError                a borrowed mind failed
    ├── Unavailable            not now; trying again may help
    ├── BadReply               it answered, but not what was asked
    └── WrongIdentity          these vectors come from another embedder

Each error says what happened and, in `next_step`, what the person can do about it: both by the key
of a message (see `saegim.messages`) and its values, or in words. The class docstring is the message
when none is given.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Self
from unicodedata import normalize

from saegim.messages import Message, Sayable, entry, filled, frozen, has, is_key, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class SaegimError(Sayable, Exception):
    """Something in Saegim went wrong."""

    def __init__(self, message: str = "", *, next_step: str = "", **values: object) -> None:
        # Kept in `args`, from which an error is made again in another process.
        super().__init__(message)
        # Whether there is such a message is asked when it is to be said: nothing is read before.
        self.key = message if is_key(message) else ""
        self.values = frozen(values)
        self._next_step = next_step

    @property
    def message(self) -> str:
        """What happened, in English."""
        return self.told("en")[0]

    @property
    def next_step(self) -> str:
        """What can be done about it, in English; empty where nothing can."""
        return self.told("en")[1]

    def told(self, language: str) -> tuple[str, str]:
        """Return what happened and what can be done, in a language where it is known by a key."""
        message, step = str(self.args[0]) if self.args else "", self._next_step
        if self.key and has(self.key):
            held = entry(self.key, language)
            message = filled(held.message, self.values, language)
            step = step or filled(held.next_step, self.values, language)
        if is_key(step) and has(step):
            step = said(step, self.values, language)
        return message or (type(self).__doc__ or "").strip(), step

    def advised(self, next_step: str, **values: object) -> Self:
        """Return the same error with another next step."""
        known: dict[str, Any] = {**self.values, **values}
        return type(self)(*self.args, next_step=next_step, **known)

    def said_in(self, language: str) -> str:
        """Return both in one line."""
        return " ".join(self.told(language)).strip()

    def __str__(self) -> str:
        return self.said_in("en")


class SettingsError(SaegimError):
    """A setting cannot be used as it is."""


class MissingExtra(SettingsError, ImportError):
    """An optional part is not installed."""


class BadInput(SaegimError, ValueError):
    """What was given cannot be remembered or asked."""


class NotFound(SaegimError, LookupError):
    """Nothing of that name is here."""


class Refused(SaegimError):
    """The house said no, by a rule."""


class TakenOver(Refused):
    """Another process goes on with this work."""


class Forbidden(Refused):
    """This token does not open that."""


class QuotaReached(Refused):
    """A person has, or asked for, as much as they may."""

    def __init__(
        self,
        message: str = "",
        *,
        next_step: str = "",
        retry_after: float | None = None,
        **values: object,
    ) -> None:
        super().__init__(message, next_step=next_step, **values)
        # Seconds until there is more, where it comes by itself.
        self.retry_after = retry_after


class StoreError(SaegimError):
    """The place where memories rest said no."""


class StoreMissing(StoreError):
    """Memories were expected here and are not."""


class StoreBusy(StoreError):
    """Another process kept the store for too long."""


class StoreReplaced(StoreError):
    """Another file was put in the place of the store while it was open."""


class StoreReadOnly(StoreError):
    """The store can be read but not written."""


class StoreFull(StoreError):
    """The disk has no room left."""


class StoreCorrupt(StoreError):
    """The file is damaged or is not a Saegim store."""


class SchemaMismatch(StoreError):
    """The store was written by a newer version of Saegim."""


class UnsafeSqlite(StoreError):
    """This SQLite can corrupt a file that several processes share."""


class LedgerBroken(StoreError):
    """The chain of the ledger does not verify."""


class EngineError(SaegimError):
    """A borrowed mind failed."""


class Unavailable(EngineError):
    """It does not answer now; trying again may help."""

    def __init__(
        self,
        message: str = "",
        *,
        next_step: str = "",
        retry_after: float | None = None,
        **values: object,
    ) -> None:
        super().__init__(message, next_step=next_step, **values)
        # Seconds that the server itself asked for, where it said so.
        self.retry_after = retry_after


class BadReply(EngineError):
    """It answered, but not what was asked."""


class WrongIdentity(EngineError):
    """These vectors come from another embedder."""


def each_tried(acts: Iterable[Callable[[], object]]) -> None:
    """Carry out every act, also after one that fails; then raise the first error of ours."""
    troubles = []
    for act in acts:
        try:
            act()
        except SaegimError as error:
            troubles.append(error)
    if troubles:
        raise troubles[0]


def hint(name: str, known: Iterable[str]) -> Message | str:
    """Return a question that names the known word nearest to a misspelt one; "" if none is near."""
    letters = {normalize("NFD", each): each for each in sorted(known)}  # 취항 is near 취향
    near = get_close_matches(normalize("NFD", name), letters, n=1)
    return Message("memory.did_you_mean", near=letters[near[0]]) if near else ""
