"""What parts, degrees of freedom, locks and quantities of physics are called where a person reads of them."""
