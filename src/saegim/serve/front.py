"""The front door of the process: what clients start by the thousand skips the command line.

A hook has less than a second, and an MCP client waits for its first answer: neither needs a parser,
and neither must break because some command cannot be loaded.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from saegim.plugins import Late

if TYPE_CHECKING:
    from saegim.serve.commands import cli
    from saegim.serve.hooks import entry
    from saegim.serve.mcp import attending
else:
    attending = Late("saegim.serve.mcp.attending")
    cli = Late("saegim.serve.commands.cli")
    entry = Late("saegim.serve.hooks.entry")


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    # Where Python takes the locale for ASCII it cannot even name a Korean file, so it is
    # started once more in its UTF-8 mode, which the processes it starts inherit.
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        words = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        os.execve(sys.executable, words, {**os.environ, "PYTHONUTF8": "1"})  # noqa: S606
    asked = sys.argv[1:]
    if asked[:1] == ["hook"] and entry.knows(asked):
        # A person waits for it: no thread is waited for.
        entry.leave(asked[1])
    if asked[:1] == ["mcp"] and attending.knows(asked):
        attending.leave(asked)
    sys.exit(cli.run(asked))
