"""From keys to motion: spans, tangents, rotations, timing and speed along paths."""
