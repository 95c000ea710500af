"""In-betweens of least effort: between two keys the motion that takes the least torques (spacetime constraints)."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Numbers
from dataclasses import dataclass, replace

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array
from core.dynamics.contact.world import World
from core.errors import SequenceError
from core.preview.bake import Baked, keys_of
from core.preview.least_energy.minimizer import Minimum, Stage, minimum
from core.preview.least_energy.span import Span, Stance
from core.preview.least_energy.unknowns import refined

NODES = 9.0
"""Nodes of the motion a second, where nothing asks for more."""
FEWER = 4.5
"""The same at first where parts are held: the joints that they hang on have more ways to go between nodes."""
_AGREE = 0.01
"""Twice as many nodes are tried until that changes the effort by no more than this share"""
_UNKNOWNS = 5000
"""or until there would be so many unknowns that a step would take many seconds,"""
_FRAMES = 2.0
"""or until nodes would be nearer than so many frames: keys could not say such a motion."""
LONGEST = 8.0
"""Longest span that is solved for, [s]."""
TOLERANCE = 0.005
"""How far a part may be from the motion that was found at any frame, once that is keys, [m]."""
_SMALL = 5e-4
_MET = 1e-5
_WORTH = 5e-3
"""Share of the effort that must be saved to count."""
CARRIED = 0.02
"""What a keyed motion may miss, as a share of the weight, and still count as carried by what holds the figure."""


@dataclass(frozen=True)
class LeastEnergy:
    """What was found.

    Attributes:
        first: First frame of the span.
        poses: Poses at its frames, shape (last - first + 1, nq), [m] and [rad].
        before: Integral of the squares of all joint torques of the keyed motion, with the forces at the ground that
            carry it best, [N^2 m^2 s]; where shares of strength count, of these, [s].
        after: The same of what was found.
        residual: What the equations of motion miss at the root, as a share of the weight (torques in metres times
            it), and locks, [m] and [rad].
        keyed_residual: The same of the keyed motion: where it is far from 0, nothing could carry that motion.
        peak: Greatest torque of a joint, [N m].
        steps: How many steps it took.
        converged: Whether it is a minimum; else the motion holds all that must hold, but could be calmer.
        root_moves: Whether the root went where forces of contacts make it go.
        held: What was held.
        share: Where shares of strength count, the largest one, 1 for all the strength that a joint has.
        change: By which share the effort changed when there were twice as many nodes; None if that was not tried.
        kept: Frames within the span whose poses are as keyed.
    """

    first: int
    poses: Array
    before: float
    after: float
    residual: float
    keyed_residual: float
    peak: float
    steps: int
    converged: bool
    root_moves: bool
    held: tuple[Stance, ...]
    share: float | None = None
    change: float | None = None
    kept: tuple[int, ...] = ()

    @property
    def better(self) -> bool:
        """Whether it is worth having: less effort than the keyed motion, or one that nothing could carry as keyed."""
        return self.after < (1.0 - _WORTH) * self.before or self.keyed_residual > CARRIED


@dataclass(frozen=True)
class SoFar:
    """What there is while it is searched.

    Attributes:
        before: Effort of the keyed motion, as in :class:`LeastEnergy`.
        after: Effort now.
        steps: How many steps there have been.
        stands: Whether all that must hold does: only then is there a motion to keep.
        found: Makes the motion.
    """

    before: float
    after: float
    steps: int
    stands: bool
    found: Callable[[], LeastEnergy]


def least_energy(
    sequence: Sequence,
    first: int,
    last: int,
    *,
    world: World | None = None,
    root_moves: bool | None = None,
    nodes: float | None = None,
    finest: int = 4,
    keep: Numbers[int] = (),
    strength: float | None = None,
    most: int = 120,
    tolerance: float = _SMALL,
    progress: Callable[[float], None] | None = None,
    watch: Callable[[SoFar], None] | None = None,
) -> LeastEnergy:
    """Return the motion between two frames that takes the least torques.

    The integral of the squares of the joints' torques is made small under the equations of motion: what is not in
    the joints, the force and the torque at the root, must come from the parts that locks hold to the world. Those on
    the floor are pushed only, within the cone of friction; with nothing held the figure is in free flight. Poses and
    velocities at both ends stay, limits of joints are kept, and so are locks of position, orientation and pose. Nothing
    gives a blow: velocities have no jumps.

    Joints go by cubic splines over nodes, whose accelerations may jump where holds begin and end; torques are those of
    inverse dynamics at points of Gauss between nodes (direct collocation). Forces of contacts go evenly from one end of
    an interval to the other. The root goes by splines with as many ways to go as there are points, at each of which
    the figure's own momentum changes by these forces alone.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame.
        world: Gravity and floor; None for the usual ones.
        root_moves: Whether the root goes where forces make it go. Else it moves as keyed, held by nothing, and only
            its joints are free. None: if locks hold a part to the world in the span.
        nodes: Nodes a second at first, more where holds begin or end; None for the usual ones.
        finest: How many times as many there are at most: twice, and twice again, where that changes the effort, and as
            far as a step does not take many seconds and nodes are two frames apart.
        keep: Frames within the span whose poses stay as keyed.
        strength: Torques then count as shares of the strength of their joints (``core.preview.strength``), by which a
            wrist weighs as much as a hip, and none is larger than so many times that; infinite: none is limited. None:
            they count as torques.
        most: Most steps.
        tolerance: What a step must promise to gain, as a share, to be worth another one.
        progress: Told what is done, 0 to 1; may raise ``Cancelled``.
        watch: Told of each step what there is so far.

    Raises:
        SequenceError: If the span is empty or too long, or no motion was found that holds all that must hold.
        DynamicsError: If the figure has no mass.

    Source: Witkin and Kass (1988), Spacetime constraints, named in Welman (1993) section 2.3.2; collocation of
    splines after Hargraves and Paris (1987).
    """
    # In one piece: most of it says what is refused and what is returned.
    if not first < last - 1:
        raise SequenceError(f"frames {first} to {last} have nothing between; choose a span of two frames or more")
    if last - first > LONGEST * sequence.fps:
        raise SequenceError(
            f"frames {first} to {last} are {(last - first) / sequence.fps:.3g} s; choose {LONGEST:g} s at most"
        )
    if progress is not None:
        progress(0.0)
    inner = sorted({frame for frame in keep if first < frame < last})

    def cut(parts: int, rate: float) -> Span:
        return Span(
            sequence, first, last, world or World(), root_moves=root_moves, nodes=rate, parts=parts, keep=inner,
            strength=strength,
        )  # fmt: skip

    span = cut(1, NODES if nodes is None else nodes)
    if nodes is None and span.held:
        span = cut(1, FEWER)
    rate = span.nodes
    keyed, before, steps = span.program.values(span.start).missed, _effort(span, span.start), 0

    def step(now: Stage) -> None:
        if watch is not None:
            own, z, done = span, now.z, steps + now.steps

            def made() -> LeastEnergy:
                return _made(own, Minimum(z, now.values, done, False), before, keyed)

            watch(SoFar(before, _effort(own, z), done, now.values.missed <= _MET, made))

    # The first search is most of it; the others begin near their end.
    found = minimum(
        span.program, span.start, most=most, tolerance=tolerance, progress=_share(progress, 0.0, 0.7), watch=step
    )
    off = found.values.missed
    if off > _MET:
        raise SequenceError(
            f"no motion was found from frame {first} to {last} that forces at the parts that are held"
            f"{' and the strength of joints' if strength is not None and np.isfinite(strength) else ''} can make"
            f"{' and that goes through the poses that are kept' if inner else ''} "
            f"(it misses by {off:.2g}); give it more time, hold more parts, or let the root move as keyed"
        )
    best, change, parts = found, None, 1
    while (
        2 * parts <= finest
        and (change is None or change > _AGREE)
        and 2 * len(span.program.unknown) <= _UNKNOWNS
        and 0.5 * float(np.median(span.grid.steps)) * sequence.fps >= _FRAMES - 1e-9
    ):
        parts, steps, coarse = 2 * parts, best.steps, span
        span = cut(parts, rate)
        start = refined(best.z, coarse.program.unknowns, span.program.unknowns)
        found = minimum(
            span.program, start, most=most, tolerance=tolerance,
            progress=_share(progress, 0.7 if parts == 2 else 0.85, 0.85 if parts == 2 else 1.0), watch=step,
        )  # fmt: skip
        if found.values.missed > _MET:
            span = coarse
            break
        change = abs(_effort(span, found.z) / max(_effort(coarse, best.z), 1e-300) - 1.0)
        best = found._replace(steps=steps + found.steps)
    return replace(_made(span, best, before, keyed), change=change)


def _share(progress: Callable[[float], None] | None, first: float, last: float) -> Callable[[float], None] | None:
    """Return what tells of a part of the work as its share of all of it."""
    if progress is None:
        return None
    tell = progress
    return lambda part: tell(first + (last - first) * part)


def _effort(span: Span, z: Array) -> float:
    return (span.program.effort_of if span.anatomy is None else span.program.cost_of)(z)


def _made(span: Span, found: Minimum, before: float, keyed: float) -> LeastEnergy:
    """Return what was found over a span."""
    sequence, program = span.sequence, span.program
    frames = np.arange(span.first, span.last + 1)
    poses = span.poses(program.at(found.z, span.seconds(frames)))
    limits = sequence.skeleton.limits
    poses[:, 3:] = np.clip(poses[:, 3:], limits[:, 0], limits[:, 1])
    stay = [0, -1, *(frame - span.first for frame in span.keep)]
    poses[stay] = sequence.poses_at_frames(frames[stay])
    torques = program.torques(found.z)
    return LeastEnergy(
        span.first,
        poses,
        before,
        _effort(span, found.z),
        found.values.missed,
        keyed,
        float(np.abs(torques[:, program.acts]).max(initial=0.0)),
        found.steps,
        found.converged,
        span.root_moves,
        tuple(span.held),
        None if span.anatomy is None else span.largest_share(torques),
        kept=span.keep,
    )


def least_energy_keys(
    sequence: Sequence,
    found: LeastEnergy,
    *,
    tolerance: float = TOLERANCE,
    progress: Callable[[float], None] | None = None,
) -> Baked:
    """Return a motion that was found as few keys of a sequence, for ``core.preview.bake.baked_values``.

    Args:
        sequence: The sequence that it was found for; it does not change.
        found: The motion.
        tolerance: How far a part may be from it at any frame, [m].
        progress: Told what is done, 0 to 1; may raise ``Cancelled``.

    Raises:
        SequenceError: If the sequence has timing curves.
    """
    return keys_of(sequence, found.first, found.poses, None, tolerance, progress, stay=found.kept)
