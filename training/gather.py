"""Step 1: read every input that is present into one plain form, and note what it was.

    python training/gather.py --inputs FOLDER --work FOLDER [--only NAME,...]

An input lies at INPUTS/<source name>, as the source's `obtain` line says. The notes
(WORK/gathered.json) name licence, credit, rows and digest of each; the model card repeats them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import track

from source import Pair, Source, Text
from sources import SOURCES


def digest(path: Path) -> str:
    """Name the content of an input: a commit, or the hash of its files."""
    for git in (path, path / ".git"):
        if (git / "HEAD").exists():
            command = ["git", "-C", str(git), "rev-parse", "HEAD"]
            return (
                "git:"
                + subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
            )
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    whole = hashlib.sha256()
    for each in files:
        whole.update(each.name.encode() + hashlib.sha256(each.read_bytes()).digest())
    return "sha256:" + whole.hexdigest()


def plain(row: Text | Pair) -> dict[str, Any]:
    """Return a row as JSON can say it."""
    return asdict(row)


def read(source: Source, path: Path, into: Path) -> dict[str, Any]:
    """Write the rows of one source and return the note about it."""
    rows = 0
    with gzip.GzipFile(into, "wb", mtime=0) as out:
        for row in counted(source, path):
            out.write(json.dumps(plain(row), ensure_ascii=False).encode() + b"\n")
            rows += 1
    return {
        "name": source.name,
        "kind": source.kind,
        "licence": source.licence,
        "credit": source.credit,
        "obtain": source.obtain,
        "input": digest(path),
        "rows": rows,
    }


def counted(source: Source, path: Path) -> Iterator[Text | Pair]:
    """Yield the rows under a progress bar."""
    yield from track(source.read(path), description=source.name, total=None)


def main() -> None:
    """Read what is there; say what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    only = set(filter(None, asked.only.split(",")))
    raw = asked.work / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    noted = asked.work / "gathered.json"
    notes = json.loads(noted.read_text()) if noted.exists() else {}
    for source in SOURCES:
        path = asked.inputs / source.name
        if only and source.name not in only:
            continue
        if not path.exists():
            print(f"{source.name}: absent. {source.obtain}")
            continue
        notes[source.name] = read(source, path.resolve(), raw / f"{source.name}.jsonl.gz")
        noted.write_text(json.dumps(notes, indent=1, ensure_ascii=False, sort_keys=True))
        print(f"{source.name}: {notes[source.name]['rows']:,} rows")


if __name__ == "__main__":
    main()
