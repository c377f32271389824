"""The parts of erasing: what goes along, and what is swept outside the store."""
