"""What all tests share."""

# The YAML below is material of the tests: they hand it to runs of their own.
collect_ignore_glob = ["*.yaml"]
