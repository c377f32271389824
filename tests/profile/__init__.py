"""Who the person is, and whom they speak of."""
