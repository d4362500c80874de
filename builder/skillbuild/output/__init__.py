"""Where a release is written, published, fetched and verified."""
