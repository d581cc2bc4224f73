"""Judge: a blind study in which people tell which of two sessions a person shopped."""
