"""Rows, headers and tabs that other widgets stand in."""
