"""Whether to keep it: signs, features, and the reason."""
