"""Draws pictures of figures with OpenGL, which is used nowhere else. It knows no widget."""
