"""Tests of imagination."""
