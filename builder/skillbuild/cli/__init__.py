"""The command line: its grammar, one module for each command, and what the terminal shows."""
