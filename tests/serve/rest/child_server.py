"""`saegim serve` as a process of its own, which a test may starve, flood and end."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from doorbell import PATIENCE, Front

from saegim.serve.main import main
from stand_ins import wait_until

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["saegim.serve.cli.app", "saegim.serve.rest.run_server"])


def played(home: str, words: list[str], out: str, before: str) -> None:
    """Be the process: say what it says into files, and carry out the command line."""
    os.environ |= {"SAEGIM_HOME": home, "SAEGIM_EMBEDDER": "hashed"}
    for number, file in ((1, out), (2, f"{out}.log")):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    exec(before, {})
    sys.argv = ["saegim", *words]
    main()


@contextmanager
def process(home: Path, before: str = "") -> Iterator[tuple[Any, dict[str, Any]]]:
    """Run `saegim serve` as a process of its own; yield it and what it said."""
    out = home.parent / f"{home.name}.out"
    words = ["--json", "serve", "--port", "0"]
    # What forks stays where it was started, and every child of it begins there: that must not be
    # the folder of one test.
    with chdir("/"):
        forkserver.ensure_running()
    started = _FORKS.Process(target=played, args=(str(home), words, str(out), before))
    started.start()
    try:
        wait_until(lambda: out.exists() and out.read_text().endswith("\n"), PATIENCE)
        yield started, json.loads(out.read_text())
    finally:
        if started.is_alive():
            started.kill()
        started.join(PATIENCE)


def log_of(home: Path) -> str:
    """Return what the process wrote to standard error."""
    return (home.parent / f"{home.name}.out.log").read_text(encoding="utf-8")


def few(limit: int) -> str:
    """Return what a process does first that is to have so few descriptors (`ulimit -n`)."""
    return f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))\n"


def set_to(home: Path, **settings: float) -> Path:
    """Make a home with these settings; return it."""
    home.mkdir(mode=0o700, exist_ok=True)
    lines = (f"{name} = {value}\n" for name, value in settings.items())
    (home / "settings.toml").write_text("".join(lines), encoding="utf-8")
    return home


def head_of(served: Front, method: str, path: str, size: int = 0, **more: str) -> bytes:
    """Write the head of a request as it stands on the wire; `more` are headers, with _ for -."""
    told = {"Host": f"127.0.0.1:{served.port}", "Authorization": f"Bearer {served.token}"}
    if size:
        told |= {"Content-Type": "application/json", "Content-Length": str(size)}
    told |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = (f"{name}: {value}\r\n" for name, value in told.items())
    return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


def ended(started: Any, number: int) -> int | None:
    """Send a signal and wait for the end; return the exit code."""
    os.kill(started.pid, number)
    started.join(PATIENCE)
    return int(started.exitcode)


def seen(told: dict[str, Any]) -> Front:
    """Return a process as a client sees it."""
    key = Path(told["token_file"]).read_text(encoding="ascii").strip()
    nothing: Any = None
    return Front(nothing, told["port"], key, Path(told["token_file"]).parent, nothing)
