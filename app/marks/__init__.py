"""What is painted over a picture: handles, locks, goals, trails, tags."""
