"""The open document: the one object that views, tools and panels bind to. No widgets."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.document.base import DocumentBase
from app.document.camera_keys import CameraKeys
from app.document.figures import Figures
from app.document.files.files import Files
from app.document.history import History
from app.document.hybrid import Flights, Hybrid
from app.document.keys.keys import Keys
from app.document.layers import LayerEdits
from app.document.locks.grips import Grips
from app.document.locks.locks import Locks
from app.document.locks.script import ScriptEdits
from app.document.physics.state import PhysicsState
from app.document.posing.posing import Posing
from app.document.sequences import Markers, Music, Sequences
from app.document.walks import Walks


class Document(DocumentBase):
    """Figures, sequences, undo, selection and the session, with one signal for everything that changes.

    Every edit is a method of one of the parts. It is checked first and then pushed on ``stack``; one that is not
    possible changes nothing, says why in one line through ``message`` and returns False.

    Attributes:
        figures: Figures, their joints and roots.
        sequences: Sequences and their values.
        walks: The rules that the sequence is made by.
        posing: The pose on screen.
        keys: Keys of the sequence that is shown.
        layers: Its layers.
        locks: Its locks.
        script: Its locks as a text.
        grips: What figures hold.
        hybrid: Its ranges in which forces move joints.
        physics: What is simulated, and its settings; the document itself is not changed by a simulation.
        flights: Flights of its centre of mass.
        music: Its music.
        markers: Its markers.
        camera: The camera of its shot.
        files: The document's file and journal.
        history: Undo and Redo.
    """

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.figures = Figures(self)
        self.sequences = Sequences(self)
        self.walks = Walks(self)
        self.posing = Posing(self)
        self.keys = Keys(self)
        self.layers = LayerEdits(self)
        self.locks = Locks(self, self.posing)
        self.script = ScriptEdits(self)
        self.grips = Grips(self)
        self.hybrid = Hybrid(self)
        self.physics = PhysicsState(self)
        self.flights = Flights(self, self.physics.settings)
        self.music = Music(self)
        self.markers = Markers(self)
        self.camera = CameraKeys(self)
        self.files = Files(self)
        self.history = History(self)
