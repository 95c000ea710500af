"""The packed form of a skeleton."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from core.errors import SkeletonError
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.tree import GENERAL_AXIS, pack
from tests.support.figures import arm7, hinge, random_figure, slide


def test_levels_hold_every_joint_but_the_root_once() -> None:
    skeleton = random_figure(4, joints=30)
    tree = pack(skeleton)
    joints = np.concatenate([level for level, _ in tree.levels])
    assert sorted(joints) == list(range(1, 30))
    for level, parents in tree.levels:
        assert np.array_equal(tree.parent[level], parents)


def test_packed_once_and_let_go_with_the_skeleton() -> None:
    skeleton = arm7()
    assert pack(skeleton) is pack(skeleton)
    watch = weakref.ref(skeleton)
    del skeleton
    gc.collect()
    assert watch() is None


def test_size_grows_with_the_figure_and_counts_slides() -> None:
    assert pack(arm7(scale=4.0)).size == 4.0 * pack(arm7()).size
    crane = Skeleton("crane", [Joint("base", -1, dofs=(slide("x", -2.0, 0.5),))])
    assert pack(crane).size == 2.0


def test_axes_are_sorted_by_letter() -> None:
    oblique = hinge(np.array([1.0, 1.0, 0.0]))
    backward = Dof("hinge", np.array([0.0, 0.0, -1.0]), -1, 1)
    skeleton = Skeleton("s", [Joint("a", -1, dofs=(hinge("y"), backward, oblique))])
    assert pack(skeleton).letter.tolist() == [1, 2, GENERAL_AXIS]


def test_unknown_kind_is_refused_by_name() -> None:
    for kind in ("coordinate", "wheel"):
        with pytest.raises(SkeletonError, match=f'"odd" has a.*{kind}'):
            Skeleton("s", [Joint("odd", -1, dofs=(Dof(kind, np.eye(3)[0], -1, 1),))])
