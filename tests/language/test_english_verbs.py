"""English verb forms, of verbs in the list and of others."""

from __future__ import annotations

import pytest

from saegim.language.en.verbs import lemma_of, past, third


@pytest.mark.parametrize("line", """go goes went
study studies studied
watch watches watched
be is was
bake bakes baked
borrow borrows borrowed
sleep sleeps slept
hike hikes hiked
jog jogs jogged
meditate meditates meditated
dance dances danced
argue argues argued
paint paints painted
call calls called""".splitlines())  # fmt: skip
def test_verbs_take_their_forms(line: str) -> None:
    """A habit is told in the third person; what is in no list is read by its ending."""
    lemma, now, then = line.split()
    assert (third(lemma), past(lemma)) == (now, then)
    assert lemma == "be" or lemma_of(then) == lemma
