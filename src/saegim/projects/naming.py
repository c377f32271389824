"""A name for a project, made from whatever a folder or a repository is called."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

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
