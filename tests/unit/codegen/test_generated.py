"""Functions made from expressions: what they compute, at each level, from the disk, from several threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from core.codegen import Program, function_of, generate, generate_named, generated, llvm_text, machine, program_of
from core.codegen.evaluation import Evaluator
from core.codegen.lowering import lower
from core.errors import ExpressionError, KernelError
from core.symbolic import OPERATIONS, Expression, apply, symbol, symbols, topological
from tests.support.counts import examples
from tests.support.expression_graphs import graphs, large_graph

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """Each test makes its functions itself; those of others stay in memory, as their addresses do."""
    before = dict(generated._functions)
    generated._functions.clear()
    generated._noted.clear()
    yield
    generated._functions.update(before)


def values_by_floats(outputs: Sequence[Expression], numbers: dict[Expression, float]) -> np.ndarray:
    """What the table's functions on floats make of expressions, one node after the other: the oracle."""
    found = dict(numbers)
    for node in topological(outputs):
        if node.operation == "constant":
            found[node] = node.value
        elif node.operation != "symbol":
            found[node] = OPERATIONS[node.operation].function(*[found[operand] for operand in node.operands])
    return np.array([found[node] for node in outputs])


def compiled(program: Program, contract: bool, optimized: bool, most: int = 800) -> Callable[[np.ndarray], np.ndarray]:
    """The machine code of a program of one group, without the cache."""
    llvm = machine.machine()
    lengths = [length for _, length in program.groups]
    texts = llvm_text.modules(lower(program, contract, most), lengths, "f", llvm.dialect, inline=optimized)
    address = llvm.load([llvm.object_of(text, optimized) for text in texts], "f")[0]
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(address)

    def run(x: np.ndarray, order: int = 99) -> np.ndarray:
        out = np.full(program.size, -77.0)
        call(x.ctypes.data, out.ctypes.data, order)
        return out

    return run


def numbers_of(xs: list[Expression], program: Program, x: np.ndarray) -> np.ndarray:
    out = np.empty(program.size)
    Evaluator(program).run([x], out)
    return out


@pytest.mark.verify
@hypothesis_settings(max_examples=examples(150))
@given(graphs(), st.lists(st.floats(-3.0, 3.0), min_size=4, max_size=4))
def test_every_operation_gives_what_floats_give(
    graph: tuple[list[Expression], list[Expression]], x: list[float]
) -> None:
    xs, outputs = graph
    program = program_of({"x": xs}, [outputs])
    at = np.array(x)
    expected = values_by_floats(outputs, dict(zip(xs, x, strict=True)))
    by_numpy = numbers_of(xs, program, at)
    np.testing.assert_allclose(by_numpy, expected, rtol=1e-12, atol=0.0)
    exact = compiled(program, contract=False, optimized=True)(at)
    np.testing.assert_allclose(exact, expected, rtol=1e-9, atol=1e-12)
    assert np.array_equal(compiled(program, False, False)(at), exact, equal_nan=True)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.arity and name != "power"])
def test_each_operation_alone_agrees_to_the_last_bits(name: str) -> None:
    arity = OPERATIONS[name].arity
    xs = [symbol(f"x{k}") for k in range(arity)]
    run = compiled(program_of({"x": xs}, [[apply(name, *xs)]]), contract=True, optimized=True)
    special = [0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e-300, 1e300, -1e300, 1e5, 123456.7, np.inf, -np.inf, np.nan, np.pi]
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.uniform(-4.0, 4.0, (200, arity)), rng.choice(special, (200, arity))])
    for row in rows:
        expected = OPERATIONS[name].function(*row.tolist())
        np.testing.assert_allclose(run(row)[0], expected, rtol=1e-12, atol=0.0, err_msg=f"{name} {row}")


def test_sine_and_cosine_are_within_an_ulp_near_multiples_of_half_a_turn() -> None:
    (x,) = symbols("x")
    run = compiled(program_of({"x": [x]}, [[apply("cos", x), apply("sin", x)]]), contract=True, optimized=True)
    turns = np.arange(-500, 501) * (np.pi / 2)
    angles = np.concatenate([turns, np.nextafter(turns, 9e9), 63661 * turns[:5], np.linspace(-9.9e4, 9.9e4, 3001)])
    for angle in angles:
        found, expected = run(np.array([angle])), np.array([np.cos(angle), np.sin(angle)])
        assert (np.abs(found - expected) <= 1.01 * np.spacing(np.abs(expected))).all(), angle


@pytest.mark.verify
@pytest.mark.parametrize("contract", [True, False])
@pytest.mark.sampled(1)
def test_cut_into_parts_a_graph_computes_the_same_bits_at_both_levels(contract: bool) -> None:
    xs, outputs = large_graph(5000, angles=0.03)
    program = program_of({"x": xs}, [outputs[:7], [], outputs[7:]])
    x = np.random.default_rng(1).uniform(-1.0, 1.0, len(xs))
    whole = compiled(program, contract, True, most=10**9)(x)
    assert np.isfinite(whole).all() and len(np.unique(whole)) == program.size
    np.testing.assert_allclose(whole, numbers_of(xs, program, x), rtol=1e-11)
    for most in (50, 800):
        for optimized in (False, True):
            assert np.array_equal(compiled(program, contract, optimized, most)(x), whole)


@pytest.mark.verify
def test_values_that_cross_a_cut_share_their_places() -> None:
    xs, outputs = large_graph(20_000)
    lowered = lower(program_of({"x": xs}, [outputs]), True)
    assert len(lowered.parts) > 15
    assert max(len(part.code) for part in lowered.parts) < 1300
    assert lowered.scratch < 0.02 * len(lowered.code)


@pytest.mark.verify
def test_a_long_block_of_values_in_between_comes_from_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm_text, "_STACK", llvm_text._STACK // 10)
    x = symbol("x")
    nodes = [x]
    for k in range(600):
        nodes.append(nodes[-1] * 0.5 + (k + 1.0))
    outputs = [a * b for a, b in zip(nodes, nodes[::-1], strict=True)]
    program = program_of({"x": [x]}, [[nodes[-1]], outputs])
    lowered = lower(program, True)
    assert lowered.scratch > llvm_text._STACK
    at = np.array([0.3])
    expected = numbers_of([x], program, at)
    np.testing.assert_allclose(compiled(program, True, True)(at), expected, rtol=1e-12)
    only = compiled(program, True, False)(at, 0)  # type: ignore[call-arg]
    assert only[0] == pytest.approx(expected[0]) and (only[1:] == -77.0).all()


def test_only_the_stages_that_are_asked_for_are_computed() -> None:
    x, y = symbols("x y")
    f = generate({"a": [x], "b": [y]}, [x + y, x], [x * y], [x * y, y], background=False)
    a, b = np.array([3.0]), np.array([4.0])
    for order, known in enumerate((2, 3, 5)):
        out = f(a, b, out=np.full(5, -1.0), order=order)
        assert out.tolist() == [7.0, 3.0, 12.0, 12.0, 4.0][:known] + [-1.0] * (5 - known)
    assert f(a, b).tolist() == [7.0, 3.0, 12.0, 12.0, 4.0]
    assert f.sizes == (2, 1, 2)


def test_without_llvm_numpy_computes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    xs, outputs = large_graph(800)
    x = np.random.default_rng(2).uniform(-1.0, 1.0, len(xs))
    expected = generate({"x": xs}, outputs, outputs[:3], background=False)(x)
    monkeypatch.setattr(machine, "_made", lambda: None)
    f = generate({"x": xs}, outputs, outputs[:3])
    assert f.is_optimized and f.wait()
    np.testing.assert_allclose(f(x), expected, rtol=1e-11)
    assert (f(x, out=np.full(23, -1.0), order=0)[20:] == -1.0).all()
    bound = np.zeros(23)
    f.bind(x, out=bound)()
    np.testing.assert_allclose(bound, expected, rtol=1e-11)
    with pytest.raises(KernelError, match="llvmlite"):
        _ = f.address
    assert f is generate({"x": xs}, outputs, outputs[:3])


def test_numpy_evaluates_many_rows_at_once() -> None:
    xs, outputs = large_graph(500)
    program = program_of({"x": xs}, [outputs])
    rows = np.random.default_rng(2).uniform(-1.0, 1.0, (6, len(xs)))
    out = np.empty((6, program.size))
    Evaluator(program).run([rows], out)
    for row, own in zip(rows, out, strict=True):
        assert np.array_equal(own, numbers_of(xs, program, row))


def test_arrays_that_do_not_fit_are_refused_and_others_converted() -> None:
    x, y = symbols("x y")
    f = generate({"q": [x, y], "mass": []}, [x - y], background=False)
    none = np.zeros(0)
    q = np.array([5.0, 3.0])
    assert f(q, none).tolist() == [2.0]
    assert f([5, 3], none).tolist() == [2.0]  # type: ignore[arg-type]
    assert f(np.array([5, 3]), none).tolist() == [2.0]  # type: ignore[arg-type]
    assert f(np.array([5.0, 0.0, 3.0])[::2], none).tolist() == [2.0]
    assert f(np.array([5.0, 3.0], dtype=">f8"), none).tolist() == [2.0]
    frozen = q.copy()
    frozen.flags.writeable = False
    assert f(frozen, none).tolist() == [2.0]
    with pytest.raises(ExpressionError, match=r"q has shape \(3,\); expected \(2,\)"):
        f(np.zeros(3), none)
    with pytest.raises(ExpressionError, match="1 arrays were given; expected 2: q, mass"):
        f(q)
    with pytest.raises(ExpressionError, match=r"writable array of 64-bit numbers of shape \(1,\)"):
        f(q, none, out=np.zeros(2))
    frozen = np.zeros(1)
    frozen.flags.writeable = False
    with pytest.raises(ExpressionError, match="writable"):
        f(q, none, out=frozen)
    assert frozen[0] == 0.0
    with pytest.raises(ExpressionError, match="not a contiguous"):
        f.bind(np.zeros(4)[::2], none, out=np.zeros(1))
    with pytest.raises(ExpressionError, match="q overlaps"):
        f.bind(q, none, out=q[:1])


def test_what_cannot_be_generated_says_why() -> None:
    x, y = symbols("x y")
    with pytest.raises(ExpressionError, match="no input holds the symbol y"):
        generate({"q": [x]}, [x + y])
    with pytest.raises(ExpressionError, match="symbol x is among the inputs twice: again in p"):
        generate({"q": [x], "p": [y, x]}, [x + y])
    with pytest.raises(ExpressionError, match="element 1 of the input q is no symbol"):
        generate({"q": [x, x * y]}, [x])
    with pytest.raises(ExpressionError, match="nothing to compute"):
        generate({"q": [x]})


def test_the_optimized_code_takes_over_with_the_same_bits() -> None:
    xs, outputs = large_graph(3000)
    f = generate({"x": xs}, outputs)
    x = np.random.default_rng(3).uniform(-1.0, 1.0, len(xs))
    out = np.empty(20)
    bound = f.bind(x, out=out)
    first_address, first = f.address, f(x)
    assert f.wait()
    assert f.is_optimized and f.address != first_address
    assert np.array_equal(f(x), first)
    bound()
    assert np.array_equal(out, first)
    out[:] = 0.0
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(first_address)(x.ctypes.data, out.ctypes.data)
    assert np.array_equal(out, first), "the address from before is valid still"


@pytest.mark.verify
def test_the_cache_gives_the_same_function_and_damage_is_written_anew(kept_arrays: Path) -> None:
    xs, outputs = large_graph(2000)
    x = np.random.default_rng(4).uniform(-1.0, 1.0, len(xs))
    expected = generate({"x": xs}, outputs, background=False)(x)
    (entry,) = (kept_arrays / "generated").glob("*.arrays")
    good = entry.read_bytes()
    damages = [
        good[:-100],
        good[: len(good) // 2] + b"\xff" + good[len(good) // 2 + 1 :],
        b"",
        b"another form\n" + good,
    ]
    for damaged in (None, *damages):
        generated._functions.clear()
        generated._noted.clear()
        if damaged is not None:
            entry.write_bytes(damaged)
        f = generate({"x": xs}, outputs)
        assert f.is_optimized == (damaged is None)
        f.wait()
        assert np.array_equal(f(x), expected)
        assert entry.read_bytes() == good


def test_what_is_waited_for_is_optimized_first_and_what_was_let_go_when_it_is_wanted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()
    generated.do_later(lambda: go_on.wait(60.0) and None)
    (x,) = symbols("x")
    order: list[int] = []
    functions = [generate({"x": [x]}, [x * (k + 2.0)]) for k in range(4)]
    for k, f in enumerate(functions):
        f.when_served(lambda _address, k=k: order.append(k))
    order.clear()  # of code without optimization
    waiting = threading.Thread(target=functions[2].wait)
    waiting.start()
    while len(generated._waiting) > 3:
        time.sleep(0.001)
    generated.let_go()
    assert not generated._waiting and len(generated._urgent) == 1
    assert generate({"x": [x]}, [x * 5.0]) is functions[3] and len(generated._waiting) == 1
    assert generate({"x": [x]}, [x * 5.0]) is functions[3] and len(generated._waiting) == 1
    go_on.set()
    waiting.join(60.0)
    assert functions[3].wait(60.0) and order == [2, 3]
    assert not functions[0].is_optimized and functions[0](np.array([3.0]))[0] == 6.0
    assert functions[0].wait(60.0) and order == [2, 3, 0] and not functions[1].is_optimized


def test_parameters_change_nothing_and_expressions_do(kept_arrays: Path) -> None:
    x, m = symbols("x m")
    f = generate({"q": [x], "parameters": [m]}, [m * x], background=False)
    assert f(np.array([2.0]), np.array([3.0]))[0] == 6.0 and f(np.array([2.0]), np.array([5.0]))[0] == 10.0
    assert generate({"q": [x], "parameters": [m]}, [m * x]) is f
    assert generate({"q": [x], "parameters": [m]}, [m * x], contract=False, background=False) is not f
    assert generate({"q": [x], "parameters": [m]}, [m + x], background=False) is not f
    # Only the place of a symbol counts, not its name.
    y, k = symbols("y k")
    angle = generate({"q": [x], "parameters": [m]}, [apply("atan2", x, m)], background=False)
    assert generate({"q": [y], "parameters": [k]}, [apply("atan2", y, k)]) is angle
    assert len(list((kept_arrays / "generated").glob("*.arrays"))) == 4


def test_a_description_spares_making_the_program(kept_arrays: Path) -> None:
    xs, outputs = large_graph(600)
    made = []

    def make() -> Program:
        made.append(1)
        return program_of({"x": xs}, [outputs])

    x = np.random.default_rng(5).uniform(-1.0, 1.0, len(xs))
    parents = np.arange(3)
    expected = generate_named(["chain", parents], make, background=False)(x)
    generated._functions.clear()
    generated._noted.clear()
    assert np.array_equal(generate_named(["chain", parents], make)(x), expected)
    assert len(made) == 1
    generate_named(["chain", parents + 1], make)
    assert len(made) == 2
    generated._functions.clear()
    generated._noted.clear()
    for path in (kept_arrays / "generated").glob("*.arrays"):
        if path.stat().st_size > 1000:
            path.unlink()  # the description stays, the code does not
    assert np.array_equal(generate_named(["chain", parents], make, background=False)(x), expected)
    assert len(made) == 3


@pytest.mark.verify
def test_two_processes_may_write_the_same_entry_at_once(tmp_path: Path) -> None:
    code = (
        "import numpy as np; from core.codegen import generate;"
        "from tests.support.expression_graphs import large_graph;"
        "xs, out = large_graph(1500); f = generate({'x': xs}, out, background=False);"
        "print(f(np.linspace(-1, 1, len(xs))).tobytes().hex())"
    )
    environment = {**os.environ, "SEQUENCE_EDITOR_CACHE": str(tmp_path)}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )

    both = [start(), start()]
    found = [each.communicate(timeout=120)[0] for each in both]
    found.append(start().communicate(timeout=120)[0])
    assert len(set(found)) == 1 and len(found[0]) > 300
    entries = list((tmp_path / "generated").glob("*.arrays"))
    assert len(entries) == 1 and not entries[0].name.endswith(".part")


@pytest.mark.verify
def test_threads_call_while_the_code_is_optimized() -> None:
    xs, outputs = large_graph(4000)
    rows = np.random.default_rng(6).uniform(-1.0, 1.0, (40, len(xs)))
    program = program_of({"x": xs}, [outputs])
    f = function_of(program)
    expected = np.array([f(row) for row in rows])
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)  # lets other threads run
        out = np.empty(program.size)
        while True:
            last = f.is_optimized
            for k in rng.permutation(len(rows)):
                call(f.address)(rows[k].ctypes.data, out.ctypes.data)
                if not np.array_equal(out, expected[k]) or not np.array_equal(f(rows[k]), expected[k]):
                    wrong.append(k)
            if last:
                return

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not wrong and f.is_optimized


@pytest.mark.verify
def test_a_process_ends_while_code_is_being_optimized(tmp_path: Path) -> None:
    code = (
        "import numpy as np; from core.codegen import generate;"
        "from tests.support.expression_graphs import large_graph;"
        "xs, out = large_graph(20000); f = generate({'x': xs}, out); f(np.zeros(len(xs))); print('called')"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env={**os.environ, "SEQUENCE_EDITOR_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert result.returncode == 0 and result.stdout == "called\n", result.stderr


@pytest.mark.verify
def test_a_graph_of_fifty_thousand_nodes_needs_no_recursion() -> None:
    x = symbol("x")
    node = x
    for k in range(25_000):
        node = node * 0.5 + (1.0 + k % 7)
    program = program_of({"x": [x]}, [[node]])
    assert program.operations == 50_000
    at = np.array([0.25])
    assert compiled(program, True, False)(at)[0] == pytest.approx(numbers_of([x], program, at)[0], rel=1e-14)


@pytest.mark.parametrize("with_llvm", [True, False])
@pytest.mark.parametrize("count", [300, 4000])
def test_outputs_go_to_places_among_the_inputs(count: int, with_llvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also cut into parts, and where an output takes the place of an input that nothing else reads."""
    if not with_llvm:
        monkeypatch.setattr(machine, "_made", lambda: None)
    xs, outputs = large_graph(count)
    total = symbol("total")
    own = [symbol(f"own{k}") for k in range(len(outputs) + 5)]
    written = [total + outputs[0], *outputs[1:]]
    places = [(1, 0), *((2, k + 3) for k in range(len(outputs) - 1))]
    program = program_of({"x": xs, "sum": [total], "own": own}, [written], places)
    f = function_of(program)
    x = np.random.default_rng(7).uniform(-1.0, 1.0, len(xs))
    expected = numbers_of(xs, program_of({"x": xs}, [outputs]), x)
    for _ in range(2):
        sums, rest = np.array([2.0]), np.full(len(own), -1.0)
        for k in range(1, 4):
            f.apply(x, sums, rest)
            np.testing.assert_allclose(sums[0], 2.0 + k * expected[0], rtol=1e-11)
        np.testing.assert_allclose(rest[3 : len(outputs) + 2], expected[1:], rtol=1e-11)
        assert (rest[:3] == -1.0).all() and (rest[len(outputs) + 2 :] == -1.0).all()
        f.wait()
