"""What we made in other programs' files, kept in our own folder so that it can be undone exactly.

Their files are read exactly, kept aside, and written whole or not at all. Nothing of anyone's
configuration is in ours but the white space and comments of what was empty.
"""

from __future__ import annotations

import difflib
import itertools
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from saegim.errors import BadInput, Refused, SaegimError
from saegim.filesystem import replacing, unwritable
from saegim.guard.guard import screen
from saegim.serve.clients import entries, hook_entries, toml_table
from saegim.serve.clients.jsonc import parse
from saegim.serve.clients.roster import CLIENTS, Client, Machine, is_ours, missing, words_of
from saegim.serve.terminal import visible

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


# -- Files of other programs: read, changed with a copy aside, and never half

# A line longer than this is a file without line breaks, of which only the change is of interest.
_LONG = 300
_AROUND = 40
# The words of a line of JSON or TOML: texts in quotes, and whatever else no mark or space divides.
_WORD = re.compile(r"""\"(?:\\.|[^"\\])*\"|'[^']*'|[^\s"'{}\[\],:=]+""")
# Of our own commands: they say nothing about anyone.
_PLAIN = frozenset({"-P", "-m", "saegim", "mcp", "hook"})
# The names we write, whose values may be shown when they leave.
_NAMES = frozenset({"args", "command", "timeout", "type"})
# What stands after a word that is a name and no value; in TOML only the first word is one.
_NAME_ENDS = re.compile(r"\s*:")
_FIRST_NAME = re.compile(r"\s*(?:[\w.-]+)\s*=")


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of one file; no bytes before or after mean that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    was: dict[str, str | None] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        """Say whether there is anything to write."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff that shows nothing of the neighbours."""
        old, new = (_lines(each) for each in (self.before, self.after))
        name = visible(str(self.path)).replace("\n", "\\n")
        # No line around the change: it may hold the password of another server.
        lines = difflib.unified_diff(
            old,
            new,
            os.devnull if self.before is None else name,
            os.devnull if self.after is None else name,
            n=0,
            lineterm="",
        )
        head = list(itertools.islice(lines, 2))
        return "\n".join((*head, *_shortened(_discreet(list(lines), old, new))))


def read(path: Path) -> bytes | None:
    """Return the bytes of a file, or nothing where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(
            "client.cannot_be_read", path=path, reason=error.strerror or error
        ) from error


def text_of(held: bytes | None, path: Path) -> str:
    """Return the text of a file exactly, its byte-order mark and line ends included."""
    try:
        return (held or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (held or b"").count(b"\n", 0, error.start) + 1
        raise BadInput("client.cannot_be_read_line", path=path, line=line) from error


def refuse_unwritable(edit: Edit) -> None:
    """Refuse a file that its owner made read-only, though it could be replaced."""
    if edit.before is None:
        return
    real = Path(os.path.realpath(edit.path))
    if not real.stat().st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
        raise Refused("client.read_only", path=edit.path)


def carried_out(edits: list[Edit], now: datetime) -> list[Path | None]:
    """Write every file, or none if one of them cannot be; return where each lies as it was."""
    done: list[Edit] = []
    copies: list[Path | None] = []
    try:
        for edit in edits:
            refuse_unwritable(edit)
        for edit in edits:
            copies.append(_kept_aside(edit, now))
            if read(edit.path) != edit.before:
                raise BadInput("client.changed_by_another_program", path=edit.path)
            _write(edit.path, edit.after, made=edit.before is None)
            done.append(edit)
    except (BadInput, Refused):
        for edit in reversed(done):
            _write(edit.path, edit.before, made=False)
        for copy in copies:
            if copy is not None:
                copy.unlink(missing_ok=True)
        raise
    return copies


def missing_folders(path: Path) -> list[Path]:
    """Return the folders that a file still needs, the innermost first."""
    parent = Path(os.path.realpath(path)).parent
    found: list[Path] = []
    while not parent.exists():
        found.append(parent)
        parent = parent.parent
    return found


def remove_folders(folders: list[str]) -> None:
    """Remove folders that we made, as far as nothing lies in them."""
    for each in folders:
        try:
            Path(each).rmdir()
        except OSError:
            return


def _write(path: Path, held: bytes | None, *, made: bool) -> None:
    # A link stays a link: what it points to is replaced.
    real = Path(os.path.realpath(path))
    try:
        if held is None:
            real.unlink(missing_ok=True)
            return
        mode = None if made or not real.exists() else stat.S_IMODE(real.stat().st_mode)
        real.parent.mkdir(parents=True, exist_ok=True)
        with replacing(real) as file:
            file.write(held.decode("utf-8"))
        if mode is not None:
            real.chmod(mode)
    except OSError as error:
        raise unwritable(path, error) from error


def _kept_aside(edit: Edit, now: datetime) -> Path | None:
    """Copy a file beside itself, under a name with the date that no other file has."""
    if edit.before is None or edit.after is None:
        return None
    mode = stat.S_IMODE(edit.path.stat().st_mode)
    for name in _names(edit.path, now):
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            continue
        except OSError as error:
            raise unwritable(name, error) from error
        with os.fdopen(handle, "wb") as file:
            file.write(edit.before)
        return name
    raise BadInput("client.too_many_backups_of_second", path=edit.path)


def _names(path: Path, now: datetime) -> Iterator[Path]:
    """Yield names for a copy, the plain one first."""
    stamp = f"{path.name}.before-saegim-{now:%Y%m%d-%H%M%S}"
    yield path.with_name(stamp)
    yield from (path.with_name(f"{stamp}-{count}") for count in range(2, 1000))


def _lines(held: bytes | None) -> list[str]:
    # Not where Python sees the end of a line: a text of JSON may hold such characters.
    lines = [each.removesuffix("\r") for each in (held or b"").decode("utf-8").split("\n")]
    return lines if lines[-1] else lines[:-1]


# -- what is shown of a change --------------------------------------------------------------------


def _discreet(lines: list[str], old: list[str], new: list[str]) -> list[str]:
    """Leave out of changed lines what is not ours: a line is also changed by a comma behind it.

    What the file has as often as before was there before, and belongs to somebody else.
    """
    before, after = (Counter(itertools.chain(*map(_WORD.findall, each))) for each in (old, new))
    more = {"+": after - before, "-": before - after}
    return [
        line[0] + _less(line[1:], more[line[0]], written=line[0] == "+")
        if line[0] in more
        else line
        for line in lines
    ]


def _less(line: str, ours: Counter[str], *, written: bool) -> str:
    first = _FIRST_NAME.match(line)
    name, at, parts = "", 0, []
    for found in _WORD.finditer(line):
        bare = found[0].strip("\"'")
        is_name = _NAME_ENDS.match(line, found.end()) or (first and found.end() <= first.end())
        name = bare if is_name else name
        # What leaves with our entry may be what a person wrote into it.
        mine = found[0] in ours and (written or not name or name in _NAMES)
        shown = found[0] if is_name or mine or bare in _PLAIN else "…"
        parts += [line[at : found.start()], shown]
        at = found.end()
    text = re.sub(r"…(?:[ \t]*…)+", "…", "".join(parts) + line[at:])
    if not written or any(each not in ours for each in _WORD.findall(line)):
        # Names stay, and those of others may be anything.
        text = screen(text).text
    return visible(text)


def _shortened(lines: list[str]) -> list[str]:
    """Cut long lines down to what changed in them, by the line of the other side beside it."""
    short: list[str] = []
    for at, line in enumerate(lines):
        sides = [each for each in lines[max(at - 1, 0) : at + 2] if each[:1] in ("+", "-")]
        other = next((each for each in sides if each[0] != line[:1]), line)
        short.append(line if len(line) <= _LONG else line[0] + _cut(line[1:], other[1:]))
    return short


def _cut(line: str, other: str) -> str:
    """Return the part of a line that the other does not have, with a little around it."""
    same = _alike(line, other)
    tail = _alike(line[same:][::-1], other[same:][::-1])
    begin, end = max(same - _AROUND, 0), min(len(line) - tail + _AROUND, len(line))
    return f"{'…' if begin else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts have in common from their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


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
