"""What is worked out once for a figure: kept with it, and let go with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest

from core.animation import breakdown
from core.animation.channels import channels_of
from core.constraints.hold.mobility import mobility
from core.constraints.soles import height
from core.errors import SkeletonError
from core.ik.problem import pose_limits
from core.kinematics.center_of_mass import segment_masses
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skin import bind_frames
from core.skeleton.stance import stance
from core.skeleton.tree import pack
from tests.support.figures import arm7, fork, random_figure


def test_made_once_for_each_figure() -> None:
    asked = []

    @per_skeleton
    def joints(skeleton: Skeleton) -> list[str]:
        asked.append(skeleton)
        return list(skeleton.joint_names)

    one, other = arm7(), random_figure(3)
    assert joints(one) is joints(one) and joints(other) == list(other.joint_names)
    assert asked == [one, other]


def test_a_call_that_raises_keeps_nothing() -> None:
    answers = iter([SkeletonError("not yet"), 5])

    @per_skeleton
    def answer(skeleton: Skeleton) -> int:
        found = next(answers)
        if isinstance(found, SkeletonError):
            raise found
        return found

    skeleton = arm7()
    with pytest.raises(SkeletonError, match="not yet"):
        answer(skeleton)
    assert answer(skeleton) == answer(skeleton) == 5


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "make",
    [bind_frames, breakdown._compounds, channels_of, height, pack, pose_limits, pose_mirror, segment_masses, stance,
     mobility],
    ids=lambda make: make.__name__,
)  # fmt: skip
def test_what_is_kept_does_not_hold_the_figure(make: Callable[[Skeleton], object]) -> None:
    skeleton = fork()
    make(skeleton)
    watch = weakref.ref(skeleton)
    del skeleton
    gc.collect()
    assert watch() is None
