"""What is given away: the wheel and the source archive build, install and work; the container file.

No container is built here: where there is no builder its file is checked line by line instead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import saegim

ROOT = Path(__file__).parents[1]
FRESH = """\
import json, sys
import saegim
from saegim import Saegim
with Saegim.open(sys.argv[1]) as memory:
    memory.remember("우리 강아지 이름은 보리다")
    hits = memory.recall("what is the puppy called?").hits
    print(json.dumps([saegim.__file__, saegim.__version__, hits[0].memory.text]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both once, as `make dist` does."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    return folder


def test_the_wheel_installs_and_remembers_in_a_place_of_its_own(
    built: Path, tmp_path: Path
) -> None:
    """Unpacked beside its dependencies, without the source tree, it keeps and finds a memory."""
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as held:
        held.extractall(site)
    (about,) = site.glob("*.dist-info/METADATA")
    assert f"\nVersion: {saegim.__version__}\n" in about.read_text("utf-8")
    assert "saegim = saegim.serve.main:main" in about.with_name("entry_points.txt").read_text()
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(tmp_path / "fresh.db")],
        env={**os.environ, "PYTHONPATH": str(site), "SAEGIM_HOME": str(tmp_path / "home")},
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=300,
    )
    file, version, text = json.loads(done.stdout)
    assert Path(file).is_relative_to(site)
    assert (version, text) == (saegim.__version__, "우리 강아지 이름은 보리다")


# Loaded by Python before anything else: who looks for a host, or calls one, ends at once.
ALONE = """\
import os, socket
def alone(*given, **named):
    os.write(2, b"the network was asked for")
    os._exit(70)
socket.getaddrinfo = socket.create_connection = alone
socket.socket.connect = socket.socket.connect_ex = alone
"""


@pytest.mark.parametrize(
    ("program", "code"),
    [(FRESH, 0), ("import urllib.request as u; u.urlopen('http://127.0.0.1:9/')", 70)],
    ids=["remembering", "control"],
)
def test_nothing_asks_for_a_network(built: Path, tmp_path: Path, program: str, code: int) -> None:
    """U27.1: from the wheel alone, Korean is kept and found, and no host is even looked up."""
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as held:
        held.extractall(site)
    (site / "sitecustomize.py").write_text(ALONE)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "fresh.db")],
        env={**os.environ, "PYTHONPATH": str(site), "SAEGIM_HOME": str(tmp_path / "home")},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, b"the network was asked for" in done.stderr) == (code, code == 70)


def test_the_source_archive_holds_what_it_takes_to_build_and_test(built: Path) -> None:
    """Sources, tests, documents in both languages and the container file are in it."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    wanted = {"pyproject.toml", "Makefile", "Containerfile", "README.ko.md", "CHANGELOG.md"}
    assert wanted <= names
    assert {"src/saegim/serve/main.py", "tests/conftest.py", "docs/ko/quickstart.md"} <= names
    assert not any("__pycache__" in name or name.startswith(".venv") for name in names)


def test_the_version_stands_in_one_place() -> None:
    """Release notes, the registry's file and the bundle name the version of the package."""
    for name in ("server.json", "bundle/manifest.json"):
        assert json.loads((ROOT / name).read_text("utf-8"))["version"] == saegim.__version__, name
    assert f"## [{saegim.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


# -- the container --------------------------------------------------------------------------------


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a container file, continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(re.findall(r"^(?!\s*#).*$", text, re.MULTILINE)))
    return [
        (word, rest)
        for word, _, rest in (line.partition(" ") for line in joined.split("\n"))
        if word
    ]


def faults(text: str) -> list[str]:
    """Name what is wrong with a container file: root, tags that move, secrets, more volumes."""
    told = instructions(text)
    final = told[max(at for at, (word, _) in enumerate(told) if word == "FROM") :]
    held = dict(reversed(final))
    wrong = [f"unknown: {word}" for word, _ in told if word not in _KNOWN]
    if held.get("USER", "root") in ("root", "0"):
        wrong.append("runs as root")
    if [rest for word, rest in final if word == "VOLUME"] != ["/memory"]:
        wrong.append("not one volume")
    if any(re.search(r":latest|^[^:]+$", rest.split()[0]) for word, rest in told if word == "FROM"):
        wrong.append("a tag that moves")
    if "saegim" not in held.get("CMD", "") or "HEALTHCHECK" not in held:
        wrong.append("serves nothing")
    if re.search(r"(?i)token=|password=|0\.0\.0\.0", "\n".join(rest for _, rest in final)):
        wrong.append("open or with a secret inside")
    return wrong


_KNOWN = frozenset(
    "FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD".split()
)


def test_the_container_file_is_sound() -> None:
    """Not root, one volume, a fixed base, nothing secret or open in it; what it copies is there."""
    text = (ROOT / "Containerfile").read_text("utf-8")
    assert faults(text) == []
    for word, rest in instructions(text):
        if word == "COPY" and not rest.startswith("--from"):
            *sources, _ = rest.split()
            assert [name for name in sources if not (ROOT / name).exists()] == []


def test_the_check_of_the_container_file_sees_its_faults() -> None:
    """Control: root, a moving tag, a second volume and an open port are noticed."""
    bad = "FROM python:latest\nVOLUME /memory\nVOLUME /more\nCMD sh -c 'serve 0.0.0.0'\nBAD x\n"
    assert len(faults(bad)) >= 5
