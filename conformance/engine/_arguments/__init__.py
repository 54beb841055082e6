"""Signatures of torch's functions, parsing of arguments, and the texts of their errors (torch: python_arg_parser.cpp)."""
