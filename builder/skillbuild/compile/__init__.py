"""One skill through check, pack and emit; many skills in several processes."""
