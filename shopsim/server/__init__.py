"""The server: the environments over the wire, and pages for people. Needs the extra ``server``."""
