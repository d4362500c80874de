"""The published formats, with one module for each emitter. No emitter imports another."""
