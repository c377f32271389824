"""How it comes from elsewhere, and goes there: our own JSONL and seed A's folder."""
