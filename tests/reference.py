"""Writes from the code what must agree with it: the reference pages, and the MCP handshake.

`python tests/reference.py --write` writes them anew; without `--write` it says which have drifted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from typer.main import get_command

import handshake
from saegim import errors
from saegim.memory.text import ALIASES
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.catalogue.entry import Profile
from saegim.serve.cli.app import PANELS, app
from saegim.serve.speech import Speech
from saegim.serve.terminal import INPUT, OTHER, RUNNING, STORE, exit_code
from saegim.settings import FILE, Settings

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_TYPES: dict[type, str] = {bool: "true or false", str: "text", int: "whole number", float: "number"}
NOTE = "*This page is written from the code by `python tests/reference.py --write`.*"


def settings_page() -> str:
    """Return every setting: its name, its variable, its default and its reason."""
    lines = [
        "# Settings",
        "",
        "Every number and name a person may argue with, each beside its reason.",
        "",
        NOTE,
        "",
        f"Settings are read from `{FILE}` in the data directory, then from `SAEGIM_…` environment",
        "variables, then from the arguments of `Saegim.open()`; the later one wins.",
        "A name that is not in this table is refused, so a misspelt setting cannot be overlooked.",
        "",
        "The data directory is `SAEGIM_HOME` if it is set; else `~/.local/share/saegim` on Linux",
        "(or `XDG_DATA_HOME`), `~/Library/Application Support/saegim` on macOS and",
        "`%LOCALAPPDATA%\\saegim` on Windows. With an explicit path it is the folder of that file.",
        "",
        "| setting | variable | type | default | reason |",
        "|---|---|---|---|---|",
    ]
    for each in fields(Settings):
        kind = _TYPES[type(each.default)]
        shown = f"`{each.default}`" if each.default != "" else "empty"
        reason = _cell(str(each.metadata["reason"]))
        variable = f"`SAEGIM_{each.name.upper()}`"
        lines.append(f"| `{each.name}` | {variable} | {kind} | {shown} | {reason} |")
    return "\n".join([*lines, ""])


def errors_page() -> str:
    """Return the tree of errors, and for each what it says and with which code a command ends."""
    lines = [
        "# Errors",
        "",
        "Every error Saegim raises on purpose; each says what happened and what to do next.",
        "",
        NOTE,
        "",
        "All are in `saegim.errors` and inherit from `SaegimError`, which has two texts:",
        "`message` (what happened, naming the thing) and `next_step` (what you can do about it).",
        "Where Python has a word for the same thing, the error is that as well: `BadInput` is a",
        "`ValueError`, `NotFound` a `LookupError`, `MissingExtra` an `ImportError`.",
        "",
        "| error | is also | means | exit code |",
        "|---|---|---|---|",
    ]
    for depth, kind in error_tree():
        indent = "&nbsp;" * 4 * depth
        also = [each for each in kind.__mro__ if each.__module__ == "builtins"]
        known = next(each.__name__ for each in also)
        named = f"`{known}`" if known != "Exception" else ""
        meaning = _cell((kind.__doc__ or "").strip())
        code = exit_code(kind())
        lines.append(f"| {indent}`{kind.__name__}` | {named} | {meaning} | {code} |")
    return "\n".join([*lines, ""])


def error_tree(
    kind: type[errors.SaegimError] = errors.SaegimError, depth: int = 0
) -> Iterator[tuple[int, type[errors.SaegimError]]]:
    """Yield every error of the house with its depth, parents first, in the order of the file."""
    yield depth, kind
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__ and each.__bases__[0] is kind:
            yield from error_tree(each, depth + 1)


def commands_page() -> str:
    """Return every command with its arguments and options, in the order of `saegim --help`."""
    speech = Speech("en")
    command: Any = get_command(app)
    lines = [
        "# Command line",
        "",
        "Every command of `saegim`, its arguments and its options.",
        "",
        NOTE,
        "",
        "`saegim --language ko` speaks Korean; so does a Korean locale or the setting `language`.",
        "`--json` may stand anywhere and gives exactly one JSON document on standard output, also",
        "for errors. A memory in it always has `id` and `text`; lists are in rank order.",
        "",
        "| exit code | means |",
        "|---|---|",
        "| 0 | done |",
        f"| {OTHER} | something did not work: a failed check, an engine, an unreadable line |",
        f"| {INPUT} | the input cannot be used, or nothing of that name is here |",
        f"| {STORE} | the store cannot be used: missing, busy, read-only, full, damaged |",
        f"| {RUNNING} | `serve`: a server runs here already |",
        "",
        "## Options of every command",
        "",
        'They stand before the command or behind it: `saegim recall "..." --user minji`.',
        "",
        *_parameters(command, speech),
    ]
    for panel, names in PANELS.items():
        lines += ["", f"## {speech(f'panel {panel}')}"]
        for name in names:
            each = command.get_command(None, name)
            lines += ["", f"### `{_usage(each)}`", "", speech(f"help {name}")]
            if table := _parameters(each, speech):
                lines += ["", *table]
    return "\n".join([*lines, ""])


def rest_page() -> str:
    """Return every address of the REST API, in the order of the catalogue."""
    lines = [
        "# REST API",
        "",
        "Every address of `saegim serve`, the function behind it and what it does.",
        "",
        NOTE,
        "",
        "Arguments are in the address, then in the query of a GET and in the JSON body of all",
        "others; `/openapi.json` has their schemas and the shape of every answer. How to call it:",
        "[Serve over HTTP](../howto/serve-over-http.md).",
        "",
        "Seed C's names are accepted at every door, in Python, MCP, REST and on the command line:",
        *(f"`{alias}` for `{name}`," for alias, name in ALIASES.items()),
        "and `core_principle` for the kind `principle`. Both names with different values are",
        "refused.",
        "",
        "| address | function | arguments | does |",
        "|---|---|---|---|",
    ]
    for each in CATALOGUE.values():
        method, path = each.route
        fields = each.arguments.model_fields
        given = ", ".join(
            f"`{name}`" if field.is_required() else f"[`{name}`]" for name, field in fields.items()
        )
        people = " For people and their programs, not for models." * (
            each.profile is Profile.PEOPLE
        )
        said = _cell(each.description)
        lines.append(f"| `{method} /v1{path}` | `{each.name}` | {given} | {said}{people} |")
    lines += [
        "| `DELETE /v1/memories/{id}` | `memory_delete` | `id` | Let one memory go by id. |",
        "| `POST /v1/call/{name}` | any | `arguments`, [`project`], [`folder`], [`agent`] "
        "| Carry out a function by its name. |",
        "| `GET /v1/export` | | | Stream everything as JSONL. For people and their programs. |",
        "| `GET /health` | | | Whether a server is here, without a token. |",
        "| `GET /metrics` | | | Counts for Prometheus. |",
        "| `GET /openapi.json` | | | The whole description. |",
        "| `/mcp` | | | MCP over streamable HTTP. |",
    ]
    return "\n".join([*lines, ""])


def _usage(command: Any) -> str:
    places = [
        each.metavar if each.required else f"[{each.metavar.strip('[]')}]"
        for each in command.params
        if each.param_type_name == "argument"
    ]
    return " ".join(("saegim", command.name, *places))


def _parameters(command: Any, speech: Speech) -> list[str]:
    rows = [_parameter(command, each, speech) for each in command.params if each.name != "help"]
    return ["| | |", "|---|---|", *rows] if rows else []


def _parameter(command: Any, each: Any, speech: Speech) -> str:
    own = f"option {command.name} {each.name}"
    said = _cell(speech(own if speech.knows(own) else f"option {each.name}"))
    if each.param_type_name == "argument":
        return f"| `{each.metavar.strip('[]')}` | {said} |"
    takes = "" if each.is_flag else f" {_cell(each.metavar)}"
    names = ", ".join(f"`{name}{takes}`" for name in each.opts)
    given = each.default not in (None, False, [], ()) and not callable(each.default)
    return f"| {names} | {said}{f' Default {each.default}.' if given else ''} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {
    "settings.md": settings_page,
    "errors.md": errors_page,
    "cli.md": commands_page,
    "rest.md": rest_page,
}


def drifted() -> list[str]:
    """Return the pages that no longer say what the code says."""
    return [
        name
        for name, made in PAGES.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != made()
    ]


def main() -> int:
    """Write the pages, or say which have drifted."""
    if "--write" in sys.argv[1:]:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, made in PAGES.items():
            (FOLDER / name).write_text(made(), encoding="utf-8", newline="\n")
        handshake.FILE.write_text(handshake.text(), encoding="utf-8", newline="\n")
        return 0
    for name in drifted():
        print(f"docs/reference/{name} has drifted: python tests/reference.py --write")
    return bool(drifted())


if __name__ == "__main__":
    sys.exit(main())
