"""clockhands: see, check and compare how transformers know position."""
