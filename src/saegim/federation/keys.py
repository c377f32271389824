"""Keys: of a member (Ed25519), of a swarm (pre-shared), in files that only their owner may read."""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from saegim.errors import MissingExtra, SettingsError
from saegim.filesystem import own_folder, replacing

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNATURE: Final = 64
KEY_BYTES: Final = 32
_MOST = 256 * 1024


def refuse_missing_extra() -> None:
    """Refuse to go on without the package that signs and encrypts."""
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise MissingExtra("federation.extra_is_missing") from error


@dataclass(frozen=True, slots=True)
class KeyPair:
    """The key of one member; its public half is the member's name."""

    secret: bytes
    public: str

    @classmethod
    def new(cls) -> KeyPair:
        """Make a key out of the system's randomness."""
        return cls.of(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def of(cls, secret: bytes) -> KeyPair:
        """Return the pair that a secret belongs to."""
        return cls(secret, _private(secret).public_key().public_bytes_raw().hex())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message."""
        return _private(self.secret).sign(message)

    def __repr__(self) -> str:
        return f"KeyPair({self.public[:8]}…)"


def _private(secret: bytes) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret)


def is_signed(public: str, message: bytes, signature: bytes) -> bool:
    """Say whether the owner of a public key signed this message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        raw = bytes.fromhex(public)
        Ed25519PublicKey.from_public_bytes(raw).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    # One key has one name: capitals and blanks would be the same key again.
    return raw.hex() == public


def written(path: Path, text: str) -> None:
    """Write a file whole, for its owner alone."""
    own_folder(path.parent)
    with replacing(path) as file:
        file.write(text)


def read_own(path: Path) -> str | None:
    """Return a file that is ours alone, or nothing where there is none; refuse any other."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(
            "federation.file_cannot_be_read", path=path, reason=error.strerror
        ) from error
    try:
        found = os.fstat(handle)
        open_to_others = os.name == "posix" and (
            found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        )
        if not stat.S_ISREG(found.st_mode) or open_to_others:
            raise SettingsError(
                "federation.key_is_open_to_others", path=path, quoted=shlex.quote(str(path))
            )
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    finally:
        os.close(handle)
