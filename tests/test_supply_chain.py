"""What Saegim is made of: packages with an end, hashes without an address, licences, no pickles."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import lock
import notice
from source_trees import trees_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BASE = [Requirement(each) for each in PROJECT["project"]["dependencies"]]
EXTRA = [
    Requirement(each)
    for lines in PROJECT["project"]["optional-dependencies"].values()
    for each in lines
    if not each.startswith("saegim[")
]
BUILD = [Requirement(each) for each in PROJECT["build-system"]["requires"]]
DEV = [Requirement(each) for each in PROJECT["project"]["optional-dependencies"]["dev"]]


# -- versions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [*BASE, *EXTRA, *BUILD], ids=str)
def test_every_package_ends_before_a_major_version(asked: Requirement) -> None:
    """FAULTS 83: a package that changes its promises is taken when someone has looked at it."""
    ends = {each.operator: each.version for each in asked.specifier}
    if asked.name == "libp2p":
        # It moves its modules between releases: the one that the tests ran with, and no other.
        assert set(ends) == {"=="}, asked
    else:
        assert set(ends) == {">=", "<"}, asked
        assert re.fullmatch(r"\d+", ends["<"]), asked
    assert asked.url is None


@pytest.mark.parametrize(
    "asked", [each for each in (*BASE, *DEV) if each.name != "saegim"], ids=str
)
def test_what_is_installed_lies_within(asked: Requirement) -> None:
    """Control: the bounds are those of packages that exist and that the tests ran with."""
    assert version(asked.name) in asked.specifier


# -- the lock -------------------------------------------------------------------------------------

REFUSED = re.compile(
    r"://|^\s*-|--(?:index-url|extra-index-url|find-links|trusted-host|no-index)|@|(?:^|\s)[./~]|\\\\",
    re.MULTILINE,
)


def foreign(text: str) -> list[str]:
    """Return the lines of a lock that name an index, a folder, an address or a path."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    plain = [re.sub(r"^\s+--hash=sha256:[0-9a-f]{64}( \\)?$", "", line) for line in lines]
    return [line for line in plain if REFUSED.search(line)]


def test_the_lock_names_no_index_no_folder_and_no_address() -> None:
    """FAULTS 83: it fits any mirror, and sends nobody anywhere."""
    assert foreign(lock.LOCK.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.org/simple",
        "--extra-index-url file:///srv/simple",
        "--find-links /srv/wheels",
        "-f wheels",
        "-e .",
        "rich @ https://example.org/rich.whl",
        "./rich.whl",
        "rich @ file:///srv/rich.whl",
        "../rich.whl --hash=sha256:" + "0" * 64,
    ],
)
def test_a_lock_with_an_address_is_seen(line: str) -> None:
    """Control: each of these in the file would fail the test above."""
    held = lock.LOCK.read_text(encoding="utf-8")
    assert foreign(f"{held}{line}\n") == [line]


def test_every_package_of_the_lock_has_a_version_and_hashes() -> None:
    """FAULTS 83: what was tested is named to the last byte, all that the tests need among it."""
    held = lock.locked()
    asked = {canonicalize_name(each.name): each for each in (*BASE, *DEV) if each.name != "saegim"}
    assert set(asked) <= set(held)
    for name, (pinned, hashes) in held.items():
        assert hashes, name
        assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in hashes), name
        assert name not in asked or pinned in asked[name].specifier, name
    # One file for each of two machines at least, where a package is compiled.
    for name in ("apsw", "numpy", "turbovec", "msgspec"):
        assert len(held[name][1]) >= 2, name


# -- licences -------------------------------------------------------------------------------------


def test_notice_lists_every_package_with_its_licence() -> None:
    """Apache-2.0 4d: whoever is handed Saegim reads what else comes with it, and under what."""
    listed = notice.listed()
    assert {canonicalize_name(each.name) for each in BASE} <= set(listed)
    assert set(notice.all_needed()) <= set(listed)
    assert all(listed.values())
    assert list(listed) == sorted(listed)


def test_a_package_that_notice_does_not_name_is_seen() -> None:
    """Control: the list is read from what is installed, and pytest is not part of it."""
    assert "pytest" not in notice.all_needed()
    assert "pytest" not in notice.listed()
    assert "pytest" in notice.all_needed(frozenset({"dev"}))


# -- no code in data ------------------------------------------------------------------------------

PICKLES = frozenset({"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve",
                     "marshal"})  # fmt: skip


def obeyed(tree: ast.Module) -> Iterator[str]:
    """Yield what a source does that would run code hidden in data."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.split(".")[0] in PICKLES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PICKLES:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            named = {each.arg: each.value for each in node.keywords}
            called = (
                ast.unparse(node.func) if _last_name(node.func) in ("load", "eval", "exec") else ""
            )
            if called in ("torch.load", "eval", "exec", "yaml.load"):
                if called == "torch.load" and _is(named.get("weights_only"), True):
                    continue
                yield called
            elif "allow_pickle" in named and not _is(named["allow_pickle"], False):
                yield f"{ast.unparse(node.func)}(allow_pickle)"


def _last_name(called: ast.expr) -> str:
    return str(getattr(called, "attr", getattr(called, "id", "")))


def _is(given: ast.expr | None, value: bool) -> bool:
    return isinstance(given, ast.Constant) and given.value is value


SOURCES = sorted(
    path for folder in ("src", "bench", "training", "bundle", "plugin")
    for path in (ROOT / folder).rglob("*.py")
)  # fmt: skip


def test_nothing_of_ours_runs_what_a_file_holds() -> None:
    """M12, FAULTS 62 and 79: no pickle, torch.load, allow_pickle, yaml.load or eval anywhere."""
    assert len(SOURCES) > 250
    found = {
        str(path.relative_to(ROOT)): list(obeyed(tree))
        for path, tree in zip(SOURCES, trees_of(SOURCES), strict=True)
    }
    assert {path: what for path, what in found.items() if what} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import joblib.numpy_pickle",
        "import torch; torch.load('x.pt')",
        "import numpy as np; np.load('x.npy', allow_pickle=True)",
        "read('x', allow_pickle=True)",
        "eval('1')",
    ],
)
def test_each_way_of_running_data_is_seen(source: str) -> None:
    """M12 control: each of these in a source would fail the test above."""
    assert list(obeyed(ast.parse(source)))
    spared = ast.parse("json.loads('{}'); torch.load('x', weights_only=True)")
    assert list(obeyed(spared)) == []
