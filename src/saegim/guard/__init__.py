"""Who may come in: secrets masked, orders from strangers held apart, our own echo left out."""
