"""Borrowed minds: embedders, words, tokens; the only code that runs or calls a model."""
