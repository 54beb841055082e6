"""What plugin and command line share: scenario files found and loaded together, engines, a check, its findings."""
