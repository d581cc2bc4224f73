"""What each command of `shopsim` does: thin calls into the package, libraries imported when needed."""
