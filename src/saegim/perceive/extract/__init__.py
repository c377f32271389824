"""What it says: facts, names, ties."""
