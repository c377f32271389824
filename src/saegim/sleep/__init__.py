"""How it settles, and leaves."""
