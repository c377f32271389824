"""What another process does in these tests: `python -m session.children ACT PATH`.

It says one line of JSON when it is ready and waits for a line before it goes on.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from saegim import Saegim
from saegim.session.working import WorkingMemory
from session.minds import working

SAID = (
    "배포 서버 오류는 누가 보나요?",
    "배포 서버 오류는 어떻게 됐나요?",
    "배포 서버의 오류 로그는?",
)


def talk(memory: Saegim, folder: Path) -> WorkingMemory:
    """Ask a few questions that are tied, each several times; return the mind that holds them."""
    mind = working(memory, folder)
    server = mind.graph("talk").upsert_entity("서버")
    for text in SAID:
        ids = [mind.upsert_query("talk", text) for _ in range(3)]
        mind.graph("talk").link(ids[0], server, "refers_to_entity")
        mind.record_answer("talk", ids[0], "민수가 봅니다")
        mind.record_feedback("talk", ids[0], "up")
    return mind


def ready(value: object) -> None:
    """Say something and wait until the test answers."""
    print(json.dumps(value), flush=True)
    sys.stdin.readline()


def finalize(memory: Saegim, folder: Path) -> None:
    """Hold a session, wait, end it, and say what became of it."""
    mind = talk(memory, folder)
    ready("talked")
    done = mind.finalize_session("talk")
    print(json.dumps([[each.memory, each.status] for each in done.promoted]), flush=True)


def be_killed(memory: Saegim, folder: Path) -> None:
    """Hold a session, write it down once, talk on, and wait for the end that comes."""
    mind = talk(memory, folder)
    mind.checkpoint("talk")
    mind.upsert_query("talk", "점심 메뉴는 무엇인가요?")
    ready("talked")


def end_well(memory: Saegim, folder: Path) -> None:
    """Hold a session and put it down as one should."""
    mind = talk(memory, folder)
    ready("talked")
    mind.close()


def write_on(memory: Saegim, folder: Path) -> None:
    """Write one checkpoint after another until killed."""
    mind = talk(memory, folder)
    ready("talked")
    while True:
        mind.checkpoint("talk")


if __name__ == "__main__":
    act, path = sys.argv[1:]
    with Saegim.open(path, background=False) as opened:
        globals()[act](opened, Path(path).parent / "sessions")
