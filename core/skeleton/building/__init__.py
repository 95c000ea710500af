"""Building and editing figures."""
