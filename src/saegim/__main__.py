"""`python -m saegim`: the command line."""

from saegim.serve.cli import main

main()
