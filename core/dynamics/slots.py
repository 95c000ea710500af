"""Where the values of a node lie in its row of the packed tree, for the kernels of ``core.dynamics.recursive``.

Row 0 is the world, row 1 + k the node of coordinate k, and then comes a row for each body. Constants of a node:

- ``PARENT``: its parent's row. ``KIND``: one of the kinds below. ``BODY``: which body the coordinate belongs to.
- ``COUNT``: in the first node of a joint of kind ``ROTATION_VECTOR`` or ``GENERAL`` how many coordinates it has.
- ``EMPTY``: 1 if nothing that has inertia is fixed to the node.
- ``T``, ``AT``: rotation (9, row by row) and place (3) of the node's frame in its parent's, where its coordinate is 0.
- ``MASS``, ``FIRST`` (3), ``SECOND`` (6): mass, mass times centre, inertia about the node's origin (xx xy xz yy yz zz).
- ``LEAST`` (2): an inertia about or along the node's axis that is no more than this may be nothing but rounding.

Values that a call leaves behind, all in world axes, inertias and wrenches about the node's origin:

- ``R`` (9): the node's rotation. ``ARM`` (3): its origin, seen from its parent's. ``OMEGA`` (3): angular velocity.
- ``BIAS`` (6): what velocities add to the acceleration [alpha; a] from the parent's to the node's origin.
- ``S`` (6): motion subspace; of what only turns the first three numbers count.
- ``INERTIA`` (21): articulated inertia [[I, H], [H^T, M]]: I (xx xy xz yy yz zz), H (9, row by row), M (6, as I).
- ``FORCE`` (6): the wrench [t; f] at no acceleration; afterwards the acceleration [alpha; a].
- ``OPEN``: 1 for the first node of a joint of six coordinates, through which no inertia gets.
- ``STAYS``: 1 if the origin is always that of the parent.
- ``ADDED``: inertia of the joint itself; infinite for one with a prescribed motion.
- ``GIVEN``: the acceleration prescribed, else 0.

A row has also, once the node's coordinate is eliminated, in place of the inertia: ``GAIN`` (6), its columns over the
pivot; ``FREE``, the acceleration if its parent had none; ``PIVOT``, one over the pivot.

Nodes of kind ``GENERAL`` find their joint's transform and bias in the first one's ``Q`` (9 + 3) and ``RATE`` (6,
Sdot v), in place of the inertia, and their columns of the subspace in ``S``, all in the joint frame.

The row of a body: ``PARENT``, the row of the node it is fixed to, and its pose there in ``T`` and ``AT``.
"""

from __future__ import annotations

HINGE, ROTATION_VECTOR, TURNED, SLIDE, GENERAL, CONTINUED = range(6)
"""Kinds of nodes: about local z, the first of a rotation vector and its others; along local z, the first of a joint of
several coordinates and its others. Those before ``SLIDE`` only turn."""

PARENT, KIND, BODY, COUNT, EMPTY = 0, 1, 2, 3, 4
T, AT = 5, 14
MASS, FIRST, SECOND = 17, 18, 21
LEAST = 27
ADDED, GIVEN = 29, 30
R, ARM, OMEGA, BIAS = 31, 40, 43, 46
S = 52
INERTIA, FORCE = 58, 79
OPEN, STAYS = 85, 86
GAIN, FREE, PIVOT = INERTIA, INERTIA + 6, INERTIA + 7
Q, RATE = INERTIA, INERTIA + 12
WIDTH = 88
"""Numbers a row: whole cache lines."""
