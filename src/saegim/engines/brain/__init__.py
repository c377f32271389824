"""The small brain: meaning and small judgements from tables inside the package, numpy only."""
