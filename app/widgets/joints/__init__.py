"""Rows and trees of joints and their degrees of freedom."""
