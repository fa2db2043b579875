"""Inverse trigonometric functions."""
