"""The end of the process, while other threads may still be at work."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the process.

    A window that closes waits a few seconds for its threads. One that compiles or draws longer than that would go on
    while Python and Qt are taken apart, and crash: then the process ends without taking anything apart.

    Args:
        code: The exit code.
    """
    if any(thread.daemon for thread in threading.enumerate() if thread is not threading.current_thread()):
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
