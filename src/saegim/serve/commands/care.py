"""The commands of care: how it is, backups, coming and going, the indexes, the ledger, a demo."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from saegim import serve
from saegim.errors import BadInput
from saegim.serve.commands.daily import Name, Number, When
from saegim.serve.commands.talk import OTHER, Talk, files_named

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
            raise BadInput("The store was not replaced: this needs a yes.", next_step="Add --yes.")
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
        raise BadInput(
            f"--data is not a JSON object: {error}.",
            next_step="""Write --data '{"evaluation": {...}}'.""",
        ) from error
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
