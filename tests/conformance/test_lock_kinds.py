"""What holds for every entry of ``core.constraints.KINDS``; a new kind is tested by being in the tuple."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.constraints import (
    KINDS,
    Lock,
    bind,
    find_kind,
    lock_for,
    lock_from_json,
    lock_residuals,
    lock_to_json,
    mirrored_lock,
    solve_locks,
)
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.kinds.base import Kind
from core.constraints.network.from_locks import network_of
from core.constraints.places import Places
from core.constraints.solve_locks import METHODS
from core.errors import LockError
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.root_turn import RootTurn
from core.spatial import so3

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def bent(s: Skeleton, seed: int, spread: float = 0.15) -> np.ndarray:
    """A pose with everything a little bent, inside all limits, the balance not lost."""
    rng = np.random.default_rng(seed)
    lo, hi = np.clip(s.limits, -3.0, 3.0).T
    q = s.rest_pose()
    q[3:] += 0.25 * (0.5 * (lo + hi) - q[3:]) + spread * rng.uniform(-1, 1, s.n_dofs)
    q[3:] = np.clip(q[3:], *s.limits.T)
    return q


def variants(kind: Kind) -> Iterator[dict[str, Any]]:
    """Arguments that make locks of a kind: with and without axes, of the same figure and another, helpers, weights."""
    hands: dict[str, Any] = {"point": (0.02, -0.05, 0.01)}
    if kind.name == "balance":
        yield from ({}, {"target": 0.03, "other": ("left foot", "right foot")})
        return
    if kind.takes_other:
        yield {**hands, "other": ("right hand", (0, -0.1, 0))}
        yield {**hands, "other": ("Bob", "right hand", (0, -0.1, 0))}
        return
    yield hands
    yield {**hands, "joints": ("chest", "left clavicle", "left upper arm", "left forearm", "left hand")}
    if kind.takes_axes:
        for axes in ((True, False, False), (False, True, True)):
            yield {**hands, "axes": axes}
    if kind.takes_pair:
        yield {**hands, "weight": (1.0, 0.5)}


def made(kind: Kind, s: Skeleton, q: np.ndarray, **more: Any) -> list[Lock]:
    return [bind(Lock("left hand", kind.name, **{**given, **more}), s, q, figures(s)) for given in variants(kind)]


def figures(s: Skeleton) -> dict[str, tuple[Skeleton, np.ndarray]]:
    return {"Bob": (s, bent(s, 99) + np.array([0.1, 0, 0.3, *np.zeros(s.n_dofs)]))}


@every_kind
def test_it_says_what_it_is(kind: Kind) -> None:
    assert find_kind(kind.name) is kind and kind.name.isidentifier()
    assert kind.title[0].isupper() and kind.description.endswith(".")
    assert kind.holds_position or kind.holds_orientation
    assert len({other.name for other in KINDS}) == len({other.title for other in KINDS}) == len(KINDS)


@every_kind
def test_it_binds_and_holds_where_it_was_bound(kind: Kind, human: Skeleton) -> None:
    q = bent(human, 1)
    for lock in made(kind, human, q):
        assert lock.bound and bind(lock, human, bent(human, 2), figures(human)) == lock
        if kind.name in ("point_pair", "balance"):
            continue  # what they ask for does not come from the pose
        found = lock_residuals(human, q, [lock], figures(human))
        assert found.held and found.residuals.max() < 1e-12
        deviation = kind.deviation(lock, Places(human, q, figures(human)), [lock])
        assert all(part is None or np.abs(part).max() < 1e-12 for part in deviation)


@every_kind
def test_nonsense_is_refused_in_words(kind: Kind, human: Skeleton) -> None:
    other = {"other": ("right hand", (0, 0, 0))} if kind.takes_other else {}
    wrong = (
        "text",
        [],
        [[1.0], [2.0]],
        np.full(kind.target_shape, np.nan),
        np.full(kind.target_shape, np.inf),
        object(),
    )
    for target in wrong:
        with pytest.raises(LockError, match="target"):
            Lock("left hand", kind.name, target=target, **other)
    for arguments in ({"point": (0, 0)}, {"weight": 2.0}, {"joints": 1.5}, {"other": object()}):
        with pytest.raises(LockError):
            Lock("left hand", kind.name, **{**other, **arguments})
    with pytest.raises(LockError, match="tail"):
        bind(Lock("tail", kind.name, **other), human, human.rest_pose())


@every_kind
def test_records_bring_it_back(kind: Kind, human: Skeleton) -> None:
    for lock in [*made(kind, human, bent(human, 3)), *made(kind, human, bent(human, 3), weight=0.5)]:
        record = json.loads(json.dumps(lock_to_json(lock, human)))
        assert lock_from_json(record, human) == lock
        assert lock_from_json({**record, "later": 1}, human) == lock


@every_kind
def test_mirrored_twice_it_is_itself(kind: Kind, human: Skeleton) -> None:
    for lock in made(kind, human, bent(human, 4)):
        once = mirrored_lock(lock, human, figures(human))
        assert mirrored_lock(once, human, figures(human)) == lock
        if kind.name != "balance":
            assert once.joint == "right hand"


@every_kind
def test_a_motion_of_the_world_carries_it_along(kind: Kind, human: Skeleton) -> None:
    """Targets and figure moved alike leave as much as before; the motion turns about the vertical for the floor."""
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = so3.axis_rotation("y", 0.7), (0.3, 0.0, -0.2)
    target, q = bent(human, 5), bent(human, 6)
    for lock in made(kind, human, target):
        if lock.second is not None and lock.second[0] is not None:
            continue  # the other figure stays
        moved = kind.moved_target(lock.target, motion)
        at = places_moved(human, q, motion)
        before = kind.deviation(lock, Places(human, q), [lock])
        lock_there = Lock(lock.joint, lock.kind, lock.point, moved, lock.other, lock.weight, lock.axes, lock.joints)
        after = kind.deviation(lock_there, at, [lock_there])
        if (lock.axes is not None and kind.name == "position") or kind.by_equation:
            continue  # coordinates of the world do not turn along, and values of joints are no vectors
        for a, b in zip(before, after, strict=True):
            if a is not None:
                assert b == pytest.approx(motion[:3, :3] @ a, abs=1e-12)


def places_moved(s: Skeleton, q: np.ndarray, motion: np.ndarray) -> Places:
    """The figure in a pose, carried along by a motion."""
    root, own = s.joints[0], slice(3, 3 + len(s.joints[0].dofs))
    frame = motion @ Places(s, q).frame(0)
    out = q.copy()
    turn = root.rotation.T @ frame[:3, :3]
    out[own] = RootTurn(root.dofs).values(turn[None], q[None, own], np.zeros((1, len(root.dofs))))[0]
    out[:3] += frame[:3, 3] - Places(s, out).frame(0)[:3, 3]
    return Places(s, out)


@pytest.mark.sampled(4)
@every_kind
def test_its_rows_have_the_slopes_they_say(kind: Kind, human: Skeleton) -> None:
    q, then = bent(human, 7), bent(human, 8)
    more = {"target": 0.3} if kind.name == "balance" else {}
    for lock in made(kind, human, then, **more):
        rows = rows_of_locks([lock], Places(human, q, figures(human)))[1]
        assert rows
        _, J = row_values(rows, Places(human, q, figures(human)))
        for k, step in enumerate(1e-6 * np.eye(human.nq)):
            ahead, behind = (row_values(rows, Places(human, q + sign * step, figures(human)))[0] for sign in (1, -1))
            assert J[:, k] == pytest.approx((ahead - behind) / 2e-6, abs=1e-7)


@every_kind
def test_blocks_and_rows_are_the_same(kind: Kind, human: Skeleton) -> None:
    q, then = bent(human, 9), bent(human, 10)
    for lock in made(kind, human, then):
        if min(lock.weights) < 1.0:
            continue  # a spring is no row
        network, bound = network_of(human, q, [lock], figures=figures(human))
        system = network.assemble()
        rows = rows_of_locks(bound, Places(human, q, figures(human)))[1]
        C, J = row_values(rows, Places(human, q, figures(human)))
        J_network = np.zeros((len(system.C), network.state.size))
        J_network[:, system.variables] = system.J.toarray()
        inactive = np.concatenate([np.full(entry.size, entry.inequality) for entry in rows]) & (C <= 0.0)
        assert system.C == pytest.approx(np.where(inactive, 0.0, C), abs=1e-14)
        assert J_network[:, : human.nq] == pytest.approx(np.where(inactive[:, None], 0.0, J), abs=1e-13)
        parts = kind.deviation(lock, Places(human, q, figures(human)), [lock])
        length = np.sqrt(sum(float(part @ part) for part in parts if part is not None))
        assert np.linalg.norm(system.C) == pytest.approx(length, abs=1e-12) or kind.name == "balance"


@pytest.mark.sampled(10)
@every_kind
@pytest.mark.parametrize("method", METHODS)
def test_solvers_hold_it(kind: Kind, method: str, human: Skeleton) -> None:
    for seed in range(2):
        q, then = bent(human, 20 + seed), bent(human, 40 + seed)
        # Balance is over feet that stay.
        feet = [Lock(joint, "pose") for joint in ("left foot", "right foot")] if kind.name == "balance" else []
        for lock in made(kind, human, then):
            if method == "ccd" and (kind.of_figure or lock.joints is not None):
                continue  # it cannot; see docs/locks.md
            locks = [lock, *(bind(foot, human, q) for foot in feet)]
            before = lock_residuals(human, q, locks, figures(human))
            found = solve_locks(human, q, locks, method=method, figures=figures(human), max_iterations=200)
            after = lock_residuals(human, found.q, locks, figures(human))
            # The outline that the centre of mass is to be in follows the toes, which nobody holds.
            assert after.residuals == pytest.approx(found.residuals, abs=1e-7 if feet else 1e-14)
            assert after.held == found.held or feet
            lo, hi = human.limits.T
            assert (found.q[3:] >= lo).all() and (found.q[3:] <= hi).all()
            if method == "ccd":
                # What one hand carries for the other moves with the trunk, which the sweeps take along.
                share = 0.25 if kind.name == "carry" and lock.second[0] is None else 0.1
                assert found.residuals.max() <= max(1e-3, share * before.residuals.max())
            elif lock.joints is None:
                assert found.held and np.nan_to_num(found.position_residuals[0]) <= (1e-9 if lock.hard else np.inf)


@every_kind
def test_another_root_and_other_names_keep_it(kind: Kind, human: Skeleton) -> None:
    new = human.rerooted("left foot")
    for lock in made(kind, human, bent(human, 11)):
        there = lock_for(lock, human, new)
        assert there is not None and there.kind == kind.name and there.weight == lock.weight
        back = lock_for(there, new, human)
        assert back is not None and lock_for(back, human, human) == back
