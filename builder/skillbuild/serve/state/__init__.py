"""The release that is being served: its entries, its files, and its replacement."""
