"""What a worker is: versions, and all that goes into machine code. Workers of one kind give the same bits."""

from __future__ import annotations

import gc
import hashlib
import platform
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QLockFile

from core import __version__, kernels
from core.errors import CoreError, KernelError
from core.kernels import cache as kernel_cache
from core.kernels import warm_up
from core.system_calls import use_processors

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ONE_THREAD = dict.fromkeys(_THREADS, "1")
"""Environment of a worker process: sums that several threads share may be rounded in another order."""

one_at_a_time = threading.Lock()
"""Held while a worker does a job: a worker of a cluster may have several threads, and libraries one state a process."""

Compiling = Callable[[int, int, str], None]
_PATIENCE = 1800.0  # [s] for another process that compiles; all kernels take some minutes
_LOOK = 200  # [ms]


@cache
def environment() -> dict[str, str]:
    """Return versions and a hash of the kernels' sources, the compiler and the processor."""
    made = hashlib.sha256()
    for name in kernels.names():
        made.update(kernel_cache.fingerprint(name).encode())
    found = {
        "sequence-editor": __version__,
        "python": platform.python_version(),
        "system": f"{sys.platform} {platform.machine()}",
        "kernels": made.hexdigest()[:16],
    }
    for package in ("numpy", "scipy", "numba"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def compile_kernels(progress: Compiling = lambda done, total, name: None) -> None:
    """See that the compiled kernels of this machine are there, so that no worker has to make them beside another.

    Args:
        progress: Called with how many are done, of how many, and the name of the last.

    Raises:
        KernelError: If one does not compile.
    """
    if kernels.is_warm():
        return
    # Workers of a cluster on one machine ask for them at the same time.
    place = kernel_cache.writable(kernel_cache.root())
    place.mkdir(parents=True, exist_ok=True)
    lock = QLockFile(str(place / "compiling.lock"))
    lock.setStaleLockTime(0)
    _wait_for(lock)
    try:
        if not kernels.is_warm():
            warm_up.warm(progress)
    finally:
        lock.unlock()


def _wait_for(lock: QLockFile) -> None:
    """Take a lock, in short tries so that Ctrl-C ends the wait.

    Raises:
        KernelError: If another process keeps it, or it cannot be made.
    """
    since = time.monotonic()
    while not lock.tryLock(_LOOK):
        if lock.error() != QLockFile.LockError.LockFailedError:
            raise KernelError(f"{lock.fileName()} cannot be written; give this user leave to write into its folder")
        if time.monotonic() - since > _PATIENCE:
            raise KernelError(
                f"{lock_holder(lock)} has been compiling kernels for {_PATIENCE / 60:.0f} minutes; "
                f"if it is not running any more, delete {lock.fileName()}"
            )


def lock_holder(lock: QLockFile) -> str:
    """Return which process holds a lock that could not be taken: ``process 4711 on node3``."""
    process, host, _ = lock.getLockInfo()
    return f"process {process} on {host or 'an unknown computer'}" if process else "another process"


def check_version(wanted: str) -> None:
    """See that this worker has the version of the program that gave it the work; one may join a cluster at any time.

    Args:
        wanted: That version.

    Raises:
        CoreError: If it has another one.
    """
    if wanted != __version__:
        raise CoreError(
            f"the worker on {platform.node()} has version {__version__} of this program; expected {wanted}, "
            "as where the work comes from"
        )


@cache
def prepare() -> None:
    """Make this process a worker: one thread, compiled kernels. Done once in each process.

    Raises:
        KernelError: If a kernel does not compile.
    """
    from threadpoolctl import threadpool_limits

    use_processors(1)
    kernels.compile_on_demand(True)
    compile_kernels()
    threadpool_limits(limits=1)


def give_back() -> None:
    """Give back the memory of a job that has come to an end.

    Much of it hangs in circles of few large objects, so that Python would look for them after a hundred jobs only.
    """
    gc.collect()
    _keep_libraries()


@cache
def _keep_libraries() -> None:
    """Let what the first job has loaded stay, unseen by later searches: they take 2 ms instead of 76."""
    gc.freeze()
