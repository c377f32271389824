"""The command line: parses, calls a command, and lets `Talk` answer.

Each command is a typed function: its signature says its arguments, options and defaults. Only the
module of the command that is asked for is loaded.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from saegim import __version__
from saegim.errors import BadInput
from saegim.serve.cli.plain import exchanged, front_first, in_plain_names
from saegim.serve.cli.talk import Argument, Ended, Option, Talk, Unwilling
from saegim.serve.speech import Speech
from saegim.serve.terminal import (
    console,
    speak_utf8,
)

# Typer moved Click's exceptions into itself; this is their root in every version of both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]
# Every command, and the module beside this one whose function of that name it is.
COMMANDS = {
    "remember": "daily_commands",
    "recall": "recall_commands",
    "context": "recall_commands",
    "feedback": "recall_commands",
    "related": "recall_commands",
    "trace": "recall_commands",
    "search": "daily_commands",
    "get": "daily_commands",
    "recent": "daily_commands",
    "sessions": "daily_commands",
    "session": "daily_commands",
    "update": "daily_commands",
    "history": "daily_commands",
    "forget": "daily_commands",
    "restore": "forget_commands",
    "observe": "perceive_commands",
    "about": "perceive_commands",
    "people": "perceive_commands",
    "quarantine": "perceive_commands",
    "release": "perceive_commands",
    "work": "perceive_commands",
    "derive": "perceive_commands",
    "imagine": "soul_commands",
    "mood": "soul_commands",
    "sleep": "night_commands",
    "nights": "night_commands",
    "night": "night_commands",
    "promotions": "night_commands",
    "year": "night_commands",
    "undo": "night_commands",
    "proposals": "forget_commands",
    "pin": "forget_commands",
    "unpin": "forget_commands",
    "keep": "forget_commands",
    "propose": "forget_commands",
    "accept": "forget_commands",
    "refuse": "forget_commands",
    "soul": "soul_commands",
    "islands": "soul_commands",
    "queue": "forget_commands",
    "archive": "forget_commands",
    "revert": "forget_commands",
    "erase": "forget_commands",
    "audit": "forget_commands",
    "debate": "debate_commands",
    "debates": "debate_commands",
    "projects": "project_commands",
    "move": "project_commands",
    "merge": "project_commands",
    "serve": "agent_commands",
    "open": "agent_commands",
    "token": "user_commands",
    "user": "user_commands",
    "install": "install_commands",
    "uninstall": "install_commands",
    "mcp": "agent_commands",
    "hook": "agent_commands",
    "distil": "perceive_commands",
    "completion": "agent_commands",
    "status": "maintenance_commands",
    "doctor": "maintenance_commands",
    "backup": "maintenance_commands",
    "restore-backup": "maintenance_commands",
    "move-store": "maintenance_commands",
    "export": "maintenance_commands",
    "import": "maintenance_commands",
    "migrate": "maintenance_commands",
    "log": "maintenance_commands",
    "rebuild": "maintenance_commands",
    "verify": "maintenance_commands",
    "federate": "federate_commands",
    "demo": "demo",
}

# The commands in the order a person reads them, by what they are for.
PANELS: dict[str, tuple[str, ...]] = {
    "first steps": ("demo",),
    "by day": tuple("remember recall search get recent sessions session update history".split()),
    "answers": tuple("context related feedback trace".split()),
    "perceiving": tuple("observe about people quarantine release work derive".split()),
    "imagining": ("imagine", "mood"),
    "by night": tuple(
        "sleep nights night promotions year undo propose proposals accept refuse".split()
    ),
    "the self": ("soul", "islands"),
    "letting go": tuple("forget restore keep pin unpin queue archive revert erase".split()),
    "voices": ("debate", "debates"),
    "projects": tuple("projects move merge".split()),
    "agents": (
        "install",
        "uninstall",
        "serve",
        "open",
        "token",
        "user",
        "mcp",
        "hook",
        "distil",
        "completion",
    ),
    "together": ("federate",),
    "care": tuple(
        "status doctor audit backup restore-backup move-store export import migrate log rebuild "
        "verify".split()
    ),
}

Row = tuple[str, str]


class SpokenGroup(TyperGroup):
    """The command line as a whole; its help comes from our own sentences."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return the command of that name; no other is loaded."""
        if (known := self.commands.get(cmd_name)) is None and cmd_name in COMMANDS:
            known = self.commands[cmd_name] = command_of(cmd_name)
        return known

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of all commands."""
        speech: Speech = ctx.obj.speech
        written = [_usage(ctx, speech, [speech("help command")]), speech("help"), ""]
        for panel, names in PANELS.items():
            rows = ((f"  {name}", speech(f"help {name}")) for name in names)
            written.append(_block(speech(f"panel {panel}"), rows))
        written += [_option_rows(self, ctx, speech), speech("help epilog"), ""]
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
            rows = ((f"  {_name(each)}", _param_said(self, each, speech)) for each in arguments)
            written.append(_block(speech("help arguments"), rows))
        written.append(_option_rows(self, ctx, speech))
        formatter.write("\n".join(written))


def command_of(name: str) -> Any:
    """Make a command of the function that carries it out."""
    module = import_module(f"saegim.serve.cli.{COMMANDS[name]}")
    function: Callable[..., None] = getattr(module, _function_name(name))
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    made.command(name, cls=SpokenCommand)(_with_context(function))
    return get_command(made)


def _function_name(command: str) -> str:
    name = command.replace("-", "_")
    return f"{name}_" if name in ("import", "open") else name


def _with_context(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function as the parser calls it: the exchange at hand comes with the context."""
    signature = inspect.signature(function, eval_str=True)
    held = list(signature.parameters.values())[1:]
    given = [each.replace(annotation=_for_parser(each.annotation)) for each in held]
    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )

    def call(ctx: typer.Context, **values: Any) -> None:
        try:
            function(ctx.obj, **values)
        except Ended as end:
            raise typer.Exit(end.code) from end

    call.__signature__ = signature.replace(parameters=[context, *given])  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in (context, *given)}
    return call


def _for_parser(annotation: Any) -> Any:
    """Return how a value is written in the words of the parser."""
    told = [each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, Argument)]
    if not told:
        return annotation
    (way,) = told

    def read(ctx: typer.Context, value: Any) -> Any:
        return way.read(ctx.obj, value) if way.read is not None else value

    said = typer.Option if isinstance(way, Option) else typer.Argument
    callback = None if way.read is None else read
    written = said(*way.names, metavar=way.metavar or None, callback=callback)
    return Annotated[annotation.__origin__, written]


app = typer.Typer(
    name="saegim", cls=SpokenGroup, add_completion=False, pretty_exceptions_enable=False
)


@app.callback(invoke_without_command=True)
def front(
    ctx: typer.Context,
    path: Annotated[str | None, typer.Option("--path", "--store", metavar="FILE")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="NAME")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    language: Annotated[str | None, typer.Option("--language", metavar="ko|en|auto")] = None,
    ids: Annotated[bool, typer.Option("--ids")] = False,
    version: Annotated[bool, typer.Option("--version")] = False,
) -> None:
    """Hear what holds for every command."""
    talk: Talk = ctx.obj
    talk.hear(
        ctx.invoked_subcommand,
        language,
        path=path,
        user=user,
        agent=agent,
        project=project,
        as_json=as_json,
        ids=ids,
    )
    if version:
        talk.answer({"version": __version__}, lambda: [f"saegim {__version__}"])
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line; return its exit code."""
    speak_utf8()
    if "_SAEGIM_COMPLETE" in os.environ:
        # A shell asks how the line could go on; the command answers it and leaves.
        completion_init()
    return carried_out(arguments, Talk())


def carried_out(arguments: Sequence[str], talk: Talk) -> int:
    """Carry out one command line in an exchange; return its exit code."""

    def parsed() -> object:
        try:
            return _whole().main(
                args=front_first(in_plain_names(arguments)),
                prog_name="saegim",
                standalone_mode=False,
                obj=talk,
            )
        except _UsageError as error:
            raise _misused(error, talk.speech) from error
        except typer.Abort as no:
            raise Unwilling from no

    return exchanged(arguments, talk, parsed)


@cache
def _whole() -> Any:
    """Return the command line; a server that carries out many makes it once."""
    return get_command(app)


# What a hand types that knows other tools.
_CALLED_ELSEWHERE: Final = {
    "recent": "list ls all timeline",
    "remember": "add save store note new",
    "recall": "ask find query retrieve",
    "get": "show cat view read",
    "forget": "delete remove rm del",
    "update": "edit change",
    "status": "stats info",
    "about": "who whoami me profile",
}


def _misused(error: Exception, speech: Speech) -> BadInput:
    """Say a usage error of the parser as one of ours."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "saegim"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    mistyped = re.match(r"No such command '([^']+)'", message)
    if mistyped:
        typed = mistyped[1].lower()
        near = [name for name, words in _CALLED_ELSEWHERE.items() if typed in words.split()]
        if near := near or get_close_matches(typed, COMMANDS, n=1):
            return BadInput(message, next_step=speech("command meant", near=near[0]))
    # Click takes a text that begins with a dash for an option.
    sentence = "see help or dashes" if hasattr(error, "option_name") else "see help"
    return BadInput(message, next_step=speech(sentence, command=path))


def _usage(ctx: Any, speech: Speech, names: Iterable[str]) -> str:
    words = " ".join((ctx.command_path, f"[{speech('help options')}]", *names))
    return f"{speech('help usage')} {words}\n"


def _option_rows(command: Any, ctx: Any, speech: Speech) -> str:
    options = [each for each in command.get_params(ctx) if each.param_type_name == "option"]
    rows = ((f"  {_name(each)}", _param_said(command, each, speech)) for each in options)
    return _block(speech("help options"), rows)


def _name(param: Any) -> str:
    """Write an option as it is typed, or an argument as usage names it."""
    if param.param_type_name == "argument":
        return str(param.metavar)
    spelled = ", ".join(sorted(param.opts, key=len))
    return spelled if param.is_flag else f"{spelled} {param.metavar}"


def _param_said(command: Any, param: Any, speech: Speech) -> str:
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
