"""The open document: figures, sequences, undo, journal. No widgets."""
