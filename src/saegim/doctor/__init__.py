"""What a doctor tries: from outside, inside the store, and how it is said in two languages."""
