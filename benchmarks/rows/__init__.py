"""How surely stored q and k rows tell their layout, on a real model."""
