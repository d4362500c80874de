"""Binary formats, icons and media types. Nothing in here knows skills or rules."""
