"""Korean sentences, read by rules."""
