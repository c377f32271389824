"""Tests of the guard ask the guard itself, each time."""

from __future__ import annotations

import pytest

import read_once
from saegim.guard import told_secrets


@pytest.fixture(autouse=True)
def _read_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of what was read before."""
    monkeypatch.setattr(told_secrets, "read_secrets", read_once.real_secrets)
