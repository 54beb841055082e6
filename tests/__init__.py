"""Tests of the suite itself; they mirror the package."""
