"""The commands of care: how it is, backups, coming and going, the indexes, the ledger, a demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim.errors import BadInput, Refused, SaegimError, StoreCorrupt, StoreMissing
from saegim.filesystem import named_path
from saegim.memory.clock import iso
from saegim.serve.catalogue import answers, maintenance_functions
from saegim.serve.cli import render_maintenance
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.talk import Name, Number, Talk, When, files_named
from saegim.serve.surroundings.flow import Around, examine
from saegim.serve.terminal import OTHER, standing_in
from saegim.settings import STORE

if TYPE_CHECKING:
    import saegim
    from saegim.doctor.health import Finding
    from saegim.importers import legacy
    from saegim.importers.intake import Report
    from saegim.store.backup import Backup

Where = Annotated[str, typer.Argument(metavar="PATH")]
Form = Annotated[str, typer.Option("--form", metavar="FORM")]
Yes = Annotated[bool, typer.Option("--yes", "-y")]


status = made_from(maintenance_functions.status, render_maintenance.state, tells="told")
_verified = made_from(maintenance_functions.verify, render_maintenance.verified, tells="told")


def doctor(
    talk: Talk,
    quick: Annotated[bool, typer.Option("--quick")] = False,
) -> None:
    """Try everything and say what does not work."""
    findings = examined(talk, quick=quick)
    ok = all(each.ok for each in findings)
    talk.answer(
        {"ok": ok, "findings": [answers.finding(each) for each in findings]},
        lambda: render_maintenance.findings(findings, talk.speech),
    )
    if not ok:
        raise typer.Exit(OTHER)


def backup(
    talk: Talk,
    folder: Annotated[str | None, typer.Argument(metavar="[FOLDER]")] = None,
) -> None:
    """Make a verified backup."""
    with talk.memory() as memory, files_named():
        made = memory.maintenance.backup(folder)
    talk.answer(answers.backup(made), lambda: render_maintenance.backed_up(made, talk.speech))


def restore_backup(talk: Talk, path: Where, yes: Yes = False) -> None:
    """Put a backup in the place of the store."""
    with files_named():
        held = inspected(path)
    if not yes:
        if not talk.asks:
            raise BadInput("command.store_was_not_replaced_needs")
        if not talk.agreed("replace store", memories=talk.speech.memories(held.memories)):
            raise typer.Abort
    with files_named():
        restored, aside = put_in_place(talk, held)
    talk.answer(
        {"restored": answers.backup(restored), "kept_aside": aside},
        lambda: render_maintenance.put_back(restored, aside, talk.speech),
    )


def verify(
    talk: Talk,
    accept: Annotated[bool, typer.Option("--accept")] = False,
) -> None:
    """Check the ledger's chain and every memory it vouches for."""
    if accept:
        # What was changed from outside is told until a person, and no program, takes it as it is.
        command = "saegim verify --accept"
        if not talk.person:
            raise Refused("command.only_person_at_terminal_may", command=command)
        talk.refuse_agents(command)
        if not talk.agreed("accept file"):
            raise typer.Abort
        with talk.memory() as memory:
            memory.maintenance.accept_file()
    _verified(talk)


def export(talk: Talk, path: Where, form: Form = "jsonl") -> None:
    """Write everything out."""
    with talk.memory() as memory, files_named():
        count = memory.export_to(path, form=form)
    lost: int = getattr(count, "unreadable", 0)
    said = [talk.speech("exported", memories=talk.speech.memories(count), path=path)]
    if lost:
        said.append(talk.speech("not exported", count=lost))
    talk.answer(
        {"path": path, "form": form, "count": count} | ({"unreadable": lost} if lost else {}),
        lambda: said,
    )
    if lost:
        raise typer.Exit(OTHER)


def import_(
    talk: Talk,
    path: Where,
    form: Form = "auto",
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
) -> None:
    """Read memories from a file or folder."""
    with talk.memory(new=not dry_run) as memory, files_named():
        report = memory.import_from(path, form=form, dry_run=dry_run)
        _indexed(memory, talk)
    talk.answer(
        answers.report(report), lambda: render_maintenance.import_report(report, talk.speech)
    )
    if report.problems:
        raise typer.Exit(OTHER)


def migrate(
    talk: Talk,
    path: Annotated[str | None, typer.Argument(metavar="[PATH]")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    yes: Yes = False,
) -> None:
    """Take over the database of an old bara system."""
    from saegim.importers import legacy

    with talk.memory(new=not dry_run) as memory, files_named():
        file = _meant(memory, path)
        if legacy.is_current(file, memory.scope, memory.mind):
            held = memory.maintenance.migration(file)
            assert held is not None
            _done_before(talk, file, held)
            return
        report = memory.import_from(file, form=legacy.FORM, dry_run=True)
        if not dry_run:
            _agreed(talk, file, report, yes=yes)
            done = memory.maintenance.migrate(file)
            # Another process may have taken it over while the question stood.
            report = report if done is None else done
            _indexed(memory, talk)
    talk.answer(
        {"path": str(file), "skipped": False, **answers.report(report)},
        lambda: _told(talk, file, report),
    )
    if report.problems:
        raise typer.Exit(OTHER)


def offer(talk: Talk) -> None:
    """Ask a person at the terminal whether to take over an old database that lies here."""
    from saegim.importers import legacy

    folder = standing_in()
    if not talk.asks or folder is None:
        return
    for file in legacy.around(folder):
        with talk.memory(new=True) as memory:
            if memory.maintenance.migration(file) is not None:
                continue
            report = memory.import_from(file, form=legacy.FORM, dry_run=True)
            if talk.agreed("take over old", path=file, memories=talk.speech.memories(report.added)):
                memory.maintenance.migrate(file)
                talk.tell("old taken over", path=file, count=report.added)
            else:
                talk.tell("take over later", path=file)


def log(
    talk: Talk,
    event_type: Annotated[str | None, typer.Argument(metavar="[TYPE]")] = None,
    session: Name = None,
    persona: Name = None,
    memories: Annotated[list[str] | None, typer.Option("--memory", metavar="ID")] = None,
    data: Annotated[str | None, typer.Option("--data", metavar="JSON")] = None,
    when: When = None,
    limit: Number = 10,
) -> None:
    """Log an event of the resonance ledger, or show the latest."""
    more = _object(data)
    with talk.memory(new=event_type is not None) as memory:
        ledger = memory.maintenance.resonance
        if event_type is None:
            found = ledger.recent(limit)
            talk.answer({"events": found}, lambda: render_maintenance.events(found, talk.speech))
            return
        made = ledger.log_event(
            event_type=event_type,
            session_id=session or "",
            persona_id=persona or "",
            memory_id=memories[0] if memories else None,
            memory_refs=(memories or [])[1:],
            timestamp=when,
            **more,
        )
    talk.answer({"event": made}, lambda: render_maintenance.events([made], talk.speech))


def _object(data: str | None) -> dict[str, Any]:
    """Read what else an event says."""
    try:
        held = {} if data is None else json.loads(data)
        if not isinstance(held, dict):
            raise ValueError("it is none")
    except ValueError as error:
        raise BadInput("command.data_is_not_json_object", error=error) from error
    return held


def _shown(steps: Iterator[tuple[int, int]], talk: Talk) -> int:
    """Go through the steps, behind a bar where a person looks; return how far they came."""
    done = 0
    if not talk.as_json and sys.stderr.isatty():
        steps = render_maintenance.progress(steps, talk.speech)
    for reached, _ in steps:
        done = reached
    return done


def _indexed(memory: saegim.Saegim, talk: Talk) -> None:
    """Let everything that came be found by meaning too, before this process ends."""
    if memory.mind.embedder.local and not memory.mind.store.readonly:
        _shown(memory.maintenance.index(), talk)


def rebuild(talk: Talk) -> None:
    """Write the indexes anew from the text."""
    with talk.memory() as memory:
        done = _shown(memory.maintenance.rebuild(), talk)
    talk.answer({"rebuilt": True, "steps": done}, lambda: [talk.speech("rebuilt")])


# -- an old system ---------------------------------------------------------------------------------


def _meant(memory: saegim.Saegim, path: str | None) -> Path:
    """Return the database that is meant: the one named, the one set, or the only one here."""
    from saegim.importers import legacy

    if path or memory.mind.settings.legacy_path:
        return memory.maintenance.old_database(path)
    folder = standing_in()
    found = legacy.around(folder) if folder else []
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(
            "command.old_databases_lie_here",
            count=len(found),
            found=", ".join(str(each) for each in found),
        )
    raise BadInput("command.no_old_database_lies_here")


def _agreed(talk: Talk, file: Path, report: Report, *, yes: bool) -> None:
    """Ask before anything is taken over, unless a yes was given with the command."""
    if yes:
        return
    if not talk.asks:
        raise BadInput("command.nothing_was_taken_over_needs")
    if not talk.agreed("take over old", path=file, memories=talk.speech.memories(report.added)):
        raise typer.Abort


def _done_before(talk: Talk, file: Path, held: legacy.Migrated) -> None:
    document: dict[str, Any] = {
        "path": str(file),
        "skipped": True,
        "at": iso(held.at),
        **held.counts,
    }
    at = talk.speech.moment(held.at)
    talk.answer(document, lambda: [talk.speech("old known", path=file, at=at)])


def _told(talk: Talk, file: Path, report: Report) -> list[Any]:
    said = render_maintenance.import_report(report, talk.speech)
    if report.dry_run:
        return said
    return [*said, talk.speech("old taken over", path=file, count=report.added)]


def inspected(path: str) -> Backup:
    """Return what a backup holds after checking every page of it."""
    from saegim.store.backup import verify as verify_backup

    return verify_backup(named_path(path, expand=True, database=True).absolute())


def examined(talk: Talk, *, quick: bool = False) -> list[Finding]:
    """Examine the store and, at the same time, what surrounds it on this machine."""
    around = Around(talk.home, _store_file(talk), standing_in())
    with ThreadPoolExecutor(max_workers=1) as pool:
        beside = pool.submit(examine, around, quick=quick)
        return [*_store_examined(talk), *beside.result()]


def _store_examined(talk: Talk) -> list[Finding]:
    """Examine the store, or say what keeps it from opening."""
    from saegim.doctor.health import examine_unopened

    try:
        with talk.memory() as memory:
            return memory.doctor()
    except SaegimError as error:
        return examine_unopened(error, _store_file(talk), talk.home)


def put_in_place(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Put the backup in place; return it and where the store as it was is kept."""
    try:
        with talk.memory(new=True) as memory:
            put, aside = memory.maintenance.restore_backup(backup.path)
            return put, aside.path
    except (StoreCorrupt, StoreMissing):
        return _replaced(talk, backup)


def _replaced(talk: Talk, backup: Backup) -> tuple[Backup, Path | None]:
    """Move what cannot be opened aside, byte for byte, and restore into a new file."""
    file = _store_file(talk)
    moved = _set_aside(file)
    mark = file.with_name(f".{file.name}.known")
    known = mark.exists()
    mark.unlink(missing_ok=True)
    try:
        with talk.memory(new=True) as memory:
            put, _ = memory.maintenance.restore_backup(backup.path)
    except BaseException:
        # Nothing of the new file may lie beside the old one: a foreign log would ruin it.
        for part in _parts(file):
            part.unlink(missing_ok=True)
        for here, there in moved:
            there.rename(here)
        if known:
            mark.touch()
        raise
    return put, moved[0][1] if moved else None


def _store_file(talk: Talk) -> Path:
    return talk.file or talk.home / STORE


def _parts(file: Path) -> list[Path]:
    """Return the file of a store and the files that SQLite keeps beside it."""
    beside = file.with_name(f".{file.name}.head")
    return [*(file.with_name(f"{file.name}{suffix}") for suffix in ("", "-wal", "-shm")), beside]


def _set_aside(file: Path) -> list[tuple[Path, Path]]:
    """Rename the store and its log; return each old and new name."""
    stamp = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    moved = []
    for here, there in zip(_parts(file), _parts(aside), strict=True):
        if here.exists():
            here.rename(there)
            moved.append((here, there))
    return moved
