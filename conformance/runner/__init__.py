"""Scenario x Engine -> Trace; Trace x Trace -> differences; verdicts.  Standard library only."""
