"""The stages of a night, each a function that returns what it would change."""
