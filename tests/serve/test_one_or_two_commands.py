"""Two names that are one, and one name that is two, at the command line."""

from __future__ import annotations

from saying import Say, kept


def test_two_names_are_made_one_parted_and_taken_back(say: Say) -> None:
    """Told in both languages with the way back; what is not known is named."""
    kept(say, "My sister Hana lives in Berlin.")
    kept(say, "My friend Haneul lives in Suwon.")
    told = say("people", "Haneul", "--same-as", "Hana").out
    assert "are one now" in told
    names = [each["name"] for each in say("--json", "people").json["entities"]]
    assert "Hana" in names
    assert "Haneul" not in names
    assert say("undo", told.split("saegim undo ")[1].split()[0]).code == 0
    say("people", "Haneul", "--same-as", "Hana")
    assert "stands alone again" in say("people", "Haneul", "--apart").out
    assert say("people", "Haneul", "--apart").code != 0
    assert say("people", "Nobody", "--same-as", "Hana").code != 0


def test_one_name_is_given_to_two(say: Say) -> None:
    """The memory that is named speaks of the other one from now on."""
    id = kept(say, "My friend Minsu lives in Busan.")
    kept(say, "Minsu plays the cello.")
    told = say("people", "Minsu", "--about", id, "--named", "Minsu from work").out
    assert "somebody else now" in told
    assert say("--json", "people", "Minsu from work").json["interactions"] == 1
