"""Work beside the window: threads with progress, what waits for a calm moment, kernels on their way in."""
