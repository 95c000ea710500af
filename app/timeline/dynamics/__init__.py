"""The Dynamics tab: over which frames which joints are moved by forces, and what energy and plausibility say."""
