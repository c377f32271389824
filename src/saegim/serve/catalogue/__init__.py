"""One catalogue of typed functions: what the world may ask of a memory, through every door."""
