"""Figures: joints, roots, types of joints."""
