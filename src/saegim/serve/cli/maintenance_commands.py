"""The commands of care, and what people read of them.

How it is, backups, coming and going, the indexes, the ledger, a demo.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from saegim.errors import BadInput, Refused, SaegimError, StoreCorrupt, StoreMissing
from saegim.filesystem import named_path
from saegim.memory.clock import iso
from saegim.messages import translated
from saegim.mind import MovedStore
from saegim.serve.catalogue import answers, maintenance_functions
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.render_memories import Parts, grid, line, pairs, size
from saegim.serve.cli.talk import Name, Number, Talk, When, files_named
from saegim.serve.surroundings.flow import Around, examine
from saegim.serve.terminal import OTHER, chosen_settings, console, standing_in, visible
from saegim.settings import STORE, Settings

if TYPE_CHECKING:
    from rich.console import RenderableType

    import saegim
    from saegim.doctor.health import Finding
    from saegim.importers import legacy
    from saegim.importers.intake import Report
    from saegim.mind import MovedStore
    from saegim.serve.speech import Speech
    from saegim.store.backup import Backup

# How many cases of one sort are told; a broken file may have thousands.
_CASES = 10

_MARKS = {"ok": ("✓", "green"), "warning": ("!", "bold yellow"), "failure": ("✗", "bold red")}


def findings(tried: Sequence[Finding], speech: Speech) -> Parts:
    """Show everything the doctor tried, and under each fault what would help."""
    korean = speech.language == "ko"
    table = grid(header=False)
    table.add_column("", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold", ratio=1)
    for each in tried:
        mark, style = _MARKS[each.level]
        said = Text(visible((korean and each.detail_ko) or each.detail))
        if each.level != "ok" and each.fix:
            said.append(f"\n→ {visible((korean and each.fix_ko) or each.fix)}", style="bold")
        table.add_row(Text(mark, style=style), speech.word("check", each.name), said)
    faults = sum(each.level == "failure" for each in tried)
    warned = sum(each.level == "warning" for each in tried)
    sentence = "not well" if faults else "mostly well" if warned else "all well"
    return [table, speech(sentence, faults=faults, warnings=warned, count=len(tried))]


def backed_up(made: Backup, speech: Speech) -> Parts:
    """Say where a backup lies, what it holds, and the heads to keep elsewhere."""
    count = speech.memories(made.memories)
    held = size(made.bytes)
    heads = [speech("head of", user=user, head=head) for user, head in made.heads.items()]
    return [speech("backed up", path=made.path, memories=count, size=held), *heads]


def put_back(restored: Backup, aside: Path | None, speech: Speech) -> Parts:
    """Say what was restored and where the store as it was is kept."""
    count = speech.memories(restored.memories)
    said: Parts = [speech("put back", memories=count, path=restored.path)]
    return [*said, speech("kept aside", path=aside)] if aside else said


def import_report(read: Report, speech: Speech) -> Parts:
    """Say as what an import was read, what it kept, knew already and could not read."""
    said: Parts = [
        speech("read as", form=read.form),
        speech(
            "would import" if read.dry_run else "imported",
            read=read.read,
            added=read.added,
            known=read.known,
            conflicts=len(read.conflicts),
            problems=len(read.problems),
        ),
    ]
    if read.trusted:
        said.append(speech("imported trust", trusted=read.trusted))
    if read.merged:
        said.append(speech("imported merged", merged=read.merged))
    if read.masked:
        said.append(speech("imported masked", masked=read.masked))
    if read.quarantined:
        said.append(speech("imported apart", apart=read.quarantined))
    told = (("note", read.notes), ("conflict", read.conflicts), ("problem", read.problems))
    for sort, cases in told:
        said += [speech(sort, case=_case(each, speech.language)) for each in cases[:_CASES]]
        if len(cases) > _CASES:
            said.append(speech("and more", count=len(cases) - _CASES))
    return said


def _case(told: str, language: str) -> str:
    """Return what an import tells of one line in the language; where it stands stays as it is."""
    where, mark, what = told.partition(": ")
    whole = translated(told, language)
    return whole if whole != told else f"{where}{mark}{translated(what, language)}"


def progress(steps: Iterable[tuple[int, int]], speech: Speech) -> Iterator[tuple[int, int]]:
    """Hand the steps on while a bar on standard error moves with them."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(error=True), transient=True) as bar:
        task = bar.add_task(speech("rebuilding"), total=None)
        for done, total in steps:
            bar.update(task, completed=done, total=total)
            yield done, total


def events(found: Sequence[Mapping[str, Any]], speech: Speech) -> Parts:
    """Show lines of the resonance ledger, one each."""
    if not found:
        return [speech("no events")]
    said = []
    for each in found:
        named = " ".join(map(str, each.get("memory_refs") or ()))
        parts = (each.get("timestamp"), each.get("event_type"), each.get("persona_id"), named)
        said.append(line("  ".join(str(part) for part in parts if part)))
    return [*said]


Held = Mapping[str, Any]


def state(held: Held, speech: Speech) -> list[RenderableType]:
    """Show what there is, where it lies, and what is not as it should be."""
    lines = {
        "store": f"{held['path']} ({_sizes(held, speech)})",
        "software": _software(held, speech),
        "scope": " · ".join(
            f"{speech(f'field {name}')} {value}" for name, value in held["scope"].items() if value
        ),
        "memories": _counts(held["memories"], speech),
        "index": _index(held["index"], speech),
        "words": _analyser(held["words"], speech),
        "ledger": _ledger(held["ledger"], speech),
        "backup": _backup(held["backup"], speech),
        "model": _model(held["model"], speech),
        "forgetting": speech.law(held["forgetting"]),
        "learning": _learning(held["learning"], speech),
        "settings": _settings(held["settings"]),
    }
    if held.get("server"):
        lines["server"] = _server(held["server"], speech)
    if felt := held.get("mood"):
        lines["mood"] = f"{speech.word('feeling', felt['feeling'])} ({felt['intensity']:.0%})"
    if held.get("legacy"):
        lines["legacy"] = _legacy(held["legacy"], speech)
    shown: list[RenderableType] = [
        pairs({speech(f"state of {name}"): said for name, said in lines.items()})
    ]
    for warning in held["warnings"]:
        shown.append(Text(f"! {visible(warning)}", style="bold yellow"))
    return shown


def _sizes(held: Held, speech: Speech) -> str:
    counted = held["bytes"]
    said = [] if counted is None else [size(counted["store"] + counted["log"])]
    if held["readonly"]:
        said.append(speech("state readonly"))
    return ", ".join(said)


def _software(held: Held, speech: Speech) -> str:
    return speech(
        "state software",
        version=held["version"],
        sqlite=held["sqlite"],
        schema=held["schema"],
    )


def _counts(counts: Held | None, speech: Speech) -> str:
    """Count by state, and the living ones by kind and project."""
    if counts is None:
        return "?"
    groups = []
    for group in ("state", "kind", "tier", "project"):
        held = counts.get(group, {})
        words = (f"{speech.word(group, name) or '-'} {count:,}" for name, count in held.items())
        if group in ("state", "kind") or len(held) > 1:
            groups.append(", ".join(words))
    return "\n".join(each for each in groups if each) or "0"


def _index(index: Held | None, speech: Speech) -> str:
    if index is None:
        return "?"
    said = speech(
        "state index",
        embedder=index["embedder"],
        ready=index["ready"],
        memories=index["memories"],
        pending=index["pending"],
        failed=index["failed"],
    )
    return f"{said} ({index['error']})" if index["error"] else said


def _model(model: Held | None, speech: Speech) -> str:
    if model is None:
        return "?"
    if not model["name"]:
        return speech("state no model")
    today = max((each["day"] for each in model["spent"]), default="")
    calls = sum(each["calls"] for each in model["spent"] if each["day"] == today)
    about = {"name": model["name"], "waiting": model["waiting"], "parked": model["parked"]}
    return speech("state model", calls=calls, cap=model["daily_calls"], **about)


def _server(server: Held, speech: Speech) -> str:
    return speech(
        "state server",
        version=server["version"],
        connections=server["connections"],
        most=server["most_connections"],
        dead=server["dead_rows"],
        work=server["queue"]["count"],
        nights=server["nights_behind"]["count"],
        owners=", ".join(f"{name} {count:,}" for name, count in server["owners"].items()),
    ).strip()


def _learning(learning: Held | None, speech: Speech) -> str:
    return "?" if learning is None else speech.translated(str(learning["why"]))


def _legacy(held: Held, speech: Speech) -> str:
    at = speech.moment(datetime.fromisoformat(held["at"])) if held["at"] else ""
    told = {
        "path": held["path"],
        "added": held["added"],
        "trouble": speech.translated(held["trouble"]),
    }
    return speech(f"legacy {held['state']}", at=at, **told)


def _analyser(words: Held | None, speech: Speech) -> str:
    if words is None:
        return "?"
    return str(words["in_use"]) if words["as_configured"] else speech.translated(str(words["why"]))


def _ledger(ledger: Held | None, speech: Speech) -> str:
    if ledger is None:
        return ""
    return speech("state ledger", length=ledger["length"], head=ledger["head"][:16])


def _backup(backup: Held | None, speech: Speech) -> str:
    if backup is None:
        return speech("state no backup")
    return f"{backup['path']} ({speech.moment(datetime.fromisoformat(backup['at']))})"


def _settings(settings: Held) -> str:
    """Name the settings that are not as they come."""
    usual = Settings().shown()
    changed = {name: value for name, value in settings.items() if value != usual.get(name)}
    return ", ".join(f"{name} = {value}" for name, value in changed.items())


def verified(told: Mapping[str, Any], speech: Speech) -> Parts:
    """Say how far the ledger holds, and its head."""
    return [speech("verified", length=told["length"]), speech("head", head=told["head"])]


Where = Annotated[str, typer.Argument(metavar="PATH")]
Form = Annotated[str, typer.Option("--form", metavar="FORM")]
Yes = Annotated[bool, typer.Option("--yes", "-y")]


_state = made_from(maintenance_functions.status, state, tells="told")
_verified = made_from(maintenance_functions.verify, verified, tells="told")


def status(talk: Talk) -> None:
    """Tell what there is, where it lies, and what is not as it should be."""
    if talk.has_nothing_yet and (old := chosen_settings(talk.home).legacy_path):
        from saegim.importers import legacy

        # Nothing is here yet because it still lies there.
        talk.tell("legacy waiting", path=legacy.place_of(old, talk.home))
    _state(talk)


def doctor(
    talk: Talk,
    quick: Annotated[bool, typer.Option("--quick")] = False,
) -> None:
    """Try everything and say what does not work."""
    looked_at = examined(talk, quick=quick)
    ok = all(each.ok for each in looked_at)
    talk.answer(
        {"ok": ok, "findings": [answers.finding(each) for each in looked_at]},
        lambda: findings(looked_at, talk.speech),
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
    talk.answer(answers.backup(made), lambda: backed_up(made, talk.speech))


def move_store(
    talk: Talk,
    to: Annotated[str | None, typer.Option("--to", metavar="FILE")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
    reopen: Annotated[bool, typer.Option("--reopen")] = False,
) -> None:
    """Carry the whole store to a server, or into a new file."""
    if (to is None) is not reopen:
        raise BadInput("command.move_needs_place")
    with talk.memory() as memory, files_named():
        if to is None:
            was, place = memory.maintenance.reopen(), memory.mind.store.place
            said = "reopened" if was else "was not closed"
            talk.answer({"place": place, "reopened": was}, lambda: [talk.speech(said, place=place)])
            return
        done = memory.maintenance.move(to, dry_run=dry_run)
    told = {
        "place": done.place,
        "memories": done.memories,
        "rows": dict(done.rows),
        "heads": dict(done.heads),
        "done": done.done,
    }
    talk.answer(told, lambda: _moved(done, talk.speech))


def _moved(done: MovedStore, speech: Speech) -> Parts:
    """Say what arrived, and how the new place is used from now on."""
    count, rows = speech.memories(done.memories), sum(done.rows.values())
    if not done.done:
        return [speech("would carry", memories=count, rows=rows, place=done.place)]
    heads = [speech("head of", user=user, head=head) for user, head in done.heads.items()]
    used = speech("moved use server" if "://" in done.place else "moved use file", place=done.place)
    return [speech("moved", memories=count, rows=rows, place=done.place), *heads, used]


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
        lambda: put_back(restored, aside, talk.speech),
    )


def verify(
    talk: Talk,
    accept: Annotated[bool, typer.Option("--accept")] = False,
    sign: Annotated[str | None, typer.Option("--sign", metavar="FILE")] = None,
    against: Annotated[str | None, typer.Option("--against", metavar="FILE")] = None,
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
    if sign is None and against is None:
        _verified(talk)
        return
    from saegim.federation import ledger_head

    with talk.memory() as memory, files_named():
        at: dict[str, Any] = {"scope": memory.scope, "mind": memory.mind}
        length, head = memory.maintenance.verify()
        told: dict[str, Any] = {"length": length, "head": head}
        if against is not None:
            told["against"] = ledger_head.compare(Path(against), **at)
        if sign is not None:
            told["signed"] = ledger_head.sign(Path(sign), talk.home, **at)
    talk.answer(told, lambda: [*verified(told, talk.speech), *_signed(told, talk.speech, sign)])


def _signed(told: Mapping[str, Any], speech: Speech, file: str | None) -> Iterator[str]:
    """Say whose signature was found to hold, and what was signed."""
    if "against" in told:
        yield speech("head as signed", **told["against"])
    if "signed" in told:
        yield speech("head signed", path=file, public=told["signed"]["public"])


def _export_here(talk: Talk, form: str) -> None:
    """Write an export to standard output, and all that is said about it elsewhere."""
    if form == "coordinates":
        raise BadInput("command.folder_is_no_stream")
    with TemporaryDirectory(prefix="saegim-") as folder:
        file = Path(folder) / "export"
        with talk.memory() as memory:
            count = memory.export_to(file, form=form)
        with file.open("rb") as held:
            copyfileobj(held, sys.stdout.buffer)
    sys.stdout.flush()
    talk.answered = True
    talk.tell("exported", memories=talk.speech.memories(count), path="-")
    if lost := getattr(count, "unreadable", 0):
        talk.tell("not exported", count=lost)
        raise typer.Exit(OTHER)


def export(talk: Talk, path: Where, form: Form = "jsonl", yes: Yes = False) -> None:
    """Write everything out."""
    if path == "-":
        _export_here(talk, form)
        return
    if not yes and os.path.isfile(path):
        if not talk.asks:
            raise BadInput("command.file_is_there_needs_yes", path=path)
        if not talk.agreed("write over", path=path):
            raise typer.Abort
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
    with talk.memory(new=not dry_run, trial=dry_run) as memory, files_named():
        report = memory.import_from(path, form=form, dry_run=dry_run)
        indexed(memory, talk)
    talk.answer(answers.report(report), lambda: import_report(report, talk.speech))
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

    with talk.memory(new=not dry_run, trial=dry_run) as memory, files_named():
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
            indexed(memory, talk)
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
            talk.answer({"events": found}, lambda: events(found, talk.speech))
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
    talk.answer({"event": made}, lambda: events([made], talk.speech))


def _object(data: str | None) -> dict[str, Any]:
    """Read what else an event says."""
    try:
        held = {} if data is None else json.loads(data)
        if not isinstance(held, dict):
            raise ValueError("it is none")
    except ValueError as error:
        raise BadInput("command.data_is_not_json_object", error=error) from error
    return held


def steps_shown(steps: Iterator[tuple[int, int]], talk: Talk) -> int:
    """Go through the steps, behind a bar where a person looks; return how far they came."""
    done = 0
    if not talk.as_json and sys.stderr.isatty():
        steps = progress(steps, talk.speech)
    for reached, _ in steps:
        done = reached
    return done


def indexed(memory: saegim.Saegim, talk: Talk) -> None:
    """Let everything that came be found by meaning too, before this process ends."""
    if memory.mind.embedder.local and not memory.mind.store.readonly:
        steps_shown(memory.maintenance.index(), talk)


def rebuild(talk: Talk) -> None:
    """Write the indexes anew from the text."""
    with talk.memory() as memory:
        done = steps_shown(memory.maintenance.rebuild(), talk)
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
    said = import_report(report, talk.speech)
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
        # It tries everything, so it begins where nothing is yet; of a file it is told, it does not.
        with talk.memory(new=talk.file is None) as memory:
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
        if talk.file is None and chosen_settings(talk.home).store:
            raise  # a server is not moved aside
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
