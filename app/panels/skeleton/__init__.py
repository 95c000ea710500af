"""The skeleton panel: the joints as a tree, and the form of the joint that is edited."""
