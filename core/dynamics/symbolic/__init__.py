"""The symbolic formulation: the six recursions of forward dynamics as generated machine code, for any scleronomic joint.

Source: Si & Guenter (2011), Linear-Time Dynamics for Multibody Systems with General Joint Models.
"""
