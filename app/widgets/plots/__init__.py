"""Plots of values along the frames: what they show, and how it is drawn with pyqtgraph once one is seen."""
