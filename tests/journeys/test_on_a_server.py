"""The whole product on a server: the same verbs, the same night, the same way back."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import servers
from saegim import mind
from saegim.saegim import Saegim
from saegim.store import transfer
from saegim.store.store import Store
from sleep.bedtime import counted, differing, opened, state_of


def _moved_to_server(file: Path, tmp_path: Path) -> str:
    dsn = servers.server(15).fresh()
    with opened(file) as memory:
        memory.maintenance.move(dsn)
        memory.maintenance.reopen()
    del tmp_path
    return dsn


def _as_file(memory: Saegim, path: Path) -> Path:
    database = memory.mind.store.database
    with database.one_moment(), database.reading() as connection:
        transfer.to_file(connection, path)
    return path


def test_a_night_on_a_server_does_what_it_does_on_a_file(
    seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every stage tells the same counts and leaves the same rows; a dry run and undo do too."""
    file = tmp_path / "memory.db"
    shutil.copytree(seed, tmp_path, dirs_exist_ok=True)
    dsn = _moved_to_server(file, tmp_path)
    told, rehearsed, undone, left = [], [], [], []
    for place in (file, dsn):
        drawn = itertools.count()
        # Ids sort by time and are drawn by lot; here both nights draw the same.
        monkeypatch.setattr(
            mind, "new_id", lambda _, prefix, drawn=drawn: f"{prefix}_{next(drawn):06}"
        )
        with opened(place) as memory:
            taken = [(stage.name, step.why) for stage, step in memory.nights.rehearse()]
            rehearsed.append(sorted(taken))
            row = memory.sleep()
            assert row is not None
            told.append(counted(row.told))
            name = "file" if place == file else "server"
            left.append(state_of(_as_file(memory, tmp_path / f"{name}.db")))
            memory.maintenance.verify()
            undone.append(dict(memory.nights.undo(row.id).taken_back))
    assert rehearsed[0] == rehearsed[1]
    assert told[0] == told[1]
    assert differing(left[0], left[1]) == {}
    assert undone[0] == undone[1]


def _recalls(memory: Saegim) -> int:
    lines = memory.mind.store.ledger.entries(memory.scope)
    return sum(each.change == "Recalled" for each in lines)


def test_a_life_with_every_verb_is_the_same_on_both(tmp_path: Path) -> None:
    """Remember, correct, ask, judge, tie, forget, call back, erase, export: equal answers."""
    ends = []
    for place in (str(tmp_path / "file.db"), servers.server(15).fresh()):
        said: list[object] = []
        with Saegim.open(place) as memory:
            tea = memory.remember("보리는 닭고기를 먹지 못해요", tags=["강아지"])
            memory.remember("I moved to Busan in May.")
            said.append(memory.update(tea.id, "보리는 소고기를 먹지 못해요").status)
            said.append([hit.memory.text for hit in memory.recall("보리는 뭘 못 먹어?").hits])
            said.append([each.text for each in memory.search("Busan")])
            found = memory.recall("Busan").hits[0].memory
            memory.feedback(found.id, "up")
            said.append(memory.forget(found.id).done)
            said.append([each.life.state.value for each in memory.restore(found.id)])
            said.append(sorted(memory.status()["memories"]["state"].items()))
            receipt = memory.forgetting.erase(found.id, confirm=True, by="me")
            said.append(len(receipt.ids))
            said.append([hit.memory.text for hit in memory.recall("Busan").hits])
            # That something was asked for is written down behind the answer.
            assert memory.mind.traces is not None
            memory.mind.traces.flush()
            assert _recalls(memory) == 2
            said.append(memory.maintenance.verify()[0])
            lines = tmp_path / f"{len(ends)}.jsonl"
            said.append(memory.export_to(lines))
        ends.append(said)
    assert ends[0] == ends[1]


def test_the_command_line_works_on_a_server(tmp_path: Path) -> None:
    """`--store` is all a command needs; status names the server without a password."""
    dsn = servers.server(15).fresh()
    home = {**os.environ, "SAEGIM_HOME": str(tmp_path / "cli")}

    def say(*arguments: str) -> str:
        command = [sys.executable, "-m", "saegim", "--store", dsn, *arguments]
        done = subprocess.run(command, env=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    say("remember", "우리 강아지 이름은 보리예요")
    assert "보리" in say("recall", "강아지 이름")
    told = json.loads(say("--json", "status"))
    assert told["path"].startswith("postgresql://")
    assert say("verify")
    assert not (tmp_path / "cli" / "saegim.db").exists()


def test_a_store_on_a_server_is_not_a_file(tmp_path: Path) -> None:
    """What is local lies beside the home under the server's own name, and no file is made."""
    dsn = servers.server(15).fresh()
    with Saegim.open(dsn) as memory:
        memory.remember("tea")
        assert isinstance(memory.mind.store, Store)
        home = Path(os.environ["SAEGIM_HOME"])
        assert sorted(each.name.split("-")[0] for each in home.iterdir()) == [".server"]
    del tmp_path
