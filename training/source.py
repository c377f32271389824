"""`Source`: where training text comes from, under which licence, and how it is read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["text", "pairs", "labels"]
Language = Literal["ko", "en"]


@dataclass(frozen=True, slots=True)
class Text:
    """One passage in one language, with labels where the source gives them."""

    text: str
    language: Language
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that mean the same, answer each other, or (`close` false) only look alike.

    `score` says how alike people found them (0 to 1), where they were asked.
    """

    first: str
    second: str
    languages: tuple[Language, Language]
    close: bool = True
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A named input: `read` takes the path it was placed at and yields its rows."""

    name: str
    kind: Kind
    licence: str
    credit: str
    obtain: str
    read: Callable[[Path], Iterator[Text | Pair]]


def git_files(repository: Path, ending: str, under: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file of a git directory's newest commit."""
    git = ["git", "-C", str(repository)]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "-z", "HEAD", *([under] if under else [])],
        check=True,
        capture_output=True,
    ).stdout
    wanted: list[tuple[str, str]] = []
    for line in listed.decode().split("\0"):
        meta, _, path = line.partition("\t")
        if path.endswith(ending) and meta.split()[1] == "blob":
            wanted.append((meta.split()[2], path))
    with subprocess.Popen(
        [*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        for blob, path in wanted:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            head = process.stdout.readline().split()
            if head[1] == b"missing":
                continue  # a snapshot may list a large file without holding it
            content = process.stdout.read(int(head[2]))
            process.stdout.read(1)
            yield path, content
        process.stdin.close()
