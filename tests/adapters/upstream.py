"""The tests of other projects, run against our adapters: `python tests/adapters/upstream.py`.

The suites are fetched with the package installer, in the version that is named here, into a
folder that goes afterwards; nothing of them is kept. Fewer passed tests than before: exit 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NEEDED = ("pytest>=8.3", "pytest-asyncio>=1", "pytest-mock>=3")
# Their sources hold no tests of it: our own run against it.
ALSO = ("llama-index-core==0.14.25", "openai>=2")


@dataclass(frozen=True)
class Suite:
    """Which tests of which package, and how many of them must pass."""

    framework: str
    package: str
    version: str
    tests: tuple[str, ...]
    # What is wanted of them: the sum of all tests, and how many have passed so far.
    of: int
    least: int
    options: tuple[str, ...] = ()


SUITES = (
    Suite(
        framework="langgraph",
        package="langgraph-checkpoint",
        version="4.3.1",
        tests=("tests/test_store.py",),
        of=114,
        least=114,
    ),
    # What fails are tests of the SQLite connections behind their own class.
    Suite(
        framework="agents",
        package="openai-agents",
        version="0.24.0",
        tests=("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        of=71,
        least=53,
    ),
    # Their list gives everything to every question and keeps bytes; ours searches and keeps words.
    Suite(
        framework="autogen",
        package="autogen-core",
        version="0.7.5",
        tests=("tests/test_memory.py",),
        of=10,
        least=4,
    ),
    # What fails is a file of five million letters: a memory has one million at most. Their
    # conftest needs packages for other tests.
    Suite(
        framework="anthropic",
        package="anthropic",
        version="2.8.0",
        tests=("tests/lib/tools/memory_tools/test_filesystem.py",),
        of=41,
        least=40,
        options=("--noconftest", "-k", "TestBetaLocalFilesystemMemoryTool"),
    ),
)


def main() -> int:
    """Run the suites, and our own tests of the adapters on the real frameworks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frameworks", nargs="*", help="as named above; none: all")
    parser.add_argument("--folder", type=Path, help="keep everything here, and use it again")
    given = parser.parse_args()
    wanted = [each for each in SUITES if not given.frameworks or each.framework in given.frameworks]
    with tempfile.TemporaryDirectory(prefix="saegim-upstream-") as temporary:
        folder: Path = (given.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        python = _environment(folder, wanted)
        kept = [_ran(each, folder, python) for each in wanted]
        # Our own tests need every framework.
        kept += [_surface(folder, python)] if len(wanted) == len(SUITES) else []
        return int(not all(kept))


def _environment(folder: Path, suites: list[Suite]) -> Path:
    """Make an environment with the frameworks and ourselves; return its Python."""
    place = folder / "venv"
    if not place.exists():
        venv.create(place, with_pip=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    pinned = [f"{each.package}=={each.version}" for each in suites]
    _call(
        python, "-m", "pip", "install", "--quiet", "--editable", str(ROOT), *NEEDED, *ALSO, *pinned
    )
    return python


def _ran(suite: Suite, folder: Path, python: Path) -> bool:
    """Run one suite; print what passed and say whether it was enough."""
    source = _fetched(suite, folder, python)
    total, failed = _tests(
        python,
        folder,
        source,
        "-p",
        "swapped",
        "-o",
        "asyncio_mode=auto",
        *suite.options,
        *suite.tests,
        framework=suite.framework,
    )
    passed = total - len(failed)
    enough = passed >= suite.least and total >= suite.of
    print(
        f"{suite.package} {suite.version}: {passed} of {total} passed "
        f"(at least {suite.least} of {suite.of}): {'ok' if enough else 'TOO FEW'}"
    )
    for name in failed:
        print(f"    failed: {name}")
    return enough


def _surface(folder: Path, python: Path) -> bool:
    """Run our own tests of the adapters on the frameworks that are installed."""
    total, failed = _tests(python, folder, ROOT, "--noconftest", str(HERE / "surface.py"))
    print(f"our own: {total - len(failed)} of {total} passed")
    for name in failed:
        print(f"    failed: {name}")
    return total > 0 and not failed


def _fetched(suite: Suite, folder: Path, python: Path) -> Path:
    """Fetch the source of exactly this version and unpack it."""
    sources = folder / "sources"
    name = f"{suite.package.replace('-', '_')}-{suite.version}"
    if not (sources / name).is_dir():
        wanted = f"{suite.package}=={suite.version}"
        only = ("--no-deps", "--no-binary", suite.package, "--dest", str(sources))
        _call(python, "-m", "pip", "download", "--quiet", *only, wanted)
        with tarfile.open(sources / f"{name}.tar.gz") as archive:
            archive.extractall(sources, filter="data")
    return sources / name


def _tests(
    python: Path, folder: Path, source: Path, *arguments: str, framework: str = ""
) -> tuple[int, list[str]]:
    """Run pytest in a folder; return how many tests ran, and the names of those that failed."""
    settings, report = folder / "pytest.ini", folder / "report.xml"
    settings.write_text("[pytest]\n", encoding="utf-8")
    report.unlink(missing_ok=True)
    quiet = ("-q", "-p", "no:cacheprovider", "-c", str(settings), f"--rootdir={source}")
    # Our stand-in of a model server lies among our own tests.
    paths = os.pathsep.join([str(HERE), str(HERE.parent)])
    done = subprocess.run(
        [str(python), "-m", "pytest", *quiet, f"--junitxml={report}", *arguments],
        cwd=source,
        env={**os.environ, "PYTHONPATH": paths, "SAEGIM_SWAP": framework},
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        print(done.stdout, done.stderr, sep="\n")
        return 0, []
    cases = list(ElementTree.parse(report).iter("testcase"))
    bad = ("failure", "error", "skipped")
    failed = [each for each in cases if any(each.find(what) is not None for what in bad)]
    return len(cases), [f"{each.get('classname')}.{each.get('name')}" for each in failed]


def _call(python: Path, *arguments: str) -> None:
    done = subprocess.run(
        [str(python), *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
