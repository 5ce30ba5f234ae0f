"""The systems under test: what is measured, each behind the contract of hbsbench/systems.py."""
