"""Tests of what is in mind now."""
