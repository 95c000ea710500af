"""The matrix of eq. 5.5: how full it is for sets of locks, how wide its band, and what solving it costs.

Decision 15 takes its figures from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solveh_banded
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from core.constraints import Lock, bind
from core.constraints.lagrange import truncated_solve
from core.constraints.network import Network
from core.constraints.network.from_locks import network_of
from core.skeleton import Skeleton
from tests.benchmarks.timing import interleaved, one_thread
from tests.support.figures import chain
from tests.support.kernels import kernels_in_use
from tests.support.lock_figures import person60, person200, standing, ten_locks, three_locks

REPEATS = 20
LIMBS = {
    "foot": ("thigh", "shank", "foot"),
    "hand": ("clavicle", "upper arm", "forearm", "hand"),
}


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"), one_thread():
        for title, s, q, locks, root in cases():
            measure(report, title, s, q, locks, root)
        measure_keeping(report)


def cases() -> list[tuple[str, Skeleton, np.ndarray, list[Lock], bool]]:
    """Sets of locks, and whether the root may help."""
    found: list[tuple[str, Skeleton, np.ndarray, list[Lock], bool]] = []
    for s in (person60(), person200()):
        q = standing(s, 30.0)
        found += [(f"{s.name}, 3 locks", s, q, three_locks(s, q), True)]
        found += [(f"{s.name}, 10 locks", s, q, ten_locks(s, q), True)]
        limbs = [
            Lock(f"{side} {part}", "pose", joints=tuple(f"{side} {joint}" for joint in joints))
            for part, joints in LIMBS.items()
            for side in ("left", "right")
        ]
        found += [(f"{s.name}, each of 4 limbs by itself", s, q, [bind(lock, s, q) for lock in limbs], False)]
    for links in (100, 200, 400):
        s = chain(links, 4.0 / links)
        q = s.rest_pose() + 0.1 * np.sin(np.arange(s.nq))
        near = [Lock(i, "distance", other=(i + 5, (0.0, 0.0, 0.0))) for i in range(0, links - 5, 2)]
        far = [Lock(i, "plane") for i in range(4, links, 4)]
        found += [(f"chain of {links}, distances of near joints", s, q, [bind(lock, s, q) for lock in near], True)]
        found += [(f"chain of {links}, planes", s, q, [bind(lock, s, q) for lock in far], True)]
    return found


def measure(report: Callable[..., None], title: str, s: Skeleton, q: np.ndarray, locks: list[Lock], root: bool) -> None:
    """Report how full ``A = J K H^T`` is, its half band in the best order found, and times to solve it."""
    network, _ = network_of(s, q, locks)
    if not root:
        next(iter(network.state.figures.values())).mobility[: 3 + s.first_dof[1]] = 0.0
    system = network.assemble()
    J, H = system.J.toarray(), system.H.toarray()
    if not root:
        J = H  # what a limb's locks cannot move does not count
    K = network.state.mobility[system.variables]
    A = (J * K) @ J.T
    rows = len(A)
    pattern = np.abs(A) > 1e-12 * np.abs(A).max()
    order = reverse_cuthill_mckee(csr_array(pattern.astype(np.int8)), symmetric_mode=True)
    ordered = A[np.ix_(order, order)]
    first, second = np.nonzero(pattern[np.ix_(order, order)])
    band = int(np.abs(first - second).max())
    report(f"{title}: rows", rows, "", f"{len(K)} variables, J {100 * float((np.abs(J) > 1e-12).mean()):.0f} % full")
    report(f"{title}: J K J^T", 100.0 * float(pattern.mean()), "% full", f"half band {band}")
    b = np.ones(rows)
    A[np.diag_indices(rows)] += 1e-9 * np.trace(A) / rows
    upper = np.zeros((band + 1, rows))
    for k in range(band + 1):
        upper[band - k, k:] = np.diagonal(ordered, k)
    upper[band] += 1e-9 * np.trace(A) / rows

    def many(solve: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [solve() for _ in range(REPEATS)]

    candidates = [
        many(lambda: (J * K) @ J.T),
        many(lambda: cho_solve(cho_factor(A, check_finite=False), b, check_finite=False)),
        many(lambda: solveh_banded(upper, b, check_finite=False)),
        many(lambda: truncated_solve(A, b)),
    ]
    times = [1e6 * taken / REPEATS for taken in interleaved(candidates)]
    for name, taken in zip(("making it", "Cholesky", "banded Cholesky", "truncated SVD"), times, strict=True):
        report(f"{title}: {name}", taken, "us", f"{taken / times[1]:.2f} of Cholesky")


def measure_keeping(report: Callable[..., None]) -> None:
    """Report what a step of the network costs with everything, one limb and nothing changed."""
    s = person60()
    q = standing(s, 30.0)
    network, _ = network_of(s, q, ten_locks(s, q))
    figure = next(iter(network.state.figures.values()))
    wrist = 3 + s.first_dof[s.joint_index("left hand")]

    def after(change: Callable[[np.ndarray], None], network: Network = network) -> Callable[[], Any]:
        def step() -> None:
            for _ in range(REPEATS):
                pose = figure.q
                change(pose)
                figure.set(pose)
                network.assemble()

        return step

    def everything(pose: np.ndarray) -> None:
        pose += 1e-6

    def one(pose: np.ndarray) -> None:
        pose[wrist] += 1e-6

    for name, taken in zip(
        ("everything", "a wrist", "nothing"),
        interleaved([after(everything), after(one), after(lambda pose: None)]),
        strict=True,
    ):
        report(f"network of 10 locks, assembled after {name} changed", 1e6 * taken / REPEATS, "us")
