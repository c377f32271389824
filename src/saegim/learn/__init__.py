"""The arithmetic of what is learned: numpy, no disk, no words kept."""
