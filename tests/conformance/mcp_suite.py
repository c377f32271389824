"""The official MCP conformance suite and the Inspector against our server, with one command.

    python tests/conformance/mcp_suite.py [--folder FOLDER]

Fetched into a folder that goes afterwards, nothing of them is kept: the suite and the Inspector
with npm, and the fixture module of the SDK's own source distribution with pip. Four runs of the
suite must end with exit 0: as shipped with the baseline beside this file (what needs fixtures
fails, and nothing else), and with the fixtures, each at both revisions of the protocol. The latter
two run once more with the memories on PostgreSQL.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12"
SDK = "mcp==2.3.0"
FIXTURES = "examples/servers/everything-server/mcp_everything_server/server.py"
REVISIONS = ("2025-11-25", "2026-07-28")
# Seconds for a start and for a scenario: more than is needed on a machine that does much else.
_PATIENCE = 120


def fetched(folder: Path) -> Path:
    """Fetch the tools; return the module of fixtures."""
    bin = folder / "node_modules" / ".bin"
    if not (bin / "conformance").exists():
        wanted = ["node@24", SUITE, INSPECTOR]
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, *wanted], check=True)
    found = list(folder.glob(f"mcp-*/{FIXTURES}"))
    if not found:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        # Only the archive is wanted; the installer insists on asking its build for a name.
        needed = ["hatchling", "uv-dynamic-versioning"]
        subprocess.run([*pip, "install", "--target", folder / "build", *needed], check=True)
        subprocess.run(
            [*pip, "download", "--no-deps", "--no-build-isolation", "--no-binary", "mcp", SDK,
             "--dest", folder],
            check=True,
            env={**os.environ, "PYTHONPATH": str(folder / "build")},
        )  # fmt: skip
        for archive in folder.glob("mcp-*.tar.gz"):
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")
        found = list(folder.glob(f"mcp-*/{FIXTURES}"))
    return found[0]


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextlib.contextmanager
def served(*fixtures: Path, store: str = "") -> Iterator[str]:
    """Run the server, on a file unless a store is named; yield where MCP is spoken."""
    port = free_port()
    command = [sys.executable, HERE / "mcp_server.py", str(port), *map(str, fixtures)]
    process = subprocess.Popen(command, env={**os.environ, "SUITE_STORE": store})
    try:
        for _ in range(_PATIENCE * 10):
            with contextlib.suppress(urllib.error.URLError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health")
                break
            if process.poll() is not None:
                raise SystemExit(f"The server ended with {process.returncode}.")
            time.sleep(0.1)
        else:
            # Asked all the same, every check would fail and tell nothing.
            raise SystemExit(f"The server was not ready after {_PATIENCE} s.")
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def conform(folder: Path, url: str, revision: str, baseline: Path | None) -> int:
    """Run the suite; return its exit code after printing its summary."""
    command = ["conformance", "server", "--url", url, "--requirements", revision]
    command += ["--timeout", f"{_PATIENCE}000"]
    if baseline is not None:
        command += ["--expected-failures", str(baseline)]
    done = run(folder, command)
    print(done.stdout[done.stdout.rfind("=== SUMMARY") :])
    return done.returncode


def inspect(folder: Path, *where: str) -> int:
    """Let the Inspector list and call tools, its strict schema lint on; return the worst code."""
    worst = 0
    for asked in (
        ["--method", "tools/list", "--strict"],
        ["--method", "tools/call", "--tool-name", "memory_save", "--tool-arg", "content=우산"],
        ["--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=우산"],
        ["--method", "resources/list"],
        ["--method", "prompts/list"],
    ):
        patient = ["--connect-timeout", f"{_PATIENCE}000"]
        done = run(folder, ["mcp-inspector", "--cli", *patient, *where, *asked])
        # The lint writes what it found after the list; warnings count as well as errors.
        clean = "warnings across" not in done.stdout + done.stderr
        good = done.returncode == 0 and clean and "{" in done.stdout
        print(f"Inspector {' '.join(where)[-40:]} {' '.join(asked)[:60]}: {done.returncode}")
        if not good:
            print(done.stdout[-2000:], done.stderr[-2000:])
        worst = max(worst, done.returncode, 0 if good else 1)
    return worst


def run(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run one of the fetched tools with the Node that was fetched with them."""
    bin = folder / "node_modules" / ".bin"
    path = f"{bin}{os.pathsep}{os.environ['PATH']}"
    home = folder / "home"
    environment = {**os.environ, "PATH": path, "SAEGIM_HOME": str(home)}
    tool = [str(bin / command[0]), *command[1:]]
    return subprocess.run(tool, env=environment, cwd=folder, capture_output=True, text=True)


def main() -> int:
    """Run everything; return 0 only if all of it is as it should be."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--folder", type=Path, help="keep the tools here, and use them again")
    given = asked.parse_args()
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="saegim-mcp-") as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        fixtures = fetched(folder)
        with served() as url:
            for revision in REVISIONS:
                baseline = HERE / f"mcp-baseline-{revision}.yml"
                codes[f"as shipped, {revision}"] = conform(folder, url, revision, baseline)
            codes["Inspector, HTTP"] = inspect(folder, url)
        with served(fixtures) as url:
            for revision in REVISIONS:
                codes[f"with fixtures, {revision}"] = conform(folder, url, revision, None)
        sys.path.append(str(HERE.parent))
        import servers

        with served(fixtures, store=servers.server(15).fresh()) as url:
            for revision in REVISIONS:
                codes[f"on PostgreSQL, {revision}"] = conform(folder, url, revision, None)
        ours = str(Path(sys.executable).with_name("saegim"))
        # The Inspector hands on no environment of ours: the store is named.
        where = [ours, "--path", str(folder / "home" / "saegim.db"), "mcp"]
        codes["Inspector, stdio"] = inspect(folder, *where)
    for name, code in codes.items():
        print(f"{name}: exit {code}")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main())
