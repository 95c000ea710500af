"""Reading and writing project files."""
