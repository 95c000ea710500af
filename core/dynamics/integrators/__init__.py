"""Ways to step through time. A new one is a module with a class, and a line in ``INTEGRATORS``."""

from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.bdf1 import BDF1
from core.dynamics.integrators.bdf2 import BDF2
from core.dynamics.integrators.linearly_implicit import LinearlyImplicit
from core.dynamics.integrators.rk4 import RK4
from core.dynamics.integrators.rk45 import RK45
from core.dynamics.integrators.symplectic_euler import SymplecticEuler

INTEGRATORS: tuple[type[Integrator], ...] = (SymplecticEuler, LinearlyImplicit, RK4, RK45, BDF1, BDF2)

__all__ = ["BDF1", "BDF2", "INTEGRATORS", "RK4", "RK45", "Integrator", "LinearlyImplicit", "SymplecticEuler"]
