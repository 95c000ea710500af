"""How the command line and files of steps call what a picture shows: its view, its theme, its backdrop."""

VIEWS = ("perspective", "front", "side", "top")
THEMES = ("dark", "light")
BACKDROPS = ("stage", "studio", "transparent", "shadow")
"""What is behind the figure; the first of each is the usual one."""
SMALLEST, LARGEST = 16, 8192
"""How wide and how high a picture may be, [px]."""
