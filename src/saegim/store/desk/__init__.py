"""What waits to be done, and what it has cost."""
