"""A year of a companion's life, in Korean and in English: at its end SOUL.md reads like someone."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim.soul.soul_file import read_back
from stories import ENGLISH, FOLDER, KOREAN, Script, lived


@pytest.mark.parametrize(
    ("script", "held", "never", "island"),
    [
        (KOREAN, "나는 지민에게 소중한 존재다", "나는 함께 웃을 수 있는 존재다", "기술적 호기심"),
        (ENGLISH, "I am precious to Mina", "I am someone to laugh with", "Making"),
    ],
)
def test_a_year_is_lived_and_its_page_is_current(
    tmp_path: Path, script: Script, held: str, never: str, island: str
) -> None:
    """Named, forgiven, needed; an island lost and rebuilt; a no kept; the page is what happens."""
    page = lived(script, tmp_path)
    written = (FOLDER / f"{script.name}.md").read_text("utf-8")
    assert page == written, "python tests/stories.py --write"
    told = read_back((tmp_path / "SOUL.md").read_text("utf-8"))
    assert held in told.beliefs
    assert never not in told.beliefs
    assert len(told.beliefs) >= 7
    assert {each.name: each.status for each in told.islands}[island] == "active"
    for status in ("shaking", "collapsed", "rebuilding"):
        sentence = script.words[f"island {status}"].split("{name}")[1]
        assert f"{island}{sentence}" in page
