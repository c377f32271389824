"""What is read and told in English."""
