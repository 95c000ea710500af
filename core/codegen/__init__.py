"""Machine code from the expressions of ``core.symbolic``: functions of arrays, for Python and for kernels.

    x, y, m = symbols("x y m")
    f = generate({"q": [x, y], "parameters": [m]}, [m * apply("sin", x), x * y])
    f(np.array([0.1, 0.2]), np.array([3.0]))

The way from one to the other: ``program`` (expressions as numbered values), ``lowering`` (in operations of processors,
cut into parts), ``llvm_text`` (in LLVM's language), ``machine`` (all that imports llvmlite), ``generated`` (functions,
the cache on the disk, optimizing on a thread); ``evaluation`` is what runs without llvmlite. ``sweep`` calls many
functions on records of one block of memory, ``bundle`` keeps those that are needed together in one piece.
"""

from core.codegen.generated import GeneratedFunction, function_of, generate, generate_named
from core.codegen.program import Program, program_of

__all__ = ["GeneratedFunction", "Program", "function_of", "generate", "generate_named", "program_of"]
