"""Skill on frozen ladders: the climb, the calibration of ladders, and their reports."""
