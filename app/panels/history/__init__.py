"""The history panel: every step since the document was opened."""
