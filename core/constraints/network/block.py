"""A function block: a value and its Jacobian by the chain rule, both kept until an input changes."""

from __future__ import annotations

from typing import Any

from core.constraints.network.jacobian import BlockJacobian


class Block:
    """A node of the data-flow network (Welman 1993, figure 5.3).

    Attributes:
        users: Blocks that this one's output is wired to.
        evaluations: How often its function was worked out.
        jacobian_evaluations: How often its Jacobian was.
    """

    def __init__(self) -> None:
        self.users: list[Block] = []
        self.evaluations = 0
        self.jacobian_evaluations = 0
        self._value: Any = None
        self._jacobian: BlockJacobian | None = None

    @property
    def value(self) -> Any:
        """Output of the block; worked out again only after an input has changed."""
        if self._value is None:
            self.evaluations += 1
            self._value = self._evaluate()
        return self._value

    @property
    def jacobian(self) -> BlockJacobian:
        """Jacobian of the output over the global state; kept like the value."""
        if self._jacobian is None:
            self.jacobian_evaluations += 1
            self._jacobian = self._differentiate()
        return self._jacobian

    def disable_cache(self) -> None:
        """Drop what is kept, here and in all blocks above that have used it."""
        if self._value is None and self._jacobian is None:
            return  # then nothing above has used it since
        self._value = self._jacobian = None
        for user in self.users:
            user.disable_cache()

    def _evaluate(self) -> Any:
        raise NotImplementedError

    def _differentiate(self) -> BlockJacobian:
        raise NotImplementedError
