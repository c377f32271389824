"""How it comes back: everything between a question and its answer; changes no memory."""
