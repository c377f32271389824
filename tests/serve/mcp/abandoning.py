"""A client that starts servers and is killed: `python abandoning.py HOME COUNT keep|drop`.

With `keep`, a process of its own inherits the pipes and holds them open when the client is gone.
The last server is one that does not look after its parent, to show what would happen then.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from stdio_client import ENTRANCE, INITIALIZED, Started

CARELESS = (
    "from saegim.serve.mcp import stdio; stdio.ExitWatch.with_parent = lambda self: None; "
) + ENTRANCE


def main(home: Path, count: int, keeps: bool) -> None:
    """Start the servers, say who they are, and wait to be killed."""
    peers = [Started(home) for _ in range(count)]
    peers.append(Started(home, entrance=CARELESS))
    for peer in peers:
        peer.open()
    # Some have only said hello, some have their store open.
    peers[0].told("memory_stats")
    peers[1].send(INITIALIZED)
    held = [end for peer in peers for end in (peer._into, peer._out)]
    pids = [peer.pid for peer in peers]
    if keeps:
        holder = subprocess.Popen(
            [sys.executable, "-S", "-c", "import time; time.sleep(600)"], pass_fds=held
        )
        pids.append(holder.pid)
    print(" ".join(map(str, pids)), flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "keep")
