"""The nights of these tests keep the bare clocks of the seeds, unless a test says `gentle`.

`stages/test_lifetimes.py` lives by the gentle law, which is the default.
"""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def by_the_seeds_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every store opened here live by `forgetting = "seed"`; arguments win over this."""
    monkeypatch.setenv("SAEGIM_FORGETTING", "seed")
