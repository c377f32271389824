"""Many voices, one memory: personas that debate a question (seed A §7)."""
