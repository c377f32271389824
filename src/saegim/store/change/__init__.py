"""How single Changes come true inside the transaction of a commit."""
