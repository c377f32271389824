"""The command line: parses, calls a verb of `Saegim`, and lets `Talk` answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.main import get_command

from saegim import __version__
from saegim.errors import BadInput, SaegimError
from saegim.logs import begin, logger
from saegim.serve.commands import (
    asking,
    care,
    connecting,
    daily,
    hooking,
    installing,
    leaving,
    overhear,
    placing,
    serving,
    sleeping,
)
from saegim.serve.commands.manual import SpokenCommand, SpokenGroup
from saegim.serve.commands.talk import OTHER, Talk, chosen_settings, speak_utf8
from saegim.serve.terminal import is_whole
from saegim.serve.words.speech import LANGUAGES, Speech
from saegim.settings import data_directory

# Typer moved Click's exceptions into itself; this is their root in every version of both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="saegim", cls=SpokenGroup, add_completion=False, pretty_exceptions_enable=False
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "remember": daily.remember,
    "recall": asking.recall,
    "context": asking.context,
    "feedback": asking.feedback,
    "related": asking.related,
    "trace": asking.trace,
    "search": daily.search,
    "get": daily.get,
    "recent": daily.recent,
    "sessions": daily.sessions,
    "session": daily.session,
    "update": daily.update,
    "history": daily.history,
    "forget": daily.forget,
    "restore": daily.restore,
    "observe": overhear.observe,
    "people": overhear.people,
    "quarantine": overhear.quarantine,
    "release": overhear.release,
    "work": overhear.work,
    "derive": overhear.derive,
    "sleep": sleeping.sleep,
    "nights": sleeping.nights,
    "night": sleeping.night,
    "promotions": sleeping.promotions,
    "year": sleeping.year,
    "undo": sleeping.undo,
    "proposals": leaving.proposals,
    "pin": leaving.pin,
    "unpin": leaving.unpin,
    "keep": leaving.keep,
    "propose": leaving.propose,
    "accept": leaving.accept,
    "refuse": leaving.refuse,
    "queue": leaving.queue,
    "archive": leaving.archive,
    "revert": leaving.revert,
    "erase": leaving.erase,
    "audit": leaving.audit,
    "projects": placing.projects,
    "move": placing.move,
    "merge": placing.merge,
    "serve": serving.serve,
    "token": serving.token,
    "install": installing.install,
    "uninstall": installing.uninstall,
    "mcp": connecting.mcp,
    "hook": hooking.hook,
    "distil": connecting.distil,
    "completion": connecting.completion,
    "status": care.status,
    "doctor": care.doctor,
    "backup": care.backup,
    "restore-backup": care.restore_backup,
    "export": care.export,
    "import": care.import_,
    "migrate": care.migrate,
    "log": care.log,
    "rebuild": care.rebuild,
    "verify": care.verify,
    "demo": care.demo,
}
for _name, _command in _COMMANDS.items():
    app.command(_name, cls=SpokenCommand)(_command)


@app.callback(invoke_without_command=True)
def front(
    ctx: typer.Context,
    path: Annotated[str | None, typer.Option("--path", metavar="FILE")] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME")] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="NAME")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    language: Annotated[str | None, typer.Option("--language", metavar="ko|en|auto")] = None,
    version: Annotated[bool, typer.Option("--version")] = False,
) -> None:
    """Hear what holds for every command."""
    talk: Talk = ctx.obj
    talk.as_json, talk.path = as_json, path
    talk.user, talk.agent, talk.project = user, agent, project
    if language is not None and language not in LANGUAGES:
        raise BadInput("command.no_language", language=language, known=", ".join(LANGUAGES))
    settings = chosen_settings(talk.home)
    talk.speech = Speech.of(language or settings.language)
    begin(settings.log_level)
    logger("serve").debug("the command %s begins", ctx.invoked_subcommand)
    if version:
        talk.answer({"version": __version__}, lambda: [f"saegim {__version__}"])
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line; return its exit code."""
    speak_utf8()
    talk = Talk(as_json="--json" in _options(arguments))
    talk.speech = Speech.of(
        _asked_language(arguments) or chosen_settings(data_directory()).language
    )
    command: Any = get_command(app)
    if "_SAEGIM_COMPLETE" in os.environ:
        # A shell asks how the line could go on; the command answers it and leaves.
        completion_init()
    try:
        _refuse_halves(arguments)
        ended = command.main(
            args=_json_first(arguments), prog_name="saegim", standalone_mode=False, obj=talk
        )
    except SaegimError as error:
        return talk.complain(error)
    except _UsageError as error:
        return talk.complain(_misused(error, talk.speech))
    except typer.Abort:
        talk.tell("nothing changed")
        return OTHER
    return ended if isinstance(ended, int) else 0


def _options(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that may be options: all before a bare `--`."""
    held = list(arguments)
    return held[: held.index("--")] if "--" in held else held


def _json_first(arguments: Sequence[str]) -> list[str]:
    """Let `--json` stand anywhere: people write it where they think of it."""
    head = _options(arguments)
    rest = list(arguments)[len(head) :]
    if "--json" not in head:
        return [*head, *rest]
    return ["--json", *(each for each in head if each != "--json"), *rest]


def _asked_language(arguments: Sequence[str]) -> str | None:
    """Find the language that help is asked for in, before anything is parsed."""
    head = _options(arguments)
    for at, each in enumerate(head):
        name, _, value = each.partition("=")
        if name == "--language":
            return value or (head[at + 1] if at + 1 < len(head) else None)
    return None


def _refuse_halves(arguments: Sequence[str]) -> None:
    for at, each in enumerate(arguments, 1):
        if not is_whole(each):
            raise BadInput("command.argument_is_not_utf_8", at=at, each=each[:60])


def _misused(error: Exception, speech: Speech) -> BadInput:
    """Say a usage error of the parser as one of ours."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "saegim"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    # Click takes a text that begins with a dash for an option.
    sentence = "see help or dashes" if hasattr(error, "option_name") else "see help"
    return BadInput(message, next_step=speech(sentence, command=path))
