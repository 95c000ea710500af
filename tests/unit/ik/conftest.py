"""Compiled kernels come from the cache that knows of all their sources, also where a test imports them by name."""

from core import compiled

compiled.use("compiled")
