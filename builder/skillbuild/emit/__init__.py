"""The published formats: one module for each emitter. No emitter imports another."""
