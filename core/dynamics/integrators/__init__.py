"""Ways to step through time. A new one is a module with a class, and a line in ``INTEGRATORS``."""

from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.bdf1 import BDF1
from core.dynamics.integrators.bdf2 import BDF2
from core.dynamics.integrators.conserving import Conserving
from core.dynamics.integrators.hakenberg import Hakenberg
from core.dynamics.integrators.linearly_implicit import LinearlyImplicit
from core.dynamics.integrators.rk4 import RK4
from core.dynamics.integrators.rk45 import RK45
from core.dynamics.integrators.symplectic_euler import SymplecticEuler
from core.dynamics.integrators.variational import Variational

INTEGRATORS: tuple[type[Integrator], ...] = (
    SymplecticEuler,
    LinearlyImplicit,
    RK4,
    RK45,
    Conserving,
    Variational,
    BDF1,
    BDF2,
    Hakenberg,
)

__all__ = [
    "BDF1",
    "BDF2",
    "INTEGRATORS",
    "RK4",
    "RK45",
    "Conserving",
    "Hakenberg",
    "Integrator",
    "LinearlyImplicit",
    "SymplecticEuler",
    "Variational",
]
