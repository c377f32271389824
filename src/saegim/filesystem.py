"""Which file system a path lies on, who may share it there, and how a file is written whole."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TextIO

from saegim.errors import BadInput

# Write-ahead logging needs shared memory between all processes; over a network there is none.
NETWORK = frozenset(
    (
        "nfs nfs4 cifs smb smb2 smb3 smbfs afs ncpfs 9p ceph glusterfs lustre davfs fuse.sshfs "
        "fuse.rclone fuse.glusterfs fuse.s3fs fuse.gvfsd-fuse fuse.davfs2 fuse.grpcfuse "
        "fuse.osxfs fakeowner virtiofs vboxsf prl_fs vmhgfs fuse.vmhgfs-fuse drvfs"
    ).split()
)
# Folders that a program copies file by file while we write: the copy can tear a store apart.
SYNCED = (
    "Dropbox",
    "OneDrive",
    "Google Drive",
    "GoogleDrive",
    "Mobile Documents",
    "Nextcloud",
    "Syncthing",
    "Box Sync",
    "MYBOX",
)
# The kernel writes spaces in the name of a mount as \040, and other letters as they are.
_ESCAPED = re.compile(r"\\([0-7]{3})")
# So much of an odd path is shown in an error.
_SHOWN = 100


def file_system(path: Path, mounts: str | None = None) -> str:
    """Return the type of the file system the path lies on, or an empty string if unknown."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    best, kind = "", ""
    where = str(path)
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        mount = _ESCAPED.sub(lambda octal: chr(int(octal[1], 8)), fields[4])
        inside = where == mount or where.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, after.split()[0]
    return kind


def trouble_with(path: Path, mounts: str | None = None) -> str:
    """Say why several processes cannot safely share a store here, or nothing if they can."""
    # A link decides nothing: what counts is where the file really lies.
    real = Path(os.path.realpath(path))
    kind = file_system(real, mounts)
    if kind in NETWORK:
        return f"{path} lies on a network or shared file system ({kind})"
    for part in (*path.parts, *real.parts):
        if any(part.startswith(name) for name in SYNCED):
            return f"{path} lies in a folder that is synchronised ({part})"
    return ""


def is_writable(path: Path) -> bool:
    """Say whether the file, and the folder its journal needs, can be written."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def named_path(
    path: str | os.PathLike[str], *, expand: bool = False, database: bool = False
) -> Path:
    """Return a path that somebody named; refuse what no file can be called.

    With `expand`, `~` is a person's home folder. A `database` needs a name in UTF-8.
    """
    text = os.fspath(path)
    shown = repr(text)[:_SHOWN]
    if not text.strip() or "\0" in text:
        raise BadInput("memory.path_is_none", path=shown)
    place = Path(text)
    try:
        text.encode("utf-8", "strict" if database else "surrogateescape")
        place = place.expanduser() if expand else place
        place.lstat()
    except RuntimeError as error:
        raise BadInput("memory.no_home_of_that_name", path=shown) from error
    except (UnicodeEncodeError, OSError) as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise BadInput("memory.path_cannot_be_used", path=shown, reason=reason) from error
    return place


def own_folder(folder: Path) -> None:
    """Make a folder, and those it lies in, that only their owner may look into.

    A link in its place is refused: it may lead where others read.
    """
    if folder.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, "it is a link", str(folder))
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def locked(handle: int) -> bool:
    """Take the lock of an open file, if nobody has it; the system lets go for the dead."""
    try:
        # Each system has one of the two.
        if sys.platform == "win32":
            msvcrt = import_module("msvcrt")
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl = import_module("fcntl")
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Write a file under another name and give it its own once it is whole; only we may read it.

    What is there and is no file, such as a device, is not replaced.
    """
    temporary: Path | None = None
    try:
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise OSError(errno.EINVAL, "it is not a file")
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".saegim-", suffix=".new")
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> BadInput:
    """Return the error for a file that cannot be written."""
    return BadInput("memory.cannot_be_written", path=path, reason=error.strerror or error)


@contextmanager
def held_alone(lock: Path) -> Iterator[bool]:
    """Say whether this process alone holds a lock file; the system lets go for the dead."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield locked(handle)
    finally:
        os.close(handle)
