"""`Talk`: one exchange on the command line: which store, which language, tables or JSON."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import saegim
from saegim.errors import BadInput, Refused, SaegimError, StoreError, StoreMissing, hint
from saegim.logs import begin, logger
from saegim.messages import entries
from saegim.projects import keep_apart, project_of
from saegim.serve.server_file import refuse_foreign_folder
from saegim.serve.speech import LANGUAGES, Speech
from saegim.serve.terminal import (
    OTHER,
    SEAT,
    agent_here,
    chosen_settings,
    complain,
    exit_code,
    is_whole,
    json_text,
    pasteable,
    put,
    standing_in,
)
from saegim.settings import FILE as SETTINGS
from saegim.settings import STORE, data_directory

if TYPE_CHECKING:
    from saegim.language.times import Span


class Argument:
    """How one value of a command is written; no parser is loaded to say it."""

    def __init__(
        self, *names: str, metavar: str = "", read: Callable[[Talk, Any], Any] | None = None
    ) -> None:
        self.names, self.metavar, self.read = names, metavar, read


class Option(Argument):
    """A value that is named: by these names, or by that of its parameter."""


class Ended(Exception):
    """The command is over, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Unwilling(Exception):
    """A person was asked and did not say yes."""


def said_day(talk: Talk, value: str | None) -> str | None:
    """Return when the day begins that words such as 3일 전 or `May 3 2019` name."""
    named = _named(talk, value)
    return named.start.isoformat() if named else value


def said_end(talk: Talk, value: str | None) -> str | None:
    """Return when the day is over that words such as 어제 or `last Friday` name."""
    named = _named(talk, value)
    return named.end.isoformat() if named else value


def _named(talk: Talk, value: str | None) -> Span | None:
    """Return the stretch of time that words name; none where they are an ISO date."""
    if value is None or not value.strip() or _is_written_date(value):
        return None
    from zoneinfo import ZoneInfo

    from saegim.language.times import spans
    from saegim.memory.clock import SystemClock

    zone = chosen_settings(talk.home).timezone
    now = SystemClock().now().astimezone(ZoneInfo(zone) if zone else None)
    found = spans(value, now)
    # Words that leave anything over, or name two times, are not guessed at.
    if len(found) != 1 or found[0].words.strip(" .") != value.strip(" ."):
        raise BadInput("command.no_day", value=value)
    return found[0]


def _is_written_date(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def said_words(group: str) -> Callable[[Talk, Any], Any]:
    """Return what reads the words that tables show for a kind, a state or a stage."""

    def canonical(talk: Talk, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [canonical(talk, each) for each in value]
        if value is None or value.isascii():
            return value
        plain = unicodedata.normalize("NFC", value).strip()
        held = entries("night" if group == "stage" else "word", "ko").items()
        names = {told.message: name for name, told in held if name.startswith(f"{group} ")}
        if plain not in names:
            near, known = hint(plain, names), ", ".join(names)
            raise BadInput(
                "perceive.no_such_value", name=group, value=plain, hint=near, known=known
            )
        return names[plain].partition(" ")[2]

    return canonical


Text = Annotated[str | None, Argument(metavar="[TEXT]")]
Id = Annotated[str, Argument(metavar="ID")]
Ids = Annotated[list[str] | None, Argument(metavar="ID...")]
Number = Annotated[int, Option("--limit", "-n", metavar="N")]
Words = Annotated[str | None, Option(metavar="WORD")]
Name = Annotated[str | None, Option(metavar="NAME")]
When = Annotated[str | None, Option(metavar="DATE", read=said_day)]
End = Annotated[str | None, Option(metavar="DATE", read=said_end)]
Share = Annotated[float | None, Option(metavar="0..1")]
Kinds = Annotated[list[str] | None, Option("--kind", metavar="KIND", read=said_words("kind"))]
Tiers = Annotated[list[str] | None, Option("--tier", metavar="TIER")]
States = Annotated[list[str] | None, Option("--state", metavar="STATE", read=said_words("state"))]
Tags = Annotated[list[str] | None, Option("--tag", metavar="TAG")]
Parent = Annotated[str | None, Option("--parent", metavar="ID")]
Yes = Annotated[bool, Option("--yes", "-y")]
Private = Annotated[bool, Option("--keep-private")]


def given(**values: Any) -> dict[str, Any]:
    """Return what was said on the command line, without what was left out."""
    return {name: value for name, value in values.items() if value is not None}


def filtered(
    kinds: list[str] | None,
    tags: list[str] | None,
    tiers: list[str] | None,
    states: list[str] | None,
    since: str | None,
    until: str | None,
    **more: str | None,
) -> dict[str, Any]:
    """Gather what narrows a search; an option that was not given is not a filter."""
    return given(
        kinds=kinds or None,
        tags=tags or None,
        tiers=tiers or None,
        states=states or None,
        since=since,
        until=until,
        **more,
    )


# -- `Talk`: one exchange on the command line: which store, which language, tables or JSON

# What a person answers to a question; ㅛ is the y key while the keyboard writes Korean.
_YES = frozenset({"y", "yes", "ㅛ", "예", "네", "응"})


def given_text(text: str | None) -> str:
    """Return the text, or what standard input holds if the text is `-` or left to a pipe."""
    seat = SEAT.get()
    if text is None and seat.is_typed_at:
        raise BadInput("command.text_is_missing")
    if text is not None and text != "-":
        return text
    raw = seat.piped()
    try:
        # A last line break belongs to the shell, a byte-order mark to the editor.
        return raw.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise BadInput("command.standard_input_is_not_utf", start=error.start) from error


@contextmanager
def files_named() -> Iterator[None]:
    """Turn what the file system says about a path into an error that names it."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            raise
        raise BadInput(
            "command.cannot_be_used", filename=error.filename, reason=error.strerror
        ) from error


@contextmanager
def _written_out() -> Iterator[None]:
    """Say what keeps an answer from being written; a reader that has gone is no trouble."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _lost(error) from error


def _lost(error: OSError) -> SaegimError:
    """Say that an answer could not be written; what is left of it has nowhere to go."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    return SaegimError("command.answer_not_written", reason=error.strerror)


def unwritten(error: OSError) -> int:
    """Complain that the answer of a server could not be written; return the exit code.

    A reader that has gone is no trouble.
    """
    lost = _lost(error)
    if isinstance(error, BrokenPipeError):
        return OTHER
    return Talk(Speech.of(chosen_settings(data_directory()).language)).complain(lost)


def handles_in(memory: saegim.Saegim) -> Callable[[str], str]:
    """Return what says the short handle of an id, as long as the memory is open."""
    scope, store = memory.scope, memory.mind.store

    def handle(id: str) -> str:
        from saegim.recall.explain import handles
        from saegim.soul.proposals import short_name

        return handles([id], scope=scope, store=store).get(id) or short_name(id)

    return handle


@dataclass(slots=True)
class Talk:
    """What a command needs to answer: where to look, for whom, how to say it."""

    speech: Speech = field(default_factory=Speech)
    as_json: bool = False
    path: str | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    # Whether long ids are shown where handles would do.
    ids: bool = False
    # Whether the answer is out: an error after it must not become a second document.
    answered: bool = False
    # What is open until the answer is out: whoever shows a memory asks for its handle.
    open: ExitStack = field(default_factory=ExitStack)

    @property
    def file(self) -> Path | None:
        """Return the store that was named, or nothing if it is the one of this machine."""
        if self.path is None:
            return None
        try:
            if not self.path.strip():
                raise BadInput("command.path_is_empty")
            return Path(self.path).expanduser().absolute()
        except RuntimeError as error:
            raise BadInput("command.names_no_home_folder", path=self.path) from error

    @property
    def home(self) -> Path:
        """Return the folder that holds the store and its settings."""
        file = self.file
        return data_directory().absolute() if file is None else file.parent

    @contextmanager
    def memory(
        self, *, new: bool = False, here: bool = False, trial: bool = False
    ) -> Iterator[saegim.Saegim]:
        """Open the store for one command; one that only reads never makes a new file.

        With `here` it is seen from the project of the folder one stands in, unless one is named.
        For a `trial` of what would make a store, an empty one is lent where there is none yet.
        """
        file = self.file
        if not is_whole(str(self.home)):
            raise BadInput("command.path_of_store")
        if file is None:
            refuse_foreign_folder(self.home)
        try:
            if trial and self.has_nothing_yet:
                file = self._lent()
            elif not new:
                self._refuse_missing(file)
            opened = saegim.Saegim.open(
                file, user=self.user, agent=self.agent, project=self.project, background=False
            )
        except OSError as error:
            raise StoreError(
                "command.cannot_be_used", filename=error.filename or file, reason=error.strerror
            ) from error
        try:
            if not self.ids:
                self.speech = replace(self.speech, handle=handles_in(opened))
            yield self._placed(opened) if here else opened
        except BaseException:
            opened.close()
            raise
        # Closed by the next answer, or at the end of the command.
        self.open.enter_context(opened)

    def _placed(self, memory: saegim.Saegim) -> saegim.Saegim:
        """Return the memory as seen from here; who names a project, or sets one, decides."""
        if self.project is not None or memory.scope.project:
            return memory
        scope, store, folder = memory.scope, memory.mind.store, standing_in()
        seen = SEAT.get().environment
        found = project_of(folder, seen, store=store, user=scope.user)
        project = found.project
        if found.claims and folder is not None:
            self.refuse_guests()
            if not self.asks or agent_here(os.environ):
                self.tell("place unconfirmed", project=project, other=found.claims)
            elif self.agreed("same project", folder=folder, other=found.claims):
                memory.maintenance.projects.merge(project, found.claims)
                project = found.claims
            else:
                keep_apart(folder, os.environ, store, scope.user)
        return memory.within(project=project) if project else memory

    def hear(self, command: str | None, language: str | None, **front: Any) -> None:
        """Hear what holds for every command, and begin this one."""
        path: str | None = front["path"]
        if path is not None and "://" in path:
            self.refuse_guests()
            # A server is a setting: whatever this command begins finds it there too.
            os.environ["SAEGIM_STORE"], path = path, None
        self.path, self.as_json, self.ids = path, front["as_json"], front["ids"]
        self.user, self.agent, self.project = front["user"], front["agent"], front["project"]
        if language is not None and language not in LANGUAGES:
            raise BadInput("command.no_language", language=language, known=", ".join(LANGUAGES))
        settings = chosen_settings(self.home)
        self.speak(language or settings.language)
        self.begin(command, settings.log_level)

    def speak(self, language: str) -> None:
        """Speak a language, or that of the locale."""
        self.speech = replace(Speech.of(language, SEAT.get().environment), paste=pasteable)

    def begin(self, command: str | None, log_level: str) -> None:
        """Begin a command: from here on it may say what it does."""
        begin(log_level)
        logger("serve").debug("the command %s begins", command)

    def refuse_guests(self) -> None:
        """Leave what only the process of who asks can do to that process."""

    @property
    def has_nothing_yet(self) -> bool:
        """Say whether the store of this machine was never begun; one that is named is another."""
        return self.file is None and self._is_missing(None)

    def _is_missing(self, named: Path | None) -> bool:
        file = named or self.home / STORE
        if named is None and chosen_settings(self.home).store:
            return False
        mark = file.with_name(f".{file.name}.known")
        return not file.exists() and not mark.exists()

    def _refuse_missing(self, named: Path | None) -> None:
        if self._is_missing(named):
            key = "command.no_memories_yet" if named is None else "command.no_store"
            raise StoreMissing(key, file=named or self.home / STORE)

    def _lent(self) -> Path:
        """Return a store with the settings of this one, which is gone when the command ends."""
        from shutil import copyfile
        from tempfile import TemporaryDirectory

        folder = Path(self.open.enter_context(TemporaryDirectory(prefix="saegim-")))
        if (self.home / SETTINGS).is_file():
            copyfile(self.home / SETTINGS, folder / SETTINGS)
        return folder / STORE

    # -- answers ----------------------------------------------------------------------------------

    def answer(self, document: Any, show: Callable[[], Iterable[Any]]) -> None:
        """Give the answer: one JSON document, or what a person likes to read."""
        out = SEAT.get().stream()
        with _written_out():
            if self.as_json:
                indent = 2 if out.isatty() else None
                out.write(json_text(document, indent=indent) + "\n")
            else:
                for part in show():
                    put(part)
            out.flush()
        self.answered = True
        self.open.close()

    def tell(self, sentence: str, /, **values: object) -> None:
        """Say something beside the answer, on standard error."""
        put(self.speech(sentence, **values), error=True)

    def complain(self, error: SaegimError, **more: Any) -> int:
        """Say what went wrong and what to do; return the exit code."""
        if self.as_json and not self.answered and error.key != "command.answer_not_written":
            kind = type(error).__name__
            said = {"kind": kind, "message": error.message, "next_step": error.next_step}
            self.answer({"error": said, **more}, tuple)
        else:
            message, step = self.speech.trouble(error)
            complain(self.speech("error"), message, pasteable(step))
        return exit_code(error)

    @property
    def person(self) -> bool:
        """Say whether someone sits at the terminal, whatever the answer is written as."""
        return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()

    def refuse_agents(self, command: str) -> None:
        """Refuse a person's answer where an agent is seen around: a terminal is easily made."""
        if seen := agent_here(os.environ):
            raise Refused("command.agent_is_seen_here", seen=seen, command=command)

    @property
    def asks(self) -> bool:
        """Say whether there is a person at the terminal who can answer a question."""
        return self.person and not self.as_json

    def agreed(self, sentence: str, /, **values: object) -> bool:
        """Ask the person at the terminal; only a clear yes counts."""
        sys.stderr.write(f"{self.speech(sentence, **values)} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in _YES

    def typed(self, sentence: str, /, words: Collection[str]) -> bool:
        """Ask for a whole word where one key is not enough; say whether it was one of these."""
        sys.stderr.write(self.speech(sentence))
        sys.stderr.flush()
        # Some terminals send the letters of a Korean syllable one by one.
        return unicodedata.normalize("NFC", sys.stdin.readline()).strip().lower() in words
