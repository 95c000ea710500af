"""The editor: a window around the toolkit in ``core``."""
