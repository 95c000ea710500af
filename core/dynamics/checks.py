"""What a model may not be: bodies that no body is like, and coordinates that move no mass.

Along a coordinate that moves no mass the mass matrix is singular, and nothing says how the model moves there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.body import Body
from core.errors import DynamicsError
from core.joints import JointModel
from core.spatial import se3

# Ways to move that differ by less, each of unit size, are the same one up to rounding.
_SAME = 1e-9
# Tried at this many places: a joint may be singular at one of them, as hinges in gimbal lock are, and good elsewhere.
_PLACES = 4


def check_masses(bodies: Sequence[Body], parents: NDArray[np.intp]) -> None:
    """Check that every coordinate moves some mass, in a way of its own, almost everywhere.

    A body without mass is right between others, as the cross of a universal joint is, and where it is fixed to
    another one; but not at the end of a chain where it could move, and not where it makes a chain move in fewer ways
    than it has coordinates.

    Args:
        bodies: All bodies, parents first.
        parents: Their parents' indices, -1 for the world, shape (nb,).

    Raises:
        DynamicsError: If that is not so; names the body and its joint.
    """
    carries = np.array([body.inertia.mass > 0.0 for body in bodies])
    for i in range(len(bodies) - 1, -1, -1):
        if not carries[i] and bodies[i].joint.n:
            joint = type(bodies[i].joint).type_name
            raise DynamicsError(
                f'body "{bodies[i].name}": its mass is 0 and its {joint} joint moves no mass beyond; '
                "expected a mass more than 0 in it or in a body that hangs on it"
            )
        if parents[i] >= 0:
            carries[parents[i]] |= carries[i]
    if not carries.any():
        raise DynamicsError(f'body "{bodies[0].name}": its mass is 0, and so is that of all others; expected some mass')
    for island in idle_islands(bodies, parents):
        names = [f'"{bodies[i].name}"' for i in island if bodies[i].joint.n]
        count = sum(bodies[i].joint.n for i in island)
        free = [f'"{bodies[i].name}"' for i in island if bodies[i].inertia.mass == 0.0]
        if free:
            raise DynamicsError(
                f"body {', '.join(free)}: its mass is 0, and the {count} coordinates of the joints of "
                f"{', '.join(names)} do not all move mass independently; "
                "expected a mass more than 0 in it or fewer coordinates"
            )
        raise DynamicsError(
            f"body {names[0]}: its {type(bodies[island[0]].joint).type_name} joint has {count} coordinates that move "
            "it in fewer ways, some of them alike; expected coordinates that are independent"
        )


def idle_islands(bodies: Sequence[Body], parents: NDArray[np.intp]) -> Iterator[tuple[int, ...]]:
    """Yield where coordinates move nothing of their own: sets of bodies that massless ones keep together.

    Such a set are the massless bodies that hang on each other, and the bodies with mass that hang on them; or a single
    body with mass. Their coordinates are independent if no rates but zero leave those with mass at rest.

    Args:
        bodies: All bodies, parents first.
        parents: Their parents' indices, -1 for the world, shape (nb,).
    """
    islands: dict[int, list[int]] = {}
    of = np.empty(len(bodies), dtype=np.intp)
    for i, parent in enumerate(parents.tolist()):
        joined = parent >= 0 and bodies[parent].inertia.mass == 0.0
        of[i] = of[parent] if joined else i
        islands.setdefault(int(of[i]), []).append(i)
    for island in islands.values():
        if len(island) == 1:
            if not _independent(bodies[island[0]].joint):
                yield tuple(island)
        elif not _all_move(bodies, parents, island):
            yield tuple(island)


def _independent(joint: JointModel) -> bool:
    """Return whether a joint's coordinates move its body each in a way of its own."""
    if joint.n < 2:
        return True  # joints of one coordinate see to it themselves
    try:
        return _known_independent(joint)
    except TypeError:  # a joint that cannot be hashed
        return _known_independent.__wrapped__(joint)


@lru_cache(maxsize=4096)
def _known_independent(joint: JointModel) -> bool:
    rng = np.random.default_rng(1)
    return any(_full_rank(joint.subspace(_somewhere(joint, rng)), 1.0) for _ in range(_PLACES))


def _all_move(bodies: Sequence[Body], parents: NDArray[np.intp], island: list[int]) -> bool:
    """Return whether no rates but zero leave the bodies with mass of an island at rest."""
    columns = np.cumsum([0, *(bodies[i].joint.n for i in island)])
    if not columns[-1]:
        return True
    at = {i: slice(int(columns[k]), int(columns[k + 1])) for k, i in enumerate(island)}
    arms = [float(np.linalg.norm(bodies[i].X_PJ[:3, 3])) for i in island[1:]]
    length = max(arms) or 1.0
    rng = np.random.default_rng(1)
    for _ in range(_PLACES):
        places = {i: _somewhere(bodies[i].joint, rng) for i in island}
        rows = []
        for i in island:
            if bodies[i].inertia.mass == 0.0:
                continue
            # The twist of J against the island's base, in J: each joint on the way adds its own.
            twist, to_here, k = np.zeros((6, int(columns[-1]))), np.eye(6), i
            while k in at:
                twist[:, at[k]] = to_here @ bodies[k].joint.subspace(places[k])
                to_here = to_here @ se3.inverse_adjoint(bodies[k].X_PJ @ bodies[k].joint.transform(places[k]))
                k = int(parents[k])
            rows.append(twist)
        if _full_rank(np.concatenate(rows), length):
            return True
    return False


def _somewhere(joint: JointModel, rng: np.random.Generator) -> Array:
    return rng.uniform(0.2, 0.9, joint.n)


def _full_rank(twists: Array, length: float) -> bool:
    """Return whether the columns of stacked twists, shape (6 k, n), are independent, lengths in units of ``length``."""
    if not twists.shape[1]:
        return True
    scaled = twists.reshape(-1, 2, 3, twists.shape[1]).copy()
    scaled[:, 1] /= length
    flat = scaled.reshape(-1, twists.shape[1])
    sizes = np.linalg.norm(flat, axis=0)
    if not (sizes > 0.0).all() or flat.shape[1] > flat.shape[0]:
        return False
    return bool(np.linalg.svd(flat / sizes, compute_uv=False)[-1] > _SAME)
