"""Peers that speed is compared with."""
