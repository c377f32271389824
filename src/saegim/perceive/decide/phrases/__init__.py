"""Phrases by which a sentence gives away what it is: lists of them, and how they are read."""
