"""When two memories that nearly say the same may become one."""
