"""What is put into a prompt: few memories, quoted, within a budget, the same bytes every time."""
