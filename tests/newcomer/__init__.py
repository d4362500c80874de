"""The way of somebody who is new, from a clone to the second release; no pytest."""
