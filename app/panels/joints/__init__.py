"""The joints panel: a slider for each degree of freedom, and how joints follow a drag."""
