"""Every text architecture of transformers: built small, measured, and compared with what its code says."""
