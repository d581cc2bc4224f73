"""Real shopping logs as data sets: `import_log` with one of `kinds.KINDS` or a mapping file; docs/importers.md."""
