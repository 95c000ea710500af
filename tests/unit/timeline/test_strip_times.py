"""When lock strips begin and end: what a drag may do to one beside the others of its lock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.timeline.locks.strip_drag import with_target_at, with_weight
from app.timeline.strips.times import (
    allowed_together,
    default_ease,
    fits,
    place_for,
    slid,
    snapped,
    with_ease,
    with_end,
    with_start,
)
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.constraints.lock import Lock

HELD = Lock(0, "position", target=(0.0, 0.0, 0.0))


@st.composite
def rows_of_strips(draw):
    """One lock's strips, none at the same frame, and which of them is dragged."""
    cuts = sorted(draw(st.lists(st.integers(0, 200), min_size=2, max_size=12, unique=True)))
    strips = [
        LockStrip(HELD, a, b, draw(st.integers(0, 9)), draw(st.integers(0, 9)))
        for a, b in zip(cuts[0::2], cuts[1::2], strict=False)
    ]
    if draw(st.booleans()):
        strips[-1] = replace(strips[-1], end=None)
    return strips, draw(st.integers(0, len(strips) - 1))


@settings(max_examples=150, deadline=None)
@given(rows_of_strips(), st.integers(-300, 300), st.sampled_from(["start", "end", "slide", "copy"]))
def test_a_retimed_strip_never_meets_another_of_its_lock(row, by, how):
    strips, number = row
    strip = strips[number]
    others = [each for each in strips if each is not strip]
    if how == "start":
        changed = with_start(strip, strip.start + by, others)
        assert changed.end == strip.end
    elif how == "end":
        if strip.end is None:
            return
        changed = with_end(strip, strip.end + by, others)
        assert changed.start == strip.start
    elif how == "slide":
        allowed = allowed_together([(strip, others)], by)
        assert abs(allowed) <= abs(by) and allowed * by >= 0
        changed = slid(strip, allowed)
    else:
        at = place_for(strip, strip.start + by, strips)
        if at is None:
            return
        changed, others = slid(strip, at - strip.start), strips
    assert fits(changed, others)
    assert changed.start >= 0 and (changed.end is None or changed.start <= changed.end <= MAX_FRAME)


@pytest.mark.verify
@settings(max_examples=100, deadline=None)
@given(rows_of_strips(), st.integers(-300, 300))
def test_a_slide_stops_as_near_as_it_may(row, by):
    strips, number = row
    strip = strips[number]
    others = [each for each in strips if each is not strip]
    sign = 1 if by >= 0 else -1
    assert allowed_together([(strip, others)], by) == max(
        (k for k in range(0, by + sign, sign) if fits(strip, others, k)), key=abs
    )


def test_strips_stop_one_frame_apart():
    first, second = LockStrip(HELD, 0, 10), LockStrip(HELD, 20, 30)
    assert with_end(first, 25, [second]).end == 19
    assert with_start(second, 3, [first]).start == 11
    assert allowed_together([(first, [second])], 15) == 9
    assert allowed_together([(first, [second])], 40) == 40  # there is room behind it
    assert place_for(first, 15, [first, second]) == 31
    assert place_for(LockStrip(HELD, 0, None), 5, [first, second]) == 31


def test_ease_gives_way_to_the_other_ease_and_never_runs_over_the_strip():
    strip = LockStrip(HELD, 0, 10, 3, 4)
    assert with_ease(strip, False, 50).eases == (6.0, 4.0)
    assert with_ease(strip, True, 50).eases == (3.0, 7.0)
    assert with_ease(strip, True, -3).eases == (3.0, 0.0)
    assert default_ease(LockStrip(HELD, 0, 4)).eases == (2.0, 2.0)


def test_keys_of_targets_stay_in_order():
    strip = LockStrip(HELD, 0, 40, targets=tuple(TargetKey(f, (f, 0.0, 0.0)) for f in (5, 10, 20)))
    assert [key.frame for key in with_target_at(strip, 1, 90).targets] == [5, 19, 20]
    assert [key.frame for key in with_target_at(strip, 0, -4).targets] == [0, 10, 20]


def test_snapping_prefers_what_is_near():
    assert snapped(10.4, [12, 30], 2.0) == 12
    assert snapped(9.4, [12, 30], 2.0) == 9
    assert snapped(9.4, [], 2.0) == 9


def test_weights_of_pairs_keep_their_proportions():
    both = LockStrip(Lock(0, "pose", target=np.eye(4), weight=(1.0, 0.5)), 0, weight=0.5)
    lighter = with_weight(both, 0.8)
    assert lighter.lock.weight == (0.8, 0.4) and lighter.weight == 1.0
    assert with_weight(LockStrip(HELD, 0, weight=0.5), 0.3).lock.weight == 0.3
