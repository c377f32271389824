"""The catalogue itself: every function the world may call, in the order a reader meets them."""

from __future__ import annotations

from saegim.errors import NotFound, SettingsError
from saegim.serve.catalogue import (
    day,
    life,
    night,
    people,
    policy,
    sessions,
    thinking,
    upkeep,
)
from saegim.serve.catalogue.entry import Entry, Profile

_ENTRIES: tuple[Entry, ...] = (
    day.auto_search,
    day.memory_save,
    day.memory_search,
    day.memory_update,
    day.memory_delete,
    life.memory_get_related,
    life.memory_pin,
    life.memory_unpin,
    upkeep.memory_stats,
    night.sleep_cycle_run,
    policy.policy_status,
    policy.policy_decide,
    day.memory_get,
    day.memory_list,
    day.memory_history,
    day.timeline,
    life.memory_keep,
    life.memory_move,
    life.memory_restore,
    life.memory_feedback,
    policy.memory_observe,
    life.forgetting_queue,
    people.entity_list,
    people.entity_profile,
    people.soul_read,
    people.project_list,
    people.session_list,
    sessions.session_end,
    sessions.session_feedback,
    night.night_list,
    night.night_report,
    night.promotion_list,
    night.year_report,
    night.proposals_list,
    night.proposal_ask,
    upkeep.memory_import,
    thinking.distil_next,
    thinking.distil_submit,
    night.undo,
    life.quarantine_release,
    upkeep.status,
    upkeep.doctor,
    upkeep.audit,
    upkeep.backup,
    upkeep.verify,
    sessions.session_export,
    sessions.session_import,
    upkeep.log_event,
    upkeep.event_list,
)
CATALOGUE: dict[str, Entry] = {each.name: each for each in _ENTRIES}
# What a client may be shown, from little to everything that a model may call.
SHOWN = (Profile.CORE, Profile.DEFAULT, Profile.FULL)


def entry_of(name: str) -> Entry:
    """Return the function of that name."""
    if (found := CATALOGUE.get(name)) is None:
        raise NotFound("catalogue.no_function", name=name, known=", ".join(CATALOGUE))
    return found


def shown_to(profile: str) -> list[Entry]:
    """Return what a client with this profile is shown."""
    if profile not in SHOWN:
        raise SettingsError("catalogue.no_profile", profile=profile, known=", ".join(SHOWN))
    held = SHOWN[: SHOWN.index(Profile(profile)) + 1]
    return [each for each in CATALOGUE.values() if each.profile in held]
