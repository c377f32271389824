"""State, examination, backups and imports, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from saegim.serve.cli.render_memories import Parts, grid, line, pairs, size
from saegim.serve.terminal import console, visible
from saegim.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from saegim.doctor.health import Finding
    from saegim.importers.flow import Report
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
    if read.masked:
        said.append(speech("imported masked", masked=read.masked))
    if read.quarantined:
        said.append(speech("imported apart", apart=read.quarantined))
    told = (("note", read.notes), ("conflict", read.conflicts), ("problem", read.problems))
    for sort, cases in told:
        said += [speech(sort, case=case) for case in cases[:_CASES]]
        if len(cases) > _CASES:
            said.append(speech("and more", count=len(cases) - _CASES))
    return said


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
        "settings": _settings(held["settings"]),
    }
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
