"""What is read and told in Korean."""
