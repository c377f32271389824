"""The help of the command line, in the language of the reader and as wide as the terminal.

Typer draws its own help in English, and cuts the last letter of a Korean line that just fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

from saegim.serve.terminal import console
from saegim.serve.words.speech import Speech

# The commands in the order a person reads them, by what they are for.
PANELS: dict[str, tuple[str, ...]] = {
    "first steps": ("demo",),
    "by day": tuple("remember recall search get recent sessions session update history".split()),
    "answers": tuple("context related feedback trace".split()),
    "perceiving": tuple("observe people quarantine release work derive".split()),
    "by night": tuple(
        "sleep nights night promotions year undo propose proposals accept refuse".split()
    ),
    "letting go": tuple("forget restore keep pin unpin queue archive revert erase".split()),
    "projects": tuple("projects move merge".split()),
    "agents": ("install", "uninstall", "serve", "token", "mcp", "hook", "distil", "completion"),
    "care": tuple(
        "status doctor audit backup restore-backup export import migrate log rebuild verify".split()
    ),
}

Row = tuple[str, str]


class SpokenGroup(TyperGroup):
    """The command line as a whole; its help comes from our own sentences."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands."""
        speech: Speech = ctx.obj.speech
        written = [_usage(ctx, speech, [speech("help command")]), speech("help"), ""]
        for panel, names in PANELS.items():
            rows = ((f"  {name}", speech(f"help {name}")) for name in names)
            written.append(_block(speech(f"panel {panel}"), rows))
        written += [_options(self, ctx, speech), speech("help epilog"), ""]
        formatter.write("\n".join(written))


class SpokenCommand(TyperCommand):
    """One command; its help comes from our own sentences."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of this command."""
        speech: Speech = ctx.obj.speech
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        names = [_name(each) for each in arguments]
        written = [_usage(ctx, speech, names), speech(f"help {self.name}"), ""]
        if arguments:
            rows = ((f"  {_name(each)}", _said(self, each, speech)) for each in arguments)
            written.append(_block(speech("help arguments"), rows))
        written.append(_options(self, ctx, speech))
        formatter.write("\n".join(written))


def _usage(ctx: Any, speech: Speech, names: Iterable[str]) -> str:
    words = " ".join((ctx.command_path, f"[{speech('help options')}]", *names))
    return f"{speech('help usage')} {words}\n"


def _options(command: Any, ctx: Any, speech: Speech) -> str:
    options = [each for each in command.get_params(ctx) if each.param_type_name == "option"]
    rows = ((f"  {_name(each)}", _said(command, each, speech)) for each in options)
    return _block(speech("help options"), rows)


def _name(param: Any) -> str:
    """Write an option as it is typed, or an argument as usage names it."""
    if param.param_type_name == "argument":
        return str(param.metavar)
    spelled = ", ".join(sorted(param.opts, key=len))
    return spelled if param.is_flag else f"{spelled} {param.metavar}"


def _said(command: Any, param: Any, speech: Speech) -> str:
    own = f"option {command.name} {param.name}"
    said = speech(own if speech.knows(own) else f"option {param.name}")
    if param.param_type_name == "option" and not param.is_flag and param.default is not None:
        said = f"{said} {speech('help default', value=param.default)}"
    return said


def _block(title: str, rows: Iterable[Row]) -> str:
    """Draw a title and its rows; the second column wraps inside itself."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0), expand=False)
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    for name, said in rows:
        table.add_row(name, Text(said))
    where = console()
    with where.capture() as held:
        where.print(Text(title, style="bold"))
        where.print(table)
    return "".join(f"{line.rstrip()}\n" for line in held.get().splitlines())
