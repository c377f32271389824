"""The sources as the laws read them: each file is parsed once, however many laws look at it."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path


def trees_of(paths: Iterable[Path]) -> list[ast.Module]:
    """Return the syntax trees of files.

    A tree is ten thousand objects that refer to one another: a collector that looks at all of
    them after every few files takes longer than the parser.
    """
    gc.disable()
    try:
        return [tree_of(path) for path in paths]
    finally:
        gc.enable()


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return every node of a tree."""
    return tuple(ast.walk(tree))


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the test functions of a file."""
    text = path.read_text(encoding="utf-8")
    return frozenset(re.findall(r"^ *(?:async )?def (test_\w+)\(", text, re.MULTILINE))
