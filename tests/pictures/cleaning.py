"""Clean-up of a recorded motion: what was found, and the ghost of what comes out."""

from __future__ import annotations

from app.document.edits.edits import key_changes
from app.window.main_window import MainWindow
from tests.pictures.driving import settle_here
from tests.support.recorded import recorded


def clean_up(page: str, frame: int = 24):
    """Return what opens the board at a page, with a recorded walk."""

    def act(window: MainWindow) -> None:
        document = window.document
        document.selection.set(())
        document.locks.set((), "Locks")
        motion = recorded()
        document.sequences.set_fps(motion.fps)
        document.do("Record", lambda: key_changes(document.model, list(motion.keys)))
        document.set_frame(frame)
        window.workbench.fit_timeline()
        window.clean_up.open()
        board = window.clean_up.board
        assert board is not None
        board.show_page(page)
        for _ in range(900):
            settle_here(window, 0.1)
            if board.made is not None:
                return

    return act
