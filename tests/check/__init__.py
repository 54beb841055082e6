"""Tests of what checks one scenario."""
