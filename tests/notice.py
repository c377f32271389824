"""Write the list of packages and their licences into NOTICE: python tests/notice.py --write.

Read from the metadata of what is installed here: everything that Saegim needs, and what its extras
`kiwi` and `remote` add. Without versions, so that an update of a package changes nothing here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NOTICE = Path(__file__).parents[1] / "NOTICE"
EXTRAS = ("kiwi", "remote")
MARK = "Saegim is installed with these packages, each under its own licence:\n"
# What a classifier calls it, in the words of SPDX.
SPDX = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
# A name of a licence is short; some packages put the whole text where its name belongs.
LONGEST = 60


def needed(name: str, extras: frozenset[str] = frozenset()) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield what a package asks for on this machine, with the extras it asks for."""
    for line in distribution(name).requires or []:
        asked = Requirement(line)
        wanted = any(
            asked.marker is None or asked.marker.evaluate({"extra": extra})
            for extra in ("", *extras)
        )
        if wanted:
            yield canonicalize_name(asked.name), frozenset(asked.extras)


def all_needed(extras: frozenset[str] = frozenset(EXTRAS)) -> list[str]:
    """Return every package that Saegim runs with, however far away, in the order of names."""
    seen: set[tuple[str, frozenset[str]]] = set()
    open_ends = [("saegim", extras)]
    while open_ends:
        for each in needed(*open_ends.pop()):
            if each not in seen:
                seen.add(each)
                open_ends.append(each)
    return sorted({name for name, _ in seen} - {"saegim"})


def licence_of(package: Distribution) -> str:
    """Return the name of a package's licence, as its metadata gives it."""
    about = package.metadata
    stated = (about.get("License-Expression") or about.get("License") or "").strip()
    if stated and stated.lower() != "unknown" and len(stated) <= LONGEST and "\n" not in stated:
        return SPDX.get(stated, stated)
    named = [
        each.rsplit(" :: ", 1)[1]
        for each in about.get_all("Classifier") or []
        if each.startswith("License :: ") and not each.endswith("OSI Approved")
    ]
    if named:
        return " and ".join(sorted(SPDX.get(each, each) for each in named))
    first = re.match(r"\W*([^\n]{3,60})", stated)
    if first is None:
        raise SystemExit(f"{about['Name']} does not say under which licence it is.")
    return first[1].strip()


def written() -> str:
    """Return NOTICE with the list as it is now."""
    before = NOTICE.read_text(encoding="utf-8").partition(MARK)[0].rstrip("\n")
    lines = [f"  {name}: {licence_of(distribution(name))}" for name in all_needed()]
    return f"{before}\n\n{MARK}\n" + "\n".join(lines) + "\n"


def listed() -> dict[str, str]:
    """Return what NOTICE says: each package and its licence."""
    lines = NOTICE.read_text(encoding="utf-8").partition(MARK)[2].strip().splitlines()
    return dict(line.strip().split(": ", 1) for line in lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        NOTICE.write_text(written(), encoding="utf-8")
    else:
        print(written())
