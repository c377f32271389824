"""What we made in other programs' files, kept in our own folder so that it can be undone exactly.

Nothing of anyone's configuration is in it but the white space and comments of what was empty.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, Refused, SaegimError
from saegim.filesystem import replacing
from saegim.serve.clients import entries, hook_entries, toml_table
from saegim.serve.clients.foreign_files import (
    Edit,
    carried_out,
    missing_folders,
    read,
    refuse_unwritable,
    remove_folders,
    text_of,
)
from saegim.serve.clients.jsonc import parse
from saegim.serve.clients.roster import CLIENTS, Client, Machine, is_ours, missing, words_of

FILE = "clients.json"


@dataclass(frozen=True, slots=True)
class InstallReceipt:
    """What was there before us in one file: no file, no folder, empty objects."""

    made: bool = False
    folders: list[str] = field(default_factory=list)
    was: dict[str, str | None] = field(default_factory=dict)


def receipt(home: Path, path: Path) -> InstallReceipt:
    """Return what is known of a file; without a note of it we undo with more care."""
    held = _read(home).get(os.path.realpath(path))
    if not isinstance(held, dict) or not isinstance(held.get("was"), dict):
        return InstallReceipt()
    was = {str(key): each if isinstance(each, str) else None for key, each in held["was"].items()}
    folders = [str(each) for each in held.get("folders") or ()]
    return InstallReceipt(held.get("made") is True, folders, was)


def keep(home: Path, path: Path, kept: InstallReceipt | None) -> None:
    """Note what is known of a file, or forget it."""
    held = _read(home)
    held.pop(os.path.realpath(path), None)
    if kept is not None:
        held[os.path.realpath(path)] = {
            "made": kept.made,
            "folders": kept.folders,
            "was": kept.was,
        }
    file = home / FILE
    if not held:
        file.unlink(missing_ok=True)
        return
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(file) as out:
        json.dump(held, out, ensure_ascii=False, indent=1)


def _read(home: Path) -> dict[str, Any]:
    try:
        held = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


NAME = "saegim"
# What a server has that is reached by an address; nothing starts it, so there is no command.
_ADDRESSES = ("url", "httpUrl", "serverUrl")


@dataclass(frozen=True, slots=True)
class ClientPlace:
    """In which files: those of the person, those of one project, or one that was named."""

    machine: Machine
    project: Path | None = None
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """What would become of which files."""

    client: Client
    edits: tuple[Edit, ...]

    @property
    def changes(self) -> bool:
        """Say whether there is anything to do."""
        return any(each.changes for each in self.edits)


def server_file(client: Client, where: ClientPlace) -> Path:
    """Return the file that holds the servers: one with ours in it, one that is there, or a new."""
    if where.file is not None:
        return where.file
    files = client.files(where.machine)
    if where.project is not None:
        if not client.here:
            raise BadInput("client.no_configuration_for_one_project", title=client.title)
        files = tuple(where.project / each for each in client.here)
    there = [each for each in files if each.exists()]
    ours = [each for each in there if entry(client, text_of(read(each), each), str(each))]
    return (ours or there or list(files))[0]


def hooks_file(client: Client, where: ClientPlace) -> Path | None:
    """Return the file that holds the hooks of a client that has them."""
    if client.hooks is None or where.file is not None:
        return None
    if where.project is not None:
        return where.project / client.hooks_here
    return client.hooks(where.machine)


def entry(client: Client, text: str, name: str) -> dict[str, Any] | None:
    """Return our entry in a configuration, or nothing."""
    if client.toml:
        held: Any = toml_table.read(text, name)
        for step in (*client.holder, NAME):
            held = held.get(step) if isinstance(held, dict) else None
    else:
        held = entries.value_at(text, (*_holder(client, text, name), NAME), name)
    return held if isinstance(held, dict) else None


def to_install(
    client: Client,
    where: ClientPlace,
    words: tuple[str, ...],
    arguments: tuple[str, ...],
    *,
    hook: bool,
) -> InstallPlan:
    """Plan the server, and the hooks where a client has them and they are wanted."""
    file = server_file(client, where)
    edits = [
        _edit(file, lambda text, was: _with_server(client, text, file, words + arguments, was))
    ]
    settings = hooks_file(client, where)
    if settings is not None:
        _refuse_plugin(text_of(read(settings), settings), settings)
    if hook and settings is not None:
        name = str(settings)
        edits.append(_edit(settings, lambda text, was: hook_entries.hooked(text, words, name, was)))
    return _writable(InstallPlan(client, tuple(edits)))


def to_uninstall(client: Client, where: ClientPlace, home: Path) -> InstallPlan:
    """Plan to take out all that is ours and to leave everything else as it is."""
    file = server_file(client, where)
    edits = [_back(file, home, lambda text, was: _without_server(client, text, file, was))]
    settings = hooks_file(client, where)
    if settings is not None:
        name = str(settings)
        edits.append(
            _back(settings, home, lambda text, was: hook_entries.unhooked(text, name, was))
        )
    return _writable(InstallPlan(client, tuple(edits)))


def carry_out(plan: InstallPlan, home: Path, now: datetime, *, install: bool) -> dict[Path, Path]:
    """Write what was planned and note what we made; return where each file lies as it was."""
    edits = [each for each in plan.edits if each.changes]
    known = {each.path: receipt(home, each.path) for each in edits}
    folders = {each.path: [str(made) for made in missing_folders(each.path)] for each in edits}
    if install:
        # The notes come first: without them an interrupted install could not be undone exactly.
        for each in edits:
            old = known[each.path]
            made = old.made if each.before is not None else True
            kept = InstallReceipt(made, old.folders or folders[each.path], {**old.was, **each.was})
            keep(home, each.path, kept)
    try:
        copies = carried_out(edits, now)
    except SaegimError:
        for path, old in known.items():
            keep(home, path, old if old != InstallReceipt() else None)
        raise
    if not install:
        for each in edits:
            if each.after is None:
                remove_folders(known[each.path].folders)
            keep(home, each.path, None)
    return {each.path: copy for each, copy in zip(edits, copies, strict=True) if copy is not None}


def _holder(client: Client, text: str, name: str) -> tuple[str, ...]:
    """Return the path of the object that holds the servers."""
    if client.name != "opencode":
        return client.holder
    # Its second version keeps them one level deeper and still reads the place of the first.
    root = parse(text, name)
    deeper = None if root is None else root.at("mcp", "servers")
    is_map = deeper is not None and deeper.kind == "{" and deeper.child("type") is None
    return ("mcp", "servers") if is_map else client.holder


def _with_server(
    client: Client, text: str, file: Path, words: tuple[str, ...], was: entries.Was
) -> str:
    name, wanted = str(file), client.shape(words)
    held = entry(client, text, name)
    if held is not None and any(key in held for key in _ADDRESSES) and "command" not in held:
        raise Refused(
            "client.reaches_server_named_by_address", name=name, other_name=NAME, client=client.name
        )
    if client.toml:
        path = (*client.holder, NAME)
        if held is None:
            return toml_table.put_in(text, path, wanted, name)
        return toml_table.brought_up(text, path, wanted, name)
    holder = _holder(client, text, name)
    if held is None:
        return entries.put_in(text, holder, NAME, wanted, name, was)
    return entries.brought_up(text, lambda root: root.at(*holder, NAME), wanted, name)


def _without_server(client: Client, text: str, file: Path, was: Mapping[str, str | None]) -> str:
    name = str(file)
    if client.toml:
        if entry(client, text, name) is None:
            return text
        return toml_table.taken_out(text, (*client.holder, NAME), name)
    holder = _holder(client, text, name)
    while True:
        root = parse(text, name)
        servers = None if root is None else root.at(*holder)
        held = servers.children if servers is not None else ()
        places = [at for at, each in enumerate(held) if each.key == NAME]
        if not places:
            return text
        text = entries.taken_out(text, holder, places[-1], name, was)


def _edit(path: Path, change: Callable[[str, entries.Was], str]) -> Edit:
    before = read(path)
    was: entries.Was = {}
    after = change(text_of(before, path), was)
    return Edit(path, before, before if after == text_of(before, path) else after.encode(), was)


def _back(path: Path, home: Path, change: Callable[[str, entries.Was], str]) -> Edit:
    before, known = read(path), receipt(home, path)
    if before is None:
        return Edit(path, None, None)
    text = text_of(before, path)
    after = change(text, known.was)
    gone = known.made and after != text and not after.strip()
    return Edit(path, before, None if gone else after.encode())


def _writable(plan: InstallPlan) -> InstallPlan:
    for each in plan.edits:
        if each.changes:
            refuse_unwritable(each)
    return plan


def _refuse_plugin(text: str, settings: Path) -> None:
    """Refuse to stand beside our own plugin: every hook would run twice."""
    enabled = entries.value_at(text, ("enabledPlugins",), str(settings))
    if isinstance(enabled, dict):
        for key, value in enabled.items():
            if str(key).partition("@")[0] == NAME and value:
                raise Refused("client.plugin_is_turned_on", key=key, settings=settings)


@dataclass(frozen=True, slots=True)
class ClientState:
    """One client as it stands: `problem` is a sentence, empty where there is none."""

    name: str
    found: bool
    installed: bool
    config: Path
    problem: str = ""
    # What the client starts: the program and its arguments.
    command: tuple[str, ...] = ()
    # The events of its hooks that are ours, and the command of each.
    hooks: tuple[tuple[str, tuple[str, ...]], ...] = ()


def state_of(machine: Machine | None = None, project: Path | None = None) -> list[ClientState]:
    """Return how every client stands, for the person or inside one project."""
    where = ClientPlace(machine or Machine.here(), project)
    return [one(each, where) for each in CLIENTS if project is None or each.here]


def one(client: Client, where: ClientPlace) -> ClientState:
    """Return how one client stands; what cannot be read is told, not raised."""
    found = client.found(where.machine)
    config = where.file or client.files(where.machine)[0]
    try:
        config = server_file(client, where)
        held = entry(client, text_of(read(config), config), str(config))
        settings = hooks_file(client, where)
        text = "" if settings is None else text_of(read(settings), settings)
        hooked = [] if settings is None else hook_entries.found(text, str(settings))
        problem = "" if settings is None else _switched_off(text, settings, hooked=bool(hooked))
    except SaegimError as error:
        return ClientState(client.name, found, False, config, error.message)
    words = () if held is None else words_of(held)
    problem = _trouble(words, [each for _, each in hooked]) or problem
    return ClientState(client.name, found, held is not None, config, problem, words, tuple(hooked))


def _trouble(words: tuple[str, ...], hooked: list[tuple[str, ...]]) -> str:
    for each in (words, *hooked):
        if each and missing(each):
            return f"{each[0]} is not there any more."
        if each and not is_ours(each):
            return f"Its entry saegim runs something else: {each[0]}."
    return ""


def _switched_off(text: str, settings: Path, *, hooked: bool) -> str:
    if hooked and entries.value_at(text, ("disableAllHooks",), str(settings)) is True:
        return f"Hooks are turned off in {settings}."
    return ""
