"""Hooks: an agent's own events make memory work, whether its model thinks of it or not."""
