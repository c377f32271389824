"""Where it rests: the only code that speaks SQL."""
