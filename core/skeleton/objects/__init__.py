"""Polygon objects of segments: our .pol files and those of other programs."""
