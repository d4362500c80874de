"""What makes a second build quick; a build without it gives the same bytes."""
