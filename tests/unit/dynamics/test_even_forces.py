"""Contact forces that are shared out evenly: the least of all that do the same."""

from __future__ import annotations

import numpy as np

from core.dynamics.contact.even_forces import even_forces

CORNERS = np.array([[-0.1, 0.0, -0.2], [0.1, 0.0, -0.2], [-0.1, 0.0, 0.2], [0.1, 0.0, 0.2]])
UP = np.tile([0.0, 1.0, 0.0], (4, 1))
ACROSS = np.tile([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]], (4, 1, 1))
ONE_PAIR = np.tile([0, -1], (4, 1))


def test_a_resting_box_is_carried_evenly() -> None:
    uneven = np.array([[-1.0, 2.0, 0.0], [1.0, 4.0, 0.5], [0.5, 4.0, -0.5], [-0.5, 2.0, 0.0]])
    # Make its moment about the middle zero, then it is that of a box that rests.
    moment = np.cross(CORNERS, uneven).sum(axis=0)
    uneven[:, 1] += np.array([-1, -1, 1, 1]) * moment[0] / 0.8 - np.array([-1, 1, -1, 1]) * moment[2] / 0.4
    uneven[:, 0] += np.array([1, 1, -1, -1]) * moment[1] / 0.8
    np.testing.assert_allclose(np.cross(CORNERS, uneven).sum(axis=0), 0.0, atol=1e-14)
    even = even_forces(CORNERS, UP, ACROSS, uneven, np.full(4, 0.8), ONE_PAIR)
    np.testing.assert_allclose(even, np.tile([0.0, 3.0, 0.0], (4, 1)), atol=1e-12)


def test_sum_and_moment_of_each_pair_stay_and_forces_stay_in_their_pyramids() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        k = int(rng.integers(1, 12))
        points, mu = rng.normal(size=(k, 3)), rng.choice([0.0, 0.4, 1.0], size=k)
        frames = np.linalg.qr(rng.normal(size=(k, 3, 3)))[0]
        normals, tangents = frames[:, 0], frames[:, 1:]
        pairs = rng.integers(-1, 2, size=(k, 2))
        shares = rng.uniform(0.0, 5.0, size=(k, 4)) * (rng.random((k, 4)) < 0.6)
        side = mu[:, None, None] * tangents
        edges = np.concatenate([normals[:, None] + side, normals[:, None] - side], axis=1)
        forces = np.einsum("ij,ijk->ik", shares, edges)
        even = even_forces(points, normals, tangents, forces, mu, pairs)
        for pair in np.unique(pairs, axis=0):
            own = (pairs == pair).all(axis=1)
            np.testing.assert_allclose(even[own].sum(axis=0), forces[own].sum(axis=0), atol=1e-8)
            moments = np.cross(points[own], even[own] - forces[own]).sum(axis=0)
            np.testing.assert_allclose(moments, 0.0, atol=1e-7)
        up = np.einsum("ij,ij->i", even, normals)
        across = np.einsum("ij,ikj->ik", even, tangents)
        assert (np.abs(across).sum(axis=1) <= mu * up + 1e-8).all()
        assert (even**2).sum() <= 3.0 * (forces**2).sum() + 1e-9


def test_nothing_to_share() -> None:
    assert even_forces(
        *(np.zeros((0, 3)),) * 2, np.zeros((0, 2, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2), int)
    ).shape == (0, 3)
    still = np.zeros((4, 3))
    assert not even_forces(CORNERS, UP, ACROSS, still, np.full(4, 0.8), ONE_PAIR).any()
