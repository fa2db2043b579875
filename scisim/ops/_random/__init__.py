"""Keyed random numbers on values: primitives around the counter-based stream, and the distributions.

Element i of an array of any shape depends on the key and on i alone (and on its own parameters), so any rank computes
any part of it.  Samples have the derivatives of their parameters; words, integers and counts have none.
"""
