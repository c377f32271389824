"""How judgement improves."""
