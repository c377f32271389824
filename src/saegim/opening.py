"""Opens what settings name: the store, never a silently empty one, the embedder, the model."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.static import Static
from saegim.engines.embedder import Embedder
from saegim.errors import BadInput, EngineError, MissingExtra, SettingsError, StoreMissing
from saegim.language.words import Analyser, Basic
from saegim.memory.clock import Clock
from saegim.messages import Message
from saegim.mind import Mind
from saegim.night_settings import BACKUPS
from saegim.plugins import find
from saegim.settings import STORE, Settings
from saegim.store.desk.traces import Traces
from saegim.store.sqlite import Sqlite

if TYPE_CHECKING:
    from saegim.engines.llm.llm import LanguageModel

# Where each kind of model server is when nobody says; an OpenAI-compatible one has no such place.
MODEL_URLS: Final = {
    "ollama": "http://127.0.0.1:11434",
    "openai": "",
    "anthropic": "https://api.anthropic.com",
}


def open_store(file: Path, settings: Settings, clock: Clock) -> Sqlite:
    """Open the store in this file; make it only where none has been before."""
    if file.is_dir():
        raise BadInput("settings.folder_store_is_file", file=file, inside=file / STORE)
    mark = file.with_name(f".{file.name}.known")
    # Asked twice: another process may be making it between the two looks.
    if not file.exists() and not file.is_symlink() and mark.exists() and not file.exists():
        raise StoreMissing(
            "store.gone", file=file, candidates=_candidates(file, settings), mark=mark
        )
    if not file.parent.exists():
        file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    store = Sqlite(
        file,
        analysers=open_analysers(settings),
        busy_seconds=settings.busy_seconds,
        synchronous="FULL" if settings.durability == "durable" else "NORMAL",
        backups=file.parent / BACKUPS,
        now=clock.now,
    )
    if not store.readonly and not mark.exists():
        with contextlib.suppress(OSError):
            file.chmod(0o600)
            mark.write_text("A Saegim store lives beside this file.\n", encoding="utf-8")
    return store


def _candidates(file: Path, settings: Settings) -> Message:
    """Name what may be the missing store: backups, and files like it nearby."""
    folders = settings.backup_folders(file.parent)
    made = (each for folder in folders for each in folder.glob("saegim-*.db"))
    found = sorted(made, key=lambda each: each.name)[-3:]
    found += [each for each in sorted(file.parent.glob("*.db*")) if each.suffix == ".db"][:3]
    if not found:
        return Message("store.no_candidates")
    return Message("store.candidates", files=", ".join(map(str, found)))


def open_analysers(settings: Settings) -> list[Analyser]:
    """Return the built-in analyser and, if asked for, Kiwi, which loads in the background."""
    if settings.words == "basic":
        return [Basic()]
    try:
        kiwi = find("saegim.analysers", settings.words)()
    except MissingExtra:
        # The built-in analyser answers the same questions; status says that Kiwi is absent.
        return [Basic()]
    kiwi.warm()
    return [Basic(), kiwi]


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder the settings name, such as `static`, `static:128` or `ollama:MODEL`."""
    name, _, model = settings.embedder.partition(":")
    kind = find("saegim.embedders", name)
    if name == "static" and model:
        try:
            prefix: Embedder = kind(int(model))
        except ValueError as error:
            raise SettingsError("settings.no_embedder", embedder=settings.embedder) from error
        return prefix
    if name not in ("ollama", "openai"):
        made: Embedder = kind()
        return made
    if not model:
        raise SettingsError("settings.embedder_needs_model", name=name)
    default = "http://127.0.0.1:11434" if name == "ollama" else ""
    url = settings.embedder_url or default
    if not url:
        raise SettingsError("settings.embedder_openai_needs_address")
    options = {"key": settings.embedder_key} if name == "openai" else {}
    remote: Embedder = kind(url=url, model=model, **options)
    return remote


def open_model(settings: Settings) -> LanguageModel | None:
    """Return the language model the settings name, such as `ollama:qwen3:4b`; None is the default.

    Only Saegim's own settings count: an API key that lies in the environment turns nothing on.
    """
    name, _, model = settings.model.strip().partition(":")
    if not name:
        return None
    kind = find("saegim.models", name)
    if name not in MODEL_URLS:
        made: LanguageModel = kind(model=model) if model else kind()
        return made
    if not model:
        raise SettingsError("settings.language_model_needs_name", name=name)
    url = settings.model_url or MODEL_URLS[name]
    if not url:
        raise SettingsError("settings.language_model_openai_needs_address")
    if url == MODEL_URLS["anthropic"] and not settings.model_key:
        raise SettingsError("settings.language_model_anthropic_needs_key")
    remote: LanguageModel = kind(
        url=url, model=model, key=settings.model_key, seconds=settings.model_timeout
    )
    return remote


def open_heads(embedder: Embedder) -> Heads | None:
    """Return the heads that read feelings, on the embedder's own model if it is the same one."""
    static = embedder if type(embedder) is Static else Static()
    try:
        return Heads(static)
    except EngineError:
        # Without them the word lists read feelings; doctor says what is wrong with the file.
        return None


def open_mind(
    file: Path,
    settings: Settings,
    clock: Clock,
    embedder: Embedder | None = None,
    model: LanguageModel | None = None,
) -> Mind:
    """Put the parts together: those that were given, and the others as the settings name them."""
    embeds = embedder or open_embedder(settings)
    store = open_store(file, settings, clock)
    asks = model or open_model(settings)
    traces = Traces(store) if settings.traces and not store.readonly else None
    mind = Mind(store, embeds, clock, settings, asks, open_heads(embeds), traces=traces)
    # A remote embedder is not even asked its name before something needs a vector.
    if embeds.local and store.waiting(embeds.identity):
        store.keep_indexed(embeds, mind.now)
    return mind
