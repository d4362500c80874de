"""All rules, each with its code, severity and explanation.

This package imports only top-level modules of skillbuild, such as `diagnostics` and `model`.
"""
