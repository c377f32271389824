"""What the tests of the self share."""

from __future__ import annotations

import pytest


@pytest.fixture
def seed_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a store opened here live by `forgetting = "seed"`."""
    monkeypatch.setenv("SAEGIM_FORGETTING", "seed")
