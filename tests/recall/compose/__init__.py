"""Tests of what is put into a prompt."""
