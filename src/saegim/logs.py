"""Logs of the doors and of the night, on standard error: what was done and what failed.

A record holds names of ours, counts, durations and the kinds of errors; never what anyone said or
kept, and never a secret. So an error is named by its kind and its places in the code, without its
message, and other packages' records are told without their words. A program that uses the library
sets up the loggers under `saegim` as it likes; until then they are silent.
"""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import Any

_SELDOM_SECONDS = 3600.0

_root = logging.getLogger("saegim")
_root.addHandler(logging.NullHandler())


def logger(room: str) -> logging.Logger:
    """Return the logger of one part of the house, such as serve, hooks or sleep."""
    return _root.getChild(room)


def begin(level: str) -> None:
    """Write records of this level and above to standard error; the last call counts."""
    shown = _StandardError()
    shown.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    # With a handler at the root no package adds its own there: one that draws tracebacks reads
    # files to do so, and would fail where a process has no descriptor left.
    others = logging.getLogger()
    for each in (others, _root):
        each.handlers = [held for held in each.handlers if not isinstance(held, _StandardError)]
        each.addHandler(shown)
    _root.propagate = False
    _root.setLevel(level.upper())
    others.setLevel(max(_root.level, logging.WARNING))


class Seldom:
    """A warning that is written at first, and then at most once an hour with how often it held."""

    def __init__(self, log: logging.Logger, words: str) -> None:
        self._log, self._words = log, words
        self._times, self._next = 0, 0.0

    def __call__(self, *given: object) -> None:
        """Say that it holds once more."""
        self._times += 1
        if (now := time.monotonic()) >= self._next:
            self._log.warning(f"{self._words} (%d times)", *given, self._times)
            self._times, self._next = 0, now + _SELDOM_SECONDS


class _StandardError(logging.StreamHandler[Any]):
    """Writes to what is standard error now, which tests and processes may exchange."""

    @property
    def stream(self) -> Any:
        """Return standard error."""
        return sys.stderr

    @stream.setter
    def stream(self, _: Any) -> None:
        """Keep nothing: it is looked up each time."""


class _Discreet(logging.Formatter):
    """Tells of an error its kind and its places, and of other packages only where they spoke."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, with the places of an error below it."""
        told = logging.makeLogRecord(record.__dict__)
        told.exc_text = told.stack_info = None
        if record.name.partition(".")[0] != _root.name:
            # The words of others may quote what a client sent.
            told.msg, told.args = f"{record.filename}:{record.lineno}", None
        return super().format(told)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Return the kind of an error and where it passed, without its words."""
        kind, _, trace = ei
        return "\n".join([*_places(trace), kind.__name__ if kind else "nothing"])


def _places(trace: TracebackType | None) -> list[str]:
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"  {code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places
