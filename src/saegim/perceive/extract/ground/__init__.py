"""What a fact and its source must have in common: words, amounts, and who does or does not what."""
