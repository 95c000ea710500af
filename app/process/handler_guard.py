"""No exception passes from an event handler, or any other override of Qt's, into Qt.

PySide keeps an exception that passes through an override while Python waits for Qt (a grab, a repaint, one handler
that moves the focus), and takes it for an object when it does; up to Python 3.11 the exceptions that C code raises are
a bare text then, or nothing at all, and the whole program dies. A painter, besides, has to be gone before Qt ends the
painting, and the exception would hold it.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

from PySide6.QtGui import QUndoCommand
from shiboken6 import Shiboken

_OURS = "app."
_HANDLERS = ("event", "viewportEvent", "eventFilter")
_guarding = False


def guard_handlers() -> None:
    """Guard what every class of this program overrides of Qt's: the classes there are, and those still to come.

    Call it before the first widget is made: PySide keeps the handlers that it has called once.
    """
    global _guarding
    if _guarding:
        return
    _guarding = True

    def made(cls: type, **words: Any) -> None:
        super(Shiboken.Object, cls).__init_subclass__(**words)
        guard_class(cls)

    Shiboken.Object.__init_subclass__ = classmethod(made)
    waiting: list[type] = [Shiboken.Object]
    seen: set[type] = set()
    while waiting:
        cls = waiting.pop()
        if cls not in seen:
            seen.add(cls)
            guard_class(cls)
            waiting.extend(cls.__subclasses__())


def guard_class(cls: type) -> None:
    """Guard what a class, and what is mixed into it, overrides of Qt's; nothing if it is not of this program."""
    if cls.__module__.startswith(_OURS):
        raises = issubclass(cls, QUndoCommand)
        for owner, name in overrides(cls):
            method = vars(owner)[name]
            if not hasattr(method, "guarded"):
                setattr(owner, name, _guarded(method, owner, raises))


def overrides(cls: type) -> list[tuple[type, str]]:
    """Return what this program overrides of Qt's in a class: each class that holds a method, and the method's name."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith(_OURS)]
    qts = [vars(base) for base in cls.__mro__ if issubclass(base, Shiboken.Object) and base not in ours]
    return [
        (base, name)
        for base in ours
        for name, value in vars(base).items()
        if isinstance(value, FunctionType) and not name.startswith("__") and any(name in names for names in qts)
    ]


def _guarded(method: Callable[..., Any], owner: type, raises: bool) -> Callable[..., Any]:
    """Return a method that ends exceptions where they would pass into Qt.

    Args:
        method: What the class defines.
        owner: The class.
        raises: Whether whoever calls it through Qt waits for the exception, as the one who pushes a step does; it is
            then made an object before it passes, which is what Qt's side needs.
    """
    name = method.__name__
    nothing = method.__annotations__.get("return") in ("None", None)
    handles = name in _HANDLERS

    @wraps(method)
    def guarded(self: Any, *args: Any, **words: Any) -> Any:
        try:
            return guarded.__wrapped__(self, *args, **words)
        except Exception as error:
            if raises:
                raise
            sys.excepthook(type(error), error, error.__traceback__)
            traceback.clear_frames(error.__traceback__)  # ends the painter that an unfinished paintEvent has begun
        except BaseException:  # Ctrl+C in the terminal ends the program, through Qt: an object from here on
            raise
        if nothing or handles:
            return False if handles else None
        try:
            return getattr(super(owner, self), name)(*args, **words)  # a size, a number: Qt's own
        except Exception:  # Qt has none; it then takes the 0 or the empty thing of the type
            return None

    guarded.guarded = True  # type: ignore[attr-defined]
    return guarded
