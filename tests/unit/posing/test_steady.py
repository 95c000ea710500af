"""No leaps where a goal cannot be reached."""

from __future__ import annotations

import numpy as np

from core.formats.bundled import bundled_folder
from core.ik import Goal, solve
from core.ik.reach import chain_reach
from core.kinematics import drag_chain
from core.posing.pacing import LEAP, leaps, steadied
from core.skeleton import load_skeleton
from core.skeleton.segment import end_effector


def test_steps_instead_of_a_leap_never_go_further_away():
    human = load_skeleton(bundled_folder() / "human.scr")
    hand = human.joint_index("right hand")
    point, chain = end_effector(human, hand), drag_chain(human, hand)
    rng, span = np.random.default_rng(8), np.clip(human.limits, -np.pi, np.pi)
    taken = 0
    for _ in range(25):
        q = human.rest_pose()
        q[list(chain.dofs)] = rng.uniform(*span[[i - 3 for i in chain.dofs]].T)
        reach = chain_reach(human, q, hand, point, chain.base)
        direction = rng.normal(size=3)
        goal = Goal(
            hand, point=point, position=reach.center + 1.3 * reach.outer * direction / np.linalg.norm(direction)
        )
        before = solve(human, q, goal, base=chain.base, max_iterations=0)
        result = solve(human, q, goal, "ccd", chain.base)
        if not leaps(q, result.q, goal.position, goal.position, reach):
            continue
        shown = steadied(human, q, goal, chain.base, result, reach)
        assert shown.error <= before.error + 1e-12
        if shown is not result:
            taken += 1
            assert np.abs(shown.q - q).max() <= max(LEAP, 0.5) + 1e-12
    assert taken >= 3
    assert not leaps(q, result.q, None, goal.position, reach)
