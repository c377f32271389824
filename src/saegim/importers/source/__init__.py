"""The systems that memories come from, and what their files share."""
