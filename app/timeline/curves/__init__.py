"""The curve editor: values, speeds and timing of the keys as curves."""
