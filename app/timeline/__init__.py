"""Keys laid out along the frames, and the transport."""
