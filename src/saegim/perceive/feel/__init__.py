"""What it feels like."""
