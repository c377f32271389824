"""Write .ci/requirements.txt, what the tests ran with, with hashes: python tests/lock.py --write.

pip says which packages `saegim[dev]` comes to on this machine; the pages of the index name the
hashes of their wheels for Linux on x86-64 and arm64 and every Python we support (of their source
where there is no such wheel). The file names no index, no folder and no address, so that it fits
any mirror: `pip install --require-hashes -r .ci/requirements.txt`.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, canonicalize_name
from packaging.utils import parse_sdist_filename as source_name
from packaging.utils import parse_wheel_filename as wheel_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).parents[1]
LOCK = ROOT / ".ci" / "requirements.txt"
PYTHONS = ("11", "12", "13")
MACHINES = ("x86_64", "aarch64")
HEADER = """\
# Written by tests/lock.py: what `saegim[dev]` came to, for Linux on x86-64 and arm64.
# pip install --require-hashes -r .ci/requirements.txt, from any index that has these files.
"""
_LINK = re.compile(r'<a [^>]*href="([^"]+)"', re.IGNORECASE)


def resolved() -> dict[str, str]:
    """Ask pip which packages in which versions our own needs come to."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
             "--report", str(report), f"{ROOT}[dev]"],
            check=True,
        )  # fmt: skip
        told = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = {canonicalize_name(each["metadata"]["name"]): each["metadata"] for each in told}
    return {name: about["version"] for name, about in sorted(found.items()) if name != "saegim"}


def fits(tags: frozenset[Tag]) -> bool:
    """Say whether a wheel is for one of our Pythons on one of our machines."""
    return any(is_of_python(tag) and is_of_machine(tag.platform) for tag in tags)


def is_of_python(tag: Tag) -> bool:
    """Say whether a wheel runs on one of our Pythons."""
    if tag.interpreter in ("py3", "py2.py3", *(f"py3{each}" for each in PYTHONS)):
        return True
    if tag.abi == "abi3":
        return int(tag.interpreter.removeprefix("cp3") or 0) <= int(PYTHONS[-1])
    return tag.interpreter in {f"cp3{each}" for each in PYTHONS} and not tag.abi.endswith("t")


def is_of_machine(platform: str) -> bool:
    """Say whether a wheel runs on Linux of ours; musl is another Linux."""
    return platform == "any" or (platform.startswith("manylinux") and platform.endswith(MACHINES))


def links(name: str, index: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the hash of each file that the index has of a package."""
    with urllib.request.urlopen(f"{index}/{name}/") as page:
        text = page.read().decode("utf-8")
    for href in _LINK.findall(text):
        parts = urlsplit(html.unescape(href))
        if parts.fragment.startswith("sha256="):
            yield unquote(parts.path.rsplit("/", 1)[-1]), parts.fragment.removeprefix("sha256=")


def hashes(name: str, version: str, index: str) -> list[str]:
    """Return the hashes of the wheels that fit, or of the source where none does."""
    wheels, source = set(), set()
    for file, digest in links(name, index):
        try:
            if file.endswith(".whl"):
                _, made, _, tags = wheel_name(file)
                if made == Version(version) and fits(tags):
                    wheels.add(digest)
            elif source_name(file)[1] == Version(version):
                source.add(digest)
        except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
            continue  # older files have names that nobody reads any more
    if not wheels | source:
        raise SystemExit(f"{index} has no file of {name} {version}; name another with --index")
    return sorted(wheels or source)


def written(index: str) -> str:
    """Return the whole file."""
    lines = []
    for name, version in resolved().items():
        told = " \\\n".join(f"    --hash=sha256:{each}" for each in hashes(name, version, index))
        lines.append(f"{name}=={version} \\\n{told}\n")
    return HEADER + "".join(lines)


def locked() -> dict[str, tuple[str, list[str]]]:
    """Return what the file says: each package, its version and its hashes."""
    text = LOCK.read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            pinned, *told = line.split()
            name, version = pinned.split("==")
            found[name] = (version, [each.removeprefix("--hash=sha256:") for each in told])
    return found


if __name__ == "__main__":
    if "--index" in sys.argv:
        where = sys.argv[sys.argv.index("--index") + 1]
    else:
        from pip._internal.models.index import PyPI  # where pip looks unless told otherwise

        where = PyPI.simple_url
    made = written(where.rstrip("/"))
    if "--write" in sys.argv:
        LOCK.write_text(made, encoding="utf-8")
    else:
        print(made)
