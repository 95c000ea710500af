"""Markers, and the lines of beats and markers through the tracks."""
