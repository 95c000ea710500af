"""Docks."""
