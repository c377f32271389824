"""The pages: memory that a person can see, understand and decide about."""
