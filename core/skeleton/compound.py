"""Compound joints: rotary degrees of freedom that share one place and are treated as one rotation."""

from __future__ import annotations

import numpy as np

from core.skeleton.structure import Structure

MOST_ROTARY = 3


def find_compounds(skeleton: Structure) -> tuple[tuple[int, ...], ...]:
    """Return the DOF numbers of each compound joint with two or three rotary degrees of freedom.

    A run is the DOF lines inside one joint, carried on through consecutive one-child joints at zero offset
    while the joints before carry neither object nor mass. A run that would hold more than
    three rotary degrees of freedom is cut at a joint's border; one joint alone with more stays separate angles.
    """
    compounds: list[tuple[int, ...]] = []
    run: list[int] = []
    previous = -1

    def close() -> None:
        if 2 <= len(run) <= MOST_ROTARY:
            compounds.append(tuple(run))
        run.clear()

    for i, joint in enumerate(skeleton.joints):
        first = skeleton.first_dof[i]
        rotary = [first + k for k, dof in enumerate(joint.dofs) if dof.kind == "hinge"]
        slides = len(rotary) != len(joint.dofs)
        before = skeleton.joints[previous] if previous >= 0 else None
        joins = (
            before is not None
            and joint.parent == previous
            and len(skeleton.children[previous]) == 1
            and not before.has_body
            and np.all(before.scale == 1.0)
            and not np.any(joint.offset)
            and not slides
            and len(run) + len(rotary) <= MOST_ROTARY
        )
        if not joins:
            close()
        run.extend(rotary)
        previous = i
        if slides:
            close()
    close()
    return tuple(compounds)
