"""What a question asks about: its times, its quotations, the names in it."""
