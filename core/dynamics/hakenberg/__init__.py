"""Bodies with hinges and spherical joints that keep momentum by equal and opposite forces (Hakenberg).

``JointedBodies`` and ``BodyStates`` hold the variables of the paper, ``equations`` its formulas one by one, ``solve``
the answer of (6), ``printed_step`` and ``stabilized_step`` the motion; ``forward_dynamics`` is the formulation.
"""

from core.dynamics.hakenberg.bodies import BodyStates, JointedBodies
from core.dynamics.hakenberg.equations import Loads
from core.dynamics.hakenberg.forward import forward_dynamics
from core.dynamics.hakenberg.model_bodies import ModelBodies, bodies_of
from core.dynamics.hakenberg.solution import Solution, solve
from core.dynamics.hakenberg.stepping import intrinsic_loads, printed_step, projected, stabilized_step
from core.dynamics.hakenberg.topology import Topology, topology_of

__all__ = [
    "BodyStates",
    "JointedBodies",
    "Loads",
    "ModelBodies",
    "Solution",
    "Topology",
    "bodies_of",
    "forward_dynamics",
    "intrinsic_loads",
    "printed_step",
    "projected",
    "solve",
    "stabilized_step",
    "topology_of",
]
