"""The command line: made from typed functions, answering in sentences, tables or JSON."""
