"""Undo and Redo."""
