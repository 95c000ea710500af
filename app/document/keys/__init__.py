"""Keys of the sequence that is shown."""
