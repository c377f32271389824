"""How it settles, and leaves: one file per stage, one tuple that is the night."""
