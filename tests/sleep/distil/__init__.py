"""Tests of what several memories have in common."""
