"""The memory of the engine: one table of names and types, for its kernels and for Python.

World axes everywhere, but where a comment says otherwise. Spatial vectors [w; v] and [t; f] are about the reference
point of their tree: the origin of its first body's joint frame, as it stands at the beginning of a substep.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.kernels.block import Block, Layout, RecordOf, Records, record

Integers = NDArray[np.int64]
Flags = NDArray[np.int8]

HINGE, ROTATION, TURNED, SLIDE, GENERAL, CONTINUED = range(6)
"""Kinds of nodes, as in ``core.dynamics.tree_memory``: a coordinate of a hinge, the first of a rotation (a quaternion
that turns at an angular velocity in its own axes) and its others, one of a slide, the first of a general joint, its
others.
"""
POINT, ORIENTATION, STRING = range(3)
"""Kinds of locks: points coincide along an axis, rotations agree about it, points come no farther apart."""
LOCK_ROW, LOW_ROW, HIGH_ROW, BALL_ROW, CONTACT_ROW, APPLIED_ROW, CONE_ROW = range(7)
"""Kinds of rows: a lock's, a node's lower or upper limit, a limit of a ball (6 ball + 2 angle + side), a contact's, one
that comes with forces and constraints given as objects, a cone's."""
TAKEN, AGAIN, TOO_LONG = range(3)
"""A part of a step is taken; is tried once more, with rows that it missed; is tried once more in halves."""

FLOAT, INTEGER, FLAG = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int8)

NODE = record(
    ("T", FLOAT, 9), ("at", FLOAT, 3),  # rotation and place of its frame in its parent's where its coordinate is 0
    ("weight", FLOAT),  # mass of what is fixed to it, [kg]
    ("first_moment", FLOAT, 3), ("second_moment", FLOAT, 6),  # mass times centre; inertia about the origin: xx xy xz yy
    # yz zz; both in its own axes
    # Quaternions of rotations, in the first node: as it is, where springs rest, where motors pull it, where it is
    # prescribed to be next.
    ("turn", FLOAT, 4), ("rest_turn", FLOAT, 4), ("target_turn", FLOAT, 4), ("next_turn", FLOAT, 4),
    # Of general joints, in joint axes: transform (9 + 3) and Sdot v in the first node, column of the subspace.
    ("joint", FLOAT, 12), ("joint_rate", FLOAT, 6), ("joint_column", FLOAT, 6),
    # As the kernels leave them: rotation, place, motion subspace, wrench, and inertia of what is fixed to it: mass,
    # first moments, second moments.
    ("R", FLOAT, 9), ("p", FLOAT, 3), ("S", FLOAT, 6), ("F", FLOAT, 6), ("inertia", FLOAT, 10),
)  # fmt: skip
BODY = record(
    ("R", FLOAT, 9), ("p", FLOAT, 3),  # pose in its node
    ("radius", FLOAT),  # how far its shapes reach from its origin, [m]
    ("grip", FLOAT), ("give", FLOAT),  # a factor of its friction; how deep it may be inside others, [m]
)  # fmt: skip
LOCK = record(
    ("kind", INTEGER), ("a", INTEGER), ("b", INTEGER),  # nodes, -1: the world
    ("point_a", FLOAT, 3), ("point_b", FLOAT, 3), ("axis", FLOAT, 3),  # in the nodes; a unit axis in the world
    ("rotation", FLOAT, 9),  # wanted of node a
    ("length", FLOAT), ("speed", FLOAT),  # of a string, [m]; that the target has along the axis
    ("gap", FLOAT), ("force", FLOAT),  # as the step leaves them
)  # fmt: skip
BALL = record(
    ("node", INTEGER),  # its first
    ("axes", FLOAT, 9), ("before", FLOAT, 9), ("after", FLOAT, 9),  # its three axes; fixed turns before and after them
    ("span", FLOAT),  # angle of the third axis in the plane of the first and of first x second
    ("low", FLOAT, 3), ("high", FLOAT, 3), ("angles", FLOAT, 3),  # limits; angles as the last step left them
    ("directions", FLOAT, 9),  # the unit vectors that its rows are about
    ("scales", FLOAT, 3),  # speed about each of these for a unit rate of its angle
)  # fmt: skip
CONE = record(
    # Of each of the two hinges that swing: its node, or the ball that it is part of and which of its angles (else -1),
    # or the angle it stands at where it does not move.
    ("nodes", INTEGER, 2), ("balls", INTEGER, 2), ("places", INTEGER, 2), ("angles", FLOAT, 2),
    ("axis", FLOAT, 3),  # of a ball, what swings, in its joint's axes; zero where the two hinges are by themselves
    ("limit", FLOAT), ("swing", FLOAT),  # half-angle; angle as the last step left it
    ("rates", FLOAT, 6),  # by which the swing grows for unit velocities of the nodes of either hinge
)  # fmt: skip
PULL = record(
    ("node", INTEGER), ("point", FLOAT, 3), ("target", FLOAT, 3),  # point in the node, target in the world
    ("stiffness", FLOAT), ("damping", FLOAT),
    ("force", FLOAT, 3),  # on the point in the world, as the step leaves it
)  # fmt: skip
COUPLING = record(
    ("a", INTEGER), ("b", INTEGER),  # nodes: b is a itself or one that it hangs on
    ("matrix", FLOAT, 36),  # h D + h^2 K of the wrench on a by the twist of b, [w; v], about their reference point
)  # fmt: skip
POINT_FORCE = record(("node", INTEGER), ("point", FLOAT, 3), ("force", FLOAT, 3))  # in the node; in the world
DRAG = record(
    ("a", INTEGER), ("b", INTEGER), ("point", FLOAT, 3),  # nodes, -1: the world; where the twists are compared, in a
    ("damping", FLOAT),
    # In ``drag_nodes``: what moves a alone, up to the middle, and what moves b alone, each outermost first; whether
    # these hang on each other, else the first of six rows that give way.
    ("node_first", INTEGER), ("node_middle", INTEGER), ("node_end", INTEGER), ("one_chain", INTEGER), ("row", INTEGER),
)  # fmt: skip
VECTOR_FORCE = record(
    ("node", INTEGER),  # the first of a rotation
    ("stiffness", FLOAT, 3), ("hardening", FLOAT, 3), ("damping", FLOAT, 3), ("rest", FLOAT, 3), ("torque", FLOAT, 3),
)  # fmt: skip
"""Of springs, dampers and torques on rotation vectors, see ``core.dynamics.forces.implicit.VectorTerm``."""
PATH = record(
    ("law", INTEGER),  # as in ``core.dynamics.forces.path_kernel``
    ("first", INTEGER), ("end", INTEGER),  # its points in ``path_points``
    ("key_first", INTEGER), ("key_end", INTEGER),  # how active it is over time, in ``path_keys``
    ("node_first", INTEGER), ("node_end", INTEGER),  # the nodes that change its length, outermost first
    ("one_chain", INTEGER),  # whether these hang on each other; else it has a row that gives way
    ("row", INTEGER),  # the first of its rows that give way
    ("values", FLOAT, 4),  # what its law goes by
    ("length", FLOAT), ("rate", FLOAT), ("tension", FLOAT),  # as at the beginning of the last substep
)  # fmt: skip
PATH_POINT = record(
    ("node", INTEGER), ("point", FLOAT, 3),  # -1 is the world; in the node
    # Of the segment to the next point: the nodes that move this end alone, up to the middle, and those that move the
    # other end alone, each outermost first; whether the ends are of two trees.
    ("node_first", INTEGER), ("node_middle", INTEGER), ("node_end", INTEGER), ("two_trees", INTEGER),
)  # fmt: skip
FRICTION = record(
    ("first", INTEGER), ("end", INTEGER),  # the nodes of a joint: first, after the last
    ("mu", FLOAT),  # torque by the relative angular velocity of the two bodies, [N m s]
)  # fmt: skip
APPLIED = record(
    ("equality", INTEGER),  # whether the row is an equation, else a lower bound
    ("slack", INTEGER),  # its own unknown besides the nodes', which lets it give way by its multiplier; -1: none
    ("gap", FLOAT), ("velocity", FLOAT),  # what is left before a bound acts; the speed that counts as rest
    ("bound", FLOAT), ("force", FLOAT),  # least speed along the row; multiplier over h, as the step leaves it
)  # fmt: skip
CONTACT = record(
    ("point", FLOAT, 3), ("normal", FLOAT, 3), ("gap", FLOAT), ("friction", FLOAT),
    ("body_a", FLOAT), ("body_b", FLOAT), ("geometry", FLOAT), ("other", FLOAT),
)  # fmt: skip
"""As ``core.dynamics.contact`` finds them, in numbers all of one type."""
CONTACT_STATE = record(
    ("first_tangent", FLOAT, 3), ("second_tangent", FLOAT, 3),
    ("sliding", FLOAT), ("force", FLOAT, 3),  # sliding speed; force in the world
    ("correction", FLOAT),  # friction times what the last pass found the sliding speed to be more than was thought
    ("row_count", INTEGER), ("row", INTEGER),  # how many rows it has, and the first of them
)  # fmt: skip
REMEMBERED = record(("sliding", FLOAT), ("tangent", FLOAT, 3))
"""Of a contact in the substep before."""

STATE = record(
    *((name, INTEGER) for name in (
        # Sizes: numbers of the sparse mass matrix; what there is room for.
        "node_count", "body_count", "mass_count", "lock_room", "ball_count", "cone_count", "pull_room", "contact_room",
        "row_room", "work_room", "index_room", "coupling_room", "applied_room",
        "unknown_count",  # of the quadratic program: a node's each, and those of rows that give way
        # What there is: contacts, rows and equalities among them of the last substep, contacts remembered from it.
        "lock_count", "pull_count", "contact_count", "row_count", "equality_count", "remembered_count",
        "coupling_count", "applied_count", "friction_room", "friction_count",
        "applied",  # whether forces or constraints given as objects act
        "path_room", "path_point_room", "path_node_room", "path_key_room",
        "point_force_room", "drag_room", "drag_node_room", "vector_force_room",
        "path_count", "point_force_count", "drag_count", "vector_force_count",
        "acting",  # how many forces these are; the rows of theirs that give way are the first of those applied
        "acting_rows", "acting_outer",  # how many these are; whether any of the forces is not inside one tree
        "path_keyed",  # whether any force along a path changes over time
        "constant_room", "general",  # numbers that functions of joints go by; whether any joint is evaluated by one
        # Sums over a call: solves by projected Gauss-Seidel, substeps, iterations of the quadratic program, substeps in
        # free flight, contacts beyond the room for them.
        "fallbacks", "substeps", "iterations", "flights", "left_out",
        "asleep",  # whether all sleeps
        "jumped",  # whether velocities jumped in the last substep, so that it says nothing about the next
        "dissipates", "motors",  # whether anything takes energy; whether motors, pulls or prescribed coordinates act
        "may_sleep", "quiet", "calm",  # whether sleep is allowed; steps that have been quiet; those with little energy
        "bounded", "energy_known",  # whether no step may add energy; whether ``energy`` is that of the present state
        "placed",  # whether the nodes stand, and the mass matrix is, where the coordinates are
        "widely",  # whether rows are looked for at the velocities of the try before too, ``u_new``
    )),
    # Settings, see StepSettings.
    *((name, FLOAT) for name in (
        "time", "step", "margin", "largest_turn", "passes", "most_substeps", "lock_pull", "push_out", "push_rate",
        "deep", "limit_margin", "quiet_length", "quiet_turn", "quiet_speed", "quiet_time", "jump",
        "energy_rise", "settle_energy", "settle_rate", "settle_time", "too_deep", "push_most",
    )),
    ("push_share", FLOAT),  # of the speeds at which what is too deep comes out; less than 1 where a try lifted too far
    ("push_work", FLOAT),  # energy that pushing out may have cost in the substep, [J]
    ("energy", FLOAT),  # of the present state, [J], if it is known
    ("kkt", FLOAT), ("kinetic", FLOAT), ("potential", FLOAT), ("gravity", FLOAT, 3),
    ("momentum", FLOAT, 6), ("center", FLOAT, 3),
)  # fmt: skip

_n, _locks, _contacts, _rows = ("node_count",), ("lock_room",), ("contact_room",), ("row_room",)
_bodies = "body_count"

LAYOUT = Layout(STATE, [
    ("nodes", NODE, _n), ("bodies", BODY, (_bodies,)), ("locks", LOCK, _locks), ("balls", BALL, ("ball_count",)),
    ("cones", CONE, ("cone_count",)),
    ("pulls", PULL, ("pull_room",)),
    ("frictions", FRICTION, ("friction_room",)),
    ("paths", PATH, ("path_room",)), ("path_points", PATH_POINT, ("path_point_room",)),
    ("point_forces", POINT_FORCE, ("point_force_room",)), ("drags", DRAG, ("drag_room",)),
    ("vector_forces", VECTOR_FORCE, ("vector_force_room",)),
    ("couplings", COUPLING, ("coupling_room",)), ("applied_rows", APPLIED, ("applied_room",)),
    ("contacts", CONTACT, _contacts), ("contact_states", CONTACT_STATE, _contacts),
    ("remembered", REMEMBERED, _contacts), ("sunk", CONTACT, _contacts),
    *((name, FLOAT, _n) for name in (
        "x", "u", "u_before", "u_middle", "u_free", "u_new", "u_given", "bias", "pivot", "root", "diagonal",
        "right_side", "torque", "damping", "stiffness", "rest", "kp", "kd", "target", "target_rate", "low", "high",
        "x_next", "effort", "spring", "push", "armature", "cosine", "sine", "applied_effort", "applied",
        "viscous", "dry_torque", "dry_damping",
        "stiffening", "hardening", "stiffening_rest", "tangent", "path_column",
    )),
    ("slot", FLOAT, _n), ("constants", FLOAT, ("constant_room",)), ("constants_at", INTEGER, _n),
    ("y", FLOAT, ("unknown_count",)),
    ("applied_wrench", FLOAT, ("node_count", 6)), ("applied_columns", FLOAT, ("applied_room", "node_count")),
    ("path_keys", FLOAT, ("path_key_room", 3)), ("path_places", FLOAT, ("path_point_room", 3)),
    ("path_velocities", FLOAT, ("path_point_room", 3)), ("path_segments", FLOAT, ("path_point_room", 4)),
    ("velocity", FLOAT, ("node_count", 6)), ("other_velocity", FLOAT, ("node_count", 6)),
    ("acceleration", FLOAT, ("node_count", 6)),
    ("composite", FLOAT, ("node_count", 10)), ("carried", FLOAT, ("node_count", 6)),
    ("momenta", FLOAT, ("node_count", 6)), ("balance", FLOAT, ("node_count", 9)),
    ("mass", FLOAT, ("mass_count",)), ("full_mass", FLOAT, ("mass_count",)),
    ("applied_joint_mass", FLOAT, ("mass_count",)), ("applied_mass", FLOAT, ("mass_count",)),
    ("body_rotations", FLOAT, (_bodies, 3, 3)), ("body_places", FLOAT, (_bodies, 3)), ("reach", FLOAT, (_bodies,)),
    ("still", FLOAT, (_bodies, 12)),
    ("columns", FLOAT, (3, "node_count")),
    ("row_bound", FLOAT, _rows), ("row_right_side", FLOAT, _rows), ("multiplier", FLOAT, _rows),
    ("row_speed", FLOAT, _rows), ("pushed", FLOAT, _rows),
    ("flight", FLOAT, (5, "node_count")), ("flight_turns", FLOAT, ("node_count", 4)),
    ("conserved", FLOAT, ("node_count", 7)), ("elimination", FLOAT, (6, 8)), ("projection", FLOAT, (24,)),
    *((name, INTEGER, _n) for name in ("parent", "kind", "count", "reference", "depth", "start", "held")),
    ("chain", INTEGER, ("mass_count",)), ("body_node", INTEGER, (_bodies,)),
    ("path_nodes", INTEGER, ("path_node_room",)), ("drag_nodes", INTEGER, ("drag_node_room",)),
    ("ids", INTEGER, _contacts), ("remembered_ids", INTEGER, _contacts), ("sunk_ids", INTEGER, _contacts),
    ("row_kind", INTEGER, _rows), ("row_of", INTEGER, _rows),
    ("active", FLAG, _rows), ("remembered_flags", FLAG, ("contact_room", 4)), ("lock_flags", FLAG, _locks),
    ("limit_flags", FLAG, (2, "node_count")), ("ball_flags", FLAG, ("ball_count", 6)),
    ("cone_flags", FLAG, ("cone_count",)),
    ("applied_flags", FLAG, ("applied_room",)),
    # What comes before is what a step goes on from.
    ("rows", FLOAT, ("row_room", "unknown_count")), ("work", FLOAT, ("work_room",)),
    ("index_work", INTEGER, ("index_room",)),
], same={
    "contact_values": ("contacts", FLOAT, ("contact_room", 12)), "sunk_values": ("sunk", FLOAT, ("contact_room", 12)),
})  # fmt: skip


class Memory(Block):
    """Arrays of the engine. Those of length n have an entry a node.

    Attributes:
        nodes, bodies, locks, balls, cones, pulls, frictions, paths, path_points, point_forces, drags, vector_forces,
            couplings, applied_rows, contacts, contact_states, remembered, sunk: Records; ``sunk`` are contacts where a
            substep ends.
        x: Coordinates of hinges, slides and general joints.
        u: Velocities; ``u_before`` those of the substep before, ``u_middle`` those of the middle by both, ``u_free``
            those without rows, ``u_new`` those with rows, ``u_given`` prescribed ones.
        bias: Bias forces.
        pivot, root: One over D of ``M = L^T D L``, and its root.
        diagonal: What damping and stiffness add to the diagonal.
        right_side: Of the equation for the change of velocities.
        slot, constants_at: In the first node of a general joint, the slot of the function that evaluates it, see
            ``core.kernels.functions``, and where its constants begin in ``constants``.
        y: Unknowns of the quadratic program, shape (unknown_count,).
        torque, damping, stiffness, rest: Of springs and dampers in joints.
        viscous: Of friction between the bodies of joints that is that of single coordinates, [N m s/rad].
        dry_torque, dry_damping: Of dry friction in joints, besides.
        stiffening, hardening, stiffening_rest: Of springs in joints that grow stiffer; ``tangent`` the stiffness of all
            springs where they stand.
        path_keys: Time, value and slope of the keys of all paths.
        path_places, path_velocities, path_segments, path_column: Of points of paths where they are and how fast; of
            segments direction and length; what a length grows by for unit velocities of the nodes.
        path_nodes, drag_nodes: Nodes that move segments and paths; those that move one body beside another.
        kp, kd, target, target_rate: Of motors.
        low, high: Limits.
        x_next: Prescribed coordinates.
        effort: What motors, limits and prescribed motions exert, [N m].
        spring: What springs exert at no velocity, [N m].
        push: Impulse of what is pushed out, as ``y``.
        armature: Inertia of the joints themselves, on the diagonal of the mass matrix.
        applied_effort, applied_wrench: What forces given as objects do, as at the beginning of the substep but for
            their stiffness, which is foreseen: by coordinates, [N m], and on the nodes about their reference points,
            shape (n, 6). ``applied`` both together, by coordinates.
        applied_joint_mass, applied_mass: What their stiffness and damping in joints, and in all, add to the mass
            matrix.
        applied_columns: Rows that come with forces and constraints given as objects, shape (applied_room, n).
        velocity, other_velocity, acceleration: Twists and accelerations of the nodes, shape (n, 6).
        composite: Inertia of each node and all that hangs on it about the reference point: mass, first moments, second
            moments, shape (n, 10).
        carried: Momentum [L; P] about the reference point of all that hangs on a node and moves at its unit velocity
            alone, shape (n, 6).
        momenta: Momentum [L; P] of whole trees about their reference points, in the rows of their first nodes.
        balance: In the first node of a tree: the wrench of bias forces, [t; f]; once velocities are final, momentum
            [L; P] about the centre of mass that it must have where it goes, and the centre of mass there, shape (n, 9).
        conserved, elimination, projection: What ``momentum_kernel`` and free flight work in.
        mass, full_mass: The sparse mass matrix as the substep factors it, and whole, where the nodes stand.
        body_rotations, body_places, reach: Poses of the bodies, and how near something must come to matter.
        still: Poses since when everything has been quiet.
        columns: What a point moves by for unit velocities of its chain.
        rows: The rows, half solved, shape (row_room, unknown_count).
        row_bound, row_right_side, multiplier, row_speed, pushed: Of each row the bound of C v, right side of the
            quadratic program, its multiplier, C v without rows, by what impulse it is pushed out beforehand.
        parent, kind, count, reference, depth, start, held: Of each node its parent (-1: the world), kind, number of
            coordinates of its joint (in the first node of a rotation or a general joint), the node whose origin is its
            tree's reference point, the number of its ancestors, where its row of the sparse mass matrix starts, whether
            its coordinate is prescribed.
        chain: The ancestors of each node, outermost first, and itself, in rows like those of the mass matrix.
        body_node: The node of each body.
        ids, remembered_ids, sunk_ids: Ids of contacts.
        row_kind, row_of: Kind of each row and what it belongs to.
        active: Whether rows are active; of the last substep ``remembered_flags``, ``lock_flags``, ``limit_flags``,
            ``ball_flags``, ``cone_flags`` and ``applied_flags``: four a contact, one a lock, two a node, six a ball,
            one a cone, one a row.
        work, index_work: What the quadratic program works in.
    """

    layout = LAYOUT

    nodes: Records
    bodies: Records
    locks: Records
    balls: Records
    cones: Records
    pulls: Records
    frictions: Records
    paths: Records
    path_points: Records
    point_forces: Records
    drags: Records
    vector_forces: Records
    couplings: Records
    applied_rows: Records
    contacts: Records
    contact_states: Records
    remembered: Records
    sunk: Records
    contact_values: Array
    sunk_values: Array
    x: Array
    slot: Array
    constants: Array
    constants_at: Integers
    u: Array
    u_before: Array
    u_middle: Array
    u_free: Array
    u_new: Array
    u_given: Array
    bias: Array
    pivot: Array
    root: Array
    diagonal: Array
    right_side: Array
    y: Array
    torque: Array
    damping: Array
    viscous: Array
    dry_torque: Array
    dry_damping: Array
    stiffness: Array
    rest: Array
    stiffening: Array
    hardening: Array
    stiffening_rest: Array
    tangent: Array
    path_keys: Array
    path_places: Array
    path_velocities: Array
    path_segments: Array
    path_column: Array
    kp: Array
    kd: Array
    target: Array
    target_rate: Array
    low: Array
    high: Array
    x_next: Array
    effort: Array
    spring: Array
    push: Array
    armature: Array
    cosine: Array
    sine: Array
    applied_effort: Array
    applied: Array
    applied_wrench: Array
    applied_columns: Array
    applied_joint_mass: Array
    applied_mass: Array
    velocity: Array
    other_velocity: Array
    acceleration: Array
    composite: Array
    carried: Array
    momenta: Array
    balance: Array
    mass: Array
    full_mass: Array
    body_rotations: Array
    body_places: Array
    reach: Array
    still: Array
    columns: Array
    row_bound: Array
    row_right_side: Array
    multiplier: Array
    row_speed: Array
    pushed: Array
    flight: Array
    flight_turns: Array
    conserved: Array
    elimination: Array
    projection: Array
    rows: Array
    work: Array
    parent: Integers
    kind: Integers
    count: Integers
    reference: Integers
    depth: Integers
    start: Integers
    held: Integers
    chain: Integers
    body_node: Integers
    path_nodes: Integers
    drag_nodes: Integers
    ids: Integers
    remembered_ids: Integers
    sunk_ids: Integers
    row_kind: Integers
    row_of: Integers
    index_work: Integers
    active: Flags
    remembered_flags: Flags
    lock_flags: Flags
    limit_flags: Flags
    ball_flags: Flags
    cone_flags: Flags
    applied_flags: Flags


Node = Annotated[Any, RecordOf(NODE)]
Lock = Annotated[Any, RecordOf(LOCK)]
Ball = Annotated[Any, RecordOf(BALL)]
Cone = Annotated[Any, RecordOf(CONE)]
Pull = Annotated[Any, RecordOf(PULL)]
Contact = Annotated[Any, RecordOf(CONTACT)]
ContactState = Annotated[Any, RecordOf(CONTACT_STATE)]
"""Single records, as kernels hand them to each other."""
