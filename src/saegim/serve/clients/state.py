"""What stands in the clients' configurations now: found, installed, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from saegim.errors import SaegimError
from saegim.serve.clients import entries, hooks
from saegim.serve.clients.command import is_ours, missing, words_of
from saegim.serve.clients.files import read, text_of
from saegim.serve.clients.flow import Where, entry, hooks_file, server_file
from saegim.serve.clients.roster import CLIENTS, Client, Machine


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
    where = Where(machine or Machine.here(), project)
    return [one(each, where) for each in CLIENTS if project is None or each.here]


def one(client: Client, where: Where) -> ClientState:
    """Return how one client stands; what cannot be read is told, not raised."""
    found = client.found(where.machine)
    config = where.file or client.files(where.machine)[0]
    try:
        config = server_file(client, where)
        held = entry(client, text_of(read(config), config), str(config))
        settings = hooks_file(client, where)
        text = "" if settings is None else text_of(read(settings), settings)
        hooked = [] if settings is None else hooks.found(text, str(settings))
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
