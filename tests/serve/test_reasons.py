"""Every stage and every reason of the night can be told, in both languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import saegim.sleep.candidates as candidates
from saegim.memory.memory import Reason
from saegim.messages import SENTENCES, entries
from saegim.sleep.flow import NIGHT

TABLE = {name for file in SENTENCES for name in entries(file, "en")}
SLEEP = Path(candidates.__file__).parent


def constants(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    """The texts that an expression of a stage can be."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from constants(one, tree)
            yield from constants(other, tree)
        case ast.Attribute(value=ast.Name(id="reason"), attr="value"):
            yield from (each.value for each in Reason if each is not Reason.MANUAL)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="Reason"), attr=name)):
            yield Reason[name].value
        case ast.Name(id=name):
            yield from named(name, tree)
        case _:
            raise AssertionError(f"not understood: {ast.unparse(node)}")


def named(name: str, tree: ast.Module) -> list[str]:
    """The texts that a name stands for: a constant of the file, or what a function is given."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            found += constants(node.value, tree)
        if isinstance(node, ast.FunctionDef) and name in (each.arg for each in node.args.args):
            place = [each.arg for each in node.args.args].index(name)
            calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call))
            for call in calls:
                if ast.unparse(call.func) == node.name and len(call.args) > place:
                    found += constants(call.args[place], tree)
    assert found, name
    return found


def reasons_of(source: str) -> set[str]:
    """Every reason that the steps of a stage can give."""
    tree = ast.parse(source)
    calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call))
    given = (
        keyword.value
        for call in calls
        if ast.unparse(call.func) == "NightStep"
        for keyword in call.keywords
        if keyword.arg == "why"
    )
    return {text for value in given for text in constants(value, tree)}


def details_of(source: str) -> set[str]:
    """The names of every number and word that a step carries beside its reason."""
    found: list[ast.expr] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "details":
            found.append(node.value)
        if isinstance(node, ast.keyword) and node.arg == "details":
            found.append(node.value)
    dicts = (each for each in found if isinstance(each, ast.Dict))
    return {str(ast.literal_eval(key)) for each in dicts for key in each.keys if key is not None}


def test_every_stage_and_every_reason_has_its_sentences() -> None:
    """Whatever a stage may yield can be told, rehearsed and listed, in both languages."""
    sources = [path.read_text("utf-8") for path in sorted((SLEEP / "stages").glob("*.py"))]
    whys = {why for source in sources for why in reasons_of(source)}
    # What the night itself counts beside the reasons of its stages.
    assert '{"overtaken": 1}' in (SLEEP / "flow.py").read_text("utf-8")
    whys.add("overtaken")
    assert len(whys) >= 25
    wanted = {f"{group} {why}" for why in whys for group in ("did", "would", "short")}
    wanted |= {f"stage {stage.name}" for stage in NIGHT}
    details = {name for source in sources for name in details_of(source)} - {"text"}
    assert len(details) >= 8
    wanted |= {f"detail {name}" for name in details}
    assert wanted - TABLE == set()
    # Nothing is left in the table of a reason that no stage gives any more.
    told = {key.split(" ")[1] for key in TABLE if key.startswith("would ") and key in wanted}
    assert told == whys


def test_a_new_reason_would_be_noticed() -> None:
    """Negative control: the reasons are read from the source, however a stage names them."""
    source = (
        "NEW = 'anew'\n"
        "def run(night):\n"
        "    yield NightStep(why='vanished', details={'colour': 1})\n"
        "    yield NightStep(why=NEW)\n"
        "    yield NightStep(why='a' if night else 'b')\n"
        "    yield NightStep(why=Reason.FADED.value)\n"
        "    yield made(night, 'passed')\n"
        "def made(night, why):\n"
        "    return NightStep(why=why)\n"
    )
    assert reasons_of(source) == {"vanished", "anew", "a", "b", "faded", "passed"}
    assert details_of(source) == {"colour"}
    assert "did vanished" not in TABLE
    with pytest.raises(AssertionError, match="not understood"):
        reasons_of("NightStep(why=f'{x}')")


def test_every_reason_to_rise_or_to_leave_has_its_word() -> None:
    """No bare identifier is shown for why a memory rises, is proposed or leaves."""
    rising = {value for name, value in vars(candidates).items()
              if name.isupper() and isinstance(value, str)}  # fmt: skip
    assert len(rising) == 11
    wanted = {f"reason {each}" for each in rising} | {f"leaves {each}" for each in Reason}
    assert wanted - TABLE == set()
