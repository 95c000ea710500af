"""Functions of contacts as kernels call them, until they are kernels themselves."""

from __future__ import annotations

from typing import Any

from core.dynamics.contact import pairs_plain, qp_plain


class Twin:
    """A plain function and the compiled one that stands for it."""

    def __init__(self, plain: Any, module: str, name: str):
        self._plain, self._module, self._name = plain, module, name

    def __call__(self, *arguments: Any) -> Any:
        return self._plain(*arguments)

    def __compiled__(self) -> Any:
        import importlib

        from core.kernels.intrinsics import linked

        return linked(getattr(importlib.import_module(self._module), self._name))


find = Twin(pairs_plain.find, "core.dynamics.contact.pairs_kernels", "find")
solve = Twin(qp_plain.solve, "core.dynamics.contact.qp_kernels", "solve")
