"""Everything that is Korean or English: words, clauses, times, feelings, facts, telling."""
