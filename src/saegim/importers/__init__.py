"""How it comes from elsewhere, and goes there: our own JSONL, a folder, and other systems."""
