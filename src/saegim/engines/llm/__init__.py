"""Language models: one protocol, three kinds of server."""
