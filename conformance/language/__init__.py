"""The scenario language: YAML text becomes checked, expanded, frozen scenarios.

``scenario`` holds what a scenario is and imports nothing; ``load`` reads files and imports all the rest.
"""
