"""What to know of a skill before it is installed: license, commands, network, hidden text."""
