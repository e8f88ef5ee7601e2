"""How fast games and searches are, beside other implementations of them."""
