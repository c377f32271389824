"""The documentation tells the truth: its examples run, its links lead somewhere, nothing drifts."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

import reference
from saegim import Kind, Origin, Saegim, Settings, State, Tier
from saegim.memory import changes
from saegim.memory.memory import Feeling
from saegim.messages import entries
from saegim.personas.registry import read_registry
from saegim.serve.cli import app
from saegim.settings import read_settings

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "saegim"
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *ROOT.glob("README*.md"), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
)
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
# `bash` is run line by line; the others are for what needs a server or another machine.
SHELL = ("bash", "sh", "console")
# What a shell block may call besides `saegim`; it is not run.
OTHERS = {"pip", "make", "export", "ollama", "git", "python", "python3", "uv", "uvx", "pipx", "cd"}
MACHINE = re.compile(
    r"(?<![\w.])/(?:root|work|home/\w|Users/\w|tmp/\w|mnt/\w|opt/\w)|[A-Za-z]:\\Users"
    r"|pypi\.org|pythonhosted|registry\.npmjs|artifactory|nexus|ghcr\.io|docker\.io|\blocalhost:8\d"
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page: its language, its text and the line it starts at."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 1)


def folders() -> list[str]:
    """Return the rooms of the house."""
    return sorted(each.parent.name for each in HOUSE.glob("*/__init__.py"))


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page starts in an empty folder with an empty memory and speaks English."""
    (tmp_path / "page").mkdir()
    monkeypatch.chdir(tmp_path / "page")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


# -- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_example_of_a_page_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Python blocks share one namespace; `saegim` lines of bash blocks are carried out."""
    page = ROOT / name
    namespace: dict[str, Any] = {"__name__": "example"}
    for block in blocks(page):
        if block.language == "python":
            source = "\n" * block.line + block.text
            exec(compile(source, name, "exec"), namespace)
        elif block.language == "bash":
            for line in shell_lines(block):
                arguments = [_real(word) for word in shlex.split(line, comments=True)]
                if arguments[0] == "saegim":
                    assert app.run(arguments[1:]) == 0, (line, capsys.readouterr())


def shell_lines(block: Block) -> list[str]:
    """Return the command lines of a block, those that end in a backslash joined."""
    joined = block.text.replace("\\\n", " ").splitlines()
    return [line for line in joined if line.strip() and not line.lstrip().startswith("#")]


def _real(word: str) -> str:
    """Put a real id or file where a page says ID or FILE."""
    if word == "ID":
        with Saegim.open() as memory:
            states = [state for state in State if state is not State.SUPERSEDED]
            return memory.recent(1, states=states).memories[0].id
    if word == "FILE":
        return str(max(backups(), key=lambda path: path.name))
    return word


def backups() -> list[Path]:
    """Return the backups of the page's own memory."""
    with Saegim.open() as memory:
        return list((memory.home / "backups").glob("saegim-*.db"))


@pytest.mark.parametrize("name", NAMES)
def test_every_shell_block_is_a_command_that_exists(name: str) -> None:
    """What a page tells a reader to type is parsed by the real command line."""
    command: Any = get_command(app.app)
    for block in blocks(ROOT / name):
        if block.language not in SHELL:
            continue
        for line in shell_lines(block):
            program, *words = shlex.split(line, comments=True)
            if program != "saegim":
                assert program in OTHERS, (name, line)
                continue
            first, *rest = _after_the_front(command, words)
            command.get_command(None, first).make_context(first, rest).close()


def _after_the_front(command: Any, words: list[str]) -> list[str]:
    """Parse the options that stand before the command; return the command and its words."""
    with command.make_context("saegim", app.front_first(words)) as context:
        return [*context._protected_args, *context.args]


@pytest.mark.parametrize("name", NAMES)
def test_every_settings_and_json_block_can_be_read(name: str, tmp_path: Path) -> None:
    """A settings file or a file of voices is accepted as it stands, and JSON is JSON."""
    for at, block in enumerate(blocks(ROOT / name)):
        held = tomllib.loads(block.text) if block.language == "toml" else {}
        if "persona" in held:
            file = tmp_path / f"{at}.toml"
            file.write_text(block.text, encoding="utf-8")
            assert read_registry(file).personas_in_cycle()
        elif held and "project" not in held:
            home = tmp_path / str(at)
            home.mkdir()
            (home / "settings.toml").write_text(block.text, encoding="utf-8")
            read_settings(home, {})
        if block.language == "json":
            json.loads(block.text)


def test_every_block_says_its_language() -> None:
    """A block without a language would be neither run nor read by anyone."""
    known = {"python", "toml", "json", "text", *SHELL}
    assert [
        (name, block.line)
        for name in NAMES
        for block in blocks(ROOT / name)
        if block.language not in known
    ] == []


def test_a_broken_example_would_be_seen(tmp_path: Path) -> None:
    """Control: the runner does fail on an example that is wrong."""
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 == 2\n```\n", encoding="utf-8")
    [block] = blocks(page)
    with pytest.raises(AssertionError):
        exec(compile(block.text, "page", "exec"), {})


# -- pages ----------------------------------------------------------------------------------------


def told_of(text: str) -> list[str]:
    """Return the paths and dotted names of code that a page names in backticks."""
    quoted = re.findall(r"`([\w./-]+)`", FENCE.sub("", text), re.ASCII)
    return [each for each in quoted if re.match(r"\w+[./]", each, re.ASCII)]


def is_there(name: str) -> bool:
    """Say whether a path, or a dotted name below `saegim`, exists."""
    if "/" in name or re.search(r"\.(?:py|md|toml|txt|sql)$", name):
        if "/" in name:
            return (HOUSE / name).exists() or (ROOT / name).exists()
        return any(HOUSE.rglob(name))
    parts = name.removeprefix("saegim.").split(".")
    held: Any = Saegim
    if parts[0] != "Saegim":
        at = len(parts)
        while at and not _is_module(parts[:at]):
            at -= 1
        if not at:
            return False
        held = importlib.import_module(".".join(("saegim", *parts[:at])))
        parts = ["", *parts[at:]]
    for part in parts[1:]:
        known = hasattr(held, part) or part in getattr(held, "__dataclass_fields__", {})
        if not known:
            return False
        held = getattr(held, part, None)
    return True


def _is_module(parts: list[str]) -> bool:
    path = HOUSE.joinpath(*parts)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def rooms_of_the_house() -> set[str]:
    """Return the folders and single files that stand at the top of the house."""
    files = {each.stem for each in HOUSE.glob("*.py") if not each.stem.startswith("_")}
    return files | set(folders())


def untold_rooms(text: str) -> set[str]:
    """Return the rooms that no path and no dotted name of a text leads into."""
    return rooms_of_the_house() - {re.split(r"[./]", each)[0] for each in told_of(text)}


TOUR = sorted((DOCS / "tour").glob("*.md"))


@pytest.mark.parametrize(
    "name", [page.relative_to(ROOT).as_posix() for page in (*TOUR, DOCS / "glossary.md")]
)
def test_what_the_tour_and_the_glossary_name_exists(name: str) -> None:
    """Every path and every dotted name of code on these pages leads to something."""
    told = told_of((ROOT / name).read_text(encoding="utf-8"))
    assert told
    assert [each for each in told if not is_there(each)] == []


def test_the_tour_enters_every_room() -> None:
    """Each room of the house is named at least once in the six pages and their index."""
    assert untold_rooms("\n".join(page.read_text(encoding="utf-8") for page in TOUR)) == set()


def test_a_name_that_is_gone_would_be_seen() -> None:
    """Control: names that do not exist are found, and a room nobody mentions is missed."""
    for good in ("store/commit.py", "recall.flow.recall", "saegim.mind.Mind", "Saegim.open"):
        assert told_of(f"See `{good}`.") == [good]
        assert is_there(good)
    for bad in (
        "store/desk.py",
        "recall.flow.recollect",
        "attic.box",
        "saegim.attic",
        "Saegim.shut",
        "store.store.Store.burn",
        "nowhere.py",
    ):
        assert told_of(f"See `{bad}`.") == [bad]
        assert not is_there(bad)
    assert "sleep" in untold_rooms("Only `store/commit.py` and `recall.flow.recall`.")
    assert "store" not in untold_rooms("Only `store/commit.py` and `recall.flow.recall`.")


def test_the_tour_is_short() -> None:
    """Six pages and an index, each of them read in a few minutes."""
    assert len(TOUR) == 7
    assert [p.name for p in TOUR if len(p.read_text(encoding="utf-8").splitlines()) > 150] == []


def test_the_tour_keeps_the_order_of_the_house() -> None:
    """The first page of the tour lists the rooms as the import order does."""
    tree = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    order = next(
        ast.literal_eval(node.value.func.value).split()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORDER"
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    )
    first = (DOCS / "tour" / "1-the-house.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)/` \|", first, re.MULTILINE)
    assert listed == [room for room in order if room in folders()]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_with_one_heading_and_a_sentence(name: str) -> None:
    """A reader knows after two lines whether this is the page they wanted."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    text = re.sub(r"^```.*?^```", "", "\n".join(lines), flags=re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    """Links between pages, and to headings in them, resolve."""
    page = ROOT / name
    broken = []
    for target in LINK.findall(_prose(page)):
        if re.match(r"https?://", target):
            continue
        path, _, heading = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (heading and heading not in _headings(there)):
            broken.append(target)
    assert broken == []


def _prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def _headings(page: Path) -> set[str]:
    found = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in found}


@pytest.mark.parametrize("name", NAMES)
def test_no_page_names_a_machine(name: str) -> None:
    """No path of someone's machine and no host of a package registry is on a page."""
    assert MACHINE.findall((ROOT / name).read_text(encoding="utf-8")) == []


def test_machine_paths_would_be_seen() -> None:
    """Control: the pattern does find what must not be there."""
    for bad in ("/home/jo/x", "/root/.venv", r"C:\Users\jo", "https://pypi.org/simple"):
        assert MACHINE.search(bad)
    for good in ("~/.local/share/saegim", "a/home/b", "saegim.db", "http://127.0.0.1:11434"):
        assert not MACHINE.search(good)


@pytest.mark.parametrize("name", NAMES)
def test_no_page_begins_two_paragraphs_alike(name: str) -> None:
    """What was told anew is told once; a table and an example may repeat themselves."""
    lines = FENCE.sub("", (ROOT / name).read_text("utf-8")).splitlines()
    begun = Counter(each[:50] for each in lines if len(each) > 50 and each[0] not in "|-#<> ")
    assert [each for each, times in begun.items() if times > 1] == []


def test_both_quickstarts_tell_the_same_story() -> None:
    """The Korean quickstart has as many steps and examples as the English one."""
    english, korean = DOCS / "quickstart.md", DOCS / "ko" / "quickstart.md"
    assert [b.language for b in blocks(english)] == [b.language for b in blocks(korean)]
    levels = [re.findall(r"^(#+) ", _prose(page), re.MULTILINE) for page in (english, korean)]
    assert levels[0] == levels[1]


# -- reference and glossary -----------------------------------------------------------------------


def test_the_reference_is_what_the_code_says() -> None:
    """The generated pages have not drifted; `python tests/reference.py --write` renews them."""
    assert reference.drifted() == []


def test_every_setting_error_and_command_is_in_the_reference() -> None:
    """Nothing a user can set, catch or type is missing from the reference."""
    settings, errors, commands = (
        (DOCS / "reference" / f"{page}.md").read_text(encoding="utf-8")
        for page in ("settings", "errors", "cli")
    )
    tree = ast.parse((HOUSE / "errors.py").read_text(encoding="utf-8"))
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert [each.name for each in fields(Settings) if f"| `{each.name}` |" not in settings] == []
    assert [name for name in classes if f"`{name}`" not in errors] == []
    assert [name for name in app.COMMANDS if f"### `saegim {name}" not in commands] == []


def test_the_glossary_knows_every_name_of_the_core() -> None:
    """Kinds, origins, tiers, states, feelings and Changes are all explained in one place."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    names = [each.value for group in (Kind, Origin, Tier, State, Feeling) for each in group]
    names += [kind.__name__ for kind in get_args(changes.Change)]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_the_glossary_has_each_word_once_in_order() -> None:
    """A reader finds a word by its letters, and finds one meaning."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    table = text.partition("\n## Words\n")[2].partition("\n## ")[0]
    words = re.findall(r"^\| ([\w ]+?) \|", table, re.MULTILINE)[1:]
    assert len(words) > 100
    assert words == sorted(set(words), key=str.casefold)


def test_the_doctor_page_knows_every_complaint() -> None:
    """Each finding that is not fine has a line that says what helps."""
    text = (DOCS / "howto" / "when-doctor-complains.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", text, re.MULTILINE)
    told = {f"{name}.{case}" for name, cases in rows for case in cases.split(", ")}
    fine = {"ok", "needless", "untried", "partial"}
    wanted = {
        key
        for key in entries("doctor", "en")
        if "." in key
        and not key.startswith(("what.", "step."))
        and key.partition(".")[2] not in fine
    }
    assert wanted - told == set()
