"""Models of figures: how a skeleton becomes bodies and joints, and its poses states and back."""
