"""Changes of the model that can be taken back, each with a JSON record."""
