"""The tables: each class holds the SQL of what it is named after."""
