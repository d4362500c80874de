"""Programs that recompute what an output states without the code that wrote it."""
