"""The front door of the process: what clients start by the thousand skips the command line.

A hook has less than a second, and an MCP client waits for its first answer: neither needs a parser,
and neither must break because some command cannot be loaded. What a hook needs first is loaded
alone: everything else of the package costs more than the hook itself.
"""

import os
import sys
from importlib import import_module

_QUICK = "saegim.serve.hooks.hook_main"
_ATTENDING = "saegim.serve.mcp.stdio"
_FRONT = "saegim.serve.front"
_CLI = "saegim.serve.cli.plain"


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    # Where Python takes the locale for ASCII it cannot even name a Korean file, so it is
    # started once more in its UTF-8 mode, which the processes it starts inherit.
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        os.execve(sys.executable, words, {**os.environ, "PYTHONUTF8": "1"})  # noqa: S606
    # A stream that was closed is one that nobody reads, or on which nobody says anything. In this
    # order each gets its own number back.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        _carry_out(sys.argv[1:])
    except KeyboardInterrupt:
        # Whoever stops it does not want to read where it was; shells know this code.
        sys.exit(130)


def _carry_out(asked: list[str]) -> None:
    if "hook" in asked:
        quick = import_module(_QUICK)
        if (given := quick.understood(asked)) is not None:
            # A person waits for it: no thread is waited for.
            quick.leave(given)
    if asked[:1] == ["mcp"]:
        attending = import_module(_ATTENDING)
        if attending.knows(asked):
            attending.leave(asked)
    answer = import_module(_FRONT).answered(asked)
    if isinstance(answer, int):
        sys.exit(answer)
    sys.exit(import_module(_CLI).run(answer))
