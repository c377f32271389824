"""What stands behind `Database` on a server: PostgreSQL, and how our one SQL text is read by it."""
