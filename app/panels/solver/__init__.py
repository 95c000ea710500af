"""The solver panel: which solver a drag uses, and how the last move went."""
