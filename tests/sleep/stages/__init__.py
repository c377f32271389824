"""The stages of a night, each tried alone on a real store with a clock that moves when told."""
