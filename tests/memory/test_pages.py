"""A page has a key and a kind."""

from __future__ import annotations

import pytest

from saegim.errors import BadInput
from saegim.memory.entities import Page


@pytest.mark.parametrize("missing", ["key", "kind"])
def test_a_page_without_key_or_kind_is_refused(missing: str) -> None:
    """Bad input: what cannot be found again is not written."""
    with pytest.raises(BadInput, match=missing):
        Page(**{"key": "soul", "kind": "soul", missing: ""})


def test_a_page_starts_empty_and_unversioned() -> None:
    """The store gives the version; a page does not choose it."""
    page = Page(key="island:tea", kind="island")
    assert (page.version, page.body, dict(page.data), page.derived_from) == (0, "", {}, ())
