"""The HTTP door: the catalogue as a REST API, MCP beside it, one process and one port."""
