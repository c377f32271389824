"""The process that speaks with other houses: `python -m saegim.federation.peer_process FOLDER`.

It knows one folder, which holds its key and what the house hands it. It has no handle of the store
and takes away its own means to get one: Python refuses to open anything else (an audit hook, which
cannot be taken off again), and where the kernel has Landlock, the kernel refuses it too.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from saegim.errors import Refused, SaegimError
from saegim.federation.aggregate import least_members
from saegim.federation.envelope import EnvelopeRefused, Refusal, canonical, sealed
from saegim.federation.exchange import SharedModel, hand_shared, offer_in, text_of, vector_of
from saegim.federation.keys import read_own, written
from saegim.federation.rounds import Rounds
from saegim.federation.swarm import Membership, Roster, membership_in
from saegim.federation.transport import TCP, TRANSPORTS, Transport, load, opened
from saegim.logs import begin, logger

_log = logger("federation")
_STATE: Final = "rounds.json"
START: Final = "start.json"
_ROSTER: Final = b"SGR1"
_MOST_ROSTER: Final = 32 * 1024


# -- the guard --------------------------------------------------------------------------------

# What a process could do to reach the store: none of it is needed here.
_NEVER: Final = frozenset(
    "sqlite3.connect subprocess.Popen os.system os.exec os.posix_spawn os.fork os.forkpty "
    "os.spawn os.startfile os.link os.symlink ctypes.dlopen".split()
)
# What moves, cuts or takes away files, and the number of paths that it names.
_CHANGES: Final = {"os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.truncate": 1, "os.chmod": 1}
_NO_IMPORT: Final = ("apsw", "sqlite3", "_sqlite3", "saegim.store", "saegim.saegim")
# Rights of Landlock: everything about files (bits 0 to 12) and cutting them (bit 14, since ABI 3).
_FILES: Final = (1 << 13) - 1
_CUT: Final = 1 << 14
_READING: Final = (1 << 0) | (1 << 2) | (1 << 3)
_SYSTEM: Final = ("/usr", "/lib", "/lib64", "/etc", "/dev/urandom", "/dev/null")


def guard(folder: Path) -> bool:
    """Take away every file but those of one folder and of Python; say whether the kernel does."""
    folder = Path(os.path.realpath(folder))
    readable = _readable(folder)

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event in _NEVER:
            raise PermissionError(f"{event} is refused in this process")
        if event == "import" and str(given[0]).startswith(_NO_IMPORT):
            raise ImportError(f"{given[0]} is refused in this process")
        if event == "open" and isinstance(given[0], str | bytes | os.PathLike):
            changes = _changes(given[1], given[2])
            _refuse_outside(given[0], folder, () if changes else readable)
        for each in given[: _CHANGES.get(event, 0)]:
            _refuse_outside(each, folder, ())

    by_kernel = _landlocked(folder, readable)
    sys.addaudithook(watch)
    return by_kernel


def _readable(folder: Path) -> tuple[Path, ...]:
    """Return where Python and the system lie; never what the folder of the store lies in."""
    named = (sys.prefix, sys.base_prefix, *sys.path, *_SYSTEM)
    found = {Path(os.path.realpath(each)) for each in named if each and os.path.exists(each)}
    return tuple(each for each in found if each not in folder.parents and each != folder)


def _changes(mode: object, flags: object) -> bool:
    """Say whether a file is opened to be changed."""
    asked = flags if isinstance(flags, int) else 0
    writes = asked & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    return bool(writes) or (isinstance(mode, str) and bool(set(mode) & set("wax+")))


def _refuse_outside(name: Any, folder: Path, readable: tuple[Path, ...]) -> None:
    if isinstance(name, int):
        # A descriptor is of a file that was let through before.
        return
    path = Path(os.path.realpath(os.fsdecode(name)))
    inside = (folder, *readable, Path(os.devnull))
    if not any(each == path or each in path.parents for each in inside):
        raise PermissionError(f"{path} is refused in this process")


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _landlocked(folder: Path, readable: tuple[Path, ...]) -> bool:
    """Let the kernel refuse the same, where it can; false where it cannot."""
    if not sys.platform.startswith("linux"):
        return False
    call = ctypes.CDLL(None, use_errno=True)
    version = call.syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    rights = _FILES | (_CUT if version >= 3 else 0)
    ruleset = _Ruleset(rights)
    handle = call.syscall(444, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if handle < 0:
        return False
    try:
        for path, allowed in ((folder, rights), *((each, _READING) for each in readable)):
            beneath = allowed if path.is_dir() else allowed & ((1 << 0) | (1 << 1) | (1 << 2))
            place = os.open(path, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
            rule = _Beneath(beneath, place)
            call.syscall(445, handle, 1, ctypes.byref(rule), 0)
            os.close(place)
        # Without it a program with more rights could be started, and nothing may be restricted.
        call.prctl(38, 1, 0, 0, 0)
        return int(call.syscall(446, handle, 0)) == 0
    finally:
        os.close(handle)


# -- the loop ---------------------------------------------------------------------------------


class SwarmPeer:
    """One house among others: takes what comes, sends what is offered, closes rounds."""

    def __init__(
        self, membership: Membership, transport: Transport, start: Any, patience: float
    ) -> None:
        self.membership, self.transport, self.patience = membership, transport, patience
        self.rounds = Rounds(membership.rules, membership.key.public, start)
        self.rounds.resume(read_own(membership.folder / _STATE) or "")
        self._recent: dict[int, bytes] = {}
        self._told: SharedModel | None = None
        self._stamp = 0

    @property
    def _members(self) -> dict[str, str]:
        return self.membership.roster.addresses

    def step(self, now: float) -> None:
        """Do what is due between two looks at the wire."""
        self._look_at_roster()
        self._send_offer(now)
        if self.rounds.is_ripe(self._members, now, self.patience):
            self.rounds.close()
            _log.info("round %d ended with %d houses", self.rounds.round, self.rounds.last_count)
            self._keep()
        elif self.rounds.catch_up(now, self.patience):
            self._keep()
        self._tell(now)

    def take(self, came: tuple[str, bytes] | None, now: float) -> None:
        """Take one message; what is wrong with it is counted and harms nothing."""
        if came is None:
            return
        _, raw = came
        if raw.startswith(_ROSTER):
            self._take_roster(raw)
            return
        try:
            self.rounds.take(raw, self._members, now)
        except EnvelopeRefused as refused:
            if refused.reason in (Refusal.OWN, Refusal.DOUBLE):
                _log.warning("an envelope was refused: %s", refused.reason)
                self._keep()

    def repeat(self) -> None:
        """Send again what is still wanted: the latest two of our own, and the roster."""
        for raw in self._recent.values():
            self.transport.publish(raw)
        if self.membership.is_owner:
            self.transport.publish(_ROSTER + canonical(self.membership.roster))

    def _send_offer(self, now: float) -> None:
        offer, rules = offer_in(self.membership.folder), self.membership.rules
        due = self.rounds.round
        if offer is None or offer.round != due or due in self._recent or self.rounds.state.stopped:
            return
        vector = offer.vector
        if vector.size != rules.size or offer.schema != rules.schema or offer.expires <= now:
            return
        raw = sealed(
            self.membership.key,
            vector,
            rules.expected,
            round=due,
            sequence=offer.number,
            expires=offer.expires,
        )
        digest = hashlib.sha256(vector.astype("<f4").tobytes()).hexdigest()
        if self.rounds.state.sent.get(due, digest) != digest:
            return
        # Written down before it leaves: after a crash the same is sent again, and nothing else.
        self.rounds.note_sent(due, digest)
        self._keep()
        self._recent = {each: held for each, held in self._recent.items() if each == due - 1}
        self._recent[due] = raw
        self.take((self.membership.key.public, raw), now)
        self.transport.publish(raw)

    def _look_at_roster(self) -> None:
        """See whether the owner of this very house changed the roster on the disk."""
        stamp = self.membership.roster_stamp()
        if self.membership.is_owner and stamp != self._stamp:
            self._stamp = stamp
            found = membership_in(self.membership.folder)
            if found is not None and found.roster.version > self.membership.roster.version:
                self._meet(found)

    def _take_roster(self, raw: bytes) -> None:
        try:
            if len(raw) > _MOST_ROSTER:
                return
            roster = msgspec.json.decode(raw[len(_ROSTER) :], type=Roster)
            if roster.version > self.membership.roster.version:
                self._meet(self.membership.with_roster(roster))
        except (msgspec.DecodeError, Refused):
            self.rounds.tally.refused[str(Refusal.MALFORMED)] += 1

    def _meet(self, membership: Membership) -> None:
        self.membership = membership
        self.rounds.forgive(self._members)
        self.transport.allow(membership.others)

    def _keep(self) -> None:
        written(self.membership.folder / _STATE, self.rounds.packed())

    def _tell(self, now: float) -> None:
        """Tell the house how it is, when that has changed or half a minute is over."""
        state, rules = self.rounds.state, self.membership.rules
        told = SharedModel(
            swarm=rules.swarm,
            round=self.rounds.round,
            schema=rules.schema,
            weights=text_of(self.rounds.model),
            wants=not (state.behind or state.stopped),
            stopped=state.stopped,
            count=self.rounds.last_count,
            connected=tuple(self.transport.peers()),
            taken=self.rounds.tally.taken,
            refused=dict(self.rounds.tally.refused),
            pid=os.getpid(),
        )
        same = self._told is not None and msgspec.structs.replace(self._told, at=0.0) == told
        if not same or (self._told is not None and now - self._told.at >= 30.0):
            self._told = msgspec.structs.replace(told, at=now)
            hand_shared(self.membership.folder, self._told)


def run(peer: SwarmPeer, ended: threading.Event, *, tick: float, repeat: float) -> None:
    """Go on until told to end."""
    again = 0.0
    while not ended.is_set():
        peer.take(peer.transport.receive(tick), time.time())
        peer.step(time.time())
        if time.monotonic() >= again:
            again = time.monotonic() + repeat
            peer.repeat()


def start_of(membership: Membership) -> Any:
    """Return the weights that all members begin with; refuse others than the rules name."""
    vector = vector_of(read_own(membership.folder / START) or "")
    digest = hashlib.sha256(vector.astype("<f4").tobytes()).hexdigest()
    if digest != membership.rules.start or vector.size != membership.rules.size:
        raise Refused("federation.other_beginning")
    return np.asarray(vector, dtype=np.float64)


def main(given: list[str]) -> int:
    """Speak with others until a signal, or until the house that started us is gone."""
    parser = argparse.ArgumentParser(prog="saegim-peer")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--patience", type=float, default=3600.0)
    parser.add_argument("--tick", type=float, default=1.0)
    parser.add_argument("--repeat", type=float, default=30.0)
    parser.add_argument("--transport", choices=TRANSPORTS, default=TCP)
    parser.add_argument("--log-level", default="WARNING")
    asked = parser.parse_args(given)
    begin(asked.log_level)
    ended = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: ended.set())
    try:
        # Others' packages look about while they are loaded: that is over before the guard stands.
        load(asked.transport)
        # Before anything is read, and before any thread: it holds for this process as a whole.
        by_kernel = guard(asked.folder)
        membership = membership_in(asked.folder)
        if membership is None:
            raise Refused("federation.no_member")
        start, rules = start_of(membership), membership.rules
        transport = opened(membership)
    except SaegimError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _log.info("listening, %d houses needed, kernel %s", least_members(rules.faulty), by_kernel)
    parent = os.getppid()
    threading.Thread(target=_end_with, args=(parent, ended), daemon=True).start()
    try:
        peer = SwarmPeer(membership, transport, start, asked.patience)
        run(peer, ended, tick=asked.tick, repeat=asked.repeat)
    finally:
        transport.close()
    return 0


def _end_with(parent: int, ended: threading.Event) -> None:
    """End when the process that started us is gone, however it went."""
    while not ended.wait(2.0):
        if os.getppid() != parent:
            ended.set()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
