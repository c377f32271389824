"""What it means: insights from new memories, and renewed profiles."""
