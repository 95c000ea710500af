"""Lock strips on the timeline: rows, strips, what is flagged."""
