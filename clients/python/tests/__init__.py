"""Tests of the client. Run them with: python3 -m unittest discover -s tests -t ."""
