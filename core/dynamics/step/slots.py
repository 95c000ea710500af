"""Where the numbers of the step lie in its blocks of memory, for the kernels and their plain twin.

One block holds floats, one integers, one flags. The integers begin with sizes, counters and the places where the arrays
begin; :class:`core.dynamics.step.memory.Memory` makes them and gives the arrays by name. World axes everywhere; spatial
vectors [w; v] and [t; f] are told about the reference point of their tree: the origin of its first body's joint frame,
as it stands at the beginning of a substep.
"""

from __future__ import annotations

# -- integers at the head -------------------------------------------------------------------------------------------

(NODE_COUNT, BODY_COUNT, MASS_COUNT, LOCK_ROOM, LOCK_COUNT, BALL_COUNT, PULL_ROOM, PULL_COUNT, CONTACT_ROOM,
 ROW_ROOM) = range(10)  # fmt: skip
"""Sizes: nodes, bodies, numbers of the sparse mass matrix, locks there is room for and there are, balls with limits,
pulls there is room for and there are, contacts and rows there is room for."""

(CONTACTS, ROWS, EQUALITIES, REMEMBERED, FALLBACKS, SUBSTEPS, ITERATIONS, FLIGHTS, ASLEEP, JUMPED, DISSIPATES, MOTORS,
 MAY_SLEEP, QUIET, LEFT_OUT) = range(10, 25)  # fmt: skip
"""Counters and switches: contacts, rows and equalities among them of the last substep, contacts remembered from it;
sums over a call: solves by projected Gauss-Seidel, substeps, iterations of the quadratic program, substeps in free
flight; whether all sleeps; whether velocities jumped in the last substep, so that it tells nothing about the next;
whether anything takes energy; whether motors, pulls or prescribed coordinates act; whether sleep is allowed; steps
that have been quiet; contacts beyond the room for them."""
(FIND_AT, SOLVE_AT, MASS_AT, FLY_AT, CONTACT_ROWS_AT, LOCK_ROWS_AT, BALL_ROWS_AT, EFFORTS_AT, MEASURE_AT) = range(
    25, 34
)
"""Addresses of compiled functions, see ``by_address``; ``step_kernels.addresses`` tells them."""
BOUNDED, KNOWN, CALM, PLACED, WIDELY = 34, 35, 36, 37, 38
"""Whether no step may add energy; whether ``ENERGY`` is that of the present state; steps with little of it; whether the
nodes stand, and are weighed, where the coordinates are; whether rows are looked for at the velocities of the try before
too, ``NEW``."""
HEAD = 40
"""Where the places of the arrays begin."""

# -- arrays ---------------------------------------------------------------------------------------------------------

(NODES, VECTORS, MASS, FULL_MASS, BODIES, BODY_ROTATIONS, BODY_PLACES, REACH, LOCKS, BALLS, PULLS, CONTACT,
 CONTACT_STATE, SPEEDS, ROW, ROW_VALUES, SOLVE, NUMBERS, WORK, FLIGHT, STILL, SUNK,
 ) = range(HEAD, HEAD + 22)  # fmt: skip
"""Arrays of floats; ``SPEEDS``: sliding speed and first tangent of each contact in the substep before; ``SUNK``:
contacts where a substep ends."""
(PARENT, KIND, COUNT, REFERENCE, DEPTH, START, HELD, CHAIN, BODY_NODE, IDS, REMEMBERED_IDS, ROW_KIND, ROW_OF, SUNK_IDS,
 INDEX_WORK) = range(HEAD + 22, HEAD + 37)  # fmt: skip
"""Arrays of integers: of each node its parent (-1: the world), kind, number of coordinates of its joint (in the first
node of a rotation or a general joint), the node whose origin is its tree's reference point, the number of its
ancestors, where its row of the sparse mass matrix starts, whether its coordinate is prescribed; the ancestors of each
node, outermost first, and the node itself, in rows like those of the mass matrix; the node of each body; ids of the
contacts and of those remembered; kind of each row and what it belongs to; the quadratic program's."""
(FLAGS, REMEMBERED_FLAGS, LOCK_FLAGS, LIMIT_FLAGS, BALL_FLAGS) = range(HEAD + 37, HEAD + 42)
"""Arrays of flags (int8): the rows' that are active, and those remembered from the last substep: four a contact, one a
lock, two a node, six a ball."""
FIRST_OF_INTEGERS, FIRST_OF_FLAGS, END = PARENT, FLAGS, HEAD + 42
"""Where the kinds of arrays begin; where the arrays of integers themselves do."""

# -- kinds of nodes -------------------------------------------------------------------------------------------------

HINGE, ROTATION, TURNED, SLIDE, GENERAL, CONTINUED = range(6)
"""As in ``core.dynamics.slots``; rotations are quaternions here and turn at angular velocities in their own axes."""

# -- columns of a node ----------------------------------------------------------------------------------------------

T, AT = 0, 9
"""Rotation (9) and place (3) of the node's frame in its parent's where its coordinate is 0."""
WEIGHT, FIRST, SECOND = 12, 13, 16
"""Mass, mass times centre (3), inertia about the origin (6: xx xy xz yy yz zz)."""
TURN, REST_TURN, TARGET_TURN, NEXT_TURN = 22, 26, 30, 34
"""Quaternions (4) of rotations: as it is, where springs rest, where motors pull it, where it is prescribed to be next.
In the first node."""
JOINT, JOINT_RATE, JOINT_COLUMN = 38, 50, 56
"""Of general joints: transform (9 + 3) and Sdot v (6) in the first node, column of the subspace (6), in joint axes."""
R, P, S = 62, 71, 74
"""As the kernels leave them: rotation (9), place (3), motion subspace (6)."""
V, A, F, INERTIA = 80, 86, 92, 98
"""Twist (6), acceleration (6), wrench (6), composite inertia (10: mass, first moments, second moments) of the node."""
NODE_WIDTH = 108

# -- rows of the vectors, one number a node -------------------------------------------------------------------------

(X, U, BEFORE, MIDDLE, FREE, BIAS, PIVOT, ROOT, DIAGONAL, RIGHT, Y, TORQUE, DAMPING, STIFFNESS, REST, KP, KD, TARGET,
 TARGET_RATE, LOW, HIGH, NEXT, GIVEN, EFFORT, START_X, SUM, NEW, ARMATURE, VECTOR_COUNT) = range(29)  # fmt: skip
"""Coordinates; velocities, those of the substep before, and those of the middle by both; velocities without rows; bias
forces; 1/D and its root; what damping and stiffness add to the diagonal; right side; unknowns of the quadratic program;
torque, damping, stiffness and rest of joints; gains, targets and their rates of motors; limits; prescribed coordinates
and rates; what motors, limits and drives exert [N m]; for free flight; velocities with rows; inertia
of the joints themselves, on the diagonal of the mass matrix."""

# -- columns of bodies, locks, balls, pulls, contacts ---------------------------------------------------------------

BODY_RADIUS, BODY_GRIP, BODY_GIVE, BODY_WIDTH = 12, 13, 14, 15
"""Pose of the body in its node, rotation (9) and place (3), how far its shapes reach from its origin, a factor of its
friction, and how deep it may be inside others [m]."""

(LOCK_KIND, LOCK_A, LOCK_B) = range(3)
LOCK_POINT_A, LOCK_POINT_B, LOCK_AXIS, LOCK_TURN = 3, 6, 9, 12
"""Kind, nodes a and b (-1: the world), points in the nodes, unit axis in the world, wanted rotation (9) of node a."""
LOCK_LENGTH, LOCK_SPEED, LOCK_GAP, LOCK_FORCE = 21, 22, 23, 24
"""Length of a string, speed that the target has along the axis, gap and force as the step leaves them."""
LOCK_WIDTH = 25
POINT, ORIENTATION, STRING = range(3)
"""Kinds of locks: points coincide along an axis, rotations agree about it, points come no farther apart."""

BALL_NODE, BALL_AXES, BALL_BEFORE, BALL_AFTER, BALL_SPAN = 0, 1, 10, 19, 28
"""Its first node, the three axes (9), fixed turns before and after them (9 each), angle of the third in the plane of
the first and of first x second."""
BALL_LOW, BALL_HIGH, BALL_ANGLES, BALL_DIRECTIONS = 29, 32, 35, 38
"""Limits (3 each), angles as the last step left them (3), the unit vectors that their rows are about (9)."""
BALL_WIDTH = 47

PULL_NODE, PULL_POINT, PULL_TARGET, PULL_STIFFNESS, PULL_DAMPING = 0, 1, 4, 7, 8
PULL_WIDTH = 9

CONTACT_WIDTH = 12
CONTACT_POINT, CONTACT_NORMAL, CONTACT_GAP, CONTACT_FRICTION, CONTACT_A, CONTACT_B, CONTACT_OTHER = 0, 3, 6, 7, 8, 9, 11
"""As ``core.dynamics.contact`` finds them."""
FIRST_TANGENT, SECOND_TANGENT, SLIDING, FORCE, CONTACT_ROWS, CONTACT_ROW = 0, 3, 6, 7, 10, 11
"""Tangents (3 each), sliding speed, force in the world (3), how many rows it has, and the first of them."""
CONTACT_STATE_WIDTH = 12

BASE, RIGHT_SIDE, MULTIPLIER, ROW_SPEED, PUSHED, ROW_NUMBERS = range(6)
"""Of a row: bound of C v, right side of the quadratic program, its multiplier, C v without rows, by what impulse it is
pushed out beforehand; how many there are."""
LOCK_ROW, LOW_ROW, HIGH_ROW, BALL_ROW, CONTACT_KIND = range(5)
"""Kinds of rows: a lock's, a node's lower or upper limit, a limit of a ball (6 ball + 2 angle + side), a contact's."""

# -- numbers --------------------------------------------------------------------------------------------------------

(TIME, STEP, MARGIN, LARGEST_TURN, PASSES, MOST_SUBSTEPS, LOCK_PULL, PUSH_OUT, PUSH_RATE, DEEP, LIMIT_MARGIN, GRAVITY,
 ) = range(12)  # fmt: skip
SETTLED, KKT, QUIET_LENGTH, QUIET_TURN, QUIET_SPEED, QUIET_TIME, JUMP, KINETIC, POTENTIAL = range(14, 23)
MOMENTUM, CENTER = 23, 29
"""Settings and results; gravity, momentum and centre of mass take several."""
ENERGY, ENERGY_RISE = 32, 33
"""Energy of the present state, [J], if it is known; by how much it may rise in a step."""
SETTLE_ENERGY, SETTLE_RATE, SETTLE_TIME = 34, 35, 36
"""What has had less kinetic energy for so long on the world is slowed down, and how fast, [1/s]."""
TOO_DEEP = 37
"""Depth from which on a substep that ends there, and gets deeper, is taken in halves, [m]."""
PUSH = 38
"""Share of the speeds at which what is too deep comes out: less than 1 where a try has lifted something too far."""
PUSH_MOST, PUSH_WORK = 39, 40
"""Nothing comes out faster, [m/s] or [rad/s]; energy that pushing out may have cost in the substep, [J]."""
NUMBER_COUNT = 41

TAKEN, AGAIN, TOO_LONG = range(3)
"""A part of a step is taken; is tried once more, with rows that it missed; is tried once more in halves."""
TOO_FAR = 3.0
"""A part of a step is taken in halves if a blow makes something turn by more than this times the largest turn in it."""
WATCHED = 0.005
"""Where nothing turns as far in a part of a step, none is looked at again, [rad]."""
EXCESS, LESS = 1e-6, 0.5
"""Lifts that take so much more energy than a step may add, [J], are tried again, with so much of what would do."""
FAR_IN, FAR_OVER, BURIED = 0.002, 0.15, 0.02
"""What is deeper inside than this, [m], or farther over a limit, [rad], is pushed out, if need be at the cost of
energy; what is buried, deeper still and not in the floor, may even get in farther at one side to come out elsewhere."""
OVER = 0.01
"""Limits without a row may be exceeded by this, [rad] or [m]."""
DEEPER = 1e-4
"""Depths that grow by less than this in a substep are left alone, [m]."""
