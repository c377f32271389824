"""A TypeScript client made from our OpenAPI document by an npm generator, compiled and run.

    python tests/conformance/typescript_client.py [--folder FOLDER]

Fetched with npm into a folder that goes afterwards. The generator reads the document of a running
server; what the how-to shows is checked by the compiler (strict, and once with a mistake that it
must see) and then carried out against the server.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "use-from-typescript.md"
WANTED = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@24")
COMPILER = {
    "strict": True,
    "skipLibCheck": False,
    "target": "es2022",
    "module": "es2022",
    "moduleResolution": "bundler",
    "types": ["node"],
}


def main() -> int:
    """Generate, compile and run; return 0 only if all of it is as it should be."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--folder", type=Path, help="keep the tools here, and use them again")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="saegim-typescript-") as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "node_modules" / ".bin" / "tsc").exists():
            npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder]
            subprocess.run([*npm, *WANTED], check=True)
        with served(folder / "home") as (url, token):
            return tried(folder, url, token)


@contextlib.contextmanager
def served(home: Path) -> Iterator[tuple[str, str]]:
    """Run the server as a person does; yield where it listens, and its token."""
    program = [str(Path(sys.executable).with_name("saegim")), "serve", "--port", "0"]
    environment = {**os.environ, "SAEGIM_HOME": str(home)}
    process = subprocess.Popen([*program, "--no-browser"], env=environment, stdout=sys.stderr)
    try:
        while not (home / "server.json").exists():
            if process.poll() is not None:
                sys.exit("The server did not start.")
            time.sleep(0.1)
        told = json.loads((home / "server.json").read_text())
        yield told["url"], Path(told["token_file"]).read_text().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def tried(folder: Path, url: str, token: str) -> int:
    """Make the client for one server, and use it."""
    bearer = {"Authorization": f"Bearer {token}"}
    wanted = urllib.request.Request(f"{url}/openapi.json", headers=bearer)
    with urllib.request.urlopen(wanted) as answer:
        (folder / "openapi.json").write_bytes(answer.read())
    run(folder, "openapi-typescript", "openapi.json", "-o", "saegim.d.ts")
    (shown,) = re.findall(r"^```text\n(import createClient.*?)^```$", PAGE.read_text(), re.M | re.S)
    program = shown.replace("http://127.0.0.1:8757", url)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": COMPILER, "files": ["client.ts"]})
    )
    wrong = program.replace("query:", "qeury:")
    assert wrong != program
    compiled(folder, wrong, fails="qeury")
    compiled(folder, f"{program}\nconsole.log(JSON.stringify(data));\n")
    told = json.loads(run(folder, "node", "client.js", tool=False, token=token))
    first = told["hits"][0]["text"]
    print(f"found by the generated client: {first}")
    return int(first != "우산은 현관에 있다.")


def compiled(folder: Path, program: str, fails: str = "") -> None:
    """Compile a program; a mistake must be named by the compiler."""
    (folder / "client.ts").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [folder / "node_modules" / ".bin" / "tsc", "-p", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    named = fails in done.stdout if fails else not done.stdout
    print(f"tsc: exit {done.returncode}{f', names {fails}' if fails and named else ''}")
    if bool(done.returncode) != bool(fails) or not named:
        sys.exit(done.stdout + done.stderr)


def run(folder: Path, name: str, *arguments: str, tool: bool = True, token: str = "") -> str:
    """Run a fetched tool, or node itself; return what it says."""
    program = str(folder / "node_modules" / ".bin" / name) if tool else name
    environment = {**os.environ, "SAEGIM_TOKEN": token}
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
