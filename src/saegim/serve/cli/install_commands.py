"""The commands that connect other programs to the memory, and take the connection back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim.errors import BadInput
from saegim.serve import clients
from saegim.serve.cli import render_memories
from saegim.serve.cli.maintenance_commands import indexed, offer, steps_shown
from saegim.serve.cli.talk import Talk
from saegim.serve.hooks import spool_worker
from saegim.serve.hooks.catchup import transcripts_in
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.transcript_position import PROJECTS, watch
from saegim.serve.terminal import put, standing_in, visible
from saegim.settings import STORE

if TYPE_CHECKING:
    from rich.console import RenderableType

    import saegim
    from saegim.importers.intake import Report
    from saegim.serve.clients.flow import ClientPlace, ClientState, InstallPlan

PROFILES = ("core", "default", "full")
Yes = Annotated[bool, typer.Option("--yes", "-y")]
Here = Annotated[bool, typer.Option("--here")]
Config = Annotated[str | None, typer.Option("--config", metavar="FILE")]
DryRun = Annotated[bool, typer.Option("--dry-run")]


def install(
    talk: Talk,
    client: Annotated[str | None, typer.Argument(metavar="[CLIENT]")] = None,
    profile: Annotated[str, typer.Option("--profile", metavar="core|default|full")] = "default",
    project: Annotated[str | None, typer.Option("--project", metavar="NAME")] = None,
    no_hooks: Annotated[bool, typer.Option("--no-hooks")] = False,
    here: Here = False,
    config: Config = None,
    dry_run: DryRun = False,
    no_import: Annotated[bool, typer.Option("--no-import")] = False,
    yes: Yes = False,
) -> None:
    """Connect a client to the memory."""
    if client is None:
        _list(talk, here=here)
        return
    if profile not in PROFILES:
        raise BadInput("command.no_profile", profile=profile, known=", ".join(PROFILES))
    chosen = clients.roster.named(client)
    where = _where(client, here=here, config=config)
    words = (*clients.roster.running(), *_front(talk, project))
    asked = ("mcp",) if profile == "default" else ("mcp", "--profile", profile)
    plan = clients.flow.to_install(chosen, where, words, asked, hook=not no_hooks)
    copies = _carried_out(talk, plan, install=True, dry_run=dry_run, yes=yes)
    settings = clients.flow.hooks_file(chosen, clients.flow.ClientPlace(where.machine))
    watched = None if settings is None or no_hooks or dry_run else settings.parent / PROJECTS
    read: dict[str, int] = {}
    if plan.changes and not (dry_run or no_import):
        read = _first_day(talk, chosen.name, watched, yes=yes)
    if watched is not None:
        _watch(talk, watched, datetime.now().astimezone())
    document = {**_told(plan, copies, dry_run=dry_run), "command": [*words, *asked]}
    document["imported"] = read
    talk.answer(document, lambda: _installed(talk, plan, copies, dry_run=dry_run))
    if not dry_run:
        offer(talk)


def uninstall(
    talk: Talk,
    client: Annotated[str, typer.Argument(metavar="CLIENT")],
    here: Here = False,
    config: Config = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Take the connection to a client back."""
    chosen = clients.roster.named(client)
    plan = clients.flow.to_uninstall(chosen, _where(client, here=here, config=config), talk.home)
    copies = _carried_out(talk, plan, install=False, dry_run=dry_run, yes=yes)
    store = talk.file or talk.home / STORE
    talk.answer(
        {**_told(plan, copies, dry_run=dry_run), "memories": str(store)},
        lambda: _uninstalled(talk, plan, copies, store, dry_run=dry_run),
    )


# So long it works before the bar moves, and so often without a step before it leaves the rest.
_SLICE_SECONDS, _MOST_STILL = 1.0, 20
_EVER = datetime.fromisoformat("2000-01-01T00:00:00+00:00")


def _first_day(talk: Talk, client: str, watched: Path | None, *, yes: bool) -> dict[str, int]:
    """Show what other programs kept before this day, and read it in with a person's yes."""
    from saegim.importers.first_day import around_client

    tell = (lambda *_, **__: None) if talk.as_json else talk.tell
    lying = around_client(client, Path.home(), standing_in())
    sessions = sum(1 for _ in transcripts_in(str(watched))) if watched is not None else 0
    if not lying and not sessions:
        return {}
    with talk.memory(new=True, here=True) as memory:
        news: list[tuple[Path, Callable[[], Report]]] = []
        for each in lying:
            room = memory if each.of_project else memory.within(project="")
            read = partial(room.import_from, each.path, form=each.form)
            if count := read(dry_run=True).added:
                tell("lies here", path=each.path, memories=talk.speech.memories(count))
                news.append((each.path, read))
        if sessions:
            tell("sessions lie here", path=watched, count=sessions)
        if not (news or sessions):
            return {}
        if not (yes or talk.agreed("read these in")):
            tell("read in later")
            return {}
        kept = {str(path): read().added for path, read in news}
        if watched is not None and sessions:
            _watch(talk, watched, _EVER)
            before = memory.recent(1, everywhere=True).total
            steps_shown(_heard(talk, memory), talk)
            kept[str(watched)] = memory.recent(1, everywhere=True).total - before
        indexed(memory, talk)
    for path, count in kept.items():
        tell("was read in", path=path, count=count)
    return kept


def _heard(talk: Talk, memory: saegim.Saegim) -> Iterator[tuple[int, int]]:
    """Hear what earlier sessions said, a little at a time; yield how far it is."""
    heard = still = 0
    while still < _MOST_STILL:
        done = spool_worker.worked_off(talk.home, memory, _SLICE_SECONDS)
        if done.elsewhere or not (done.heard or done.waiting):
            return
        heard, still = heard + done.heard, 0 if done.heard else still + 1
        yield heard, heard + done.waiting


def _watch(talk: Talk, transcripts: Path, since: datetime) -> None:
    """Note since when hooks are there: what is said from then on is heard, however they fare."""
    given = HookCall(
        home=talk.home,
        file=talk.file,
        user=talk.user,
        agent=talk.agent,
        environment=dict(os.environ),
    )
    watch(talk.home, str(transcripts), given.owner, since)


def _list(talk: Talk, *, here: bool) -> None:
    states = clients.state_of(project=_folder() if here else None)
    talk.answer(
        {"clients": [{**asdict(each), "hooks": dict(each.hooks)} for each in states]},
        lambda: _standing(talk, states),
    )


def _folder() -> Path:
    folder = standing_in()
    if folder is None:
        raise BadInput("command.folder_is_gone")
    return folder


def _where(client: str, *, here: bool, config: str | None) -> ClientPlace:
    machine = clients.roster.Machine.here()
    if config is None:
        return clients.flow.ClientPlace(machine, _folder() if here else None)
    chosen = clients.roster.named(client)
    if here or chosen.hooks is not None:
        raise BadInput("command.config_does_not_go", other="--here" if here else client)
    return clients.flow.ClientPlace(machine, file=Path(config).expanduser().absolute())


def _front(talk: Talk, project: str | None) -> list[str]:
    """Return what was said about whose memory this is, for the client to say it too."""
    named = project if project is not None else talk.project
    given = {
        "--path": None if talk.file is None else str(talk.file),
        "--user": talk.user,
        "--agent": talk.agent,
        "--project": named,
    }
    return [word for name, each in given.items() if each is not None for word in (name, each)]


def _carried_out(
    talk: Talk, plan: InstallPlan, *, install: bool, dry_run: bool, yes: bool
) -> dict[Path, Path]:
    """Show, ask and write; return where each file lies as it was."""
    if not plan.changes or dry_run:
        return {}
    if not talk.as_json:
        for each in _diffs(plan):
            put(each, error=True)
    if not yes:
        if not talk.asks:
            raise BadInput("command.no_file_was_changed_needs")
        if not talk.agreed("write these"):
            raise typer.Abort
    now = datetime.now().astimezone()
    return clients.flow.carry_out(plan, talk.home, now, install=install)


def _told(plan: InstallPlan, copies: dict[Path, Path], *, dry_run: bool) -> dict[str, Any]:
    return {
        "client": plan.client.name,
        "changed": plan.changes and not dry_run,
        "files": [
            {
                "path": str(each.path),
                "changes": each.changes,
                "backup": str(copies[each.path]) if each.path in copies else None,
                "diff": each.diff(),
            }
            for each in plan.edits
        ],
    }


def _diffs(plan: InstallPlan) -> list[RenderableType]:
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    lines = [line for each in plan.edits for line in each.diff().splitlines()]
    return [Text(visible(line), styles.get(line[:1], "")) for line in lines]


def _installed(
    talk: Talk, plan: InstallPlan, copies: dict[Path, Path], *, dry_run: bool
) -> Iterable[RenderableType]:
    speech, client = talk.speech, plan.client
    if not plan.changes:
        yield speech("connected already", client=client.title)
        return
    if dry_run:
        yield from _diffs(plan)
        yield speech("not written yet")
        return
    yield speech("was connected", client=client.title)
    yield from (speech("lies as it was", path=each) for each in copies.values())
    yield speech("start it anew", client=client.title)
    yield speech("how to disconnect", client=client.name)
    if talk.file is None and os.environ.get("SAEGIM_HOME"):
        yield speech("home unseen", file=talk.home / STORE, client=client.name)


def _uninstalled(
    talk: Talk, plan: InstallPlan, copies: dict[Path, Path], store: Path, *, dry_run: bool
) -> Iterable[RenderableType]:
    speech, client = talk.speech, plan.client
    if not plan.changes:
        yield speech("not connected", client=client.title)
    elif dry_run:
        yield from _diffs(plan)
        yield speech("not written yet")
    else:
        yield speech("was disconnected", client=client.title)
        yield from (speech("lies as it was", path=each) for each in copies.values())
    yield speech("memories stay", path=store)


def _standing(talk: Talk, states: list[ClientState]) -> Iterable[RenderableType]:
    from rich.text import Text

    speech = talk.speech
    table = render_memories.grid(fill=False)
    for column in ("client", "found", "connected", "config"):
        table.add_column(speech(f"column {column}"), overflow="fold")
    for each in states:
        marks = (speech("said yes" if flag else "said no") for flag in (each.found, each.installed))
        table.add_row(each.name, *marks, Text(visible(str(each.config))))
    yield table
    for each in states:
        if each.problem:
            yield f"{each.name}: {speech.translated(each.problem)}"
    yield speech("how to connect")
