"""In a hurry plain kernels take a few steps only, on the thread that is; all others take what they need."""

import threading

import numpy as np
import pytest

from core import compiled
from core.animation import LockStrip, Sequence
from core.animation.locks.patience import MOST_STEPS, hurry, most_steps
from core.constraints import Lock, bind
from core.formats import bundled_folder
from core.skeleton import load_skeleton

ARM = load_skeleton(bundled_folder() / "arm7.scr")


@pytest.fixture
def plain():
    before = compiled.mode()
    compiled.use(compiled.PLAIN)
    hurry(True)
    yield
    hurry(False)
    compiled.use(before)


def test_only_this_thread_and_only_plain_kernels_hurry(plain):
    assert most_steps(2) < most_steps(1) < MOST_STEPS and most_steps(40) == 1
    elsewhere = []
    thread = threading.Thread(target=lambda: elsewhere.append(most_steps(1)))
    thread.start()
    thread.join()
    assert elsewhere == [MOST_STEPS]
    compiled.use(compiled.COMPILED)
    assert most_steps(1) == MOST_STEPS
    compiled.use(compiled.PLAIN)
    hurry(False)
    assert most_steps(1) == MOST_STEPS


def test_what_was_shown_in_a_hurry_is_not_remembered(plain):
    sequence = Sequence(ARM)
    for frame, value in ((0, 0.2), (10, 0.9)):
        q = ARM.rest_pose()
        q[3:] = value
        sequence.set_key(frame, q)
    tip = bind(Lock(len(ARM.joints) - 1, "position"), ARM, sequence.keys[0].q)
    sequence.locks.strips = [LockStrip(tip, 0)]
    sequence.locks = [tip] * 7
    soon = sequence.pose_at_frame(8)
    hurry(False)
    later = sequence.pose_at_frame(8)
    assert np.abs(soon - later).max() > 1e-9
    assert sequence.locks.report(8)[1].residuals.max() <= 1e-9
