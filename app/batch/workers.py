"""What runs work beside this process: one signature for processes and for a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Outcome:
    """What came of one piece of work.

    Attributes:
        number: Which, as it was given.
        value: What the function returned; None if every worker that had it was lost.
        lost: Why there is none; "" else.
    """

    number: int
    value: Any
    lost: str = ""


class Workers(Protocol):
    """Runs pieces of work."""

    def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Outcome, None, None]:
        """Call ``work(item)`` for every item on some worker, and give each outcome once, as they come.

        Whoever does not take all of them stops the rest. A worker that is lost costs only what it was doing.

        Args:
            work: A function of a module; raises nothing on purpose.
            items: What it is called with; functions and items are pickled.
        """
        ...
