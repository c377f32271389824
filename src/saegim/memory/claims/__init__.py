"""What can be true only once at a time: which triples claim it, and when two claims clash."""

from saegim.memory.claims.claim import (
    Claim,
    Claiming,
    claims,
    is_negative,
    is_purpose,
    is_tool,
    opposed,
)

__all__ = ["Claim", "Claiming", "claims", "is_negative", "is_purpose", "is_tool", "opposed"]
