"""The Script tab of the timeline: locks as a text."""
