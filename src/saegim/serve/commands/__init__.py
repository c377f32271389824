"""The command line: parses, calls a verb, and lets `Talk` answer."""
