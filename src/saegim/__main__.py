"""`python -m saegim`: the command line."""

from saegim.serve.main import main

main()
