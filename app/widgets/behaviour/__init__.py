"""What all painted widgets share: repainting, focus, keys, names for assistive tools."""
