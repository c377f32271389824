"""Who the person is and whom they speak of: claims read in their words, and a portrait of them."""
