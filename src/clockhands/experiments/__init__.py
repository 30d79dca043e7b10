"""Fair comparisons of encodings: a design, its cells, a store, and what the numbers support."""
