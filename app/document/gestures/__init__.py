"""Edits by hand, from press to release: shown live, one undo step in the end."""
