"""Opens what settings name: the store, never a silently empty one, and the embedder."""

from __future__ import annotations

import contextlib
from pathlib import Path

from saegim.engines.embedder import Embedder
from saegim.engines.words import Analyser, Basic
from saegim.errors import BadInput, MissingExtra, SettingsError, StoreMissing
from saegim.memory.clock import Clock
from saegim.plugins import find
from saegim.settings import Settings
from saegim.store.sqlite import Sqlite

STORE = "saegim.db"


def open_store(file: Path, settings: Settings, clock: Clock) -> Sqlite:
    """Open the store in this file; make it only where none has been before."""
    if file.is_dir():
        raise BadInput(
            f"{file} is a folder; a store is a file.", next_step=f"Give {file / STORE} instead."
        )
    mark = file.with_name(f".{file.name}.known")
    # Asked twice: another process may be making it between the two looks.
    if not file.exists() and not file.is_symlink() and mark.exists() and not file.exists():
        raise StoreMissing(
            f"{file} held memories and is gone. {_candidates(file)}",
            next_step=f"Put it back, restore a backup, or delete {mark} to start anew.",
        )
    if not file.parent.exists():
        file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    store = Sqlite(
        file,
        analysers=open_analysers(settings),
        busy_seconds=settings.busy_seconds,
        synchronous="FULL" if settings.durability == "durable" else "NORMAL",
        backups=file.parent / "backups",
        now=clock.now,
    )
    if not store.readonly and not mark.exists():
        with contextlib.suppress(OSError):
            file.chmod(0o600)
            mark.write_text("A Saegim store lives beside this file.\n", encoding="utf-8")
    return store


def _candidates(file: Path) -> str:
    """Name what may be the missing store: backups, and files like it nearby."""
    found = sorted((file.parent / "backups").glob("saegim-*.db"))[-3:]
    found += [each for each in sorted(file.parent.glob("*.db*")) if each.suffix == ".db"][:3]
    return f"Perhaps: {', '.join(map(str, found))}." if found else "No backup lies beside it."


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
            raise SettingsError(
                f"There is no embedder {settings.embedder!r}.",
                next_step="Use static, static:128 or static:64.",
            ) from error
        return prefix
    if name not in ("ollama", "openai"):
        made: Embedder = kind()
        return made
    if not model:
        raise SettingsError(
            f"The embedder {name!r} needs a model.",
            next_step=f"Set embedder to {name}:MODEL, for example ollama:bge-m3.",
        )
    default = "http://127.0.0.1:11434" if name == "ollama" else ""
    url = settings.embedder_url or default
    if not url:
        raise SettingsError(
            "The embedder openai needs the address of its server.",
            next_step="Set embedder_url, for example http://127.0.0.1:1234/v1.",
        )
    options = {"key": settings.embedder_key} if name == "openai" else {}
    remote: Embedder = kind(url=url, model=model, **options)
    return remote
