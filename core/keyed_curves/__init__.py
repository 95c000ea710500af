"""Numbers that are keyed over time: a cubic through the keys that goes no farther than they do.

- ``keyed_curve``: the slopes at the keys, and keys as rows for the kernel;
- ``keyed_curve_kernel``: the value at a time.
"""

from core.keyed_curves.keyed_curve import curve_rows, monotone_slopes

__all__ = ["curve_rows", "monotone_slopes"]
