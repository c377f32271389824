"""A NATS server for tests: the real one, from its wheel, on a port of its own."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ports import free_port
from stand_ins import PATIENCE


class Hub:
    """One server; it can be ended and started again at the same address."""

    def __init__(self, folder: Path, token: str = "") -> None:
        self._folder, self.token, self.port = folder, token, free_port()
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Return where it listens."""
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it listens."""
        found = shutil.which("nats-server", path=str(Path(sys.executable).parent))
        assert found, "nats-server is missing: pip install 'saegim[dev]'"
        words = [found, "-a", "127.0.0.1", "-p", str(self.port)]
        words += ["--auth", self.token] if self.token else []
        self._process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=self._folder)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if "Server is ready" in line:
                return
        raise AssertionError("the server did not start")

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            assert self._process.stderr is not None
            self._process.stderr.close()
            self._process = None


@contextlib.contextmanager
def running_hub(folder: Path, token: str = "") -> Iterator[Hub]:
    """Run a server until the end."""
    hub = Hub(folder, token)
    hub.start()
    try:
        yield hub
    finally:
        hub.stop()
