"""The catalogue itself: every function the world may call, in the order a reader meets them."""

from __future__ import annotations

from saegim.errors import NotFound, SettingsError
from saegim.serve.catalogue import (
    browse_functions,
    debate_functions,
    imagination_functions,
    lifecycle_functions,
    maintenance_functions,
    memory_functions,
    night_functions,
    people_functions,
    soul_functions,
    turn_functions,
)
from saegim.serve.catalogue.entry import CatalogueEntry, Profile

_ENTRIES: tuple[CatalogueEntry, ...] = (
    memory_functions.auto_search,
    memory_functions.memory_save,
    memory_functions.memory_search,
    memory_functions.memory_update,
    memory_functions.memory_delete,
    lifecycle_functions.memory_get_related,
    lifecycle_functions.memory_pin,
    lifecycle_functions.memory_unpin,
    maintenance_functions.memory_stats,
    night_functions.sleep_cycle_run,
    turn_functions.policy_status,
    turn_functions.policy_decide,
    memory_functions.memory_get,
    memory_functions.memory_list,
    memory_functions.memory_history,
    memory_functions.timeline,
    lifecycle_functions.memory_keep,
    lifecycle_functions.memory_move,
    lifecycle_functions.memory_restore,
    lifecycle_functions.memory_feedback,
    turn_functions.memory_observe,
    lifecycle_functions.forgetting_queue,
    people_functions.about,
    people_functions.entity_list,
    people_functions.entity_profile,
    soul_functions.soul_read,
    soul_functions.island_list,
    soul_functions.self_history,
    soul_functions.belief_propose,
    people_functions.project_list,
    people_functions.session_list,
    people_functions.session_end,
    people_functions.session_feedback,
    night_functions.night_list,
    night_functions.night_report,
    night_functions.promotion_list,
    night_functions.year_report,
    night_functions.proposals_list,
    night_functions.proposal_ask,
    imagination_functions.imagine,
    imagination_functions.imagination_list,
    imagination_functions.imagination_feedback,
    imagination_functions.mood,
    maintenance_functions.memory_import,
    turn_functions.distil_next,
    turn_functions.distil_submit,
    soul_functions.soul_check,
    soul_functions.soul_write,
    soul_functions.soul_edits,
    soul_functions.self_whole,
    soul_functions.proposals_whole,
    soul_functions.island_propose,
    soul_functions.belief_remove,
    imagination_functions.imagination_whole,
    turn_functions.policy_rewards,
    night_functions.undo,
    lifecycle_functions.quarantine_release,
    maintenance_functions.status,
    maintenance_functions.doctor,
    maintenance_functions.audit,
    maintenance_functions.federation_status,
    maintenance_functions.backup,
    maintenance_functions.backup_list,
    maintenance_functions.verify,
    people_functions.entity_merge,
    people_functions.entity_unmerge,
    people_functions.entity_split,
    people_functions.session_export,
    people_functions.session_import,
    maintenance_functions.log_event,
    maintenance_functions.event_list,
    debate_functions.debate_run,
    debate_functions.debate_resume,
    debate_functions.debate_list,
    debate_functions.debate_get,
    debate_functions.debate_rate,
    browse_functions.memory_browse,
    browse_functions.memory_counts,
    browse_functions.memory_whole,
    browse_functions.recall_preview,
    browse_functions.day_report,
    browse_functions.ledger_list,
    browse_functions.graph_slice,
    browse_functions.review_list,
    browse_functions.review_settle,
    browse_functions.quarantine_list,
    browse_functions.archive_list,
    browse_functions.night_schedule,
    browse_functions.night_pause,
    browse_functions.model_spending,
)
CATALOGUE: dict[str, CatalogueEntry] = {each.name: each for each in _ENTRIES}
# What a client may be shown, from little to everything that a model may call.
SHOWN = (Profile.CORE, Profile.DEFAULT, Profile.FULL)


def entry_of(name: str) -> CatalogueEntry:
    """Return the function of that name."""
    if (found := CATALOGUE.get(name)) is None:
        raise NotFound("catalogue.no_function", name=name, known=", ".join(CATALOGUE))
    return found


def shown_to(profile: str) -> list[CatalogueEntry]:
    """Return what a client with this profile is shown."""
    if profile not in SHOWN:
        raise SettingsError("catalogue.no_profile", profile=profile, known=", ".join(SHOWN))
    held = SHOWN[: SHOWN.index(Profile(profile)) + 1]
    return [each for each in CATALOGUE.values() if each.profile in held]
