"""What the actions of the menus do, one group a file, and the table that makes them."""
