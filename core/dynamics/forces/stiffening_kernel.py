"""A spring that grows stiffer the farther it is bent.

Source: Sueda 2.5 (2.72 to 2.75, with a stiffness ``k + 3 c s^2`` that is that of the present place).
"""

from __future__ import annotations

from core.kernels import THREE, kernel


@kernel(inline=True)
def stiffening(stiffness: float, hardening: float, stretch: float) -> THREE:
    """Return the pull back ``k s + c s^3``, its derivative by s, and the energy stored; arrays are taken as well.

    Args:
        stiffness: ``k`` at rest, [N m/rad] or [N/m].
        hardening: ``c``, [N m/rad^3] or [N/m^3]; 0 for a plain spring.
        stretch: ``s`` from where it rests, [rad] or [m].
    """
    square = stretch * stretch
    return (
        (stiffness + hardening * square) * stretch, stiffness + 3.0 * hardening * square,
        (0.5 * stiffness + 0.25 * hardening * square) * square,
    )  # fmt: skip
