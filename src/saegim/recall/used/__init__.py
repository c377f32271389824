"""Use, counted without being asked: what came back, what was opened, named, said again."""
