"""No exception passes from an event handler, or any other override of Qt's, into Qt.

Every method that overrides one of Qt's stands under ``@guarded``::

    class Bar(QWidget):
        @guarded
        def paintEvent(self, event: QPaintEvent) -> None:
            ...

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
from typing import Any, TypeVar, cast

from PySide6.QtGui import QUndoCommand

Method = TypeVar("Method", bound=Callable[..., Any])

_HANDLERS = ("event", "viewportEvent", "eventFilter")


def guarded(method: Method) -> Method:
    """Return an override of Qt's that ends exceptions where they would pass into Qt.

    What fails is reported through ``sys.excepthook``. Qt then gets what its own method answers: False (not handled)
    from ``event`` and its like, the base class's size or number from others. Undo steps alone let an exception pass,
    since whoever pushes one waits for it; it is made an object first, which is what Qt's side needs.

    Args:
        method: The override, as the class defines it.
    """
    name = method.__name__
    nothing = method.__annotations__.get("return") in ("None", None)
    handles = name in _HANDLERS

    @wraps(method)
    def guard(self: Any, *args: Any, **words: Any) -> Any:
        try:
            return guard.__wrapped__(self, *args, **words)
        except Exception as error:
            if isinstance(self, QUndoCommand):
                raise
            sys.excepthook(type(error), error, error.__traceback__)
            traceback.clear_frames(error.__traceback__)  # ends the painter that an unfinished paintEvent has begun
        except BaseException:  # Ctrl+C in the terminal ends the program, through Qt: an object from here on
            raise
        if nothing or handles:
            return False if handles else None
        try:
            owner = next(base for base in type(self).__mro__ if vars(base).get(name) is guard)
            return getattr(super(owner, self), name)(*args, **words)  # a size, a number: Qt's own
        except Exception:  # Qt has none; it then takes the 0 or the empty value of the type
            return None

    guard.guarded = True  # type: ignore[attr-defined]  # a function takes any attribute
    return cast(Method, guard)
