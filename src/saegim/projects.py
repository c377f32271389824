"""Where one is working: which project a folder belongs to, the same for every door.

A folder is known by its git repository, read by hand and never run, else by what marks it. Hooks
ask this on every turn, so nothing is loaded for it that moving memories would need.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
import struct
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from saegim.errors import StoreError
from saegim.memory.memory import checked_name

if TYPE_CHECKING:
    from saegim.store.store import Store


# -- a name for a project ------------------------------------------------------------------------

# What a name may not hold (`memory.scope.checked_name`), and runs of what it may hold only once.
_FOREIGN: Final = re.compile(r"[^\w .@:+\-/#()]+")
_RUNS: Final = re.compile(r"(-)-+|(\.)\.+|( ) +")
_UNFIT_START: Final = re.compile(r"^\W+")
# A name may have 200 letters; a number that tells two of the same name apart needs some of them.
_LONGEST: Final = 190
# For a folder in whose name nothing can be kept, such as one of pictograms.
NAMELESS: Final = "project"


def project_name(called: str) -> str:
    """Return a valid name of a project that is as near as can be to what something is called."""
    whole = unicodedata.normalize("NFC", called.encode("utf-8", "replace").decode())
    spelled = _RUNS.sub(r"\1\2\3", _FOREIGN.sub("-", whole))
    name = _UNFIT_START.sub("", spelled)[:_LONGEST].rstrip(" -.")
    return name or NAMELESS


# -- a git repository: an odd, broken or unreadable file is as good as none, and nothing raises ----

# Pointers are one line; a config longer than this has its origin near the beginning all the same.
_MOST_BYTES: Final = 1 << 16
_POINTER: Final = re.compile(r"gitdir:[ \t]*(.+)")
_ORIGIN: Final = re.compile(r'\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_CORE: Final = re.compile(r"\[\s*core\s*\]", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s[#;].*$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_GIT: Final = ".git"


@dataclass(frozen=True, slots=True)
class Repository:
    """What tells one repository from another, whichever of its folders one stands in."""

    # The main checkout where there is one, else the common directory; "" if neither is sure.
    path: str
    name: str
    # Host and path of the `origin`, without user, password, port and query; "" if it has none.
    origin: str = ""
    # The folder of this machine it was cloned from, if it was.
    cloned_from: str = ""
    # Which directory it is on the disk, whatever it is called; "" if that cannot be known.
    mark: str = ""
    # Where git keeps its objects and refs; "" if that is not sure.
    common: str = field(default="", compare=False)
    # A checkout that points elsewhere, and where to: one repository has many of them.
    tree: str = field(default="", compare=False)


def repository_at(folder: str, above: Iterable[str] | None = None) -> Repository | None:
    """Return the repository that has its checkout, or a worktree, exactly here.

    `above` are the folders around it that may be another repository; without it all of them.
    """
    entry = os.path.join(folder, _GIT)
    if os.path.isdir(entry):
        if os.path.islink(entry) and not _serves(entry, folder):
            # Any archive can hold a link to where another repository lies.
            return Repository("", os.path.basename(folder), tree=f"{folder}\n{entry}")
        return _read(entry, folder) if _is_git(entry) else None
    if os.path.isfile(entry):
        return _pointed(entry, folder)
    # Any repository can hold files that are laid out like a bare one, with a config of its own.
    if not _is_git(folder) or not _is_bare(folder):
        return None
    around = _above(folder) if above is None else above
    inside = any(os.path.lexists(os.path.join(each, _GIT)) for each in around)
    return None if inside else _read(folder, folder)


def _above(folder: str) -> Iterator[str]:
    here = os.path.realpath(folder)
    while (parent := os.path.dirname(here)) != here:
        yield (here := parent)


def _is_git(directory: str) -> bool:
    """Say whether a directory holds what git keeps of a whole repository."""
    return all(
        os.path.exists(os.path.join(directory, each)) for each in ("HEAD", "objects", "refs")
    )


def _is_bare(directory: str) -> bool:
    said = _setting(_text(os.path.join(directory, "config")), _CORE, "bare")
    return said.casefold() in ("true", "yes", "on", "1")


def _pointed(entry: str, folder: str) -> Repository | None:
    """Follow the `.git` file of a worktree or a submodule to what says that it is its own.

    Anyone can write a path: what does not point back lends nothing, and the checkout is known by
    itself. So is a worktree whose main checkout was renamed; it was noted while that was there.
    """
    found = _POINTER.match(_text(entry))
    if found is None:
        return None
    target = os.path.normpath(os.path.join(folder, found[1].strip()))
    tree = f"{folder}\n{target}"
    if common := _common(target, entry):
        return replace(_read(common, ""), tree=tree)
    if _is_git(target) and _serves(target, folder):
        return _read(target, folder)
    return Repository("", os.path.basename(folder), tree=tree)


def _common(target: str, entry: str) -> str:
    """Return what a linked worktree shares with its repository, if that knows of the worktree."""
    back = _text(os.path.join(target, "gitdir")).strip()
    shared = _text(os.path.join(target, "commondir")).strip()
    common = os.path.join(target, shared)
    listed = os.path.join(common, "worktrees", os.path.basename(target))
    known = back and shared and _is_git(common) and _same(listed, target)
    return common if known and _same(os.path.join(target, back), entry) else ""


def _serves(directory: str, folder: str) -> bool:
    """Say whether a git directory lies in this checkout, or names it as its own."""
    inside = os.path.join(os.path.realpath(folder), "")
    if os.path.realpath(directory).startswith(inside):
        return True
    texts = (_text(os.path.join(directory, each)) for each in ("config", "config.worktree"))
    named = (_setting(each, _CORE, "worktree") for each in texts)
    return any(each and _same(os.path.join(directory, each), folder) for each in named)


def _read(directory: str, folder: str) -> Repository:
    common = os.path.realpath(directory)
    path, name = _place(common, folder)
    url = url_of(_text(os.path.join(common, "config")))
    origin, near = normalised(url), _near(url)
    called = origin.rpartition("/")[2] or name
    return Repository(path, called, origin, near, _mark(common), common)


def _place(common: str, folder: str) -> tuple[str, str]:
    """Return where a repository is at home, and what that place is called."""
    parent, last = os.path.split(common)
    if last == _GIT:
        return parent, os.path.basename(parent)
    if folder and os.path.realpath(folder) != common:
        # A submodule, or a git directory kept elsewhere: the checkout bears the name.
        return common, os.path.basename(folder)
    bare = last.removesuffix(_GIT)
    hidden = not bare or bare.startswith(".")
    return common, os.path.basename(parent) if hidden else bare


def _mark(common: str) -> str:
    """Return the inode and the time of birth: inodes are given out again, devices renumbered."""
    found = _stat(common)
    if found is None or not found.st_ino:
        return ""
    # Git writes this file once, when the repository is made, and a rename does not touch it.
    born = _stat(os.path.join(common, "description"))
    return f"{found.st_ino}:{born.st_mtime_ns if born else found.st_dev}"


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _same(one: str, other: str) -> bool:
    """Say whether two paths lead to the same thing on the disk."""
    first, second = _stat(one), _stat(other)
    return first is not None and second is not None and os.path.samestat(first, second)


# -- the origin -----------------------------------------------------------------------------------


def url_of(config: str) -> str:
    """Return the address of `origin` that a git config names, or nothing."""
    return _setting(config, _ORIGIN, "url")


def _setting(config: str, section: re.Pattern[str], name: str) -> str:
    """Return the first value that a section of a git config gives a name, or nothing."""
    inside = False
    for line in map(str.strip, config.splitlines()):
        key, equals, value = line.partition("=")
        if line.startswith("["):
            inside = bool(section.match(line))
        elif inside and equals and key.strip().casefold() == name:
            return _COMMENT.sub("", value).strip().strip('"')
    return ""


def normalised(url: str) -> str:
    """Return host and path of an address, the same for every way to write it; no credentials."""
    _, marked, rest = url.partition("://")
    # Who asks stands before the last @ of what comes before the path.
    first, slash, path = (rest if marked else url).partition("/")
    first = first.rpartition("@")[2]
    if not marked:
        host, _, path = f"{first}{slash}{path}".partition(":")
    elif first.startswith("["):
        host = first.partition("]")[0] + "]"
    else:
        host = first.partition(":")[0]
    plain = re.split(r"[?#]", path, maxsplit=1)[0].strip("/").removesuffix(_GIT).strip("/")
    if _is_near(url) or not host or not plain or "/" in host:
        return ""
    return f"{host.casefold()}/{plain}"


def _is_near(url: str) -> bool:
    """Say whether an address is a folder of this machine."""
    return bool(_DRIVE.match(url)) or url.startswith(("/", "\\", ".", "~", "file:"))


def _near(url: str) -> str:
    """Return the folder that an address names, unless it depends on where one stands."""
    path = url.removeprefix("file://")
    if not _is_near(url) or not os.path.isabs(path):
        return ""
    return os.path.realpath(path.rstrip("/").removesuffix(f"/{_GIT}"))


def _text(path: str) -> str:
    """Read the beginning of a small file; nothing where there is none."""
    try:
        # A pipe of that name would never end.
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""


# -- the history: which commit it began with, read from the objects themselves --------------------

# A history that is longer, or was cut off, cannot be told by its beginning.
UNKNOWABLE: Final = "-"
# Half a second on a small machine, once for each project.
_MOST_COMMITS: Final = 10_000
_MOST_PACKS: Final = 200
_MOST_OBJECT: Final = 1 << 20
_PIECE: Final = 4096
_MOST_DELTAS: Final = 64
_ID: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_REF: Final = re.compile(r"ref:[ \t]*(refs/\S+)")
_PARENT: Final = re.compile(rb"tree [0-9a-f]+\nparent ([0-9a-f]{40,64})\n")
_COMMIT, _OFFSET_DELTA, _NAMED_DELTA = 1, 6, 7


class CommitHistory:
    """The commits of one repository; what is odd, broken or a link to elsewhere is not there."""

    def __init__(self, repository: Repository) -> None:
        self._repository, self._objects = repository, os.path.join(repository.common, "objects")
        self._packs: list[_Pack] | None = None
        self._root: str | None = None
        self._cloned: bool | None = None

    def root(self) -> str:
        """Return the first commit of the branch at hand; "" before there is one."""
        if self._root is None:
            self._root = self._walked() if self._repository.common else ""
        return self._root

    def _walked(self) -> str:
        id = self._head()
        for _ in range(_MOST_COMMITS if id else 0):
            if (commit := self._commit(id)) is None:
                return UNKNOWABLE
            if (found := _PARENT.match(commit)) is None:
                return id
            id = found[1].decode("ascii")
        return UNKNOWABLE if id else ""

    def holds(self, id: str) -> bool:
        """Say whether a commit is here: not its name alone, but what bears that name."""
        commit = self._commit(id) if self._repository.common and _ID.fullmatch(id) else None
        return commit is not None and _hashed(b"commit", commit, len(id)) == id

    def is_clone(self) -> bool:
        """Say whether the folder it says it was cloned from has the same beginning."""
        if self._cloned is None:
            source = self._repository.cloned_from
            found = repository_at(source) if source else None
            self._cloned = found is not None and self.holds(CommitHistory(found).root())
        return self._cloned

    def _head(self) -> str:
        common = self._repository.common
        said = _text(os.path.join(common, "HEAD")).strip()
        if (named := _REF.fullmatch(said)) is not None:
            name, said = named[1], ""
            if ".." not in name:
                said = _text(os.path.join(common, name)).strip()
            if not said:
                packed = _text(os.path.join(common, "packed-refs")).splitlines()
                found = (each.partition(" ") for each in packed)
                said = next((id for id, _, called in found if called == name), "")
        return said if _ID.fullmatch(said) else ""

    def _commit(self, id: str) -> bytes | None:
        raw = bytes.fromhex(id)
        try:
            # Of a long history most is packed, and a file takes longer to look for.
            for pack in self._all_packs():
                if (at := pack.place_of(raw)) is not None:
                    kind_of, data = pack.object_at(at)
                    return data if kind_of == _COMMIT else None
            loose = _mapped(os.path.join(self._objects, id[:2], id[2:]))
            if loose is not None:
                kind, _, rest = _inflated(loose, 0).partition(b"\0")
                return rest if kind.startswith(b"commit ") else None
        except (zlib.error, struct.error, IndexError, ValueError):
            pass  # torn, or not what git writes
        return None

    def _all_packs(self) -> list[_Pack]:
        if self._packs is None:
            folder = os.path.join(self._objects, "pack")
            try:
                names = sorted(each for each in os.listdir(folder) if each.endswith(".idx"))
            except OSError:
                names = []
            found = (_Pack.read(os.path.join(folder, each[:-4])) for each in names[:_MOST_PACKS])
            self._packs = [each for each in found if each is not None]
        return self._packs


@dataclass(frozen=True, slots=True)
class _Pack:
    """A file of many objects, and the list of where each of them lies."""

    index: mmap.mmap
    data: mmap.mmap
    count: int
    # Names of objects are as long as their hash.
    width: int

    @classmethod
    def read(cls, path: str) -> _Pack | None:
        index, data = _mapped(f"{path}.idx"), _mapped(f"{path}.pack")
        if index is None or data is None or index[:8] != b"\xfftOc\0\0\0\2":
            return None
        (count,) = struct.unpack_from(">I", index, 8 + 255 * 4)
        # Each object has its name, a checksum and a place; two hashes end the file.
        width = 32 if len(index) >= 1032 + count * 40 + 64 else 20
        return cls(index, data, count, width)

    def place_of(self, id: bytes) -> int | None:
        """Return where an object begins, or nothing if it is not here."""
        if len(id) != self.width:
            return None
        first = struct.unpack_from(">I", self.index, 8 + (id[0] - 1) * 4)[0] if id[0] else 0
        (last,) = struct.unpack_from(">I", self.index, 8 + id[0] * 4)
        names = range(first, min(last, self.count))
        at = first + bisect_left(names, id, key=self._name)
        if at >= names.stop or self._name(at) != id:
            return None
        places = 1032 + self.count * (self.width + 4)
        (place,) = struct.unpack_from(">I", self.index, places + at * 4)
        if place & 0x80000000:
            far = places + self.count * 4 + (place & 0x7FFFFFFF) * 8
            (place,) = struct.unpack_from(">Q", self.index, far)
        return int(place)

    def _name(self, at: int) -> bytes:
        start = 1032 + at * self.width
        return self.index[start : start + self.width]

    def object_at(self, place: int, depth: int = 0) -> tuple[int, bytes]:
        """Return the kind of an object and its content, put together from what it differs from."""
        if depth > _MOST_DELTAS:
            raise ValueError("too many differences")
        at, byte = place + 1, self.data[place]
        kind = byte >> 4 & 7
        while byte & 0x80:
            at, byte = at + 1, self.data[at]
        if kind == _OFFSET_DELTA:
            at, byte = at + 1, self.data[at]
            back = byte & 0x7F
            while byte & 0x80:
                at, byte = at + 1, self.data[at]
                back = (back + 1 << 7) | (byte & 0x7F)
            source: int | None = place - back
        elif kind == _NAMED_DELTA:
            source = self.place_of(self.data[at : at + self.width])
            at += self.width
        else:
            return kind, _inflated(self.data, at)
        if source is None or not 0 < source < len(self.data):
            raise ValueError("a difference from nothing")
        kind, before = self.object_at(source, depth + 1)
        return kind, _patched(before, _inflated(self.data, at))


def _inflated(data: mmap.mmap, at: int) -> bytes:
    """Return what was packed from here on, as far as a commit may be long."""
    unpacking, made = zlib.decompressobj(), b""
    while not unpacking.eof and at < len(data) and len(made) <= _MOST_OBJECT:
        made += unpacking.decompress(data[at : at + _PIECE], _MOST_OBJECT)
        at += _PIECE
    return made


def _patched(before: bytes, delta: bytes) -> bytes:
    """Carry out git's difference: copies of what was before, and new bytes."""
    at = 0
    for _ in range(2):  # the two lengths are not needed
        while delta[at] & 0x80:
            at += 1
        at += 1
    made = bytearray()
    while at < len(delta) and len(made) <= _MOST_OBJECT:
        order, at = delta[at], at + 1
        if not order & 0x80:
            made += delta[at : at + order]
            at += order
            continue
        numbers = [0] * 7
        for bit in range(7):
            if order >> bit & 1:
                numbers[bit], at = delta[at], at + 1
        start = int.from_bytes(bytes(numbers[:4]), "little")
        size = int.from_bytes(bytes(numbers[4:]), "little") or 0x10000
        made += before[start : start + size]
    return bytes(made)


def _hashed(kind: bytes, content: bytes, letters: int) -> str:
    whole = kind + b" " + str(len(content)).encode() + b"\0" + content
    if letters == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def _mapped(path: str) -> mmap.mmap | None:
    """Return the bytes of a file; a link is not followed: it could lead into another repository."""
    try:
        real = os.path.normcase(os.path.realpath(path))
        if real != os.path.normcase(path) or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


# -- the project at hand -------------------------------------------------------------------------

How = Literal["explicit", "environment", "git", "folder", "none"]

NAMED: Final = "SAEGIM_PROJECT"
# Claude Code tells its hooks in which folder it was started.
STARTED_IN: Final = "CLAUDE_PROJECT_DIR"
# A folder that holds one of these is a project; one that holds none, such as Downloads, is not.
MARKERS: Final = (
    ".git", ".hg", ".svn", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml",
    "CLAUDE.md", "AGENTS.md", ".claude", ".vscode", ".idea", "Makefile",
)  # fmt: skip
# These are recognised; nothing is put there.
_TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which project is at hand ("" is none: memories for all of them), and what decided it."""

    project: str
    how: How
    # The project whose origin this place names without having its history; nobody confirmed it.
    claims: str = ""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place that is a project: what it is called, and by what it is known, the surest first."""

    called: str
    places: tuple[str, ...]
    how: How
    # What anyone can write into a config: it counts only with the history that belongs to it.
    claims: tuple[str, ...] = ()
    history: CommitHistory | None = None
    folder: str = ""


def project_of(
    folder: Path | None,
    environment: Mapping[str, str],
    *,
    explicit: str | None = None,
    store: Store | None = None,
    user: str = "me",
) -> Resolved:
    """Return the project at hand; "" where there is none, such as in the home folder.

    Without a store, or with one that cannot be written, the answer is the name that the place
    would be given.
    """
    for given, how in ((explicit, "explicit"), (environment.get(NAMED), "environment")):
        if given is not None:
            name = checked_name("project", given) if given else ""
            return Resolved(name, "explicit" if how == "explicit" else "environment")
    started = environment.get(STARTED_IN)
    if started and os.path.isdir(started):
        found = _spot(started, environment)
        named = _known_as(found, store, user) if found else Resolved("", "none")
        return replace(named, how="environment")
    found = _spot(os.fspath(folder), environment) if folder is not None else None
    return _known_as(found, store, user) if found else Resolved("", "none")


def keep_apart(folder: Path, environment: Mapping[str, str], store: Store, user: str) -> None:
    """Note a person's no: what lies in a folder is not the project whose origin it names."""
    started = environment.get(STARTED_IN)
    at = started if started and os.path.isdir(started) else os.fspath(folder)
    if found := _spot(at, environment):
        store.projects.keep_apart(user, found.places)


def lies_in_project(path: str, folder: str | None, environment: Mapping[str, str]) -> bool:
    """Say whether a path leads below the folder of the project at hand.

    Where there is no project, it is the folder one stands in, unless that is home or the like.
    """
    try:
        here = next(_around(folder, environment), "") if folder else ""
        found = _spot(here, environment) if here else None
        top = os.path.join(os.path.realpath(found.folder if found else here), "")
        real = os.path.join(os.path.realpath(os.path.expanduser(path)), "")
    except (OSError, ValueError):
        return False
    return bool(here) and os.path.normcase(real).startswith(os.path.normcase(top))


def _known_as(spot: _Spot, store: Store | None, user: str) -> Resolved:
    """Return under which name a place is known; note it if it is seen for the first time."""
    wanted = project_name(spot.called)
    if store is None:
        return Resolved(wanted, spot.how)
    try:
        name, claimed = store.projects.name_of(
            user, spot.places, wanted, claims=spot.claims, history=spot.history
        )
        return Resolved(name, spot.how, claimed)
    except StoreError:
        return Resolved(wanted, spot.how)


# -- places ---------------------------------------------------------------------------------------


def _spot(folder: str, environment: Mapping[str, str]) -> _Spot | None:
    """Find the repository around a folder, else the nearest folder that is marked."""
    try:
        around = list(_around(folder, environment))
        for at, each in enumerate(around, start=1):
            if repository := repository_at(each, around[at:]):
                places, claims = tuple(_places(repository)), tuple(_claims(repository))
                history = CommitHistory(repository)
                return _Spot(repository.name, places, "git", claims, history, each)
        for each in around:
            if any(os.path.lexists(os.path.join(each, marker)) for marker in MARKERS):
                return _Spot(os.path.basename(each), (_path(each),), "folder", folder=each)
    except (OSError, ValueError):
        pass  # a name no file system knows, a folder that is gone: no place to be
    return None


def _around(folder: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a folder and those around it, up to the first that is never a project."""
    ends = _ends(environment)
    here = os.path.realpath(os.path.expanduser(folder))
    while os.path.normcase(here) not in ends and (parent := os.path.dirname(here)) != here:
        yield here
        here = parent


def _ends(environment: Mapping[str, str]) -> set[str]:
    """Return the folders that are never a project: home, and where temporary files lie."""
    named = (environment.get(each) for each in ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"))
    ends = (os.path.expanduser("~"), *_TEMPORARY, *named)
    return {os.path.normcase(os.path.realpath(each)) for each in ends if each}


def _places(repository: Repository) -> Iterator[str]:
    """Yield by what a repository is known, the surest first."""
    if repository.mark:
        yield _digest("mark", repository.mark)
    if repository.tree:
        yield _path(repository.tree)
    if repository.path:
        yield _path(repository.path)


def _claims(repository: Repository) -> Iterator[str]:
    """Yield which repository it says it is a clone of."""
    if repository.origin:
        yield _digest("origin", repository.origin.casefold())
    if repository.cloned_from:
        yield _path(repository.cloned_from)


def _path(path: str) -> str:
    return _digest("path", unicodedata.normalize("NFC", os.path.normcase(path)))


def _digest(kind: str, text: str) -> str:
    """Name a place by a digest: neither paths nor addresses are kept."""
    whole = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
    return f"{kind}:{whole.hexdigest()}"
