"""What is in mind now: the bounded graph of a session, its checkpoints, and what outlives it."""
