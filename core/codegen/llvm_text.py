"""Writes lowered programs in LLVM's language."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from core.codegen.lowering import Lowered, Part
from core.codegen.program import Instruction
from core.errors import KernelError

LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "atan2")
"""Functions of the library of C that code calls."""
PREFIX = "sequence_editor_"
"""Of their names in code: whose addresses they are is up to us, not to what else is loaded in the process."""

_STACK = 4096
"""Longest scratch block on the stack [numbers]: threads of macOS have 512 kB in all."""

# fdlibm's polynomials for |x| <= pi/4 (k_sin.c, k_cos.c, Sun Microsystems 1993), and pi/2 in three parts.
SINE = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
COSINE = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
    2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
LARGEST_ANGLE = 1e5
"""Beyond, and for what is no number, the library of C is asked."""


@dataclass(frozen=True)
class Dialect:
    """What depends on the version of LLVM and on the processor.

    Attributes:
        pointer: The type of a pointer to numbers.
        pure: The attribute of functions that read and write no memory.
        fused: Whether the processor multiplies and adds with one rounding.
    """

    pointer: str
    pure: str
    fused: bool


def dialect(version: int, fused: bool) -> Dialect:
    """Return the dialect of a version of LLVM: until 16 pointers have types and attributes other names."""
    return Dialect("ptr", "memory(none)", fused) if version >= 16 else Dialect("double*", "readnone", fused)


def number_text(value: float) -> str:
    """Return a number as LLVM reads it, to the last bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def modules(
    lowered: Lowered, lengths: Sequence[int], name: str, language: Dialect, inline: bool = True, parts_in_one: int = 8
) -> list[str]:
    """Return the text of a program, in modules of a few functions each that are compiled one after the other.

    The function has the name and takes a pointer for each group, the output's unless outputs go to groups and, if there
    are several stages, the last one that is wanted as an int64. Where there is an output array, a second one,
    ``NAME_of_arrays``, takes Python's objects in their place and returns 1, or 0 without having done anything if one is
    not an array that it can take.

    Args:
        lowered: The program.
        lengths: Of the input arrays.
        name: Of the function; those of its parts begin with it.
        language: See ``dialect``.
        inline: Whether sines and cosines stand where they are needed, as long as they are few: twice as fast as calls,
            and slow to compile.
        parts_in_one: Functions in a module: who compiles in the background lets others in between two modules.
    """
    head = _head(language)
    if language.fused:
        angles = sum(instruction[0] in ("sin", "cos") for instruction in lowered.code)
        inline = inline and angles <= _MOST_INLINE
        if angles and not inline:
            head += _sine_function(lowered, language)
    else:
        inline = False
    if lowered.places and lowered.scratch > _STACK:
        raise KernelError(f"a routine hands on {lowered.scratch} values; expected at most {_STACK}")
    groups = len(lengths)
    entry = "" if lowered.places else _entry_of_arrays(lowered, lengths, name, language)
    if len(lowered.parts) <= 1 or sum(len(part.code) for part in lowered.parts) <= _SINGLE:
        return [head + _single(lowered, groups, name, language, inline) + entry]
    texts = []
    for first in range(0, len(lowered.parts), parts_in_one):
        own = range(first, min(first + parts_in_one, len(lowered.parts)))
        texts.append(
            head + "".join(_part(lowered, lowered.parts[k], groups, f"{name}_{k}", language, inline) for k in own)
        )
    texts[0] += _caller(lowered, groups, name, language, parts_in_one) + entry
    return texts


def together(lowered: Sequence[Lowered], groups: Sequence[int], names: Sequence[str], language: Dialect) -> str | None:
    """Return the text of several programs that write to their groups, a function each; None if one is too long.

    Args:
        lowered: The programs.
        groups: How many groups each has.
        names: Of the functions.
        language: See ``dialect``.
    """
    parts = [_head(language)]
    for each, count, name in zip(lowered, groups, names, strict=True):
        angles = sum(instruction[0] in ("sin", "cos") for instruction in each.code)
        if sum(len(part.code) for part in each.parts) > _SINGLE or angles > _MOST_INLINE:
            return None
        parts.append(_single(each, count, name, language, language.fused))
    return "".join(parts)


_SINGLE = 1000
"""Values in a program that becomes a single function, whatever its stages."""
_MOST_INLINE = 200


def _head(language: Dialect) -> str:
    lines = [
        f"declare double @{PREFIX}{each}({'double, double' if each == 'atan2' else 'double'}) nounwind {language.pure}"
        for each in LIBRARY
    ]
    lines += [
        f"declare double @llvm.{each}.f64(double{', double' * extra})"
        for each, extra in (("fma", 2), ("sqrt", 0), ("fabs", 0), ("copysign", 1), ("rint", 0))
    ]
    pointer = language.pointer
    lines += [f"declare {pointer} @{PREFIX}malloc(i64)", f"declare void @{PREFIX}free({pointer})"]
    return "\n".join(lines) + "\n"


def _sine_function(lowered: Lowered, language: Dialect) -> str:
    """Return the function that modules with many angles call: the same operations."""
    writer = _Writer(lowered, language, inline=True, whole=True)
    sine, cosine = writer.angle("0", "%x", True, True)
    body = "\n".join(writer.lines)
    return (
        f"define internal {_PAIR} @sine_and_cosine(double %x) nounwind noinline {{\n{body}\n"
        f"%first = insertvalue {_PAIR} undef, double {sine}, 0\n"
        f"%both = insertvalue {_PAIR} %first, double {cosine}, 1\nret {_PAIR} %both\n}}\n"
    )


_PAIR = "{ double, double }"


def _arguments(lowered: Lowered, groups: int, language: Dialect, *more: str) -> str:
    names = [*(f"%in{group}" for group in range(groups)), *(() if lowered.places else ("%out",)), *more]
    return ", ".join(f"{language.pointer} {each}" for each in names)


def _single(lowered: Lowered, groups: int, name: str, language: Dialect, inline: bool) -> str:
    order = ", i64 %order" if lowered.stages > 1 else ""
    writer = _Writer(lowered, language, inline, whole=True)
    stage = 0
    for part in lowered.parts:
        while stage < part.stage:
            stage += 1
            writer.lines += [
                f"%want{stage} = icmp sge i64 %order, {stage}",
                f"br i1 %want{stage}, label %stage{stage}, label %end",
                f"stage{stage}:",
            ]
        writer.part(part)
    body = "\n".join(writer.lines)
    return (
        f"define void @{name}({_arguments(lowered, groups, language)}{order}) nounwind {{\nentry:\n{body}\n"
        "br label %end\nend:\nret void\n}\n"
    )


def _entry_of_arrays(lowered: Lowered, lengths: Sequence[int], name: str, language: Dialect) -> str:
    """Return the function that takes numpy's arrays, whose fields are read where numpy's C interface has them."""
    size = sum(len(part.stores) for part in lowered.parts)
    several = lowered.stages > 1
    arguments = ", ".join(f"i64 %a{k}" for k in range(len(lengths) + 1))
    lines = [
        *array_types(),
        f"define i32 @{name}_of_arrays({arguments}{', i64 %order' if several else ''}) nounwind {{",
    ]
    pointers = [
        f"{language.pointer} {array_numbers(lines, f'%a{k}', f'{k}', f'{length}', k == len(lengths), language)}"
        for k, length in enumerate([*lengths, size])
    ]
    lines.append(f"call void @{name}({', '.join(pointers)}{', i64 %order' if several else ''})")
    lines.append("ret i32 1\nrefused:\nret i32 0\n}")
    return "\n".join(lines) + "\n"


def array_types() -> list[str]:
    """Return the lines that declare what ``array_numbers`` compares with."""
    return [f"@{PREFIX}ndarray = external global double", f"@{PREFIX}float64 = external global double"]


def array_numbers(lines: list[str], argument: str, k: str, length: str, is_written: bool, language: Dialect) -> str:
    """Write what finds the numbers of one of numpy's arrays, or goes to the label ``refused``; return the pointer.

    Args:
        lines: What is written to.
        argument: The object's address, an i64.
        k: What names end in, to differ from others.
        length: That it must have.
        is_written: Whether it must be writable.
        language: The dialect.
    """
    cast = f"ptrtoint ({language.pointer} @{PREFIX}%s to i64)"

    def field(what: str, offset: int, kind: str) -> str:
        pointer = "ptr" if language.pointer == "ptr" else f"{kind}*"
        lines.append(f"%{what}_at{k} = add i64 {argument}, {offset}")
        lines.append(f"%{what}_p{k} = inttoptr i64 %{what}_at{k} to {pointer}")
        lines.append(f"%{what}{k} = load {kind}, {pointer} %{what}_p{k}")
        return f"%{what}{k}"

    def must(what: str, equal: str) -> None:
        lines.append(f"%{what}_good{k} = icmp eq {equal}")
        lines.append(f"br i1 %{what}_good{k}, label %{what}_next{k}, label %refused\n{what}_next{k}:")

    must("type", f"i64 {field('type', HEAD - 8, 'i64')}, {cast % 'ndarray'}")
    must("axes", f"i32 {field('axes', HEAD + 8, 'i32')}, 1")
    must("kind", f"i64 {field('kind', HEAD + 40, 'i64')}, {cast % 'float64'}")
    flags = field("flags", HEAD + 48, "i32")
    wanted = _CONTIGUOUS | _ALIGNED | (_WRITABLE if is_written else 0)
    lines.append(f"%flagged{k} = and i32 {flags}, {wanted}")
    must("flagged", f"i32 %flagged{k}, {wanted}")
    shape = field("shape", HEAD + 16, "i64")
    pointer = "ptr" if language.pointer == "ptr" else "i64*"
    lines.append(f"%length_p{k} = inttoptr i64 {shape} to {pointer}")
    lines.append(f"%length{k} = load i64, {pointer} %length_p{k}")
    must("length", f"i64 %length{k}, {length}")
    lines.append(f"%data{k} = inttoptr i64 {field('numbers', HEAD, 'i64')} to {language.pointer}")
    return f"%data{k}"


HEAD = object.__basicsize__
"""Where the fields of an array begin: after those of all objects, the last of which is the type."""
_CONTIGUOUS, _ALIGNED, _WRITABLE = 0x1, 0x100, 0x400


def _part(lowered: Lowered, part: Part, groups: int, name: str, language: Dialect, inline: bool) -> str:
    writer = _Writer(lowered, language, inline, whole=False)
    writer.part(part)
    body = "\n".join(writer.lines)
    return (
        f"define void @{name}({_arguments(lowered, groups, language, '%scratch')}) nounwind {{\n{body}\nret void\n}}\n"
    )


def _caller(lowered: Lowered, groups: int, name: str, language: Dialect, declared: int) -> str:
    """Return the function that calls the parts, with the block through which they hand on values."""
    pointer, several = language.pointer, lowered.stages > 1
    kinds = ", ".join([pointer] * (groups + 2 - bool(lowered.places)))
    lines = [f"declare void @{name}_{k}({kinds}) nounwind" for k in range(declared, len(lowered.parts))]
    lines.append(
        f"define void @{name}({_arguments(lowered, groups, language)}{', i64 %order' if several else ''}) nounwind {{"
    )
    size = max(lowered.scratch, 1)
    if size <= _STACK:
        lines.append(f"%block = alloca [{size} x double], align 64")
        whole = "ptr" if pointer == "ptr" else f"[{size} x double]*"
        lines.append(f"%scratch = getelementptr [{size} x double], {whole} %block, i64 0, i64 0")
    else:
        lines.append(f"%scratch = call {pointer} @{PREFIX}malloc(i64 {8 * size})")
        lines.append(f"%lacks = icmp eq {pointer} %scratch, null")
        lines.append("br i1 %lacks, label %nothing, label %start\nstart:")
    stage = 0
    for k, part in enumerate(lowered.parts):
        while stage < part.stage:
            stage += 1
            lines += [
                f"%want{stage} = icmp sge i64 %order, {stage}",
                f"br i1 %want{stage}, label %stage{stage}, label %end",
                f"stage{stage}:",
            ]
        lines.append(f"call void @{name}_{k}({_arguments(lowered, groups, language, '%scratch')})")
    lines.append("br label %end\nend:")
    if size > _STACK:
        lines.append(f"call void @{PREFIX}free({pointer} %scratch)")
        lines.append("ret void\nnothing:")
        # No memory: what is asked for becomes NaN.
        count = sum(len(part.stores) for part in lowered.parts)
        total = f"{count}"
        if several:
            counts = [sum(len(p.stores) for p in lowered.parts if p.stage <= s) for s in range(lowered.stages)]
            total = f"{counts[0]}"
            for s, own in enumerate(counts[1:], 1):
                lines.append(f"%asked{s} = icmp sge i64 %order, {s}")
                lines.append(f"%count{s} = select i1 %asked{s}, i64 {own}, i64 {total}")
                total = f"%count{s}"
        nan = number_text(float("nan"))
        lines += [
            "br label %fill\nfill:",
            "%k = phi i64 [0, %nothing], [%next, %fill]",
            f"%to = getelementptr double, {pointer} %out, i64 %k",
            f"store double {nan}, {pointer} %to",
            "%next = add i64 %k, 1",
            f"%more = icmp slt i64 %next, {total}",
            "br i1 %more, label %fill, label %leave\nleave:",
        ]
    lines.append("ret void\n}")
    return "\n".join(lines) + "\n"


class _Writer:
    """Writes the instructions of parts into ``lines``.

    Args:
        lowered: The program.
        language: The dialect.
        inline: Whether sines and cosines are written where they are needed.
        whole: Whether all parts go into one function, where a value of an earlier part is still at hand.
    """

    def __init__(self, lowered: Lowered, language: Dialect, inline: bool, whole: bool):
        self.lines: list[str] = []
        self._lowered, self._language, self._inline, self._whole = lowered, language, inline, whole
        self._names: dict[int, str] = {}

    def part(self, part: Part) -> None:
        """Write the values of a part, what it stores and what later parts need of it."""
        code, slots, names, lines = self._lowered.code, self._lowered.slots, self._names, self.lines
        pointer = self._language.pointer
        for number in part.code:
            instruction = code[number]
            operation = instruction[0]
            if operation in ("input", "constant"):
                continue
            if operation == "cos" and number in names:
                pass  # came with the sine
            else:
                self._write(number, instruction)
            if not self._whole and number in slots:
                lines.append(f"%s{number} = getelementptr double, {pointer} %scratch, i64 {slots[number]}")
                lines.append(f"store double {names[number]}, {pointer} %s{number}")
        for number, place in part.stores:
            value = self._name(number)
            array, index = self._lowered.places[place] if self._lowered.places else ("", place)
            where = f"%in{array}, i64 {index}" if self._lowered.places else f"%out, i64 {index}"
            lines.append(f"%o{place} = getelementptr double, {pointer} {where}")
            lines.append(f"store double {value}, {pointer} %o{place}")

    def _name(self, number: int) -> str:
        """Return how a value is called here, having loaded it if it comes from elsewhere."""
        found = self._names.get(number)
        if found is not None:
            return found
        instruction = self._lowered.code[number]
        if instruction[0] == "constant":
            name = number_text(instruction[1])
        else:
            name, pointer = f"%v{number}", self._language.pointer
            if instruction[0] == "input":
                place = f"{pointer} %in{instruction[1]}, i64 {instruction[2]}"
            else:
                place = f"{pointer} %scratch, i64 {self._lowered.slots[number]}"
            self.lines.append(f"%p{number} = getelementptr double, {place}")
            self.lines.append(f"{name} = load double, {pointer} %p{number}")
        self._names[number] = name
        return name

    def _write(self, number: int, instruction: Instruction) -> None:
        operation: str = instruction[0]
        x, *rest = [self._name(operand) for operand in instruction[1:]]
        name = self._names[number] = f"%v{number}"
        lines = self.lines
        plain = _PLAIN.get(operation)
        if plain is not None:
            lines.append(f"{name} = {plain} double {x}, {rest[0]}")
        elif operation == "fused":
            lines.append(f"{name} = call double @llvm.fma.f64(double {x}, double {rest[0]}, double {rest[1]})")
        elif operation == "fused_subtract":
            lines.append(f"%n{number} = fneg double {rest[1]}")
            lines.append(f"{name} = call double @llvm.fma.f64(double {x}, double {rest[0]}, double %n{number})")
        elif operation == "fused_negated":
            lines.append(f"%n{number} = fneg double {x}")
            lines.append(f"{name} = call double @llvm.fma.f64(double %n{number}, double {rest[0]}, double {rest[1]})")
        elif operation == "negate":
            lines.append(f"{name} = fneg double {x}")
        elif operation == "reciprocal":
            lines.append(f"{name} = fdiv double 1.0, {x}")
        elif operation in ("sin", "cos") and self._language.fused:
            self._sine_and_cosine(number, operation, x)
        elif operation in _INTRINSICS:
            lines.append(f"{name} = call double @llvm.{_INTRINSICS[operation]}.f64(double {x})")
        elif operation == "sign":
            # NaN stays, zero becomes a zero.
            lines += [
                f"%a{number} = call double @llvm.copysign.f64(double 1.0, double {x})",
                f"%b{number} = fcmp one double {x}, 0.0",
                f"{name} = select i1 %b{number}, double %a{number}, double {x}",
            ]
        elif operation in ("minimum", "maximum"):
            # NaN wins, as in numpy.
            lines += [
                f"%a{number} = fcmp {'ole' if operation == 'minimum' else 'oge'} double {x}, {rest[0]}",
                f"%b{number} = fcmp uno double {x}, 0.0",
                f"%c{number} = or i1 %a{number}, %b{number}",
                f"{name} = select i1 %c{number}, double {x}, double {rest[0]}",
            ]
        elif operation == "select":
            lines += [
                f"%a{number} = fcmp oge double {x}, 0.0",
                f"{name} = select i1 %a{number}, double {rest[0]}, double {rest[1]}",
            ]
        elif operation in LIBRARY:
            operands = ", ".join(f"double {each}" for each in (x, *rest))
            lines.append(f"{name} = call double @{PREFIX}{operation}({operands})")
        else:
            raise NotImplementedError(f"no code for the operation {operation}")

    def _sine_and_cosine(self, number: int, operation: str, x: str) -> None:
        """Write the sine, the cosine or, if they stand side by side, both."""
        code = self._lowered.code
        pair = operation == "sin" and code[number + 1 : number + 2] == (("cos", code[number][1]),)
        sine, cosine = operation == "sin", pair or operation == "cos"
        wanted = [each for each, needed in ((number, sine), (number + pair, cosine)) if needed]
        if self._inline:
            for target, value in zip(wanted, self.angle(f"{number}", x, sine, cosine), strict=True):
                self._names[target] = value
            return
        self.lines.append(f"%t{number} = call {_PAIR} @sine_and_cosine(double {x})")
        places = [place for place, needed in ((0, sine), (1, cosine)) if needed]
        for target, place in zip(wanted, places, strict=True):
            self._names[target] = f"%v{target}"
            self.lines.append(f"%v{target} = extractvalue {_PAIR} %t{number}, {place}")

    def angle(self, s: str, x: str, sine: bool, cosine: bool) -> list[str]:
        """Write sine and cosine of an angle: it less multiples of pi/2, then polynomials; return their names.

        Args:
            s: What names end in, to differ from others.
            x: The angle [rad].
            sine: Whether the sine is wanted.
            cosine: Whether the cosine is wanted.
        """
        lines = self.lines

        def line(name: str, what: str) -> str:
            lines.append(f"%{name}_{s} = {what}")
            return f"%{name}_{s}"

        def fma(name: str, a: str, b: str, c: str) -> str:
            return line(name, f"call double @llvm.fma.f64(double {a}, double {b}, double {c})")

        def polynomial(name: str, coefficients: Sequence[float], z: str) -> str:
            value = number_text(coefficients[0])
            for k, each in enumerate(coefficients[1:]):
                value = fma(f"{name}{k}", z, value, number_text(each))
            return value

        def turned(name: str, odd: str, even: str, quarter: str) -> str:
            """Of two values the one that belongs to the quadrant, with its sign."""
            picked = line(f"{name}_picked", f"select i1 {is_odd}, double {odd}, double {even}")
            bits = line(f"{name}_bits", f"bitcast double {picked} to i64")
            second = line(f"{name}_second", f"and i64 {quarter}, 2")
            sign = line(f"{name}_sign", f"shl i64 {second}, 62")
            signed = line(f"{name}_signed", f"xor i64 {bits}, {sign}")
            return line(name, f"bitcast i64 {signed} to double")

        size = line("size", f"call double @llvm.fabs.f64(double {x})")
        near = line("near", f"fcmp ole double {size}, {number_text(LARGEST_ANGLE)}")
        lines.append(f"br i1 {near}, label %quick_{s}, label %far_{s}\nquick_{s}:")
        turns = line("turns", f"fmul double {x}, {number_text(0.6366197723675814)}")
        whole = line("whole", f"call double @llvm.rint.f64(double {turns})")
        back = line("back", f"fneg double {whole}")
        r = x
        for k, each in enumerate(HALF_PI):
            r = fma(f"r{k}", back, number_text(each), r)
        quarter = line("quarter", f"fptosi double {whole} to i64")
        is_odd = line("is_odd", f"trunc i64 {quarter} to i1")
        z = line("z", f"fmul double {r}, {r}")
        # sin r = r + r z S(z)
        cube = line("cube", f"fmul double {r}, {z}")
        of_r = fma("sine_of_r", cube, polynomial("s", SINE, z), r)
        # cos r = 1 - z/2 + z z C(z), with what rounding 1 - z/2 loses
        half = line("half", f"fmul double {z}, 0.5")
        main = line("main", f"fsub double 1.0, {half}")
        lost = line("lost", f"fsub double 1.0, {main}")
        rest = line("rest", f"fsub double {lost}, {half}")
        square = line("square", f"fmul double {z}, {z}")
        tail = fma("tail", square, polynomial("c", COSINE, z), rest)
        cosine_of_r = line("cosine_of_r", f"fadd double {main}, {tail}")
        quick = []
        if sine:
            quick.append(turned("quick_sine", cosine_of_r, of_r, quarter))
        if cosine:
            next_quarter = line("next_quarter", f"add i64 {quarter}, 1")
            quick.append(turned("quick_cosine", of_r, cosine_of_r, next_quarter))
        lines.append(f"br label %known_{s}\nfar_{s}:")
        names = [name for name, wanted in (("sin", sine), ("cos", cosine)) if wanted]
        far = [line(f"far_{name}", f"call double @{PREFIX}{name}(double {x})") for name in names]
        lines.append(f"br label %known_{s}\nknown_{s}:")
        return [
            line(name, f"phi double [{value}, %quick_{s}], [{other}, %far_{s}]")
            for name, value, other in zip(names, quick, far, strict=True)
        ]


_PLAIN = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
_INTRINSICS = {"sqrt": "sqrt", "absolute": "fabs"}
