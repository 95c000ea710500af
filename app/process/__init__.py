"""The running process: its log, its guards against exceptions, a display where there is none."""
