"""`python -m saegim`: the command line."""

from saegim.serve.commands.cli import main

main()
