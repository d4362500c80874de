"""The checks over one skill, given its files and where the other skills are."""
