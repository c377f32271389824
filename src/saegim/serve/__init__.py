"""How the world talks to the memory: command line, MCP, REST, hooks, clients; one catalogue."""
