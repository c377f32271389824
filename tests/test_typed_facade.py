"""The facade is typed: an editor completes every argument, and a misspelt one is refused twice."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from saegim import Saegim, Settings
from saegim.errors import SaegimError
from saegim.memory.memory import Agent, Content, Emotion, Provenance, Rhythm, Space
from saegim.memory.text import ALIASES
from saegim.perceive.moment import Moment, MomentDetails
from saegim.settings import SettingsGiven
from saegim.store.rows import Filters, Where

HOUSE = Path(__file__).parents[1] / "src" / "saegim"
# Where the verbs are, and the types their arguments are made of.
TYPED = """saegim.py settings.py room_settings.py memory/memory.py store/rows.py
perceive/moment.py perceive/turn.py sleep/sources.py sleep/forget.py
importers/resonance_ledger.py""".split()
NAMESPACES = """saegim.py sleep/sources.py sleep/forget.py sleep/nights.py sleep/change_requests.py
soul/consent.py soul/soul.py importers/resonance_ledger.py project_memories.py
perceive/known_entities.py session/sessions.py session/working.py""".split()
# Every verb that takes named details, one that is right, and how it may be misspelt.
CALLS = [
    ("Saegim.open('x.db', user='me', {}='fast')", "durability", "durabilty"),
    ("memory.within({}='work')", "project", "projct"),
    ("memory.remember('tea', {}='fact')", "kind", "knd"),
    ("memory.remember('tea', {}=True)", "keep_private", "keep_privat"),
    ("memory.observe('tea', {}='user')", "role", "rol"),
    ("memory.update('mem_1', {}='coffee')", "text", "txt"),
    ("memory.recall('tea', {}=['hot'])", "tags", "tagss"),
    ("memory.recall('tea', {}=3)", "limit", "limt"),
    ("memory.context('tea', {}=100)", "budget", "budgt"),
    ("memory.search('tea', {}='2026-01-01')", "since", "sinse"),
    ("memory.recent(3, {}='active')", "state", "stat"),
    ("memory.related('mem_1', {}=2)", "depth", "dept"),
    ("memory.feedback('mem_1', 'up', {}='good')", "note", "nota"),
    ("memory.get('mem_1', {}=True)", "exact", "exactly"),
    ("memory.forget('mem_1', {}='Minho')", "by", "bye"),
    ("memory.export_to('out.jsonl', {}='jsonl')", "form", "forn"),
    ("memory.import_from('in.jsonl', {}=True)", "dry_run", "dryrun"),
    ("memory.maintenance.audit({}=3)", "samples", "sample"),
    ("memory.maintenance.work({}=True)", "parked", "parkd"),
    ("memory.forgetting.matching('tea', {}='Minho')", "author", "autor"),
    ("memory.sources.quarantine({}='web')", "origin", "orgin"),
    (
        "memory.maintenance.resonance.log_event(event_type='x', {}=0.5)",
        "transparency",
        "transparent",
    ),
]


def verbs() -> list[ast.FunctionDef]:
    """Return every public verb of the facade and of the namespaces it leads to."""
    found = []
    for file in NAMESPACES:
        tree = ast.parse((HOUSE / file).read_text(encoding="utf-8"))
        kinds = [each for each in tree.body if isinstance(each, ast.ClassDef)]
        found += [
            verb
            for kind in kinds
            for verb in kind.body
            if isinstance(verb, ast.FunctionDef) and not verb.name.startswith("_")
        ]
    return found


def test_no_public_verb_takes_whatever_it_is_given() -> None:
    """Every named argument is spelled out, or unpacked from a type that spells it out."""
    named = {each.name: each.args.kwarg for each in verbs() if each.args.kwarg is not None}
    said = {name: ast.unparse(held.annotation) for name, held in named.items() if held.annotation}
    assert set(said) == set(named) >= {"open", "remember", "recall", "observe", "matching"}
    assert {name for name, kind in said.items() if not kind.startswith("Unpack[")} == set()


def test_a_type_checker_refuses_a_misspelt_argument_and_no_right_one(tmp_path: Path) -> None:
    """Mypy says of each misspelt name that it is not expected, and of the right ones nothing."""
    lines = ["from saegim.saegim import Saegim", "memory = Saegim.open()"]
    lines += [call.format(name) for call, *names in CALLS for name in names]
    probe = tmp_path / "probe.py"
    probe.write_text("\n".join(lines), encoding="utf-8")
    files = [str(HOUSE / each) for each in TYPED]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=skip", "--config-file=", "--cache-dir",
         str(tmp_path), "--explicit-package-bases", *files, str(probe)],
        cwd=HOUSE.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = dict(
        re.findall(r'probe\.py:(\d+): error: Unexpected keyword argument "(\w+)"', done.stdout)
    )
    wrong = {str(at): lines[at - 1] for at in range(4, len(lines) + 1, 2)}
    assert set(told) == set(wrong), done.stdout
    assert list(told.values()) == [wrong for _, _, wrong in CALLS]


@pytest.mark.parametrize(("call", "right", "wrong"), CALLS, ids=[each[2] for each in CALLS])
def test_a_misspelt_argument_is_named_with_the_nearest_known_one(
    call: str,
    right: str,
    wrong: str,
    memory: Saegim,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """At run time too: the error names what was written and what was meant."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaegimError) as caught:
        eval(call.format(wrong), {"memory": memory, "Saegim": Saegim})
    assert repr(wrong) in caught.value.message
    assert f"Did you mean {right!r}?" in caught.value.next_step


def test_the_details_of_a_memory_are_those_it_has() -> None:
    """What `remember` may be told is what a Moment and its parts hold, and the seed's names."""
    parts = (Provenance, Space, Agent, Emotion, Content, Rhythm)
    held = {each.name for kind in (Moment, *parts) for each in fields(kind)}
    rooms = {"agent", "project", "session"}
    assert set(MomentDetails.__annotations__) == (
        held - {"scope", "text", "project_named"} | rooms | set(ALIASES)
    )


def test_the_filters_are_those_of_a_search() -> None:
    """What narrows a question is what a Where holds, in the singular too, and the seed's names."""
    held = {each.name for each in fields(Where)} - {"scope", "bookkeeping", "imagined"}
    one = {"kind", "origin", "tier", "lifetime", "state"}
    more = one | {"history", "time_range", "persona_id", "bqi_filters"}
    assert set(Filters.__annotations__) == held | more | set(ALIASES) - {"content"}


def test_the_settings_that_may_be_given_are_the_settings() -> None:
    """`open` knows every setting with its type; whose memory it is stands beside them."""
    own = {"user", "agent", "project", "embedder", "model"}
    held: dict[str, Any] = get_type_hints(Settings)
    assert get_type_hints(SettingsGiven) == {
        each.name: held[each.name] | None for each in fields(Settings) if each.name not in own
    }
