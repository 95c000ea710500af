"""The pose on screen."""
