"""Motion made from rules: walks of any figure with two legs, over any ground."""
