"""English sentences, read by rules."""
