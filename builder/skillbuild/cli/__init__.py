"""The command line: its grammar, one module for each command, and terminal output."""
