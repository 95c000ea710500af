"""The scene panel: the figures and props of the document."""
