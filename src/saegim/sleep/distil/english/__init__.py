"""English: what a source tells, and how a core is said."""
