"""What a solver imports is there before its first drag."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from PySide6.QtCore import QCoreApplication
from app.document.document import Document
from app.work.solver_libraries import SolverLibraries
application = QCoreApplication([])
document = Document()
libraries = SolverLibraries(document)
assert "scipy.optimize" not in sys.modules and libraries.thread is None, "others need nothing"
document.session.solver.name = "ccd"
assert libraries.thread is None
document.session.solver.name = "optimization"
libraries.thread.join(60)
assert "scipy.optimize" in sys.modules and "threadpoolctl" in sys.modules
print("loaded")
"""


def test_they_are_loaded_beside_the_window_when_the_solver_is_chosen():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "loaded", done.stderr
