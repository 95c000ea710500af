"""Lowering: a program in terms of what processors do, cut into parts of bounded length.

Powers become products, a product and a sum one fused operation (rounded once) where the processor has it, a product
with a reciprocal a division. That is decided here and not by LLVM, so that code gives the same bits at every level of
optimization and a function does not change when its optimized code takes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.codegen.program import Instruction, Program

MOST_OPERATIONS = 800
"""In one function: what LLVM does with a block grows faster than the block."""


@dataclass(frozen=True)
class Part:
    """A run of values that becomes one function, or one block where there is a single function.

    Attributes:
        stage: The stage that it belongs to.
        code: Numbers of the values that it computes.
        stores: Numbers of values and where in the output array they go.
    """

    stage: int
    code: range
    stores: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Lowered:
    """A program as processors run it.

    Attributes:
        code: As in ``Program``, with ``subtract``, ``divide`` and ``fused`` (a b + c), ``fused_subtract`` (a b - c),
            ``fused_negated`` (c - a b) besides. A sine and the cosine of the same angle stand side by side.
        parts: In the order in which they run; none longer than ``MOST_OPERATIONS``.
        slots: By value that a later part uses, its place in the scratch block.
        scratch: Length of the scratch block.
        stages: Number of stages.
        places: As in ``Program``.
    """

    code: tuple[Instruction, ...]
    parts: tuple[Part, ...]
    slots: dict[int, int]
    scratch: int
    stages: int
    places: tuple[tuple[int, int], ...] = ()


_LEAVES = ("input", "constant")


def lower(program: Program, contract: bool, most: int = MOST_OPERATIONS) -> Lowered:
    """Return a program as processors run it.

    Args:
        program: The program.
        contract: Whether products and sums, and products and reciprocals, are rounded once instead of twice.
        most: Operations in a part.
    """
    code, starts, stages = _rewritten(program, contract)
    code, starts, stages = _in_use(code, starts, stages)
    parts = _parts(code, starts, stages, most)
    slots, scratch = _slots(code, parts)
    return Lowered(tuple(code), tuple(parts), slots, scratch, len(stages), program.places)


def _rewritten(program: Program, contract: bool) -> tuple[list[Instruction], list[int], list[list[int]]]:
    """Return code, starts and stages in the operations of processors."""
    uses = [0] * len(program.code)
    both: dict[int, int] = {}  # by angle: 1 if its sine is needed, 2 if its cosine is, 3 if both are
    for instruction in program.code:
        operation = instruction[0]
        if operation in _LEAVES:
            continue
        for operand in instruction[1:]:
            uses[operand] += 1
        if operation == "sin":
            both[instruction[1]] = both.get(instruction[1], 0) | 1
        elif operation == "cos":
            both[instruction[1]] = both.get(instruction[1], 0) | 2
    for stage in program.stages:
        for number in stage:
            uses[number] += 1

    source = program.code
    code: list[Instruction] = []
    at: list[int] = []  # by number in the program: number in the new code
    products: dict[tuple[int, int], int] = {}
    angles: dict[tuple[str, int], int] = {}
    starts: list[int] = []
    boundaries = set(program.starts)

    def emit(*instruction: object) -> int:
        code.append(instruction)
        return len(code) - 1

    def multiply(a: int, b: int) -> int:
        found = products.get((a, b))
        if found is None:
            found = products[a, b] = products[b, a] = emit("multiply", a, b)
        return found

    for number, instruction in enumerate(source):
        if number in boundaries:
            starts += [len(code)] * program.starts.count(number)
        operation = instruction[0]
        if operation in _LEAVES:
            at.append(emit(*instruction))
        elif operation == "add":
            at.append(_sum(source, uses, at, instruction[1], instruction[2], contract, emit))
        elif operation == "multiply":
            a, b = instruction[1], instruction[2]
            if contract and source[b][0] == "reciprocal" and uses[b] == 1:
                at.append(emit("divide", at[a], at[source[b][1]]))
            elif contract and source[a][0] == "reciprocal" and uses[a] == 1:
                at.append(emit("divide", at[b], at[source[a][1]]))
            else:
                at.append(multiply(at[a], at[b]))
        elif operation == "power":
            # As in core.symbolic.expression.whole_power, with whose bits it agrees.
            base = result = at[instruction[1]]
            for bit in bin(int(source[instruction[2]][1]))[3:]:
                result = multiply(result, result)
                if bit == "1":
                    result = multiply(result, base)
            at.append(result)
        elif operation in ("sin", "cos"):
            angle = at[instruction[1]]
            if (operation, angle) not in angles:
                for name, wanted in (("sin", 1), ("cos", 2)):
                    if both[instruction[1]] & wanted:
                        angles[name, angle] = emit(name, angle)
            at.append(angles[operation, angle])
        else:
            at.append(emit(operation, *[at[operand] for operand in instruction[1:]]))
    starts += [len(code)] * (len(program.starts) - len(starts))
    return code, starts, [[at[number] for number in stage] for stage in program.stages]


def _sum(
    source: Sequence[Instruction],
    uses: list[int],
    at: list[int],
    a: int,
    b: int,
    contract: bool,
    emit: Callable[..., int],
) -> int:
    """Emit a + b: a difference where one is a negation, fused where one is a product that nothing else needs."""
    negative_a, negative_b = source[a][0] == "negate", source[b][0] == "negate"
    if negative_a and not negative_b:
        a, b, negative_a, negative_b = b, a, False, True
    if negative_a:  # -x + -y: the graph writes it as -(x + y), but not after folding of constants
        return emit("subtract", at[a], at[source[b][1]])
    inner = source[b][1] if negative_b else b
    if contract:
        only_b = uses[inner] == 1 and (not negative_b or uses[b] == 1)
        if source[inner][0] == "multiply" and only_b and not _is_quotient(source, uses, inner):
            x, y = source[inner][1:]
            return emit("fused_negated" if negative_b else "fused", at[x], at[y], at[a])
        if source[a][0] == "multiply" and uses[a] == 1 and not _is_quotient(source, uses, a):
            x, y = source[a][1:]
            return emit("fused_subtract" if negative_b else "fused", at[x], at[y], at[inner])
    return emit("subtract" if negative_b else "add", at[a], at[inner])


def _is_quotient(source: Sequence[Instruction], uses: list[int], number: int) -> bool:
    """Return whether a product is computed as a division."""
    return any(source[operand][0] == "reciprocal" and uses[operand] == 1 for operand in source[number][1:])


def _in_use(
    code: list[Instruction], starts: list[int], stages: list[list[int]]
) -> tuple[list[Instruction], list[int], list[list[int]]]:
    """Return the same without values that nothing needs: products that were fused, exponents."""
    needed = [False] * len(code)
    for stage in stages:
        for number in stage:
            needed[number] = True
    for number in range(len(code) - 1, -1, -1):
        if needed[number] and code[number][0] not in _LEAVES:
            for operand in code[number][1:]:
                needed[operand] = True
    at = [0] * (len(code) + 1)
    kept: list[Instruction] = []
    for number, instruction in enumerate(code):
        at[number] = len(kept)
        if needed[number]:
            if instruction[0] not in _LEAVES:
                instruction = (instruction[0], *[at[operand] for operand in instruction[1:]])
            kept.append(instruction)
    at[-1] = len(kept)
    return kept, [at[start] for start in starts], [[at[number] for number in stage] for stage in stages]


def _parts(code: list[Instruction], starts: list[int], stages: list[list[int]], most: int) -> list[Part]:
    """Return the code in parts; each output is stored where it becomes known, but not before its stage."""
    parts: list[Part] = []
    place = 0
    for stage, (start, end) in enumerate(zip(starts, [*starts[1:], len(code)], strict=True)):
        known: dict[int, list[tuple[int, int]]] = {}
        for number in stages[stage]:
            known.setdefault(max(number, start), []).append((number, place))
            place += 1
        begin, count = start, 0
        held: list[tuple[int, int]] = []
        for number in range(start, end):
            count += code[number][0] not in _LEAVES
            held += known.pop(number, [])
            pair = number + 1 < end and code[number][0] == "sin" and code[number + 1][0] == "cos"
            if (count >= most and not pair) or len(held) >= most:
                parts.append(Part(stage, range(begin, number + 1), tuple(held)))
                begin, count, held = number + 1, 0, []
        for late in known.values():
            held += late
        if begin < end or held:
            parts.append(Part(stage, range(begin, end), tuple(held)))
    return parts


def _slots(code: list[Instruction], parts: list[Part]) -> tuple[dict[int, int], int]:
    """Return where in the scratch block values wait for later parts; places are used again."""
    part_of: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, part in enumerate(parts):
        for number in part.code:
            instruction = code[number]
            if instruction[0] not in _LEAVES:
                part_of[number] = k
                for operand in instruction[1:]:
                    last[operand] = k
        for number, _ in part.stores:
            last[number] = k
    ending: list[list[int]] = [[] for _ in parts]
    slots: dict[int, int] = {}
    free: list[int] = []
    size = 0
    crossing: list[list[int]] = [[] for _ in parts]
    for number, first in part_of.items():
        if last.get(number, first) > first:
            crossing[first].append(number)
    for own, done in zip(crossing, ending, strict=True):
        for number in own:
            if free:
                slots[number] = free.pop()
            else:
                slots[number] = size
                size += 1
            ending[last[number]].append(slots[number])
        free += done
    return slots, size
