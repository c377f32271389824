"""Where one is working: which project a folder belongs to, and how memories change projects."""
