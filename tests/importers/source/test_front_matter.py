"""Front matter: the few lines of YAML that notes carry."""

from __future__ import annotations

import pytest

from saegim.importers.source.markdown import split


def test_the_usual_shapes_are_read() -> None:
    """One value, a list in brackets, a list with dashes, quotes and comments (U24.3)."""
    fields, text = split(
        "---\n"
        "title: 'Tea: a love story'\n"
        "Date: 2024-03-05 # when\n"
        'tags: [차, "two, words", work/deep]\n'
        "aliases:\n"
        "  - Tea\n"
        "  - '#1'\n"
        "empty:\n"
        "url: https://example.com/a:b\n"
        "---\n"
        "# Tea\n"
    )
    assert fields == {
        "title": ["Tea: a love story"],
        "date": ["2024-03-05"],
        "tags": ["차", "two, words", "work/deep"],
        "aliases": ["Tea", "#1"],
        "empty": [],
        "url": ["https://example.com/a:b"],
    }
    assert text == "# Tea\n"


@pytest.mark.parametrize(
    "text",
    ["no front matter", "---\nnever: closed\n", "\n---\nlate: x\n---\n", "----\na: b\n----\n", ""],
)
def test_what_is_no_front_matter_stays_text(text: str) -> None:
    """A line at the top, or one that is not closed, is part of the note (U24.3)."""
    assert split(text) == ({}, text)


def test_yaml_that_would_do_something_does_nothing() -> None:
    """Tags, anchors and merges are words like any other (attack 62)."""
    fields, _ = split(
        "---\na: !!python/object/apply:os.system ['x']\nb: &x 1\nc: *x\n<<: *x\n---\n"
    )
    assert fields["a"] == ["!!python/object/apply:os.system ['x']"]
    assert fields["c"] == ["*x"]
