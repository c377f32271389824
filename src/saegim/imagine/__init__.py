"""What memory could become: imagined from memories, at most a few times a day, never a fact."""
