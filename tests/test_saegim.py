"""The facade: one object for all verbs, all threads and all users of a file."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, SettingsError, StoreError
from saegim.memory.memory import Scope
from stand_ins import wait_until


def test_without_a_path_the_memory_of_this_machine_is_opened(tmp_path: Path) -> None:
    """U8.5: SAEGIM_HOME names the place; what is remembered is there for the next process."""
    with Saegim.open() as memory:
        kept = memory.remember("tea")
        assert memory.home == tmp_path / "home"
    with Saegim.open() as memory:
        assert memory.get(kept.id).text == "tea"
    assert (tmp_path / "home" / "saegim.db").exists()


def test_the_scope_comes_from_settings_and_arguments(tmp_path: Path) -> None:
    """U13.1: whose memory this is can be read from the object."""
    (tmp_path / "settings.toml").write_text('user = "민호"\nproject = "alpha"\n', encoding="utf-8")
    with Saegim.open(tmp_path / "m.db", agent="claude") as memory:
        assert memory.scope == Scope("민호", "claude", "alpha")
        assert memory.within(user="지민", session="s").scope == Scope(
            "지민", "claude", "alpha", "s"
        )
        assert memory.within(project="").scope.project == ""
    for wrong in ({"user": ""}, {"user": "a\nb"}, {"agent": "*"}):
        with pytest.raises(BadInput):
            Saegim.open(tmp_path / "new.db", **wrong)
    with pytest.raises(SettingsError, match="colour"):
        Saegim.open(tmp_path / "new.db", colour="red")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("wrong", [{"user": ""}, {"agent": None}, {"session": 5}, {"user": None}])
def test_a_view_without_a_proper_name_is_refused(memory: Saegim, wrong: Any) -> None:
    """U21.1: a missing or broken scope is an error, never "everyone"."""
    with pytest.raises(BadInput):
        memory.within(**wrong)


def test_an_id_leads_to_what_holds_now_unless_the_exact_one_is_asked_for(memory: Saegim) -> None:
    """DESIGN 4b: get follows corrections; exact does not."""
    old = memory.remember("at four")
    new = memory.update(old.id, "at five")
    assert memory.get(old.id).id == new.id
    assert memory.get(old.id, exact=True).text == "at four"
    for id in ("mem_none", new.id):
        with pytest.raises(NotFound, match=id):
            (memory if id == "mem_none" else memory.within(user="you")).get(id)
    for bad in ("", "a b", 5, None, "x" * 200):
        with pytest.raises(BadInput, match="memory id"):
            memory.get(bad)  # type: ignore[arg-type]


def test_a_session_comes_back_in_its_order(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §5.1: get_by_session, across projects, by sequence."""
    memory.remember("second", session="s", sequence=2, project="alpha")
    memory.remember("first", session="s", sequence=1)
    clock.forward(days=1)
    memory.remember("other", session="t")
    assert [each.text for each in memory.by_session("s")] == ["first", "second"]
    assert memory.sessions.ids() == ["t", "s"]
    assert memory.by_session("none") == []


def live(memory: Saegim, number: int) -> int:
    """Remember, recall, correct and forget for a while; return how many memories stay."""
    room = memory.within(user=f"user{number % 3}", session=f"s{number}")
    for n in range(25):
        kept = room.remember(f"thread {number} note {n} word{number}x{n}")
        assert kept.status == "stored"
        found = room.recall(f"word{number}x{n}", limit=3)
        assert kept.id in {hit.memory.id for hit in found.hits}
        assert {hit.memory.scope.user for hit in found.hits} == {room.scope.user}
        if n % 8 == 0:
            room.update(kept.id, f"thread {number} corrected {n}")
        if n % 8 == 1:
            room.forget(kept.id)
        room.recent(5)
    return 25 - 3


def test_eight_threads_remember_and_recall_on_one_memory(tmp_path: Path) -> None:
    """U2.1: one object serves all threads; nothing is lost, doubled or misread."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        with ThreadPoolExecutor(8) as threads:
            staying = sum(threads.map(lambda number: live(memory, number), range(8)))
        users = [memory.within(user=f"user{n}") for n in range(3)]
        assert sum(user.recent().total for user in users) == staying
        for user in users:
            user.maintenance.verify()
        assert memory.mind.store.check() == []


def test_a_backup_and_its_return(memory: Saegim, tmp_path: Path, clock: FixedClock) -> None:
    """U24.1: what was lost after a backup comes back with it, and the present is kept aside."""
    kept = memory.remember("tea")
    head = memory.maintenance.verify()
    made = memory.maintenance.backup()
    assert made.path.parent == tmp_path / "backups"
    clock.forward(hours=1)
    memory.forget(kept.id)
    restored, aside = memory.maintenance.restore_backup(made.path)
    assert memory.maintenance.verify() == head
    assert restored.memories == aside.memories == 1
    assert [each.id for each in memory.recent().memories] == [kept.id]
    other = memory.maintenance.backup(tmp_path / "elsewhere")
    assert other.path.parent == tmp_path / "elsewhere"


def test_an_export_comes_back_whole_in_another_memory(memory: Saegim, tmp_path: Path) -> None:
    """U24.2: out and in again, everything the user has and nothing of anyone else."""
    memory.remember("보리차", tags=["tea"])
    memory.within(user="you").remember("theirs")
    assert memory.export_to(tmp_path / "out.jsonl") == 1
    with Saegim.open(tmp_path / "other" / "m.db") as other:
        report = other.import_from(tmp_path / "out.jsonl", dry_run=True)
        assert (report.added, other.recent().total) == (1, 0)
        assert other.import_from(tmp_path / "out.jsonl").added == 1
        assert other.search("보리차")[0].content.tags == ("tea",)


def test_status_is_plain_data_and_the_doctor_finds_nothing(memory: Saegim) -> None:
    """U12.2: a healthy memory has no failures, and its state can be written as JSON."""
    memory.remember("보리차")
    state = memory.status()
    assert json.loads(json.dumps(state)) == state
    assert state["memories"]["state"] == {"active": 1}
    assert state["index"]["pending"] == state["index"]["failed"] == 0
    assert [found.name for found in memory.doctor() if not found.ok] == []


def test_a_rebuild_tells_how_far_it_is(memory: Saegim) -> None:
    """U8.1: progress is told, and afterwards every memory is found as before."""
    for n in range(70):
        memory.remember(f"kettle {n}")
    before = [hit.memory.id for hit in memory.recall("kettle 7").hits]
    steps = list(memory.maintenance.rebuild())
    assert steps == sorted(steps)
    assert steps[-1] == (140, 140)
    assert [hit.memory.id for hit in memory.recall("kettle 7").hits] == before


def test_an_interrupted_rebuild_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    """U8.1 and U7.3: stopped half-way, words and vectors are completed with no user action."""
    path = tmp_path / "m.db"
    with Saegim.open(path) as memory:
        for n in range(150):
            memory.remember(f"kettle word{n}")
        next(iter(memory.maintenance.rebuild()))
        # `search` reads the words themselves too (seed A §5.2); the index does not have them yet.
        assert not any(hit.words for hit in memory.recall("word149").hits)
    with Saegim.open(path) as memory:
        wait_until(lambda: any(hit.words for hit in memory.recall("word149").hits))
        wait_until(lambda: memory.status()["index"]["pending"] == 0)
        assert [found.name for found in memory.doctor() if not found.ok] == []


def test_closing_while_others_ask_is_a_clear_error_for_them(tmp_path: Path) -> None:
    """U2.4: whoever is reading or writing when the memory closes is told so, and closing works."""
    for _ in range(5):
        memory = Saegim.open(tmp_path / "m.db", durability="fast")
        memory.remember("kettle")
        started = threading.Barrier(5)

        def ask(memory: Saegim = memory, started: threading.Barrier = started) -> None:
            memory.recall("kettle")
            started.wait()
            while True:
                memory.recall("kettle")
                memory.remember("kettle")

        with ThreadPoolExecutor(4) as threads:
            asking = [threads.submit(ask) for _ in range(4)]
            started.wait()
            memory.close()
            for each in asking:
                with pytest.raises(StoreError, match="closed"):
                    each.result(60)


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    """After closing, every verb is a clear error."""
    memory = Saegim.open(tmp_path / "m.db")
    memory.close()
    memory.close()
    for verb in (lambda: memory.remember("x"), lambda: memory.recall("x"), memory.recent):
        with pytest.raises(StoreError, match="closed"):
            verb()
