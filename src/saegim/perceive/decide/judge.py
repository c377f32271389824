"""What the decision sees of a turn: the ten features of seed C, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence

from saegim.mind import Mind
from saegim.perceive.decide.decide import Action, Decision, State, judge
from saegim.perceive.decide.signs import Signs
from saegim.perceive.turn import Turn
from saegim.perceive.understand import Heard

# Beyond this many memories one more changes nothing for the decision.
_ENOUGH = 1000


def judged(turn: Turn, heard: Sequence[Heard], position: int, mind: Mind) -> Decision:
    """Decide about a turn from all its sentences; `position` is its place in the session."""
    seen = _around(turn, position, mind)
    found = [(each.signs, _state(each.signs, seen)) for each in heard]
    return judge(
        found,
        role=turn.role,
        keep_from=mind.settings.save_from,
        skip_to=mind.settings.skip_to,
    )


def nothing_left(turn: Turn, mind: Mind) -> Decision:
    """Decide about a turn that was nothing but our own words."""
    none = Signs(
        personal=False,
        preference=False,
        technical=False,
        emotion=False,
        experience=False,
        plan=False,
        question=False,
        marker=False,
        wish=False,
        chatter=True,
        density=0.0,
        keywords=(),
    )
    state = _state(none, _around(turn, 0, mind))
    return Decision(action=Action.SKIP, phase=1, salience=0.0, why=("echo",), state=state)


def _around(turn: Turn, position: int, mind: Mind) -> tuple[float, float, float, float]:
    """Return what is known around a turn: its place, the memories, what was decided lately."""
    return (
        float(position),
        float(mind.store.count_up_to(turn.scope, _ENOUGH)),
        float(mind.recently.count(turn.session, Action.SAVE)),
        float(mind.recently.count(turn.session, Action.RETRIEVE)),
    )


def _state(signs: Signs, around: tuple[float, float, float, float]) -> State:
    position, memories, saved, retrieved = around
    return State(
        turn_position=position,
        memory_count=memories,
        keyword_count=float(len(signs.keywords)),
        is_question=float(signs.question),
        has_personal_info=float(signs.personal),
        has_preference=float(signs.preference),
        has_tech=float(signs.technical),
        has_emotion=float(signs.emotion),
        recent_save_count=saved,
        recent_retrieve_count=retrieved,
    )
