"""`python -m saegim`: the command line."""

from saegim.serve.front import main

main()
