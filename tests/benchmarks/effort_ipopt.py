"""IPOPT on the second transcription of motions of least effort, with exact derivatives of first and second order.

``casadi`` brings IPOPT along and must be installed for it; the product does not need it.

Source: Waechter and Biegler (2006), On the implementation of an interior-point filter line-search algorithm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from tests.benchmarks.effort_reference import Collocation


class Found(NamedTuple):
    """What IPOPT found.

    Attributes:
        u: The unknowns.
        status: What it says of them.
        steps: How many it took.
        missed: The most that an equation or bound misses.
        nearest: How far the nearest unknown is from where it was not looked for any more, as a share of the room.
    """

    u: Array
    status: str
    steps: int
    missed: float
    nearest: float


def solve(
    problem: Collocation, u: Array, *, room: float = 0.2, most: int = 300, tolerance: float = 1e-6,
    quiet: bool = True,
) -> Found:  # fmt: skip
    """Return what IPOPT finds from some unknowns on, with exact derivatives of first and second order.

    Raises:
        ImportError: Without casadi.
    """
    import casadi

    def pattern(matrix: scipy.sparse.csc_matrix) -> Any:
        return casadi.Sparsity(*matrix.shape, matrix.indptr.tolist(), matrix.indices.tolist())

    rng = np.random.default_rng(0)
    near = u + 1e-3 * rng.normal(size=len(u))
    jacobian, hessian = (
        pattern(problem.jacobian(near)), pattern(problem.hessian(near, 1.0, rng.normal(size=len(problem.row_low))))
    )  # fmt: skip
    n, m = problem.size, len(problem.row_low)

    class Given(casadi.Callback):  # type: ignore[misc]
        def __init__(self, name: str, inputs: list[Any], outputs: list[Any], run: Any, names: tuple[str, str]):
            casadi.Callback.__init__(self)
            self.inputs, self.outputs, self.run = inputs, outputs, run
            self.names_in, self.names_out = (each.split() for each in names)
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(self.inputs)

        def get_n_out(self) -> int:
            return len(self.outputs)

        def get_name_in(self, i: int) -> str:
            return self.names_in[i]

        def get_name_out(self, i: int) -> str:
            return self.names_out[i]

        def get_sparsity_in(self, i: int) -> Any:
            return self.inputs[i]

        def get_sparsity_out(self, i: int) -> Any:
            return self.outputs[i]

        def eval(self, arg: list[Any]) -> list[Any]:
            return self.run(*(np.array(each).ravel() for each in arg))

    dense = casadi.Sparsity.dense
    x, p, one, g = dense(n, 1), dense(0, 1), dense(1, 1), dense(m, 1)

    def filled(sparsity: Any, matrix: scipy.sparse.csc_matrix) -> Any:
        assert len(matrix.data) == sparsity.nnz()
        return casadi.DM(sparsity, matrix.data)

    nlp = Given("nlp", [x, p], [one, g], lambda u, _: [problem.cost(u), problem.rows(u)], ("x p", "f g"))
    slope = Given("slope", [x, p], [one, x], lambda u, _: [problem.cost(u), problem.gradient(u)], ("x p", "f grad_f_x"))
    rows = Given(
        "rows", [x, p], [g, jacobian], lambda u, _: [problem.rows(u), filled(jacobian, problem.jacobian(u))],
        ("x p", "g jac_g_x"),
    )  # fmt: skip
    bend = Given(
        "bend", [x, p, one, g], [hessian],
        lambda u, _, f, y: [filled(hessian, problem.hessian(u, float(f[0]), y))],
        ("x p lam_f lam_g", "triu_hess_gamma_x_x"),
    )  # fmt: skip
    options = {
        "grad_f": slope, "jac_g": rows, "hess_lag": bend, "print_time": False, "no_nlp_grad": True,
        "calc_lam_p": False, "calc_lam_x": False,
        "ipopt": {
            "max_iter": most, "tol": tolerance, "print_level": 0 if quiet else 5, "sb": "yes",
            "mu_strategy": "monotone", "bound_relax_factor": 1e-9, "nlp_scaling_method": "none",
            "warm_start_init_point": "no", "mu_init": 1e-6, "bound_push": 1e-6, "bound_frac": 1e-6,
        },
    }  # fmt: skip
    low, high = problem.around(u, room)
    solver = casadi.nlpsol("reference", "ipopt", nlp, options)
    answer = solver(
        x0=u,
        lbx=np.maximum(problem.low, low),
        ubx=np.minimum(problem.high, high),
        lbg=problem.row_low,
        ubg=problem.row_high,
    )
    found = np.array(answer["x"]).ravel()
    g = problem.rows(found)
    missed = float(max((problem.row_low - g).max(), (g - problem.row_high).max()))
    limited = np.isfinite(low)
    nearest = float((np.minimum(found - low, high - found)[limited] / (0.5 * (high - low)[limited])).min())
    stats = solver.stats()
    return Found(found, str(stats["return_status"]), int(stats["iter_count"]), missed, nearest)
