"""One module per published format; none of them knows another."""
