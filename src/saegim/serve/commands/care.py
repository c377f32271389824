"""The commands of care: how it is, backups, coming and going, the indexes, the ledger, a demo."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim import serve
from saegim.errors import BadInput
from saegim.memory.clock import iso
from saegim.plugins import Late
from saegim.serve.commands.daily import Name, Number, When
from saegim.serve.commands.talk import OTHER, Talk, files_named, standing_in

if TYPE_CHECKING:
    import saegim
    from saegim.importers import legacy
    from saegim.importers.intake import Report
else:
    legacy = Late("saegim.importers.legacy")

Where = Annotated[str, typer.Argument(metavar="PATH")]
Form = Annotated[str, typer.Option("--form", metavar="FORM")]
Yes = Annotated[bool, typer.Option("--yes", "-y")]


def status(ctx: typer.Context) -> None:
    """Show what there is and where it lies."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        state = memory.status()
    talk.answer(state, lambda: serve.standing.state(state, talk.speech))


def doctor(
    ctx: typer.Context,
    quick: Annotated[bool, typer.Option("--quick")] = False,
) -> None:
    """Try everything and say what does not work."""
    talk: Talk = ctx.obj
    findings = serve.rescue.examined(talk, quick=quick)
    ok = all(each.ok for each in findings)
    talk.answer(
        {"ok": ok, "findings": [serve.plain.finding(each) for each in findings]},
        lambda: serve.shown.findings(findings, talk.speech),
    )
    if not ok:
        raise typer.Exit(OTHER)


def backup(
    ctx: typer.Context,
    folder: Annotated[str | None, typer.Argument(metavar="[FOLDER]")] = None,
) -> None:
    """Make a verified backup."""
    talk: Talk = ctx.obj
    with talk.memory() as memory, files_named():
        made = memory.care.backup(folder)
    talk.answer(serve.plain.backup(made), lambda: serve.shown.backed_up(made, talk.speech))


def restore_backup(ctx: typer.Context, path: Where, yes: Yes = False) -> None:
    """Put a backup in the place of the store."""
    talk: Talk = ctx.obj
    with files_named():
        held = serve.rescue.inspected(path)
    if not yes:
        if not talk.asks:
            raise BadInput("command.store_was_not_replaced_needs")
        if not talk.agreed("replace store", memories=talk.speech.memories(held.memories)):
            raise typer.Abort
    with files_named():
        restored, aside = serve.rescue.restored(talk, held)
    talk.answer(
        {"restored": serve.plain.backup(restored), "kept_aside": aside},
        lambda: serve.shown.put_back(restored, aside, talk.speech),
    )


def export(ctx: typer.Context, path: Where, form: Form = "jsonl") -> None:
    """Write everything out."""
    talk: Talk = ctx.obj
    with talk.memory() as memory, files_named():
        count = memory.export_to(path, form=form)
    talk.answer(
        {"path": path, "form": form, "count": count},
        lambda: [talk.speech("exported", memories=talk.speech.memories(count), path=path)],
    )


def import_(
    ctx: typer.Context,
    path: Where,
    form: Form = "auto",
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
) -> None:
    """Read memories from a file or folder."""
    talk: Talk = ctx.obj
    with talk.memory(new=not dry_run) as memory, files_named():
        report = memory.import_from(path, form=form, dry_run=dry_run)
    talk.answer(serve.plain.report(report), lambda: serve.shown.report(report, talk.speech))
    if report.problems:
        raise typer.Exit(OTHER)


def migrate(
    ctx: typer.Context,
    path: Annotated[str | None, typer.Argument(metavar="[PATH]")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    yes: Yes = False,
) -> None:
    """Take over the database of an old bara system."""
    talk: Talk = ctx.obj
    with talk.memory(new=not dry_run) as memory, files_named():
        file = _meant(memory, path)
        if legacy.is_current(file, memory.scope, memory.mind):
            held = memory.care.migration(file)
            assert held is not None
            _done_before(talk, file, held)
            return
        report = memory.import_from(file, form=legacy.FORM, dry_run=True)
        if not dry_run:
            _agreed(talk, file, report, yes=yes)
            done = memory.care.migrate(file)
            # Another process may have taken it over while the question stood.
            report = report if done is None else done
    talk.answer(
        {"path": str(file), "skipped": False, **serve.plain.report(report)},
        lambda: _told(talk, file, report),
    )
    if report.problems:
        raise typer.Exit(OTHER)


def offer(talk: Talk) -> None:
    """Ask a person at the terminal whether to take over an old database that lies here."""
    folder = standing_in()
    if not talk.asks or folder is None:
        return
    for file in legacy.around(folder):
        with talk.memory(new=True) as memory:
            if memory.care.migration(file) is not None:
                continue
            report = memory.import_from(file, form=legacy.FORM, dry_run=True)
            if talk.agreed("take over old", path=file, memories=talk.speech.memories(report.added)):
                memory.care.migrate(file)
                talk.tell("old taken over", path=file, count=report.added)
            else:
                talk.tell("take over later", path=file)


def log(
    ctx: typer.Context,
    event_type: Annotated[str | None, typer.Argument(metavar="[TYPE]")] = None,
    session: Name = None,
    persona: Name = None,
    memories: Annotated[list[str] | None, typer.Option("--memory", metavar="ID")] = None,
    data: Annotated[str | None, typer.Option("--data", metavar="JSON")] = None,
    when: When = None,
    limit: Number = 10,
) -> None:
    """Log an event of the resonance ledger, or show the latest."""
    talk: Talk = ctx.obj
    more = _object(data)
    with talk.memory(new=event_type is not None) as memory:
        ledger = memory.care.resonance
        if event_type is None:
            found = ledger.recent(limit)
            talk.answer({"events": found}, lambda: serve.shown.events(found, talk.speech))
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
    talk.answer({"event": made}, lambda: serve.shown.events([made], talk.speech))


def _object(data: str | None) -> dict[str, Any]:
    """Read what else an event says."""
    try:
        held = {} if data is None else json.loads(data)
        if not isinstance(held, dict):
            raise ValueError("it is none")
    except ValueError as error:
        raise BadInput("command.data_is_not_json_object", error=error) from error
    return held


def rebuild(ctx: typer.Context) -> None:
    """Write the indexes anew from the text."""
    talk: Talk = ctx.obj
    done = 0
    with talk.memory() as memory:
        steps = memory.care.rebuild()
        if not talk.as_json and sys.stderr.isatty():
            steps = serve.shown.progress(steps, talk.speech)
        for reached, _ in steps:
            done = reached
    talk.answer({"rebuilt": True, "steps": done}, lambda: [talk.speech("rebuilt")])


def verify(ctx: typer.Context) -> None:
    """Check the ledger and every memory it vouches for."""
    talk: Talk = ctx.obj
    with talk.memory() as memory:
        length, head = memory.care.verify()
    talk.answer(
        {"length": length, "head": head},
        lambda: [talk.speech("verified", length=length), talk.speech("head", head=head)],
    )


def demo(ctx: typer.Context) -> None:
    """Tell a short story in a store that is thrown away."""
    talk: Talk = ctx.obj
    story = serve.demo.play(talk.speech)
    talk.answer(serve.demo.document(story), lambda: serve.demo.told(story, talk.speech))


# -- an old system ---------------------------------------------------------------------------------


def _meant(memory: saegim.Saegim, path: str | None) -> Path:
    """Return the database that is meant: the one named, the one set, or the only one here."""
    if path or memory.mind.settings.legacy_path:
        return memory.care.old_database(path)
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
    said = serve.shown.report(report, talk.speech)
    if report.dry_run:
        return said
    return [*said, talk.speech("old taken over", path=file, count=report.added)]
