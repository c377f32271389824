"""How it comes in: everything between a sentence and a row."""
