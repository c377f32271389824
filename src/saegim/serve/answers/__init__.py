"""What recall has to tell, in JSON and for people."""
