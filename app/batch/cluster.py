"""Workers of a Dask cluster: it finds a worker for each piece of work, and another one when a worker is lost.

All of them see the folders of clips and results at the same paths, and have the same version of this program.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from app.batch.environment import environment
from app.batch.workers import Outcome
from core.errors import CoreError
from core.extras import how_to_install

_PATIENCE = 10.0  # [s] until a scheduler that does not answer is not there
_AHEAD = 4  # pieces of work given to the scheduler for each thread: it never runs dry, and never holds all of them


class ClusterError(CoreError):
    """A cluster cannot be used; says why in one line."""


class Cluster:
    """Workers of a cluster.

    Args:
        address: Of its scheduler, as ``tcp://host:8786``.
        seen: A file that every worker must see.

    Raises:
        ClusterError: If Dask is not installed, there is no scheduler, it has no workers, or these do not fit.
    """

    def __init__(self, address: str, seen: Path):
        try:
            from distributed import Client
        except ImportError:
            raise ClusterError(
                f"--scheduler needs distributed, which is not installed; run: {how_to_install('cluster')}"
            ) from None
        try:
            self._client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"{address}: no scheduler answers: {error}".splitlines()[0]) from None
        try:
            _check(self._client, address, seen)
        except BaseException:
            self._client.close()
            raise

    def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Outcome, None, None]:
        """Call ``work(item)`` for every item; see :class:`app.batch.workers.Workers`. It can be called once."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        numbers: dict[object, int] = {}
        ahead = iter(enumerate(items))
        running = as_completed(loop=self._client.loop)

        def give() -> None:
            for number, item in ahead:
                # Not pure: what came of the same work in an earlier batch is not taken for this one.
                future = self._client.submit(work, item, pure=False)
                numbers[future.key] = number
                running.add(future)
                return

        threads = max(sum(self._client.nthreads().values()), 1)
        for _ in range(min(_AHEAD * threads, len(items))):
            give()
        left = len(items)
        try:
            while left:
                future = next(running)
                number = numbers.pop(future.key, None)
                if number is None:
                    continue
                left -= 1
                give()
                error = future.exception()
                if error is None:
                    yield Outcome(number, future.result())
                elif isinstance(error, KilledWorker):
                    yield Outcome(number, None, "the workers that had it were lost one after the other")
                else:
                    yield Outcome(number, None, f"the cluster could not do it: {type(error).__name__}: {error}")
                future.release()
        finally:
            running.clear()
            self._client.close()  # the scheduler forgets what nobody waits for


def _look(path: str) -> tuple[bool, dict[str, str]]:
    """Return, on a worker, whether it sees a file, and what it is."""
    return Path(path).is_file(), environment()


def _check(client: Any, address: str, seen: Path) -> None:
    """See that there are workers, and that all of them can do the work.

    Raises:
        ClusterError: If not.
    """
    if not client.scheduler_info()["workers"]:
        raise ClusterError(f"{address}: the scheduler has no workers; start some with: dask worker {address}")
    own = environment()
    try:
        looks = client.run(_look, str(seen))
    except Exception as error:  # whatever a worker without this program, or with another Python, comes to
        raise ClusterError(f"{address}: workers cannot run this program: {error}".splitlines()[0]) from None
    for worker, (sees, found) in looks.items():
        if not sees:
            raise ClusterError(
                f"worker {worker} does not see {seen}; every worker must see the clips and the results at the same "
                "paths as here, as on a shared disk"
            )
        if found["sequence-editor"] != own["sequence-editor"]:
            raise ClusterError(
                f"worker {worker} has version {found['sequence-editor']} of this program; "
                f"expected {own['sequence-editor']}, as here"
            )
