"""The simulation of the document and its settings."""
