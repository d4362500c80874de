"""Takes a skill through check, pack and emit; handles many skills in several processes."""
