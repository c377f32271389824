"""Logs of the doors and of the night, on standard error: what was done and what failed.

A record holds names of ours, counts, durations and the kinds of errors; never what anyone said or
kept, and never a secret. So an error is named by its kind and its places in the code, without its
message, and other packages' records are told without their words. A program that uses the library
sets up the loggers under `saegim` as it likes; until then they are silent.
"""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import Any

# Of these packages whose logs we show, the words may quote what a client sent.
_FOREIGN = ("uvicorn", "mcp")

_root = logging.getLogger("saegim")
_root.addHandler(logging.NullHandler())


def logger(room: str) -> logging.Logger:
    """Return the logger of one part of the house, such as serve, hooks or sleep."""
    return _root.getChild(room)


def begin(level: str) -> None:
    """Write records of this level and above to standard error; the last call counts."""
    shown = _StandardError()
    shown.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("saegim", *_FOREIGN):
        each = logging.getLogger(name)
        each.handlers = [held for held in each.handlers if not isinstance(held, _StandardError)]
        each.addHandler(shown)
        each.propagate = False
    _root.setLevel(level.upper())
    for name in _FOREIGN:
        logging.getLogger(name).setLevel(max(_root.level, logging.WARNING))


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
        if record.name.partition(".")[0] in _FOREIGN:
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
