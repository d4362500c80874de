"""What is published: one module for each emitter; none of them knows another."""
