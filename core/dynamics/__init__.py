"""Rigid-body dynamics of trees of bodies."""
