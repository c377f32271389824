"""Where a store lies, and whether several processes may share it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim.filesystem import NETWORK, SYNCED, file_system, is_writable, trouble_with

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /mnt rw shared:2 - xfs /dev/sdb rw
31 30 0:41 / /mnt/nas rw shared:3 - nfs4 host:/x rw
32 30 0:42 / /mnt/my\\040disk rw - cifs //host/x rw
a line that is no mount
33 22 0:43 / /mnt/half rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/x.db", "ext4"),
        ("/mnt/x.db", "xfs"),
        ("/mnt/nas/x.db", "nfs4"),
        ("/mnt/nasty/x.db", "xfs"),
        ("/mnt/my disk/x.db", "cifs"),
        ("/mnt/nas", "nfs4"),
    ],
)
def test_the_longest_mount_that_holds_the_path_decides(path: str, kind: str) -> None:
    """R-18: the type is that of the innermost mount, also with spaces in its name."""
    assert file_system(Path(path), MOUNTS) == kind


def test_what_is_unknown_is_no_trouble() -> None:
    """U35.1: without a list of mounts nothing is claimed."""
    assert file_system(Path("/x"), "") == ""
    assert trouble_with(Path("/x/store.db"), "") == ""
    assert isinstance(file_system(Path("/tmp/x")), str)


@pytest.mark.parametrize("kind", sorted(NETWORK))
def test_network_file_systems_are_named(kind: str) -> None:
    """U35.1: every known network or shared type is told, with its name."""
    mounts = f"1 0 0:1 / / rw - {kind} x rw\n"
    assert kind in trouble_with(Path("/data/store.db"), mounts)


@pytest.mark.parametrize("folder", [*SYNCED, "OneDrive - Company"])
def test_synchronised_folders_are_named(folder: str) -> None:
    """U35.1: a program that copies files one by one can tear a store apart."""
    assert folder in trouble_with(Path(f"/home/me/{folder}/saegim/store.db"), "")
    assert trouble_with(Path("/home/me/notes/store.db"), "") == ""


def test_a_file_is_writable_if_it_and_its_folder_are(tmp_path: Path) -> None:
    """R-10: the journal needs the folder."""
    assert is_writable(tmp_path / "new.db")
    assert not is_writable(tmp_path / "none" / "new.db")
