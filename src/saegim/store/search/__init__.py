"""What is derived from the words and can be rebuilt from them: word indexes and vectors."""
