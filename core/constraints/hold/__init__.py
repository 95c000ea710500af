"""Holding locks by least motion: rows packed for kernels, a quadratic program a step, and the solver around it."""
