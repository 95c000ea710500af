"""The ball a chain reaches, against poses tried out and against what a solve says."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import CoreError
from core.formats.bundled import bundled_folder
from core.ik import Goal, solve
from core.ik.reach import chain_reach
from core.kinematics import drag_chain, forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.segment import end_effector

PARTS = (("human", "right hand"), ("human", "left foot"), ("arm7", "hand"), ("robot", "right palm"), ("chain20", ""))


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_no_pose_leaves_the_ball(name, part):
    s = load_skeleton(bundled_folder() / f"{name}.scr")
    joint = s.joint_index(part) if part else len(s.joints) - 1
    point, base = end_effector(s, joint), drag_chain(s, joint).base
    center, inner, outer = chain_reach(s, s.rest_pose(), joint, point, base)
    rng = np.random.default_rng(4)
    q = np.tile(s.rest_pose(), (300, 1))
    free = list(drag_chain(s, joint).dofs)
    limits = np.clip(s.limits[np.array(free) - 3], -np.pi, np.pi)
    q[:, free] = rng.uniform(limits[:, 0], limits[:, 1], (300, len(free)))
    q[0, free] = np.clip(0.0, limits[:, 0], limits[:, 1])
    places = (forward_kinematics(s, q)[:, joint] @ np.append(point, 1.0))[:, :3]
    away = np.linalg.norm(places - center, axis=1)
    assert away.max() <= outer + 1e-9 and away.min() >= inner - 1e-9
    assert 0.0 <= inner < outer


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "part"), PARTS[:3])
def test_a_solve_is_short_by_the_distance_from_the_ball(name, part):
    s = load_skeleton(bundled_folder() / f"{name}.scr")
    joint = s.joint_index(part)
    point, base = end_effector(s, joint), drag_chain(s, joint).base
    reach = chain_reach(s, s.rest_pose(), part, point, base)
    out = np.array([-0.6, 0.64, 0.48])
    for share in (0.9, 1.2, 3.0):
        goal = Goal(joint, point=point, position=reach.center + share * reach.outer * out)
        result = solve(s, s.rest_pose(), goal, base=base)
        if not result.converged:
            assert result.short == pytest.approx(max(0.0, share - 1.0) * reach.outer, abs=1e-9)
        assert result.converged or share > 1.0 or result.reason != "out_of_reach"


def test_the_first_joint_counts_only_where_it_moves_the_rest():
    s = load_skeleton(bundled_folder() / "arm7.scr")
    hand, q = s.joint_index("hand"), s.rest_pose()
    X = forward_kinematics(s, q)
    center = chain_reach(s, q, hand, end_effector(s, hand), drag_chain(s, hand).base).center
    assert np.allclose(center, X[s.joint_index("shoulder"), :3, 3], atol=1e-12), "the column turns about it"
    q[3] = 1.0  # the column turns
    assert np.allclose(chain_reach(s, q, hand, end_effector(s, hand), 0).center, center, atol=1e-12)


def test_bad_input_is_refused():
    s = load_skeleton(bundled_folder() / "arm7.scr")
    for joint, point, base in (("nose", (0, 0, 0), 0), ("hand", (0, np.nan, 0), 0), (0, (0, 0, 0), "hand")):
        with pytest.raises(CoreError):
            chain_reach(s, s.rest_pose(), joint, point, base)
