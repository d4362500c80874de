"""The published formats, one emitter a module. No emitter imports another."""
