"""Golden files: what programs and people are shown, recorded so that no inner change moves it.

`python tests/golden.py` compares, `--write` records, `--into FOLDER` records elsewhere. What is
asked stands in `golden/asked/`; every name, number and secret there is fictional. The clock and
the dice of the process are fixed, and what may differ from run to run or from machine to machine
(ids, paths, hashes, sizes, versions) is written as a mark such as `<mem 1>`.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import inspect
import io
import itertools
import json
import os
import re
import secrets
import shlex
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import typing
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, TextIO

from typer.main import get_command

import saegim
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.cli.app import COMMANDS, run
from saegim.serve.mcp import server as _mcp_is_loaded  # noqa: F401
from saegim.serve.rest import run_server as _rest_is_loaded  # noqa: F401

FOLDER = Path(__file__).parent / "golden"
ASKED = FOLDER / "asked"
PROFILES = ("core", "default", "full")
LANGUAGES = ("en", "ko")
BEGIN = datetime.fromisoformat("2026-03-01T09:00:00+00:00")
# Commands that wait for a client: what is recorded of them is their help.
ONLY_HELP = frozenset({"serve", "open", "mcp"})
# Files that commands read; all of them are invented.
FILES = {
    "notes.md": "# Notes\n\n- Jonas keeps bees behind the mill.\n- The ferry leaves at 7.\n",
    "lines.jsonl": '{"text": "The boat shed has a green door"}\nnot json\n',
}
# Ids carry the instant and random digits; each keeps its kind and its place in one answer.
_ID = re.compile(r"\b[a-z]+_\d{8}_\d{6}_[0-9a-f]{8,}")
# What depends on the machine, on dice or on the layout of a page, wherever it stands.
_MARKS = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\bhead [0-9a-f]{12,16}\b"), "head <hash>"),
    (re.compile(r"(?<=head )[0-9a-f]{12,16}(?=[….])"), "<hash>"),
    (re.compile(r"\b[0-9a-f]{12,16}(?=…)"), "<hash>"),
    (re.compile(r"(?<=최신 해시: )[0-9a-f]{12,16}\b"), "<hash>"),
    (re.compile(r"[\d.]+ [kMGT]?B\b"), "<size>"),
    (re.compile(r"SQLite \d[\d.]*\d"), "SQLite <version>"),
    (re.compile(r"(boundary=\\?\"|</saegim-memory )[a-z]{8}"), r"\1<boundary>"),
    (re.compile(re.escape(saegim.__version__) + r"(?![\d.])"), "<version>"),
)
# An open memory writes some lines of its ledger when there is time for it.
_LENGTH = re.compile(r"(?<=\"length\": )\d+|\d+(?= lines of the ledger)")
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def asked(name: str) -> list[str]:
    """Return the lines of a script."""
    return (ASKED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


_PATH = os.environ.get("PATH", os.defpath)


@dataclass(frozen=True)
class Answer:
    """What a command said, on which stream, and with which exit code it ended."""

    code: int
    out: str
    err: str


@dataclass
class World:
    """A machine of its own: a home, a store, a clock that moves a minute with every command."""

    root: Path
    minutes: int = 0
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.root.resolve()
        for name in ("home", "person", "papers", "bin"):
            (self.root / name).mkdir(parents=True)
        for name, text in FILES.items():
            (self.root / "papers" / name).write_text(text, encoding="utf-8")
        program = self.root / "bin" / "saegim"
        program.touch(mode=0o755)
        sys.argv[0] = str(program)
        # The program is found by its name: what is printed names no folder of this machine.
        os.environ["PATH"] = os.pathsep.join([str(program.parent), _PATH])
        os.environ["SAEGIM_HOME"] = str(self.root / "home")
        os.environ["HOME"] = str(self.root / "person")
        os.chdir(self.root / "papers")
        self.begin()

    def begin(self) -> None:
        """Set the clock to the next minute and the dice to what belongs to it."""
        self.minutes += 1
        now = BEGIN + timedelta(minutes=self.minutes)
        system = sys.modules[saegim.FixedClock.__module__].SystemClock
        system.now = lambda _: now
        rolls = itertools.count(self.minutes * 1000)
        secrets.randbits = lambda bits: next(rolls)
        secrets.token_hex = lambda size=32: f"{next(rolls):0{2 * size}x}"

    def say(self, line: str, *front: str) -> Answer:
        """Carry out one line of a script in this process and keep what it gives a name to."""
        line, _, given = line.partition(" | ")
        self.begin()
        with _streams() as (out, err):
            code = run([*front, *self.words(line)])
        answer = Answer(code, out.getvalue().decode(), err.getvalue().decode())
        if given:
            self._name(given, json.loads(answer.out))
        return answer

    def words(self, line: str) -> list[str]:
        """Return a line as arguments: `{name}` is what was named so, `@name` a file."""
        words = shlex.split(self.filled(line))
        return [str(self.root / "papers" / each[1:]) if each[:1] == "@" else each for each in words]

    def filled(self, line: str) -> str:
        """Return a line with what was named before in its places."""
        for name, value in self.names.items():
            line = line.replace(f"{{{name}}}", value)
        return line

    def _name(self, given: str, document: Any) -> None:
        name, _, path = given.strip().partition("=")
        for each in (path or "id").split("."):
            document = document[int(each) if each.isdigit() else each]
        self.names[name] = document

    def marked(self, text: str, *, days: bool = False) -> str:
        """Return a text with marks in the place of what differs from run to run."""
        text = text.replace(str(self.root), "<root>")
        seen = {value: f"<{name}>" for name, value in self.names.items()}
        counts: dict[str, Iterator[int]] = {}

        def mark(found: re.Match[str]) -> str:
            kind = found[0].partition("_")[0]
            if found[0] not in seen:
                number = next(counts.setdefault(kind, itertools.count(1)))
                seen[found[0]] = f"<{kind} {number}>"
            return seen[found[0]]

        text = _ID.sub(mark, text)
        for pattern, put in _MARKS:
            text = pattern.sub(put, text)
        return _DAY.sub("<day>", text) if days else text

    def plain(self, document: Any, *, days: bool = False) -> Any:
        """Return an answer as it is recorded: marks for what differs, three digits of a number."""
        text = json.dumps(_rounded(document), ensure_ascii=False)
        return json.loads(self.marked(text, days=days))

    def lines(self, text: str, *, days: bool = False) -> list[str]:
        """Return what a person reads; how wide a column is depends on the length of a path."""
        told = self.marked(text, days=days).splitlines()
        return [re.sub(r"(?<=\S) {2,}", "  ", line).rstrip() for line in told]


def _rounded(document: Any, key: str = "") -> Any:
    if isinstance(document, dict):
        return {name: _rounded(each, name) for name, each in document.items()}
    if isinstance(document, list):
        return [_rounded(each, key) for each in document]
    if key in ("bytes", "store", "log", "backups", "free") and isinstance(document, int):
        return "<size>"
    if key == "sqlite" and isinstance(document, str):
        return "<version>"
    return round(document, 3) if isinstance(document, float) else document


@contextmanager
def _streams() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Catch what this process says, and let nobody sit at its terminal."""
    held = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, "utf-8", write_through=True)
    try:
        yield out, err
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdin, sys.stdout, sys.stderr = held


# -- what is recorded ------------------------------------------------------------------------------


def commands() -> list[tuple[str, ...]]:
    """Return every command of the command line."""
    return [(name,) for name in COMMANDS]


def unrecorded() -> list[str]:
    """Return the commands whose answer no line of the scripts asks for."""
    lines = [f" {line} " for line in asked("json")]
    every = [" ".join(each) for each in commands()]
    return [
        each
        for each in every
        if each not in ONLY_HELP and not any(f" {each} " in line for line in lines)
    ]


def catalogue() -> dict[str, Any]:
    """Return every function of the catalogue as programs know it."""
    return {
        name: {
            "description": each.description,
            "profile": str(each.profile),
            "effect": str(each.effect),
            "route": " ".join(each.route),
            "command": each.command,
            "repeatable": each.repeatable,
            "input": each.arguments.model_json_schema(),
            "output": each.answer.json_schema(),
        }
        for name, each in CATALOGUE.items()
    }


def answers(world: World) -> list[Any]:
    """Return what every command answers with `--json`, one after another on one store."""
    told = []
    for line in asked("json"):
        answer = world.say(line, "--json", "--language", "en")
        days = line == "demo"
        told.append(
            {
                "asked": line,
                "exit": answer.code,
                "json": world.plain(json.loads(answer.out), days=days),
                "beside": world.lines(answer.err),
            }
        )
    return told


def reading(world: World, language: str) -> str:
    """Return what a person reads of the main commands in a language."""
    told = []
    for line in asked("human"):
        front = ["--language", language, *(["--json"] if " | " in line else [])]
        answer = world.say(line, *front)
        days = line == "demo"
        told += [f"$ saegim {line}", f"exit {answer.code}"]
        told += world.lines(answer.out, days=days)
        told += [f"! {each}" for each in world.lines(answer.err)]
    return "\n".join([*told, ""])


def help_pages(language: str) -> str:
    """Return the help of every command in a language."""
    told = []
    for path in [(), *commands()]:
        with _streams() as (out, _):
            run(["--language", language, *path, "--help"])
        told.append(out.getvalue().decode().rstrip())
    return "\n\n".join(told) + "\n"


def mistakes(worlds: dict[str, World]) -> list[Any]:
    """Return what is said to calls that fail, to a program and to a person in each language."""
    told = []
    for line in asked("errors"):
        record: dict[str, Any] = {"asked": line}
        for language, world in worlds.items():
            front = [] if "--language" in line else ["--language", language]
            answer = world.say(line, *front)
            record["exit"] = answer.code
            record[language] = world.lines(answer.err)
        answer = worlds["en"].say(line, "--json")
        record["json"] = worlds["en"].plain(json.loads(answer.out))
        told.append(record)
    return told


def calls(world: World) -> list[Any]:
    """Return what functions of the catalogue answer, and how they refuse, on one store."""
    told = []
    with saegim.Saegim.open(background=False) as memory:
        for line in asked("calls"):
            name, _, given = line.partition(" ")
            world.begin()
            if memory.mind.traces is not None:
                # What was shown is counted behind the answers: here each counts before the next.
                memory.mind.traces.flush()
            record: dict[str, Any] = {"asked": line}
            try:
                entry = CATALOGUE[name]
                arguments = entry.read(json.loads(world.filled(given)))
                place = _first_type(entry.call)(memory)
                said = json.dumps(world.plain(entry.call(place, **arguments)))
                record["answer"] = json.loads(_LENGTH.sub("0", said))
            except saegim.SaegimError as error:
                record["error"] = type(error).__name__
                record["message"] = world.marked(error.message)
                record["next_step"] = world.marked(error.next_step)
            told.append(record)
    return told


def _first_type(call: Any) -> Any:
    """Return the type of a function's first argument."""
    return typing.get_type_hints(call)[next(iter(inspect.signature(call).parameters))]


def on_disk(world: World) -> str:
    """Return how a new store is laid out."""
    file = world.root / "new" / "saegim.db"
    saegim.Saegim.open(file, background=False).close()
    with closing(sqlite3.connect(file)) as database:
        rows = database.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        )
        pragmas = [
            f"PRAGMA {name} = {database.execute(f'PRAGMA {name}').fetchone()[0]}"
            for name in ("user_version", "application_id", "page_size", "encoding", "auto_vacuum")
        ]
        return "\n".join([*pragmas, *(f"{sql};" for (sql,) in rows), ""])


# -- the doors that are processes ------------------------------------------------------------------


@contextmanager
def _started(*words: str) -> Iterator[tuple[int, TextIO, TextIO]]:
    """Run a command in a process of its own: what is loaded here need not be loaded there again.

    Give its number, where it listens and what it says; it is waited for when its input is closed.
    """
    assert threading.active_count() == 1, "only a process of one thread may be copied"
    inward, into = os.pipe()
    out, outward = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.close(into)
        os.close(out)
        _become(words, inward, outward)
    os.close(inward)
    os.close(outward)
    with open(out, encoding="utf-8") as said:
        with open(into, "w", encoding="utf-8", buffering=1) as asking:
            yield pid, asking, said
        said.read()
    os.waitpid(pid, 0)


def _become(words: tuple[str, ...], inward: int, outward: int) -> NoReturn:
    """Be the command: its streams are the pipes, and nobody reads what it says beside them."""
    try:
        os.dup2(inward, 0)
        os.dup2(outward, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.close(inward)
        os.close(outward)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        code = run(list(words))
        sys.stdout.flush()
        os._exit(code)
    finally:
        os._exit(1)


def mcp(profile: str) -> dict[str, Any]:
    """Return what a client with this profile is shown over MCP."""
    client = {"name": "golden", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
    told: dict[str, Any] = {}
    with _started("mcp", "--profile", profile, "--alone") as (_, asking, said):
        for number, method in enumerate(("initialize", *lists)):
            params = hello if method == "initialize" else {}
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            asking.write(json.dumps(message) + "\n")
            told[method] = json.loads(said.readline())
            told[method] = told[method].get("result", told[method].get("error"))
    told["initialize"]["serverInfo"]["version"] = "<version>"
    return told


def openapi() -> dict[str, Any]:
    """Return how the REST door describes itself."""
    with _started("--json", "serve", "--port", "0") as (pid, _, said):
        served = json.loads(said.readline())
        token = Path(served["token_file"]).read_text(encoding="utf-8").strip()
        headers = {"Authorization": f"Bearer {token}"}
        request = urllib.request.Request(f"{served['url']}/openapi.json", headers=headers)
        with urllib.request.urlopen(request) as response:
            told: dict[str, Any] = json.load(response)
        os.kill(pid, signal.SIGTERM)
    paths = {
        f"{method.upper()} {path}": {
            "operation": each.get("operationId"),
            "summary": each.get("summary"),
            "parameters": [(one["in"], one["name"]) for one in each.get("parameters", ())],
            "body": _digest(each.get("requestBody")),
            "responses": {code: _digest(one) for code, one in each["responses"].items()},
        }
        for path, held in told["paths"].items()
        for method, each in held.items()
    }
    parts = told.get("components", {}).get("schemas", {})
    return {"paths": paths, "schemas": {name: _digest(each) for name, each in parts.items()}}


def _digest(document: Any) -> str:
    """Return what tells one schema from another; the catalogue has them whole."""
    text = json.dumps(document, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# -- writing and comparing -------------------------------------------------------------------------


def _fix_process() -> None:
    """Leave nothing of the machine and its user in this process."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    os.environ.clear()
    # On a busy machine a question would be answered by words alone.
    patient = {"SAEGIM_SEMANTIC_PATIENCE": "60"}
    os.environ.update(kept, TZ="UTC", NO_COLOR="1", **patient)
    time.tzset()
    # The parser is the same for every command; making it takes longer than most commands.
    cli = sys.modules[run.__module__]
    cli.get_command = functools.cache(get_command)


def record(into: Path) -> None:
    """Write every golden file into a folder."""
    _fix_process()
    if missing := unrecorded():
        sys.exit(f"No line in {ASKED}/json.txt asks for: {', '.join(missing)}")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="saegim-golden-") as held:
        made = _made(Path(held))
        os.chdir(into)
    for name, content in made.items():
        if not isinstance(content, str):
            content = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        (into / name).write_text(content, encoding="utf-8", newline="\n")


def _made(held: Path) -> dict[str, Any]:
    # The doors come first: a memory that was opened may leave threads behind.
    World(held / "doors")
    doors = {
        "mcp.json": _once({profile: mcp(profile) for profile in PROFILES}),
        "openapi.json": openapi(),
    }
    world = World(held / "json")
    made: dict[str, Any] = {
        **doors,
        "commands.json": [" ".join(each) for each in commands()],
        "catalogue.json": catalogue(),
        "schema.sql": on_disk(world),
        "cli.json": answers(world),
    }
    worlds = {}
    for language in LANGUAGES:
        worlds[language] = World(held / language)
        made[f"human_{language}.txt"] = reading(worlds[language], language)
    made["errors.json"] = mistakes(worlds)
    os.environ["SAEGIM_HOME"] = str(worlds["en"].root / "home")
    made["calls.json"] = calls(worlds["en"])
    os.environ["COLUMNS"] = "100"
    for language in LANGUAGES:
        made[f"help_{language}.txt"] = help_pages(language)
    return made


def _once(shown: dict[str, Any]) -> dict[str, Any]:
    """Return the lists of all profiles with each tool written down once."""
    tools: dict[str, Any] = {}
    for told in shown.values():
        for each in told["tools/list"]["tools"]:
            assert tools.setdefault(each["name"], each) == each
        told["tools/list"]["tools"] = [each["name"] for each in told["tools/list"]["tools"]]
    return {"profiles": shown, "tools": tools}


def differences(made: Path) -> Iterator[str]:
    """Tell, line by line, how what was made differs from what is recorded."""
    names = {each.name for folder in (FOLDER, made) for each in folder.iterdir() if each.is_file()}
    for name in sorted(names):
        pair = [folder / name for folder in (FOLDER, made)]
        before, after = (
            each.read_text(encoding="utf-8").splitlines() if each.is_file() else [] for each in pair
        )
        yield from difflib.unified_diff(
            before, after, f"recorded/{name}", f"now/{name}", n=4, lineterm=""
        )


def main(arguments: list[str]) -> int:
    """Record, or compare and say what differs."""
    if arguments[:1] == ["--write"]:
        record(FOLDER)
        return 0
    if arguments[:1] == ["--into"]:
        record(Path(arguments[1]).absolute())
        return 0
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder))
        found = list(differences(Path(folder)))
    print("\n".join(found[:400]) or "Everything is as it was recorded.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
