"""Sequences and what stands along their frames: values, music, markers."""
