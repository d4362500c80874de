"""The HTML catalog: lists, a page for each skill and each file, nothing that runs by itself."""
