"""Starts the memory for a client that opens bundles: `saegim mcp` and what it passes on."""

from __future__ import annotations

import sys

from saegim.serve.cli.app import run

if __name__ == "__main__":
    raise SystemExit(run(["mcp", *sys.argv[1:]]))
