"""Check one scenario on two engines: what the plugin and the command line share."""
