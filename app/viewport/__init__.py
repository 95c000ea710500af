"""Views of the figure: renderer, cameras, widgets, overlays."""
