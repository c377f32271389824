"""Export and import: everything into one file, and a file looked at before it is taken in.

Both go on in a thread while the page is read, which asks each second how far they are. A file comes
in pieces, so that no request is large and a person sees it arrive.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from saegim.errors import BadInput
from saegim.importers import flow as importing
from saegim.serve.long_calls import LongCall
from saegim.serve.rest.problems import without
from saegim.serve.web.site import Json, PageRoute, Visit

FORMS: Final = ("jsonl", "orbs")
_FOLDER: Final = "transfers"
_MOST_BYTES: Final = 2 * 1024**3
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,10}")
_CASES: Final = 10
_SUFFIXES: Final = {"jsonl": ".jsonl", "orbs": ".json"}


@dataclass
class Transfer:
    """One file on its way out or in: what is done with it, how far that is, and how it ends."""

    what: str
    file: Path
    name: str
    total: int = 0
    done: int = 0
    call: LongCall[Any] | None = None

    def far(self, count: int) -> None:
        """Note how far it is."""
        self.done = count

    @property
    def running(self) -> bool:
        """Say whether it goes on."""
        return self.call is not None and not self.call.over


def shown(visit: Visit) -> Json:
    """Return how far the last export or import is, as the page tells it."""
    held = visit.site.transfers.get(visit.memory.scope.user)
    if held is None:
        return {"transfer": None}
    told: Json = {"transfer": held, "running": held.running, "said": [], "wrong": ""}
    if held.call is not None and held.call.over:
        if (trouble := held.call.trouble) is not None:
            told["wrong"] = without(
                " ".join(visit.speech.trouble(trouble)), visit.site.security.hidden
            )
        elif held.what == "export":
            told["bytes"] = held.file.stat().st_size if held.file.is_file() else None
        else:
            told["said"] = _told(held.call.result(), visit)
            told["adds"] = held.call.result().added
    return told


def _told(read: importing.Report, visit: Visit) -> list[str]:
    """Say what an import did or would do, with its first cases."""
    speech = visit.speech
    said = [
        speech(
            "would import" if read.dry_run else "imported",
            read=read.read,
            added=read.added,
            known=read.known,
            conflicts=len(read.conflicts),
            problems=len(read.problems),
        )
    ]
    counted = (
        ("imported trust", "trusted", read.trusted),
        ("imported merged", "merged", read.merged),
        ("imported masked", "masked", read.masked),
    )
    said += [speech(key, **{name: count}) for key, name, count in counted if count]
    if read.quarantined:
        said.append(visit.say("import_apart", count=read.quarantined))
    cases = (("note", read.notes), ("conflict", read.conflicts), ("problem", read.problems))
    for sort, found in cases:
        said += [speech(sort, case=case) for case in found[:_CASES]]
    return said


def transfer(visit: Visit) -> Response:
    """Show how far it is; a script asks again while it goes on."""
    return visit.show("transfer.html", **shown(visit))


def export(visit: Visit) -> Response:
    """Begin to write everything into one file."""
    _refuse_second(visit)
    form = visit.given("form_of_file")
    if form not in FORMS:
        raise BadInput("web.no_such_form", form=form[:40])
    memory = visit.memory
    day = datetime.now(memory.mind.zone).date()
    held = Transfer(
        "export",
        _emptied(visit) / f"saegim-{day}{_SUFFIXES[form]}",
        f"saegim-{day}{_SUFFIXES[form]}",
        total=sum(visit.told("memory_counts")["state"].values()),
    )
    _begin(
        visit,
        held,
        lambda: importing.write_out(
            held.file, form, scope=memory.scope, mind=memory.mind, tell=held.far
        ),
    )
    return visit.back(to="/status#transfer")


def download(visit: Visit) -> Response:
    """Hand the written file over."""
    held = visit.site.transfers.get(visit.memory.scope.user)
    if held is None or held.what != "export" or held.running or not held.file.is_file():
        raise HTTPException(404)
    return FileResponse(held.file, filename=held.name, media_type="application/octet-stream")


def piece(visit: Visit) -> Response:
    """Take the next piece of a file that comes in; after the last one, look what it would bring."""
    offset = int(visit.given("at")) if visit.given("at").isdecimal() else -1
    if offset == 0:
        _refuse_second(visit)
        name = visit.given("name")[:200]
        found = _SUFFIX.fullmatch(Path(name).suffix)
        file = _emptied(visit) / f"{secrets.token_hex(8)}{found[0] if found else ''}"
        visit.site.transfers[visit.memory.scope.user] = Transfer("upload", file, name)
        file.touch(mode=0o600)
    held = visit.site.transfers.get(visit.memory.scope.user)
    try:
        data = base64.b64decode(visit.given("data"), validate=True)
    except (binascii.Error, ValueError):
        raise BadInput("web.piece_does_not_fit") from None
    if held is None or held.what != "upload" or offset != held.file.stat().st_size:
        raise BadInput("web.piece_does_not_fit")
    if offset + len(data) > _MOST_BYTES:
        raise BadInput("web.file_is_too_large")
    with held.file.open("ab") as out:
        out.write(data)
    if visit.given("last") == "yes":
        _read(visit, Transfer("look", held.file, held.name), dry_run=True)
    return visit.json({"received": offset + len(data)})


def take(visit: Visit) -> Response:
    """Take in what was looked at, and nothing that was not."""
    held = visit.site.transfers.get(visit.memory.scope.user)
    if held is None or held.what != "look" or held.call is None or not held.call.over:
        raise BadInput("web.nothing_was_looked_at")
    total = held.call.result().read
    _read(visit, Transfer("import", held.file, held.name, total=total), dry_run=False)
    return visit.back(to="/status#transfer")


def drop(visit: Visit) -> Response:
    """Leave the file alone; what was written or sent here for it goes."""
    held = visit.site.transfers.get(visit.memory.scope.user)
    if held is not None and not held.running:
        _emptied(visit).rmdir()
        del visit.site.transfers[visit.memory.scope.user]
    return visit.back(to="/status#transfer")


def _read(visit: Visit, held: Transfer, *, dry_run: bool) -> None:
    memory = visit.memory

    def work() -> importing.Report:
        return importing.read_in(
            held.file,
            "auto",
            scope=memory.scope,
            mind=memory.mind,
            dry_run=dry_run,
            tell=held.far,
        )

    _begin(visit, held, work)


def _begin(visit: Visit, held: Transfer, work: Any) -> None:
    calls = visit.site.backend.long_calls
    held.call = calls.sent(f"page {held.what} {held.file.name}", work, wait=False)
    visit.site.transfers[visit.memory.scope.user] = held


def _refuse_second(visit: Visit) -> None:
    held = visit.site.transfers.get(visit.memory.scope.user)
    if held is not None and held.running:
        raise BadInput("web.something_is_on_its_way")


def _emptied(visit: Visit) -> Path:
    """Return the folder for such files of who is in, with nothing of the last one left in it."""
    own = hashlib.sha256(visit.memory.scope.user.encode()).hexdigest()[:16]
    folder = visit.memory.home / _FOLDER / own
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in folder.iterdir():
        each.unlink()
    return folder


ROUTES = (
    PageRoute("GET", "/status/transfer", transfer),
    PageRoute("POST", "/status/export", export),
    PageRoute("GET", "/status/export/file", download),
    PageRoute("POST", "/status/import/piece", piece),
    PageRoute("POST", "/status/import/take", take),
    PageRoute("POST", "/status/import/drop", drop),
)
