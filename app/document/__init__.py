"""The open document: figures, sequences, undo, journal. No widgets."""

from app.document.changes import Change
from app.document.document import Document
from app.document.gestures.pose_gesture import Gesture
from app.document.player import Player
from app.document.session import Session

__all__ = ["Change", "Document", "Gesture", "Player", "Session"]
