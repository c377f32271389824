"""What several memories have in common, in one or two sentences."""
