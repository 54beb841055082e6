"""What all tests share."""

from hypothesis import HealthCheck, settings

# The YAML below is material of the tests: they hand it to runs of their own.
collect_ignore_glob = ["*.yaml"]

# How long an example takes says more of what else the machine does than of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
