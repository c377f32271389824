"""Who is let in, and to what: from a token or a cookie, and from nothing else a request says.

The token of this installation opens the memory of whose machine it is, as it always did. People
are added to a store by name; each has tokens for programs and links for a browser, of which only
digests are kept. An administrator's token makes people and tokens and opens nobody's memory. Every
request is looked up anew, so what was revoked anywhere opens nothing a moment later.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from saegim.errors import BadInput, Forbidden, QuotaReached, StoreError

# Loaded where they are used: who asks a server that runs needs no store.
if TYPE_CHECKING:
    import saegim
    from saegim.serve.catalogue.entry import CatalogueEntry
    from saegim.store.tables.people_table import PersonRow, Quota, TokenRow

# Under this name a request carries what its token opens.
GRANT: Final = "saegim.grant"
READ, WRITE = "read", "write"
RIGHTS: Final = (READ, WRITE)
_ADMIN: Final = "people"
_REQUESTS: Final = "requests"
_PREFIX: Final = "saegim_"
# 256 bits, and so many letters they are written with.
_BYTES, _LETTERS = 32, 43
_TOKEN: Final = re.compile(rf"{_PREFIX}[A-Za-z0-9_-]{{{_LETTERS}}}")
_MOST_LABEL = 80
_MOST_DAYS = 3650
# The last use, and how much was asked, is written down no more often than this.
_NOTED_SECONDS = 60.0
# How long it is believed how much a person has, before it is counted again.
_COUNTED_SECONDS = 60.0
_MOST_LIMIT = 2**53


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token or a cookie opens; with no person, the memory of whose machine it is."""

    user: str = ""
    rights: frozenset[str] = frozenset(RIGHTS)
    # The id of the token; a cookie has none.
    token: str = ""
    is_admin: bool = False
    quota: Quota | None = None

    @property
    def is_own(self) -> bool:
        """Say whether it is of whose machine this is."""
        return not self.user and not self.is_admin

    def refuse(self, entry: CatalogueEntry) -> None:
        """Refuse a function that this does not open."""
        if self.is_admin:
            raise Forbidden("people.administrator_reads_nothing")
        if self.user and entry.of_machine:
            raise Forbidden("people.of_the_machine", name=entry.name)
        self.refuse_without(READ if entry.effect == "reads" else WRITE, entry.name)

    def refuse_without(self, right: str, name: str) -> None:
        """Refuse what needs a right that this has not."""
        if right not in self.rights:
            raise Forbidden("people.token_lacks_right", right=right, name=name)

    def refuse_people(self) -> None:
        """Refuse everyone but whose machine this is."""
        if not self.is_own:
            raise Forbidden("people.only_of_the_machine")


OWN: Final = Grant()


# -- names ----------------------------------------------------------------------------------------

# Letters of other alphabets, and digits, that look like a Latin letter.
_LOOKS = str.maketrans("аеорсухіјѕһԁԛԝѵкмтвнгαοριυκτχνı01", "aeopcyxijshdqwvkmtbhraopiuktxviol")
# Hangul fillers take the place of a letter and show nothing.
_UNSEEN = frozenset("\u115f\u1160")
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")


def person_name(given: str) -> str:
    """Return the name of a person, composed (NFC); refuse what could be taken for another."""
    from saegim.memory.memory import SHARED_BY, checked_name

    name = unicodedata.normalize("NFC", given)
    checked_name("user", name)
    if name.startswith(SHARED_BY):
        raise BadInput("people.name_of_shared", name=name[:60], prefix=SHARED_BY)
    plain = unicodedata.normalize("NFKC", name)
    if _UNSEEN & set(plain):
        raise BadInput("people.name_unseen", name=name[:60])
    letters = (unicodedata.name(each, "").partition(" ")[0] for each in plain if each.isalpha())
    if len({each for each in letters if each in _ALPHABETS}) > 1:
        raise BadInput("people.name_of_two_alphabets", name=name[:60])
    return name


def looks_of(name: str) -> str:
    """Return how a name looks, without case, width, and letters that look like others."""
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS)


def quota_of(**limits: int | None) -> Quota:
    """Return limits that hold; refuse numbers that are none."""
    from saegim.store.tables.people_table import QUOTAS, Quota

    for name in QUOTAS:
        value = limits.get(name)
        if value is not None and not 0 <= value <= _MOST_LIMIT:
            raise BadInput("people.no_limit", name=name, value=value)
    return Quota(**limits)


def digest_of(secret: str) -> str:
    """Return by what a secret is known; 256 random bits need no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def looks_like_token(text: str) -> bool:
    """Say whether a text is written as the token of a person."""
    return _TOKEN.fullmatch(text) is not None


# -- what an administrator does -------------------------------------------------------------------


def add_person(
    memory: saegim.Saegim, given: str, quota: Quota, *, with_memories: bool = False
) -> PersonRow:
    """Add a person; a name under which memories lie is taken only where that is meant."""
    name = person_name(given)
    store, looks = memory.mind.store, looks_of(name)
    for owner in {*store.nights.owners(), *store.database.elsewhere()}:
        if owner == name and not with_memories and not store.people.is_here(name):
            raise BadInput("people.memories_lie_here", name=name)
        if owner != name and looks_of(owner) == looks:
            raise BadInput("people.looks_like", name=name, other=owner)
    return store.people.add(name, looks, quota, memory.mind.now())


def move_person(memory: saegim.Saegim, name: str, to: str) -> dict[str, Any]:
    """Carry a person's memories to another store of the installation; their tokens stay good."""
    own = memory.mind.settings.user
    if name != own:
        memory.mind.store.people.named(name)
    carried = memory.maintenance.placement.move(name, to)
    heads = {owner: hashed for owner, (_, hashed) in carried.heads.items()}
    return {
        "name": name,
        "store": to,
        "memories": carried.rows.get("memory", 0),
        "head": heads.get(name, ""),
    }


def new_token(
    memory: saegim.Saegim,
    owner: str,
    *,
    label: str = "",
    rights: Iterable[str] = RIGHTS,
    days: int | None = None,
) -> tuple[str, TokenRow]:
    """Make a token for a person, or for an administrator (no owner); it is told this once."""
    from saegim.store.tables.people_table import TokenRow

    now = memory.mind.now()
    asked = dict.fromkeys(rights) if owner else {_ADMIN: None}
    if owner and (not asked or not set(asked) <= set(RIGHTS)):
        raise BadInput("people.no_rights", rights=", ".join(asked), known=", ".join(RIGHTS))
    if len(label) > _MOST_LABEL or not (label.isprintable() or not label):
        raise BadInput("people.no_label", label=label[:60], most=_MOST_LABEL)
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise BadInput("people.no_days", days=days, most=_MOST_DAYS)
    token = f"{_PREFIX}{secrets.token_urlsafe(_BYTES)}"
    row = TokenRow(
        id=f"token_{secrets.token_hex(6)}",
        owner=owner,
        label=label,
        rights=tuple(asked),
        made_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
    )
    memory.mind.store.tokens.add(row, digest_of(token))
    return token, row


def new_link(memory: saegim.Saegim, owner: str) -> str:
    """Make a code that lets a person into the pages once."""
    code = secrets.token_urlsafe(24)
    until = memory.mind.now() + timedelta(minutes=memory.mind.settings.page_link_minutes)
    memory.mind.store.visits.add_link(digest_of(code), owner, until)
    return code


def person_json(each: PersonRow) -> dict[str, Any]:
    """Return a person as every door tells of them."""
    from saegim.memory.clock import iso

    return {"name": each.name, "made_at": iso(each.made_at), "limits": asdict(each.quota)}


def token_json(each: TokenRow) -> dict[str, Any]:
    """Return a token as every door tells of it, without the token."""
    from saegim.memory.clock import iso

    times = ("made_at", "expires_at", "used_at", "revoked_at")
    held = {name: getattr(each, name) for name in times}
    return {
        "id": each.id,
        "user": each.owner,
        "label": each.label,
        "rights": list(each.rights),
        **{name: None if at is None else iso(at) for name, at in held.items()},
    }


# -- at the doors ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Counted:
    """What one person asked on one day: by everybody's count, and since that was written."""

    day: str
    written: int
    since: int = 0


@dataclass(slots=True)
class _Allowance:
    """How much a person may still add, as it was counted a moment ago."""

    at: float
    memories: int
    bytes: int


class Access:
    """Looks up who may come in; may wait for the store, so it is asked in a thread."""

    def __init__(self, memory: Callable[[], saegim.Saegim]) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._noted: dict[str, float] = {}
        self._asked: dict[str, _Counted] = {}
        self._left: dict[str, _Allowance] = {}

    def by_token(self, token: str) -> Grant | None:
        """Return what a token opens now; nothing for one that is unknown, revoked or too old."""
        if not looks_like_token(token):
            return None
        mind = self._memory().mind
        found = mind.store.tokens.find(digest_of(token), mind.now())
        if found is None:
            return None
        row, quota = found
        if not row.owner:
            return Grant(token=row.id, rights=frozenset(), is_admin=True)
        self._count(row.owner, quota, mind.now())
        return Grant(row.owner, frozenset(row.rights), row.id, quota=quota)

    def by_cookie(self, cookie: str) -> Grant | None:
        """Return what the cookie of a person opens now."""
        mind = self._memory().mind
        found = mind.store.visits.find(digest_of(cookie), mind.now())
        return None if found is None else Grant(found[0], quota=found[1])

    def admit(self, code: str) -> str | None:
        """Return a new cookie for a link of a person that was never used; or nothing."""
        mind, cookie = self._memory().mind, secrets.token_urlsafe(32)
        now = mind.now()
        until = now + timedelta(days=mind.settings.page_visit_days)
        store = mind.store.visits
        return cookie if store.admit(digest_of(code), digest_of(cookie), now, until) else None

    def end(self, cookie: str) -> None:
        """Let a cookie open nothing any more."""
        self._memory().mind.store.visits.end(digest_of(cookie))

    def is_shared(self) -> bool:
        """Say whether this store has people at all."""
        return self._memory().mind.store.people.is_shared()

    def note(self, grant: Grant) -> None:
        """Write down behind an answer that a token was used, once a minute at most."""
        now = time.monotonic()
        with self._lock:
            if now - self._noted.get(grant.token, -_NOTED_SECONDS) < _NOTED_SECONDS:
                return
            self._noted[grant.token] = now
        mind = self._memory().mind
        try:
            mind.store.tokens.note_use(grant.token, mind.now())
            self._write_down(grant.user)
        except StoreError:
            # Busy, full or read only: the answer was given, and the next minute tries again.
            return

    def flush(self) -> None:
        """Write down everything that was counted."""
        for owner in list(self._asked):
            self._write_down(owner)

    def _count(self, owner: str, quota: Quota, at: datetime) -> None:
        """Count a request; refuse one more than a person may ask in a day."""
        if quota.requests is None:
            return
        day = f"{at:%Y-%m-%d}"
        held = self._asked.get(owner)
        if held is None or held.day != day:
            made = self._memory().mind.store.people.used(owner, _REQUESTS, at)
            held = _Counted(day, made)
        with self._lock:
            current = self._asked.get(owner)
            held = current if current is not None and current.day == day else held
            self._asked[owner] = held
            if held.written + held.since >= quota.requests:
                wait = _until_tomorrow(at)
                most = quota.requests
                raise QuotaReached("people.requests_of_day", most=most, retry_after=wait)
            held.since += 1

    def _write_down(self, owner: str) -> None:
        with self._lock:
            held = self._asked.get(owner)
            count = held.since if held else 0
            if held is None or not count:
                return
            held.written, held.since = held.written + count, 0
        mind = self._memory().mind
        everybody = mind.store.people.use(owner, _REQUESTS, _noon(held.day, mind.now()), count)
        with self._lock:
            held.written = max(held.written, everybody)

    def refuse_full(self, grant: Grant, arguments: Any) -> None:
        """Refuse to add to what a person has, where that is as much as they may have."""
        quota = grant.quota
        if quota is None or (quota.memories is None and quota.bytes is None):
            return
        size = len(str(arguments.get("text") or arguments.get("content") or "").encode())
        for again in (False, True):
            left = self._allowance(grant.user, quota, again=again)
            with self._lock:
                if left.memories > 0 and left.bytes >= size:
                    left.memories, left.bytes = left.memories - 1, left.bytes - size
                    return
        is_count = left.memories <= 0
        key = "people.memories_reached" if is_count else "people.bytes_reached"
        raise QuotaReached(key, most=quota.memories if is_count else quota.bytes)

    def _allowance(self, owner: str, quota: Quota, *, again: bool) -> _Allowance:
        held, now = self._left.get(owner), time.monotonic()
        if held is not None and not again and now - held.at < _COUNTED_SECONDS:
            return held
        count, size = self._memory().within(user=owner).mind.store.memories.held(owner)
        most, widest = (
            _MOST_LIMIT if each is None else each for each in (quota.memories, quota.bytes)
        )
        made = self._left[owner] = _Allowance(now, most - count, widest - size)
        return made


def _until_tomorrow(at: datetime) -> float:
    midnight = (at + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - at).total_seconds()


def _noon(day: str, now: datetime) -> datetime:
    """Return an instant of a day, for what was counted before midnight and written after."""
    return datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=now.tzinfo)


def seen_by(memory: saegim.Saegim, grant: Grant) -> saegim.Saegim:
    """Return the memory that a grant opens: this is the wall between people."""
    if grant.is_admin:
        raise Forbidden("people.administrator_reads_nothing")
    return memory.within(user=grant.user) if grant.user else memory


def names_in(headers: Iterable[str], query: Iterable[tuple[str, str]], body: Any) -> frozenset[str]:
    """Return whom a request names as a user, in a header, the address or its body."""
    found = {*headers, *(value for name, value in query if name.lower() in _NAMED)}
    if isinstance(body, dict):
        inner = body.get("params")
        places = (body, body.get("arguments"), inner, inner and _arguments(inner))
        for place in places:
            if isinstance(place, dict):
                found |= {str(place[name]) for name in _NAMED if place.get(name) is not None}
    return frozenset(found)


def _arguments(params: Any) -> Any:
    return params.get("arguments") if isinstance(params, dict) else None


_NAMED: Final = ("user", "owner", "tenant")
