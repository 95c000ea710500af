"""Files on their way into the window: opening, importing, watching them on the disk, recovering what was left."""
