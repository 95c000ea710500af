"""Compile all kernels into the disk cache: ``python -m core.warm``.

The window starts this as a child process at first launch, because compiling in a thread holds the interpreter lock.
Prints one line ``k/n name`` a step, in order of completion.
"""

from __future__ import annotations

import sys

from core.errors import KernelError
from core.kernels.warm_up import warm


def main() -> int:
    """Fill the cache, printing ``k/n name`` after each domain; return the exit code."""
    try:
        warm(lambda done, total, name: print(f"{done}/{total} {name}", flush=True))
    except KernelError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
