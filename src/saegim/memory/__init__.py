"""What is remembered: values and formulas; the standard library and xxhash only, no I/O."""
