"""A place where processes cannot share memory: no write-ahead log there, and the reason is said."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from faults.stores import grown, opened, sentences, tampered
from saegim import Saegim, filesystem
from saegim.store import database

ROOT = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw"


def mounts(*lines: tuple[str, str]) -> str:
    """Write a table of mounts as the kernel does: a root, and these places with their kinds."""
    return "\n".join(
        [
            ROOT,
            "23 22 0:5 / /proc rw,nosuid - proc proc rw",
            *(f"40 22 0:44 / {at} rw,relatime shared:9 - {kind} there rw" for at, kind in lines),
        ]
    )


def journal(memory: Saegim) -> str:
    """Return how the store keeps its changes safe."""
    rows = memory.mind.store.database.rows("PRAGMA journal_mode")
    return str(rows[0][0])


@pytest.fixture
def mounted_as(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the folder of the test seem to lie on a file system of this kind."""

    def fake(kind: str) -> None:
        table = mounts((str(tmp_path.resolve()).replace(" ", "\\040"), kind))
        told = partial(filesystem.trouble_with, mounts=table)
        monkeypatch.setattr(database, "trouble_with", told)

    return fake


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "virtiofs"])
def test_no_log_is_shared_over_a_network(
    tmp_path: Path, mounted_as: Callable[[str], None], kind: str
) -> None:
    """R-18, U35.1: on a network file system WAL is refused and the warning names the reason."""
    mounted_as(kind)
    with opened(tmp_path / "memory.db") as memory:
        grown(memory, sentences(5))
        assert journal(memory) == "delete"
        assert [each for each in memory.status()["warnings"] if f"({kind})" in each]
        assert memory.recall("barley kettle").hits
        assert not (tmp_path / "memory.db-wal").exists()
    with opened(tmp_path / "memory.db") as again:
        assert again.recent(1).total == 5
        assert again.mind.store.check() == []


def test_a_log_is_used_on_a_disk_of_this_machine(
    tmp_path: Path, mounted_as: Callable[[str], None]
) -> None:
    """R-18 control: the same folder on a local disk has its log and no warning."""
    mounted_as("ext4")
    with opened(tmp_path / "memory.db") as memory:
        grown(memory, sentences(5))
        assert journal(memory) == "wal"
        assert memory.status()["warnings"] == []


def test_a_store_carried_to_a_network_lets_go_of_its_log(
    tmp_path: Path, mounted_as: Callable[[str], None]
) -> None:
    """R-18: a store that was made on a local disk changes its ways with the first write."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        grown(memory, sentences(5))
    mounted_as("nfs")
    with opened(path) as memory:
        memory.remember("words over the network")
        assert journal(memory) == "delete"
        assert memory.recent(1).total == 6
    tampered(path, "PRAGMA integrity_check")
    assert not Path(f"{path}-wal").exists()


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Home", "Google Drive", "Nextcloud"])
def test_a_synchronised_folder_is_named(tmp_path: Path, name: str) -> None:
    """R-18, U35.1: in a folder that a program synchronises there is no log, and it says why."""
    with opened(tmp_path / name / "memory.db") as memory:
        grown(memory, sentences(3))
        assert journal(memory) == "delete"
        assert [each for each in memory.status()["warnings"] if name in each]


def test_a_link_does_not_hide_where_the_store_lies(tmp_path: Path) -> None:
    """R-18: a link from a harmless place into a synchronised folder is seen through."""
    (tmp_path / "Dropbox").mkdir()
    (tmp_path / "harmless").symlink_to(tmp_path / "Dropbox", target_is_directory=True)
    with opened(tmp_path / "harmless" / "memory.db") as memory:
        assert [each for each in memory.status()["warnings"] if "Dropbox" in each]


@pytest.mark.parametrize(
    ("at", "path"),
    [
        ("/mnt/share", "/mnt/share/memory.db"),
        ("/mnt/my\\040share", "/mnt/my share/deep/memory.db"),
        ("/mnt/나의\\040공유", "/mnt/나의 공유/기억.db"),
        ("/mnt/back\\134slash", "/mnt/back\\slash/memory.db"),
    ],
)
def test_a_mount_is_recognised_however_it_is_written(at: str, path: str) -> None:
    """R-18, R-34: spaces, Korean and backslashes in the name of a mount hide nothing."""
    assert filesystem.file_system(Path(path), mounts((at, "nfs4"))) == "nfs4"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/mnt/sharepoint/memory.db", "ext4"),
        ("/mnt/share/local/memory.db", "xfs"),
        ("/mnt/share/locale/memory.db", "nfs4"),
    ],
)
def test_the_deepest_mount_decides(path: str, kind: str) -> None:
    """R-18: a name that only begins alike is another place, and the innermost mount counts."""
    table = mounts(("/mnt/share", "nfs4"), ("/mnt/share/local", "xfs"))
    assert filesystem.file_system(Path(path), table) == kind
