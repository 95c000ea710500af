"""Views of the figure: the work area, the small views, cameras that follow, and the mouse."""
